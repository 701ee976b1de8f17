import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import type { Activation } from '../../../../service/products/activation';
import { replaceHighlights } from '../../../../service/products/highlights';
import type { Highlight } from '../../../../service/products/products';
import type { Scripted } from '../../../lab/scriptedProducts';
import { answered, ScriptedProducts } from '../../../lab/scriptedProducts';

const WANTED: Highlight[] = [{ id: 5, description: 'New kitchen' }, { id: 6 }];

const shown = (id: string | undefined, highlights: unknown, currently?: string): Activation =>
	({ id, listingId: 123, highlights, status: { result: 'ACTIVATED', currently } }) as Activation;

const changed = shown('a', WANTED, 'WAITING_FOR_UPDATE');

/** A new one each time: it is told how often it was tried. */
const lost = () =>
	new ServiceError('unavailable', 'The connection was lost', { requestKind: 'data' });

let script: ScriptedProducts;

const replace = async () => await replaceHighlights(script.products, 'a', WANTED);

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

	it.each<[string, unknown, object]>([
		['its activation in a list', [changed], changed],
		['its activation without an ID', shown(undefined, WANTED), shown('a', WANTED)],
		['nothing', undefined, { id: 'a' }],
		['another activation', shown('b', WANTED), { id: 'a' }],
		['several activations', [changed, shown('b', WANTED)], { id: 'a' }],
		['no activation', { message: 'OK' }, { id: 'a' }],
	])('shows %s', async (_, body, result) => {
		script.answers = [answered(202, body)];

		expect(await replace()).toEqual(result);
		expect(script.log).toEqual(['PATCH']);
	});
});

describe('a change of the highlights whose answer is lost', () => {
	it('is sent again', async () => {
		script.answers = [lost, answered(202, changed)];

		expect(await replace()).toEqual(changed);
		expect(script.log).toEqual(['PATCH', 'PATCH']);
	});

	it.each<[string, Scripted[], string]>([
		['it stays under way', [lost, answered(409)], 'The service refused the request (409)'],
		[
			'the repeat is refused',
			[lost, answered(404)],
			'The service found nothing at this address (404)',
		],
		[
			'a web page came',
			[answered(202, '<html>')],
			'The service answered with a web page instead of data',
		],
	])('is not known to be done if %s', async (_, answers, why) => {
		script.maxTries = 3;
		script.answers = answers;

		const { message, details } = await failure();

		expect(message).toBe(`It is not known whether the highlights were changed: ${why}`);
		expect(details).toMatchObject({
			remedy:
				'Check with “Get Activation” in a few minutes; if the highlights are still the old ones, run the workflow again.',
			helpCode: 'highlightsNotChanged',
		});
	});
});

describe('a change of the highlights that is refused', () => {
	it('for a while is sent again', async () => {
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
			/no change is under way\.$/,
			'highlightsNotChanged',
		],
		[
			'409 without a code',
			409,
			undefined,
			'The highlights were not changed: the premium listing is not active, or an earlier change is still under way',
			/^Check its status with “Get/,
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
