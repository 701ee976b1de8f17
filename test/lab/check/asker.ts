import { setTimeout as pause } from 'node:timers/promises';

import type { WireAnswer, WireRequest } from '../reference/http';
import { exchange } from '../reference/http';
import { NoAnswer } from './findings';
import { isRecord } from './records';

/** How gently the service is asked; times in milliseconds. */
export interface Manners {
	between: number;
	deadline: number;
	/** Where the service is busy and does not say how long. */
	busy: number;
	/** Before a request that failed is sent again. */
	failed: number;
	/** What it asks for beyond this is not waited for. */
	longestWait: number;
	tries: number;
}

export const MANNERS: Manners = {
	between: 300,
	deadline: 30_000,
	busy: 10_000,
	failed: 3_000,
	longestWait: 120_000,
	tries: 3,
};

/** An answer and what its body holds. */
export interface Reply extends WireAnswer {
	kind: 'json' | 'empty' | 'page' | 'text';
	/** What the JSON says; undefined where there is none. */
	body: unknown;
}

/** Sends one request after another, with pauses, and nothing that could change anything. */
export class Asker {
	/** Requests sent so far, repeats included. */
	sent = 0;

	constructor(private readonly manners: Manners) {}

	/**
	 * A request for a token: the only kind that is not a GET.
	 *
	 * @throws NoAnswer
	 */
	async token(request: WireRequest): Promise<Reply> {
		const { method, headers } = request;
		const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
		if (method !== 'POST' || !isForm) throw new Error('Only a token is asked for like this');
		return await this.patiently(request);
	}

	/**
	 * A request that reads.
	 *
	 * @throws NoAnswer
	 */
	async read(request: WireRequest): Promise<Reply> {
		if (request.method !== 'GET') throw new Error('The check only reads');
		return await this.patiently(request);
	}

	/** What is busy, fails or is cut off is asked again; what takes too long is not. */
	private async patiently(request: WireRequest): Promise<Reply> {
		for (let attempt = 1; ; attempt++) {
			const answer = await this.once(request);
			const isLast = attempt >= this.manners.tries;
			if (answer instanceof NoAnswer) {
				if (isLast || answer.message === TOO_LONG) throw answer;
				await pause(this.manners.failed);
			} else if (answer.status === 429) {
				if (isLast) throw new NoAnswer(`the service was busy (429) ${attempt} times`);
				await pause(this.waitAskedFor(answer));
			} else if (answer.status >= 500 && !isLast) {
				await pause(this.manners.failed);
			} else {
				return toReply(answer);
			}
		}
	}

	private async once(request: WireRequest): Promise<WireAnswer | NoAnswer> {
		if (this.sent++ > 0) await pause(this.manners.between);
		const [outcome] = await Promise.allSettled([exchange(request, this.manners.deadline)]);
		return outcome.status === 'fulfilled' ? outcome.value : new NoAnswer(reasonOf(outcome.reason));
	}

	/** @throws NoAnswer where it is longer than anybody should wait here */
	private waitAskedFor({ headers }: WireAnswer): number {
		const value = headers['retry-after'];
		if (typeof value !== 'string') return this.manners.busy;
		const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
		if (wait > this.manners.longestWait)
			throw new NoAnswer('the service is busy (429) and asks for a wait that is too long');
		return Number.isNaN(wait) ? this.manners.busy : Math.max(wait, 0);
	}
}

const TOO_LONG = 'no answer: it took too long';

/** Words for what a machine says; never its own message, which holds the address. */
const REASONS: Record<string, string> = {
	ENOTFOUND: 'the name in the address is not known',
	EAI_AGAIN: 'names cannot be looked up',
	ECONNREFUSED: 'nothing answers at the address',
	ECONNRESET: 'the connection was cut',
	UND_ERR_SOCKET: 'the connection was cut',
	UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
	ERR_INVALID_URL: 'the address is not a web address',
	UND_ERR_INVALID_ARG: 'an address or a header cannot be sent as it is',
};

function reasonOf(error: unknown): string {
	const { name, code } = isRecord(error) ? error : {};
	if (name === 'TimeoutError' || name === 'AbortError') return TOO_LONG;
	const known = typeof code === 'string' ? code : '';
	if (/^(CERT_|DEPTH_|UNABLE_TO_|ERR_TLS|SELF_SIGNED)/.test(known))
		return 'no answer: the certificate of the address is not trusted';
	return `no answer: ${REASONS[known] ?? 'the connection failed'}`;
}

function toReply(answer: WireAnswer): Reply {
	const { text } = answer;
	if (text.trim() === '') return { ...answer, kind: 'empty', body: undefined };
	const [parsed] = parsedOf(text);
	if (parsed !== undefined) return { ...answer, kind: 'json', body: parsed };
	return { ...answer, kind: /^\s*</.test(text) ? 'page' : 'text', body: undefined };
}

/** @returns what the JSON says, alone in a list; an empty list if it is none */
function parsedOf(text: string): unknown[] {
	try {
		return [JSON.parse(text)];
	} catch {
		return [];
	}
}
