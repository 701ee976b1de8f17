import { EventEmitter } from 'node:events';
// Not the globals: a test with a mocked clock still gets its time-out.
import { clearTimeout, setTimeout } from 'node:timers';

export interface LoggedRequest {
	/** epoch milliseconds by the service's clock */
	at: number;
	method: string;
	path: string;
	/** empty for a token request, which has none worth keeping */
	query: Record<string, string[]>;
	clientId: string | null;
	agencyRef: string | null;
	/** null: not answered yet; 0: the connection ended without an answer */
	status: number | null;
	/** which token of its client was used or issued, from 1 */
	tokenIndex: number | null;
}

export interface Counts {
	/** issued, by client */
	tokens: Record<string, number>;
	/** by client, refused ones too; '' names none */
	tokenRequests: Record<string, number>;
	/** requests by path (ids as `{id}`, `{uuid}`) and client; '' is unknown */
	data: Record<string, Record<string, number>>;
	dataRequests: number;
	credits: number;
	/** by product and listing id */
	creditsBy: Record<string, Record<string, number>>;
	/** the most requests at once, by path */
	maxInFlight: Record<string, number>;
}

export type WaitOptions = { timeoutMs?: number };

const KEPT_REQUESTS = 10_000;

function noCounts(): Counts {
	return {
		tokens: {},
		tokenRequests: {},
		data: {},
		dataRequests: 0,
		credits: 0,
		creditsBy: {},
		maxInFlight: {},
	};
}

function increment(counts: Record<string, number>, key: string) {
	counts[key] = (counts[key] ?? 0) + 1;
}

/** What was served, counted and logged; and the place to wait for it. */
export class Journal extends EventEmitter {
	counts = noCounts();
	requests: LoggedRequest[] = [];
	readonly inFlight = new Map<string, number>();

	constructor() {
		super();
		this.setMaxListeners(0);
	}

	/** What is under way stays under way, and is the new maximum. */
	reset() {
		this.counts = noCounts();
		this.requests = [];
		for (const [path, open] of this.inFlight) this.counts.maxInFlight[path] = open;
	}

	/** @returns to be called with the status; only the first call counts */
	open(entry: LoggedRequest, template: string, kind: 'token' | 'data'): (status: number) => void {
		this.count(entry, template, kind);
		this.requests.push(entry);
		if (this.requests.length > KEPT_REQUESTS) this.requests.shift();
		const open = (this.inFlight.get(template) ?? 0) + 1;
		this.inFlight.set(template, open);
		this.counts.maxInFlight[template] = Math.max(open, this.counts.maxInFlight[template] ?? 0);
		this.emit('change');
		return (status) => this.close(entry, template, status);
	}

	private count(entry: LoggedRequest, template: string, kind: 'token' | 'data') {
		const client = entry.clientId ?? '';
		if (kind === 'token') {
			increment(this.counts.tokenRequests, client);
			return;
		}
		this.counts.dataRequests++;
		increment((this.counts.data[template] ??= {}), client);
	}

	private close(entry: LoggedRequest, template: string, status: number) {
		if (entry.status !== null) return;
		entry.status = status;
		const open = (this.inFlight.get(template) ?? 1) - 1;
		if (open === 0) this.inFlight.delete(template);
		else this.inFlight.set(template, open);
		this.emit('change');
	}

	tokenIssued(clientId: string) {
		increment(this.counts.tokens, clientId);
	}

	creditSpent(product: string, listingId: number) {
		this.counts.credits++;
		increment((this.counts.creditsBy[product] ??= {}), String(listingId));
	}

	/**
	 * A request is seen twice: when it arrives (status null) and when it is answered. One that is logged
	 * already counts; `reset` first to wait for a new one.
	 */
	waitForRequest(
		predicate: (request: LoggedRequest) => boolean,
		options?: WaitOptions,
	): Promise<LoggedRequest> {
		return this.waitUntil(() => this.requests.find(predicate), 'request', options);
	}

	/** @returns the count that was reached */
	waitForCount(
		select: (counts: Counts) => number | undefined,
		atLeast: number,
		options?: WaitOptions,
	): Promise<number> {
		const reached = () => {
			const count = select(this.counts) ?? 0;
			return count >= atLeast ? count : undefined;
		};
		return this.waitUntil(reached, `count of ${atLeast}`, options);
	}

	private waitUntil<T>(
		check: () => T | undefined,
		what: string,
		{ timeoutMs = 5000 }: WaitOptions = {},
	): Promise<T> {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => {
				this.off('change', look);
				reject(new Error(`no ${what} within ${timeoutMs} ms; last: ${this.lastRequests()}`));
			}, timeoutMs);
			const look = () => {
				const found = check();
				if (found === undefined) return;
				clearTimeout(timer);
				this.off('change', look);
				resolve(found);
			};
			this.on('change', look);
			look();
		});
	}

	private lastRequests() {
		const last = this.requests.slice(-5).map(({ method, path, status }) => {
			return `${method} ${path} ${status ?? 'open'}`;
		});
		return last.length === 0 ? 'none' : last.join(', ');
	}
}
