import { jest } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../../service/basics/values';
import type { HttpAnswer, Origin } from '../../service/http/answer';
import { readAnswer, readList } from '../../service/http/answer';
import type { ReadRequest } from '../../service/http/request';
import { withRetry } from '../../service/http/retry';
import { PRODUCTS_INTEGRATION } from '../../service/products/integration';
import type { Product } from '../../service/products/products';
import { Products } from '../../service/products/products';
import type { Session, WriteRequest } from '../../service/session';

/** An answer, or what is thrown in place of one. */
export type Scripted = HttpAnswer | Error | (() => HttpAnswer | Error);

export const answered = (
	statusCode: number,
	body?: unknown,
	headers: IDataObject = {},
): HttpAnswer => ({ statusCode, headers, body });

/**
 * The products of a service that answers by a script: each list, look and write has its answers in order,
 * of which the last one is given again and again. No time goes by but by `pause`, which is told
 * in `log`; it needs fake timers.
 */
let services = 0;

export class ScriptedProducts {
	/** “LIST 123”, “GET a”, “POST”, “pause 5000”, in order. */
	readonly log: string[] = [];

	readonly reads: ReadRequest[] = [];

	readonly writes: WriteRequest[] = [];

	/** The deadlines that the looks were given. */
	readonly deadlines: Array<number | undefined> = [];

	lists: Scripted[] = [answered(200, [])];

	looks: Scripted[] = [answered(404)];

	answers: Scripted[] = [];

	/** Whether the execution is. */
	isCancelled = false;

	maxTries = 5;

	readonly products: Products;

	/** @param address the same for executions that order from one service */
	constructor(
		product: Product = 'premium-listings',
		readonly address = `https://products-${++services}.example.com/`,
		private readonly clientId = 'client',
	) {
		this.products = new Products(this.session() as Session, product);
	}

	private session(): Partial<Session> {
		const origin: Origin = {
			requestKind: 'data',
			words: PRODUCTS_INTEGRATION.words,
			secrets: ['hidden-token'],
		};
		const limits = () => ({ maxTries: this.maxTries, maxWaitMs: 60_000 });
		const isCancelled = () => this.isCancelled;
		return {
			address: this.address,
			clientId: this.clientId,
			get isCancelled() {
				return isCancelled();
			},
			timeAt: (hostTime) => hostTime,
			origin,
			get: async (request, { deadline } = {}) => {
				this.deadlines.push(deadline);
				return await withRetry(async () => {
					this.note(request, `GET ${request.path.split('/').at(-1)}`);
					return readAnswer(origin, await spoken(next(this.looks)));
				}, limits());
			},
			list: async (request) =>
				await withRetry(async () => {
					const { listingId, customerListingId } = request.query ?? {};
					this.note(request, `LIST ${textOf(listingId ?? customerListingId)}`);
					return readList(origin, await spoken(next(this.lists)));
				}, limits()),
			write: async (request) => {
				const script = next(this.answers);
				this.log.push(request.method);
				this.writes.push(request);
				return await spoken(script);
			},
			retry: async (work) => await withRetry(work, limits()),
			pause: async (ms) => {
				if (ms === 0) return;
				this.log.push(`pause ${ms}`);
				await jest.advanceTimersByTimeAsync(ms);
			},
		};
	}

	private note(request: ReadRequest, line: string): void {
		this.reads.push(request);
		this.log.push(line);
	}
}

/** The next one of a script; the last one stays. */
function next(script: Scripted[]): Scripted {
	const [first] = script.length > 1 ? script.splice(0, 1) : script;
	if (first === undefined) throw new Error('The script has no answer to this');
	return first;
}

async function spoken(script: Scripted): Promise<HttpAnswer> {
	const answer = typeof script === 'function' ? script() : script;
	if (answer instanceof Error) throw answer;
	return await Promise.resolve(answer);
}
