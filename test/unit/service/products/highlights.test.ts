import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import type { Activation } from '../../../../service/products/activation';
import { replaceHighlights } from '../../../../service/products/highlights';
import type { Highlight } from '../../../../service/products/products';
import { answered, ScriptedProducts } from '../../../lab/scriptedProducts';

const WANTED: Highlight[] = [{ id: 5, description: 'New kitchen' }, { id: 6 }];

const shown = (id: string | undefined, highlights: unknown, currently?: string): Activation =>
	({ id, listingId: 123, highlights, status: { result: 'ACTIVATED', currently } }) as Activation;

const changed = shown('a', WANTED, 'WAITING_FOR_UPDATE');
const old = shown('a', [{ id: 1 }]);
const underWay = shown('a', [{ id: 1 }], 'WAITING_FOR_UPDATE');

/** A new one each time: it is told how often it was tried. */
const lost = () =>
	new ServiceError('unavailable', 'The connection was lost', { requestKind: 'data' });

let script: ScriptedProducts;

const replace = async (wanted = WANTED) => await replaceHighlights(script.products, 'a', wanted);

const failure = async (): Promise<ServiceError> => {
	const error: unknown = await replace().catch((thrown: unknown) => thrown);
	if (!(error instanceof ServiceError)) throw new Error(`It did not fail: ${String(error)}`);
	return error;
};

beforeEach(() => {
	// No wait before a repeat.
	jest.spyOn(Math, 'random').mockReturnValue(0);
	script = new ScriptedProducts();
});

afterEach(() => {
	jest.restoreAllMocks();
});

describe('a change of the highlights that is taken', () => {
	it('is sent once', async () => {
		script.answers = [answered(202, changed)];

		expect(await replace()).toEqual(changed);
		expect(script.log).toEqual(['PATCH']);
		expect(script.writes).toMatchObject([
			{ path: '/products/premium-listings/a', body: { highlights: WANTED } },
		]);
	});

	it.each<[string, number, unknown]>([
		['alone', 202, changed],
		['alone, with another status', 200, changed],
		['in a list', 202, [changed]],
		['in a list, with another status', 200, [changed]],
		['among others', 202, [shown('b', []), shown(undefined, []), changed]],
		['among other things', 202, ['x', null, changed]],
	])('shows its activation %s', async (_, status, body) => {
		script.answers = [answered(status, body)];

		expect(await replace()).toEqual(changed);
		expect(script.log).toEqual(['PATCH']);
	});

	it('shows its activation without its ID, if that is the only one', async () => {
		const nameless = shown(undefined, WANTED);
		script.answers = [answered(202, [nameless])];

		expect(await replace()).toEqual(nameless);
	});

	it.each<[string, number, unknown]>([
		['nothing', 202, undefined],
		['text', 202, 'Accepted'],
		['another activation', 202, shown('b', WANTED)],
		['several without an ID', 202, [shown(undefined, WANTED), shown(undefined, WANTED)]],
		['no activation', 200, { message: 'OK' }],
		['an empty list', 200, []],
		['a list of something else', 200, [1]],
	])('is read if it shows %s', async (_, status, body) => {
		script.answers = [answered(status, body)];
		script.looks = [answered(200, changed)];

		expect(await replace()).toEqual(changed);
		expect(script.log).toEqual(['PATCH', 'GET a']);
	});

	it('is taken even if it cannot be read', async () => {
		script.answers = [answered(202)];
		script.looks = [answered(404)];

		expect(await replace()).toEqual({ id: 'a' });
	});
});

describe('a change of the highlights whose answer is lost', () => {
	beforeEach(() => {
		script.answers = [lost, answered(202, changed)];
	});

	it.each<[string, unknown, Highlight[]]>([
		['as they were sent', WANTED, WANTED],
		[
			'with keys',
			[
				{ id: 5, description: 'New kitchen', key: 'k5' },
				{ id: 6, key: 'k6' },
			],
			WANTED,
		],
		['with an empty description', [{ ...WANTED[0] }, { id: 6, description: '' }], WANTED],
		['with null for a description', [{ ...WANTED[0] }, { id: 6, description: null }], WANTED],
		['as none, of none', undefined, []],
		['as null, of none', null, []],
	])('is not sent again if they are shown %s', async (_, highlights, wanted) => {
		const done = shown('a', highlights, 'WAITING_FOR_UPDATE');
		script.looks = [answered(200, done)];

		expect(await replace(wanted)).toEqual(done);
		expect(script.log).toEqual(['PATCH', 'GET a']);
	});

	it.each<[string, unknown]>([
		['other ones', [{ id: 1 }]],
		['another description', [{ id: 5, description: 'Old kitchen' }, { id: 6 }]],
		['one of them', [WANTED[0]]],
		['text', 'New kitchen'],
		['none', undefined],
	])('is sent again if the service shows %s, and no change is under way', async (_, highlights) => {
		script.looks = [answered(200, shown('a', highlights))];

		expect(await replace()).toEqual(changed);
		expect(script.log).toEqual(['PATCH', 'GET a', 'PATCH']);
	});

	it('is sent again if the activation has no status', async () => {
		script.looks = [answered(200, { id: 'a' })];

		expect(await replace()).toEqual(changed);
	});

	it('is waited for while one is under way', async () => {
		script.looks = [answered(200, underWay), answered(200, underWay), answered(200, old)];

		expect(await replace()).toEqual(changed);
		expect(script.log).toEqual(['PATCH', 'GET a', 'GET a', 'GET a', 'PATCH']);
	});

	it('is not known to be done while one is under way to the end', async () => {
		script.maxTries = 3;
		script.looks = [answered(200, underWay)];

		const { message, details } = await failure();

		expect(message).toBe(
			'It is not known whether the highlights were changed: A change of the highlights is still under way',
		);
		expect(details).toMatchObject({
			remedy:
				'Check with Get in a few minutes; if the highlights are still the old ones, run the workflow again.',
			helpCode: 'highlightsNotChanged',
		});
		expect(script.log).toEqual(['PATCH', 'GET a', 'GET a']);
	});

	it('is not known to be done if the repeat is refused', async () => {
		script.answers = [lost, answered(409)];
		script.looks = [answered(200, old)];

		expect((await failure()).message).toBe(
			'It is not known whether the highlights were changed: The service refused the request (409)',
		);
	});

	it('is not known to be done if the look fails', async () => {
		script.looks = [answered(404)];

		expect((await failure()).message).toMatch(/^It is not known whether the highlights/);
		expect(script.log).toEqual(['PATCH', 'GET a']);
	});

	it.each<[string, number, unknown]>([
		['a web page', 202, '<html>Sign in</html>'],
		['text with another status than 202', 200, 'OK'],
		['nothing with another status than 202', 200, undefined],
	])('is not known to be done after %s', async (_, status, body) => {
		script.answers = [answered(status, body)];

		expect((await failure()).message).toMatch(/^It is not known whether the highlights/);
		expect(script.log).toEqual(['PATCH']);
	});
});

describe('a change of the highlights that is refused', () => {
	it('for a while is sent again without a look', async () => {
		script.answers = [answered(429), answered(202, changed)];

		expect(await replace()).toEqual(changed);
		expect(script.log).toEqual(['PATCH', 'PATCH']);
	});

	it('as its activation is not there is said so', async () => {
		script.answers = [answered(404)];

		expect(await failure()).toMatchObject({
			kind: 'missing',
			message: 'The service found no such activation (404)',
		});
	});

	it.each([
		[
			'its code',
			409,
			1_011_044,
			'The highlights were not changed: an earlier change of its highlights is still under way',
			/^Run the workflow again in a few minutes/,
			'highlightsNotChanged',
		],
		[
			'a code whose advice for an order speaks of other fields',
			400,
			1_011_001,
			'The highlights were not changed: the service could not read the request',
			/^Check the fields of this node, the IDs above all,/,
			'orderFields',
		],
		[
			'409 without a code',
			409,
			undefined,
			'The highlights were not changed: the premium listing is not active, or an earlier change is still under way',
			/^Check its status with Get/,
			'highlightsNotChanged',
		],
	])('is told by %s', async (_, status, code, message, remedy, helpCode) => {
		script.answers = [answered(status, code && { errors: [{ code }] })];

		const error = await failure();

		expect(error.message).toBe(message);
		expect(error.details).toMatchObject({ remedy: expect.stringMatching(remedy), helpCode });
		expect(script.log).toEqual(['PATCH']);
	});

	it('without a word of why is told as it is', async () => {
		script.answers = [answered(400)];

		expect((await failure()).message).toBe('The service refused the request (400)');
	});

	it('for a while to the end is told as it is, whatever its code', async () => {
		script.maxTries = 2;
		script.answers = [answered(429, { errors: [{ code: 1_011_044 }] })];

		expect((await failure()).message).toBe('The service is busy: too many requests (429)');
	});

	it('by n8n itself is told as it is', async () => {
		const forbidden = new Error('n8n forbids this domain');
		script.answers = [forbidden];

		await expect(replace()).rejects.toBe(forbidden);
	});
});
