import { EventEmitter } from 'node:events';
// Not the globals: a wait must time out even in a test that mocks the clock.
import { clearTimeout, setTimeout } from 'node:timers';

export interface LoggedRequest {
	/** Epoch milliseconds by the service's clock. */
	at: number;
	method: string;
	path: string;
	query: Record<string, string[]>;
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
	/** By client, even refused requests; '' if the request names no client. */
	tokenRequests: Record<string, number>;
	/** Requests by path (with `{id}` or `{uuid}` for an ID) and client; '' if the client is unknown. */
	data: Record<string, Record<string, number>>;
	dataRequests: number;
	credits: number;
	/** By product and listing id. */
	creditsBy: Record<string, Record<string, number>>;
	/** The most requests at once, by path. */
	maxInFlight: Record<string, number>;
}

const KEPT_REQUESTS = 10_000;

function noCounts(): Counts {
	const none = { tokens: {}, tokenRequests: {}, data: {}, creditsBy: {}, maxInFlight: {} };
	return { ...none, dataRequests: 0, credits: 0 };
}

function increment(counts: Record<string, number>, key: string): void {
	counts[key] = (counts[key] ?? 0) + 1;
}

/** Counts and logs the requests; a test can wait for one here. */
export class Journal extends EventEmitter {
	counts = noCounts();
	requests: LoggedRequest[] = [];
	readonly inFlight = new Map<string, number>();

	constructor() {
		super();
		this.setMaxListeners(0);
	}

	/** Requests that are still open keep their count, which is the new maximum. */
	reset(): void {
		this.counts = noCounts();
		this.requests = [];
		for (const [path, open] of this.inFlight) this.counts.maxInFlight[path] = open;
	}

	/** @returns a function to call with the status; only the first call counts */
	open(entry: LoggedRequest, template: string, kind: 'token' | 'data'): (status: number) => void {
		const client = entry.clientId ?? '';
		if (kind === 'token') increment(this.counts.tokenRequests, client);
		else {
			this.counts.dataRequests++;
			increment((this.counts.data[template] ??= {}), client);
		}
		this.requests.push(entry);
		if (this.requests.length > KEPT_REQUESTS) this.requests.shift();
		const open = (this.inFlight.get(template) ?? 0) + 1;
		this.inFlight.set(template, open);
		this.counts.maxInFlight[template] = Math.max(open, this.counts.maxInFlight[template] ?? 0);
		this.emit('change');
		return (status) => this.close(entry, template, status);
	}

	private close(entry: LoggedRequest, template: string, status: number): void {
		if (entry.status !== null) return;
		entry.status = status;
		const open = (this.inFlight.get(template) ?? 1) - 1;
		if (open === 0) this.inFlight.delete(template);
		else this.inFlight.set(template, open);
		this.emit('change');
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
