import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { Activation } from '../../../../service/products/activation';
import { CarefulOrder } from '../../../../service/products/carefulOrder';
import { concludeOrder } from '../../../../service/products/orderOutcome';
import { answered, ScriptedProducts } from '../../../lab/scriptedProducts';
import { HOUR } from '../../../lab/times';

const NOW = Date.UTC(2026, 2, 2, 9, 15, 30);
const DUPLICATE = [{ reason: 'Product already activated', code: 1_021_001 }];

const shown = (id: string, result: string, status = {}): Activation => ({
	id,
	listingId: 123,
	createdAt: new Date(NOW - HOUR).toISOString(),
	status: { result, ...status },
});

let script: ScriptedProducts;

const order = () => new CarefulOrder(script.products, { listing: { listingId: 123 } }, {});

beforeEach(() => {
	jest.useFakeTimers({ now: NOW });
	script = new ScriptedProducts();
});

afterEach(() => {
	jest.useRealTimers();
});

describe('what became of an order', () => {
	it.each([
		['ACTIVATED', 'activated', 'alreadyActive'],
		['SCHEDULED', 'scheduled', 'alreadyScheduled'],
		['PENDING', 'pending', 'alreadyPending'],
		['QUEUED', 'pending', 'alreadyPending'],
		['', 'pending', 'alreadyPending'],
	])('is, of one that is %s: %s if it is its own, else %s', async (result, own, existing) => {
		const activation = shown('a', result);

		expect(await concludeOrder(order(), { own: activation })).toEqual({ activation, outcome: own });
		expect(await concludeOrder(order(), { existing: activation })).toEqual({
			activation,
			outcome: existing,
		});
		expect(script.log).toEqual([]);
	});

	it('is what the service speaks of, if it does not show it', async () => {
		expect(await concludeOrder(order(), { already: 'alreadyPending' })).toEqual({
			outcome: 'alreadyPending',
		});
	});

	it.each([
		['ERROR', { own: shown('a', 'ERROR') }, 'the service could not fulfil the order'],
		['DEACTIVATED', { existing: shown('a', 'DEACTIVATED') }, 'it was deactivated'],
		[
			'ERROR with a cause',
			{ own: shown('a', 'ERROR', { errors: [{ code: 1_021_004 }] }) },
			'the listing has too few images',
		],
		[
			'ERROR as a duplicate, of another one',
			{ existing: shown('a', 'ERROR', { errors: DUPLICATE }) },
			'the service could not fulfil the order',
		],
		[
			'DEACTIVATED with a duplicate’s code',
			{ own: shown('a', 'DEACTIVATED', { errors: DUPLICATE }) },
			'it was deactivated',
		],
	])('is a failure after %s', async (_, result, problem) => {
		await expect(concludeOrder(order(), result)).rejects.toMatchObject({
			kind: 'failed',
			message: `Premium listing for listing 123 was ${'own' in result ? 'ordered, but not' : 'not'} activated: ${problem}`,
			details: {
				remedy: expect.stringContaining('name the activation a.'),
				cost: expect.stringMatching(
					'own' in result ? /accepted the order/ : /did not accept this order/,
				),
			},
		});
		expect(script.log).toEqual([]);
	});

	it('is its own as long as it has not failed, whatever errors it carries', async () => {
		const activation = shown('a', 'ACTIVATED', { errors: DUPLICATE });

		const concluded = await concludeOrder(order(), { own: activation });

		expect(concluded).toEqual({ activation, outcome: 'activated' });
	});
});

describe('an order that failed because of another activation', () => {
	const failed = shown('failed', 'ERROR', { errors: DUPLICATE });

	it('is that one', async () => {
		const other = shown('other', 'ACTIVATED');
		script.lists = [answered(200, [failed, shown('old', 'ERROR'), other])];

		expect(await concludeOrder(order(), { own: failed })).toEqual({
			activation: other,
			outcome: 'alreadyActive',
		});
		expect(script.log).toEqual(['LIST 123']);
	});

	it.each([
		['shows it alone', answered(200, [failed])],
		['shows it alone, as active by now', answered(200, [shown('failed', 'ACTIVATED')])],
		['shows others that are over', answered(200, [failed, shown('old', 'ERROR')])],
		['cannot be read', answered(400)],
		['fails with n8n itself', new Error('n8n: the database is locked')],
	])('is believed by its code if the list %s', async (_, answer) => {
		script.lists = [answer];

		expect(await concludeOrder(order(), { own: failed })).toEqual({ outcome: 'alreadyActive' });
	});

	it('is told as n8n tells it if n8n ends the look', async () => {
		const cancelled = new Error('The execution was canceled');
		script.lists = [cancelled];
		script.isCancelled = true;

		await expect(concludeOrder(order(), { own: failed })).rejects.toBe(cancelled);
	});
});
