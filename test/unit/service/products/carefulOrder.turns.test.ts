import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import range from 'lodash/range';
import uniqBy from 'lodash/uniqBy';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Attempt } from '../../../../service/products/attempt';
import { CarefulOrder } from '../../../../service/products/carefulOrder';
import type { Listing, Products } from '../../../../service/products/products';
import { playedProducts } from '../../../lab/playedProducts';
import { HOUR, MINUTE, SECOND } from '../../../lab/times';

/* Orders of several executions, with the real session: the pace decides when each request departs. */

jest.setTimeout(60_000);

const START = Date.UTC(2026, 2, 2, 9, 15, 30);

const LISTING: Listing = { listingId: 123 };

interface Ordered {
	cancelled?: AbortSignal;
	credential?: ICredentialDataDecryptedObject;
	listing?: Listing;
	attempt?: Attempt;
}

/** What a service has taken that takes a second order as well, and how it answers. */
class Service {
	private static count = 0;

	readonly number = ++Service.count;

	readonly made: IDataObject[] = [];

	/** When a look at the listing and an order for it were taken, in milliseconds from the start. */
	readonly taken: Array<{ method: string; at: number }> = [];

	private readonly start = Date.now();

	private freeAt = 0;

	/** Whether n8n's helper never comes back. */
	hangs = false;

	refusesToken = false;

	tokenTakesMs = 0;

	/** How long a POST is under way before it is taken. */
	postTakesMs = 0;

	/** How long after its answer a POST is taken. */
	takesAfterMs = 0;

	/** How long what a look shows is under way. */
	lookTakesMs = 0;

	/** The time that its answers tell, by its own clock. */
	tellsTime = false;

	/** How what it makes ends. */
	result = 'SCHEDULED';

	/** The status that a POST is answered with although it was taken. */
	orderStatus = 202;

	/** What it is answered with in place of the activation. */
	orderBody?: IDataObject;

	/** @param shownAfterMs how long its list does not show what it has taken */
	constructor(
		private readonly gapMs: number,
		private readonly shownAfterMs = 0,
	) {}

	/** The service's own: nobody sets it. */
	private clock(): number {
		return START + performance.now();
	}

	/** One request each `gapMs`. */
	async answer({ method = 'GET', qs, body }: IHttpRequestOptions) {
		if (this.hangs) await new Promise<never>(() => undefined);
		await sleep(100);
		if (this.refusesToken) return { statusCode: 401, headers: {}, body: '' };
		const isOurs = qs?.listingId !== undefined || method === 'POST';
		if (this.clock() < this.freeAt) return { statusCode: 429, headers: {}, body: '' };
		this.freeAt = this.clock() + this.gapMs;
		if (isOurs) this.taken.push({ method, at: Date.now() - this.start });
		const isShown = ({ createdAt }: IDataObject) =>
			Date.parse(createdAt as string) + this.shownAfterMs <= this.clock();
		const headers = this.tellsTime ? { date: new Date(this.clock()).toUTCString() } : {};
		if (method === 'GET') {
			const shown = isOurs ? this.made.filter(isShown) : [];
			await sleep(this.lookTakesMs);
			return { statusCode: 200, headers, body: shown };
		}
		await sleep(this.postTakesMs);
		const { listingId } = body as IDataObject;
		if (this.takesAfterMs > 0) void sleep(this.takesAfterMs).then(() => this.make(listingId));
		const activation = this.takesAfterMs > 0 ? {} : this.make(listingId);
		return { statusCode: this.orderStatus, headers, body: this.orderBody ?? activation };
	}

	/** What it makes of an order, whoever's. */
	make(listingId: IDataObject[string]): IDataObject {
		const id = `a${this.made.length}`;
		const createdAt = new Date(this.clock()).toISOString();
		const activation = { id, listingId, createdAt, status: { result: this.result } };
		this.made.push(activation);
		return activation;
	}

	async issue() {
		await sleep(this.tokenTakesMs);
		const access_token = `token-${Date.now()}`;
		return { statusCode: 200, headers: {}, body: { access_token, expires_in: 360_000 } };
	}

	/** For an execution of its own. */
	products(cancelled?: AbortSignal, credential?: ICredentialDataDecryptedObject): Products {
		return playedProducts(
			{
				number: this.number,
				issue: async () => await this.issue(),
				answer: async (options) => await this.answer(options),
			},
			{ cancelled, credential },
		);
	}

	/** An execution that orders the listing. */
	async order(ordered: Ordered = {}): Promise<string> {
		const { cancelled, credential, listing = LISTING, attempt = {} } = ordered;
		const products = this.products(cancelled, credential);
		const made = new CarefulOrder(products, { listing }, attempt).make();
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
	jest.useFakeTimers({ now: START });
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
		[0, 0, 0, 0],
		[0, 0, 0, 4 * SECOND],
		[0, 0, 150, 0],
		[0, 0, SECOND, 4 * SECOND],
		[0, 3 * SECOND, 0, 0],
		[20, 3 * SECOND, 10 * SECOND, 0],
		[60, SECOND, 30 * SECOND, 4 * SECOND],
	])(
		'beside %i others, at a service that takes a request each %i ms, %i ms apart, shown after %i ms: one order',
		async (others, gapMs, apartMs, shownAfterMs) => {
			const service = new Service(gapMs, shownAfterMs);
			service.crowd(others);
			await jest.advanceTimersByTimeAsync(MINUTE);

			const first = service.order();
			await jest.advanceTimersByTimeAsync(apartMs);
			const second = service.order();
			await jest.advanceTimersByTimeAsync(8 * MINUTE);

			expect(await Promise.all([first, second])).toEqual(['own', 'existing']);
			expect(service.made).toHaveLength(1);
		},
	);
});

describe('an order that follows another one for the same listing', () => {
	const isOrderedOnce = async (service: Service, first: Promise<string>, told: string) => {
		const second = service.order();
		await jest.advanceTimersByTimeAsync(2 * MINUTE);

		expect(await Promise.all([first, second])).toEqual([told, 'existing']);
		expect(service.made).toHaveLength(1);
	};

	it.each([1, 2, 6, 12])('whose POST is under way for %i s', async (seconds) => {
		const service = new Service(0, 4 * SECOND);
		service.postTakesMs = seconds * SECOND;

		await isOrderedOnce(service, service.order(), 'own');
	});

	it.each([
		[5, 6],
		[1, 3],
		[1, 20],
	])('that is cancelled after %f s, and taken after %f s', async (cancelled, taken) => {
		const service = new Service(0, 4 * SECOND);
		service.postTakesMs = taken * SECOND;
		const cancel = new AbortController();
		setTimeout(() => cancel.abort(), cancelled * SECOND);

		await isOrderedOnce(
			service,
			service.order({ cancelled: cancel.signal }),
			'The execution was canceled',
		);
	});

	it.each<[string, (service: Service) => ICredentialDataDecryptedObject]>([
		['another secret', () => ({ clientSecret: 'newer' })],
		['another scope', () => ({ scope: 'api/other' })],
		['another Auth URL', () => ({ authUrl: 'https://login.example.com' })],
		['another client ID of the agency', () => ({ clientId: 'other' })],
		[
			'its Products URL in other letters',
			({ number }) => ({ productsUrl: `https://PRODUCTS-${number}.example.com/` }),
		],
	])('with a credential that has %s', async (_, credentialOf) => {
		const service = new Service(0, 4 * SECOND);

		await isOrderedOnce(service, service.order({ credential: credentialOf(service) }), 'own');
	});

	it.each([200, 201, 202])('that is answered %i with errors, and was taken', async (status) => {
		const service = new Service(0, 4 * SECOND);
		service.orderStatus = status;
		service.orderBody = { errors: [{ reason: 'later', code: 1_011_900 }] };
		const first = service.order();
		setTimeout(() => Object.assign(service, { orderStatus: 202, orderBody: undefined }), SECOND);

		await isOrderedOnce(service, first, 'own');
	});

	it('waits for no longer than the service may take to show it', async () => {
		const service = new Service(0);

		await isOrderedOnce(service, service.order(), 'own');

		const [, posted, looked] = service.taken.map(({ at }) => at);
		expect(Number(looked) - Number(posted)).toBeLessThanOrEqual(6 * SECOND);
	});

	it('that was taken but failed, and is cancelled before it has looked', async () => {
		const service = new Service(0, 4 * SECOND);
		service.postTakesMs = 6 * SECOND;
		service.orderStatus = 500;
		const cancel = new AbortController();
		setTimeout(() => cancel.abort(), 6.5 * SECOND);

		await isOrderedOnce(
			service,
			service.order({ cancelled: cancel.signal }),
			'The execution was canceled',
		);
	});

	it.each([10 * SECOND, HOUR, -HOUR])('while the host’s clock is set by %i ms', async (jumpMs) => {
		const service = new Service(0, 4 * SECOND);
		service.postTakesMs = 200;
		const first = service.order();
		setTimeout(() => jest.setSystemTime(Date.now() + jumpMs), 250);

		await isOrderedOnce(service, first, 'own');
	});
});

describe('an order whose answer does not come in time', () => {
	it.each([61, 70, 85])('and that is taken after %i s: one order', async (seconds) => {
		const service = new Service(0);
		service.postTakesMs = seconds * SECOND;
		const ordered = service.order();
		await jest.advanceTimersByTimeAsync(MINUTE);
		service.postTakesMs = 0;
		await jest.advanceTimersByTimeAsync(2 * MINUTE);

		expect(await ordered).toBe('own');
		expect(service.made).toHaveLength(1);
	});
});

describe('an order whose look takes long to be answered', () => {
	it('is not sent without another look: somebody else may have ordered since it was asked', async () => {
		const service = new Service(0);
		service.lookTakesMs = 55 * SECOND;
		const ordered = service.order();
		await jest.advanceTimersByTimeAsync(5 * SECOND);
		service.make(123);
		service.lookTakesMs = 0;
		await jest.advanceTimersByTimeAsync(10 * MINUTE);

		expect(await ordered).toBe('existing');
		expect(service.made).toHaveLength(1);
	});
});

describe('an order that a gateway gave up on (504)', () => {
	it.each<[string, IDataObject]>([
		['with nothing more', {}],
		['with the code of a duplicate', { errors: [{ code: 1_011_003 }] }],
	])('%s, and that is taken 20 s later: one order', async (_, body) => {
		const service = new Service(0);
		Object.assign(service, { orderStatus: 504, orderBody: body, takesAfterMs: 20 * SECOND });
		const ordered = service.order();
		await jest.advanceTimersByTimeAsync(2 * MINUTE);

		expect(await ordered).toBe('own');
		expect(service.made).toHaveLength(1);
	});
});

describe('an order whose answer failed', () => {
	it.each([-HOUR, HOUR])(
		'and that failed meanwhile is known as its own, though the host’s clock is set by %i ms',
		async (jumpMs) => {
			const service = new Service(0);
			Object.assign(service, { orderStatus: 500, tellsTime: true, result: 'ERROR' });
			jest.setSystemTime(Date.now() - jumpMs);
			const ordered = service.order();
			await jest.advanceTimersByTimeAsync(SECOND);
			jest.setSystemTime(Date.now() + jumpMs);
			await jest.advanceTimersByTimeAsync(5 * MINUTE);

			expect(await ordered).toBe('own');
			expect(service.made).toHaveLength(1);
		},
	);

	it('is looked for once the service can show it, whatever the host’s clock is set to', async () => {
		const service = new Service(0, 4 * SECOND);
		service.orderStatus = 500;
		const ordered = service.order();
		await jest.advanceTimersByTimeAsync(250);
		service.orderStatus = 202;
		jest.setSystemTime(Date.now() + 10 * SECOND);
		await jest.advanceTimersByTimeAsync(MINUTE);

		expect(await ordered).toBe('own');
		expect(service.made).toHaveLength(1);
	});
});

describe('an order that waits for another one for the same listing', () => {
	it('ends at once if it is cancelled, and the next one waits all the same', async () => {
		const service = new Service(0);
		const cancel = new AbortController();

		const first = service.order();
		const second = service.order({ cancelled: cancel.signal });
		const third = service.order();
		cancel.abort();
		await jest.advanceTimersByTimeAsync(0);

		expect(await second).toBe('The execution was canceled');
		await jest.advanceTimersByTimeAsync(MINUTE);
		expect(await Promise.all([first, third])).toEqual(['own', 'existing']);
		expect(service.taken.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
	});
});

describe('an order behind one that does not end', () => {
	it('for another listing does not wait', async () => {
		const service = new Service(0);
		service.hangs = true;
		void service.order();
		await jest.advanceTimersByTimeAsync(SECOND);
		service.hangs = false;

		const other = service.order({ listing: { listingId: 124 } });
		await jest.advanceTimersByTimeAsync(10 * SECOND);

		expect(service.made.map(({ listingId }) => listingId)).toEqual([124]);
		expect(await other).toBe('own');
	});

	it('gives up after two minutes, and nothing was ordered', async () => {
		const service = new Service(0);
		service.hangs = true;
		void service.order();

		const second = service.order();
		let isOver = false;
		void second.then(() => (isOver = true));
		await jest.advanceTimersByTimeAsync(2 * MINUTE - SECOND);
		expect(isOver).toBe(false);
		await jest.advanceTimersByTimeAsync(2 * SECOND);

		expect(await second).toBe(
			'Premium listing for listing 123: Another run is still ordering this listing',
		);
		expect(service.made).toEqual([]);
	});
});

describe('an order that was tried before, behind one that does not end', () => {
	it('is told at once if it was made', async () => {
		const service = new Service(0);
		const attempt: Attempt = {};
		const first = service.order({ attempt });
		await jest.advanceTimersByTimeAsync(10 * SECOND);
		service.hangs = true;
		void service.order();
		await jest.advanceTimersByTimeAsync(SECOND);

		const again = service.order({ attempt });
		await jest.advanceTimersByTimeAsync(0);

		expect(await Promise.all([first, again])).toEqual(['own', 'own']);
		expect(service.made).toHaveLength(1);
	});
});

describe('an order whose POST waits for a token', () => {
	it('is not sent before another look if that takes long', async () => {
		const service = new Service(0);
		const ordered = service.order();
		await jest.advanceTimersByTimeAsync(150);
		service.refusesToken = true;
		// A little less than a token may take, and then the look is a little too old.
		service.tokenTakesMs = 29_950;
		await jest.advanceTimersByTimeAsync(100);
		service.refusesToken = false;
		await jest.advanceTimersByTimeAsync(5 * MINUTE);

		expect(await ordered).toBe('own');
		expect(service.taken.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST']);
	});
});

describe('an order that is cancelled while its POST is under way', () => {
	it('keeps the next one from looking before the service can show it', async () => {
		const service = new Service(0, 4 * SECOND);
		const cancel = new AbortController();

		const first = service.order({ cancelled: cancel.signal });
		const second = service.order();
		await jest.advanceTimersByTimeAsync(150);
		cancel.abort();
		await jest.advanceTimersByTimeAsync(MINUTE);

		expect(await Promise.all([first, second])).toEqual(['The execution was canceled', 'existing']);
		expect(service.made).toHaveLength(1);
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
		await jest.advanceTimersByTimeAsync(8 * MINUTE);

		expect(await ordered).toBe('own');
		const [look, order] = service.taken.map(({ at }) => at);
		expect(Number(order) - Number(look)).toBeLessThanOrEqual(2 * gapMs);
	});

	it.each([
		[10, 6 * SECOND],
		[20, 8 * SECOND],
	])('(%i, a request each %i ms) is made, as at least half of eight are', async (others, gapMs) => {
		const service = new Service(gapMs);
		service.crowd(others);
		await jest.advanceTimersByTimeAsync(MINUTE);

		range(1, 9).forEach((listingId) => void service.order({ listing: { listingId } }));
		await jest.advanceTimersByTimeAsync(HOUR);

		expect(service.made.length).toBeGreaterThanOrEqual(4);
		expect(uniqBy(service.made, 'listingId')).toHaveLength(service.made.length);
	});
});
