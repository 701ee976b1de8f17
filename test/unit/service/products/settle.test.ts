import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import type { Activation } from '../../../../service/products/activation';
import { Order } from '../../../../service/products/order';
import { conclude, duplicateOf, untilSettled } from '../../../../service/products/settle';
import type { Scripted } from '../../../lab/scriptedProducts';
import { answered, ScriptedProducts } from '../../../lab/scriptedProducts';

const activation = (result: string, more = {}) => ({
	id: 'a',
	listingId: 123,
	status: { result },
	...more,
});

const PENDING = activation('PENDING');
const pending = answered(200, PENDING);
const done = answered(200, activation('ACTIVATED'));

let script: ScriptedProducts;
let order: Order;

beforeEach(() => {
	jest.useFakeTimers();
	script = new ScriptedProducts();
	script.maxTries = 1;
	const memory = { name: 'Premium listing for listing 123' };
	order = new Order(script.products, { listing: { listingId: 123 } }, memory);
});

afterEach(() => {
	jest.useRealTimers();
});

describe('an order that is waited for', () => {
	const pauses = () =>
		script.log.filter((line) => line.startsWith('pause')).map((line) => Number(line.slice(6)));

	it.each([
		['settled', activation('ACTIVATED')],
		['without an ID', { listingId: 123 }],
	])('is not looked at if it is %s', async (_, ordered) => {
		expect(await untilSettled(order, ordered, 60_000)).toEqual(ordered);
		expect(script.log).toEqual([]);
	});

	it('is looked at with growing pauses until it is settled', async () => {
		script.looks = [...Array<Scripted>(7).fill(pending), done];

		expect(await untilSettled(order, PENDING, 120_000)).toEqual(activation('ACTIVATED'));
		expect(pauses()).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
	});

	it.each([
		[0, []],
		[400, [400]],
		[10_000, [500, 1_000, 2_000, 4_000, 2_500]],
	])('is looked at for the last time when %d ms are over', async (waitMs, expected) => {
		script.looks = [pending];
		const deadline = Date.now() + waitMs + 5_000;

		expect(await untilSettled(order, PENDING, waitMs)).toEqual(PENDING);
		expect(pauses()).toEqual(expected);
		expect(new Set(script.deadlines)).toEqual(new Set([deadline]));
	});

	it.each<[string, Scripted]>([
		['cannot answer', answered(500)],
		['is busy', answered(429)],
		['refuses', answered(403)],
		['does not know it yet', answered(404)],
		['shows a web page', answered(200, '<html>')],
		['is not asked because of n8n', new Error('database is locked')],
	])('is looked at again if the service %s', async (_, answer) => {
		script.looks = [answer, done];

		expect(await untilSettled(order, PENDING, 60_000)).toEqual(activation('ACTIVATED'));
	});

	it('keeps its ID, and what was seen before a look that fails', async () => {
		const changed = { listingId: 123, status: { result: 'PENDING' }, note: 'seen' };
		script.looks = [answered(200, changed), answered(403)];

		expect(await untilSettled(order, PENDING, 60_000)).toEqual({ ...changed, id: 'a' });
	});

	it('ends when the execution is cancelled', async () => {
		script.looks = [
			() => {
				script.isCancelled = true;
				return new Error('The execution was canceled');
			},
		];

		await expect(untilSettled(order, PENDING, 60_000)).rejects.toThrow('canceled');
	});
});

describe('the outcome', () => {
	it.each([
		['ACTIVATED', 'activated', 'alreadyActive'],
		['SCHEDULED', 'scheduled', 'alreadyScheduled'],
		['PENDING', 'pending', 'alreadyPending'],
		['', 'pending', 'alreadyPending'],
		['QUEUED', 'pending', 'alreadyPending'],
		['constructor', 'pending', 'alreadyPending'],
	])('of %p is %s of an order, and %s of what was there', (result, own, existing) => {
		const shown = activation(result);

		expect(conclude(order, { own: shown })).toEqual({ activation: shown, outcome: own });
		expect(conclude(order, { existing: shown })).toEqual({
			activation: shown,
			outcome: existing,
		});
	});

	it('is what the service says of one that it does not show', () => {
		expect(conclude(order, { already: 'alreadyActive' })).toEqual({
			outcome: 'alreadyActive',
		});
	});

	const errors = [{ reason: 'Too few', code: 1_021_004 }];
	const failureOf = (own: Activation) => {
		try {
			conclude(order, { own });
		} catch (error) {
			if (error instanceof ServiceError) return error;
		}
		throw new Error('It did not fail');
	};

	it.each([
		['ERROR', 'the listing has fewer than three images'],
		['DEACTIVATED', 'the listing has fewer than three images'],
	])('of an order that ends as %s is an error', (result, why) => {
		const error = failureOf(activation('', { status: { result, errors } }));

		expect(error.message).toBe(
			`Premium listing for listing 123 was ordered, but not activated: ${why}`,
		);
		expect(error.details.cost).toMatch(/^It is not known whether a credit was spent/);
	});

	const duplicate = activation('', { status: { result: 'ERROR', errors: [{ code: 1_021_001 }] } });

	it('of an order that failed as a duplicate is that of the other one', () => {
		expect(conclude(order, { own: duplicate })).toEqual({ outcome: 'alreadyActive' });
	});

	it('is that of a duplicate only if the order failed', () => {
		expect(duplicateOf(duplicate)).toBe('alreadyActive');
		expect(
			duplicateOf({ ...duplicate, status: { ...duplicate.status, result: 'ACTIVATED' } }),
		).toBeUndefined();
	});
});
