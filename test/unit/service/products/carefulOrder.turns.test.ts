import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import range from 'lodash/range';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { authenticate, renewToken } from '../../../../service/auth/tokenHooks';
import { CarefulOrder } from '../../../../service/products/carefulOrder';
import { PRODUCTS_INTEGRATION } from '../../../../service/products/integration';
import type { Listing } from '../../../../service/products/products';
import { Products } from '../../../../service/products/products';
import type { SessionContext } from '../../../../service/session';
import { DEFAULT_LIMITS, Session } from '../../../../service/session';
import { HOUR, MINUTE, SECOND } from '../../../lab/times';

/*
 * Orders of several executions, with the real session: the pace decides when each request departs. Only n8n's HTTP helper is
 * played, since no real one knows of fake time.
 */

jest.setTimeout(60_000);

const LISTING: Listing = { listingId: 123 };

/** What a service has taken that takes a second order as well, and how it answers. */
class Service {
	private static count = 0;

	readonly number = ++Service.count;

	readonly made: IDataObject[] = [];

	/** When a look at the listing and an order for it were taken, in milliseconds from the start. */
	readonly taken: Array<{ method: string; at: number }> = [];

	private readonly start = Date.now();

	private freeAt = 0;

	constructor(private readonly gapMs: number) {}

	/** One request each `gapMs`. */
	async answer({ method = 'GET', qs, body }: IHttpRequestOptions) {
		await sleep(100);
		const isOurs = qs?.listingId !== undefined || method === 'POST';
		if (Date.now() < this.freeAt) return { statusCode: 429, headers: {}, body: '' };
		this.freeAt = Date.now() + this.gapMs;
		if (isOurs) this.taken.push({ method, at: Date.now() - this.start });
		if (method === 'GET') return { statusCode: 200, headers: {}, body: isOurs ? this.made : [] };
		const { listingId } = body as IDataObject;
		const createdAt = new Date().toISOString();
		const id = `a${this.made.length}`;
		const activation = { id, listingId, createdAt, status: { result: 'SCHEDULED' } };
		this.made.push(activation);
		return { statusCode: 202, headers: {}, body: activation };
	}

	/** For an execution of its own. */
	products(cancelled = new AbortController().signal): Products {
		const credential = {
			clientId: `client-${this.number}`,
			clientSecret: 'secret',
			authUrl: 'https://auth.example.com',
			productsUrl: `https://orders-${this.number}.example.com`,
			accessToken: '',
		};
		const grant = PRODUCTS_INTEGRATION.grant(credential);
		const issue = async () =>
			await Promise.resolve({
				statusCode: 200,
				headers: {},
				body: { access_token: 'token', expires_in: 360_000 },
			});
		const httpRequestWithAuthentication = async (
			_type: string,
			options: IHttpRequestOptions,
			used: { credentialsDecrypted: { data: ICredentialDataDecryptedObject } },
		) => {
			const { data } = used.credentialsDecrypted;
			if (data.accessToken === '') Object.assign(data, await renewToken(issue, grant, data));
			authenticate(grant, data, options);
			return await this.answer(options);
		};
		const context = {
			helpers: { httpRequestWithAuthentication },
			logger: { warn: () => undefined },
			getExecutionCancelSignal: () => cancelled,
		} as unknown as SessionContext;
		const session = new Session(context, PRODUCTS_INTEGRATION, credential, DEFAULT_LIMITS);
		return new Products(session, 'premium-listings');
	}

	/** An execution that orders the listing. */
	async order(cancelled?: AbortSignal): Promise<string> {
		const made = new CarefulOrder(this.products(cancelled), { listing: LISTING }, {}).make();
		return await made.then(
			(result) => Object.keys(result).join(),
			(error: Error) => error.message,
		);
	}

	/** Executions that ask for something else again and again. */
	crowd(count: number): void {
		range(count).forEach(() => {
			const products = this.products();
			const end = Date.now() + HOUR;
			void (async () => {
				while (Date.now() < end) await products.activations({}).catch(() => undefined);
			})();
		});
	}
}

beforeEach(() => {
	jest.useFakeTimers({ now: Date.UTC(2026, 2, 2, 9, 15, 30) });
	let drawn = 0;
	// The same pauses each time, spread evenly.
	jest.spyOn(Math, 'random').mockImplementation(() => (++drawn * 0.618) % 1);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		const over = new AbortController();
		setTimeout(() => over.abort(new DOMException('over', 'TimeoutError')), ms);
		return over.signal;
	});
});

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

describe('two executions that order the same listing', () => {
	it.each([
		[0, 0, 0],
		[0, 0, 150],
		[0, 3 * SECOND, 0],
		[20, 3 * SECOND, 10 * SECOND],
		[60, SECOND, 30 * SECOND],
	])(
		'beside %i others, at a service that takes a request each %i ms, %i ms apart: one order',
		async (others, gapMs, apartMs) => {
			const service = new Service(gapMs);
			service.crowd(others);
			await jest.advanceTimersByTimeAsync(MINUTE);

			const first = service.order();
			await jest.advanceTimersByTimeAsync(apartMs);
			const second = service.order();
			await jest.advanceTimersByTimeAsync(15 * MINUTE);

			expect(await Promise.all([first, second])).toEqual(['own', 'existing']);
			expect(service.made).toHaveLength(1);
		},
	);
});

describe('an order that waits for another one for the same listing', () => {
	it('ends at once if it is cancelled, and the next one waits all the same', async () => {
		const service = new Service(0);
		const cancel = new AbortController();

		const first = service.order();
		const second = service.order(cancel.signal);
		const third = service.order();
		cancel.abort();
		await jest.advanceTimersByTimeAsync(0);

		expect(await second).toBe('The execution was canceled');
		await jest.advanceTimersByTimeAsync(MINUTE);
		expect(await Promise.all([first, third])).toEqual(['own', 'existing']);
		expect(service.taken.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
	});
});

describe('an order beside many executions', () => {
	it.each([
		[20, 3 * SECOND],
		[60, SECOND],
	])('(%i, a request each %i ms) follows its look at once', async (others, gapMs) => {
		const service = new Service(gapMs);
		service.crowd(others);
		await jest.advanceTimersByTimeAsync(MINUTE);

		const ordered = service.order();
		await jest.advanceTimersByTimeAsync(15 * MINUTE);

		expect(await ordered).toBe('own');
		const [look, order] = service.taken.map(({ at }) => at);
		expect(Number(order) - Number(look)).toBeLessThanOrEqual(2 * gapMs);
	});
});
