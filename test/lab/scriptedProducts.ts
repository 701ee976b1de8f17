import { jest } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../../service/basics/values';
import { ServiceError } from '../../service/failure';
import type { HttpAnswer, Origin } from '../../service/http/answer';
import { readAnswer, readList } from '../../service/http/answer';
import type { Place } from '../../service/http/pace';
import { withRetry } from '../../service/http/retry';
import { PRODUCTS_INTEGRATION } from '../../service/products/integration';
import type { Product } from '../../service/products/products';
import { Products } from '../../service/products/products';
import type { ReadRequest, Session, WriteRequest } from '../../service/session';

/** An answer, or what is thrown in place of one. */
export type Scripted = HttpAnswer | Error | (() => HttpAnswer | Error);

export const answered = (
	statusCode: number,
	body?: unknown,
	headers: IDataObject = {},
): HttpAnswer => ({ statusCode, headers, body });

type Spoken = Pick<
	Session,
	| 'address'
	| 'isCancelled'
	| 'fingerprint'
	| 'knowsTime'
	| 'timeAt'
	| 'origin'
	| 'get'
	| 'list'
	| 'write'
	| 'retry'
	| 'pause'
>;

/**
 * The products of a service that answers by a script: each list, look and write has its answers in order,
 * of which the last one is given again and again. No time goes by but by `pause`, which is told
 * in `log`; it needs fake timers.
 */
let pairs = 0;

export class ScriptedProducts {
	/** “LIST 123”, “GET a”, “POST”, “pause 5000”, in order. */
	readonly log: string[] = [];

	readonly reads: ReadRequest[] = [];

	readonly writes: WriteRequest[] = [];

	/** Where the writes waited for their turn. */
	readonly places: Array<Place | undefined> = [];

	/** The deadlines that the looks were given. */
	readonly deadlines: Array<number | undefined> = [];

	lists: Scripted[] = [answered(200, [])];

	/** What is shown of a listing that nobody has. */
	nobodys: Scripted = answered(200, []);

	looks: Scripted[] = [answered(404)];

	answers: Scripted[] = [];

	/** What happens before a write departs. */
	beforeDeparture: () => void = () => undefined;

	knowsTime = true;

	/** Whether the execution is. */
	isCancelled = false;

	maxTries = 5;

	readonly products: Products;

	constructor(product: Product = 'premium-listings') {
		this.products = new Products(this.session() as Session, product);
	}

	private session(): Spoken {
		const origin: Origin = {
			requestKind: 'data',
			words: PRODUCTS_INTEGRATION.words,
			secrets: ['hidden-token'],
		};
		const limits = () => ({ maxTries: this.maxTries, maxWaitMs: 60_000 });
		const knowsTime = () => this.knowsTime;
		const isCancelled = () => this.isCancelled;
		return {
			address: `https://products-${++pairs}.example.com/`,
			fingerprint: `pair ${pairs}`,
			get isCancelled() {
				return isCancelled();
			},
			get knowsTime() {
				return knowsTime();
			},
			timeAt: (hostTime) => hostTime,
			origin,
			get: async (request, { deadline, departs } = {}) => {
				this.deadlines.push(deadline);
				return await withRetry(async () => {
					departs?.();
					this.note(request, `GET ${request.path.split('/').at(-1)}`);
					return { body: readAnswer(origin, await spoken(next(this.looks))) };
				}, limits());
			},
			list: async (request) =>
				await withRetry(async () => {
					const { listingId, customerListingId } = request.query;
					this.note(request, `LIST ${textOf(listingId ?? customerListingId)}`);
					const isNobodys = request.subject?.startsWith('nobody');
					const script = isNobodys ? this.nobodys : next(this.lists);
					return { body: readList(origin, await spoken(script)) };
				}, limits()),
			write: async (request, bounds) => {
				this.beforeDeparture();
				const script = next(this.answers);
				if (!isUnsent(script)) bounds?.departs?.();
				this.log.push(request.method);
				this.writes.push(request);
				this.places.push(bounds?.place);
				return { answer: await spoken(script), origin };
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

function isUnsent(script: Scripted): boolean {
	if (!(script instanceof ServiceError)) return false;
	return script.details.isUnsent === true || script.details.requestKind === 'token';
}

/** Under fake timers. */
export function passTime(ms: number): void {
	jest.advanceTimersByTime(ms);
}
