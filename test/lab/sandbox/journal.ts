import { EventEmitter } from 'node:events';
// Not the globals: a wait must time out even in a test that mocks the clock.
import { clearTimeout, setTimeout } from 'node:timers';

export interface LoggedRequest {
	/** Epoch milliseconds by the service's clock. */
	at: number;
	method: string;
	path: string;
	query: Record<string, string[]>;
	body: string;
	clientId: string | null;
	agencyRef: string | null;
	/** Null: not answered yet; 0: the connection ended without an answer. */
	status: number | null;
	/** Which token of its client was used or issued, from 1. */
	tokenIndex: number | null;
}

export interface Counts {
	/** Issued, by client. */
	tokens: Record<string, number>;
	/** Requests for data. */
	dataRequests: number;
	credits: number;
	/** By product and listing id. */
	creditsBy: Record<string, Record<string, number>>;
}

const KEPT_REQUESTS = 10_000;

function noCounts(): Counts {
	return { tokens: {}, dataRequests: 0, credits: 0, creditsBy: {} };
}

function increment(counts: Record<string, number>, key: string): void {
	counts[key] = (counts[key] ?? 0) + 1;
}

/** Counts and logs the requests; a test can wait for one here. */
export class Journal extends EventEmitter {
	counts = noCounts();
	requests: LoggedRequest[] = [];
	readonly inFlight = new Set<LoggedRequest>();

	constructor() {
		super();
		this.setMaxListeners(0);
	}

	reset(): void {
		this.counts = noCounts();
		this.requests = [];
	}

	/** @returns a function to call with the status; only the first call counts */
	open(entry: LoggedRequest, kind: 'token' | 'data'): (status: number) => void {
		if (kind === 'data') this.counts.dataRequests++;
		this.requests.push(entry);
		if (this.requests.length > KEPT_REQUESTS) this.requests.shift();
		this.inFlight.add(entry);
		this.emit('change');
		return (status) => {
			if (!this.inFlight.delete(entry)) return;
			entry.status = status;
			this.emit('change');
		};
	}

	tokenIssued(clientId: string): void {
		increment(this.counts.tokens, clientId);
	}

	creditSpent(product: string, listingId: number): void {
		this.counts.credits++;
		increment((this.counts.creditsBy[product] ??= {}), String(listingId));
	}

	/**
	 * The predicate sees a request twice: when it arrives (status null) and when it is answered. A request that is
	 * logged already counts; call `reset` first to wait for a new one.
	 */
	waitForRequest(
		predicate: (request: LoggedRequest) => boolean,
		{ timeoutMs = 5000 }: { timeoutMs?: number } = {},
	): Promise<LoggedRequest> {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => {
				this.off('change', look);
				reject(new Error(`no request within ${timeoutMs} ms; last: ${this.lastRequests()}`));
			}, timeoutMs);
			const look = () => {
				const found = this.requests.find(predicate);
				if (found === undefined) return;
				clearTimeout(timer);
				this.off('change', look);
				resolve(found);
			};
			this.on('change', look);
			look();
		});
	}

	private lastRequests(): string {
		const last = this.requests.slice(-5);
		return last.map(({ method, path, status }) => `${method} ${path} ${status ?? 'open'}`).join();
	}
}
