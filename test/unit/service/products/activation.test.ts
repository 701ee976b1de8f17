import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { Activation, ServiceTime } from '../../../../service/products/activation';
import {
	codesOf,
	errorsIn,
	isActivation,
	isActive,
	isCurrent,
	isFailed,
	isMadeIn,
	isPending,
	listingOf,
	readActivation,
	resultOf,
	mostSpecificFirst,
} from '../../../../service/products/activation';
import { HOUR, MINUTE, SECOND } from '../../../lab/times';

const NOW = Date.UTC(2026, 2, 2, 9, 15, 30);

const told: ServiceTime = { timeAt: (hostTime) => hostTime };

const iso = (time: number) => new Date(time).toISOString();

beforeEach(() => {
	jest.useFakeTimers({ now: NOW });
});

afterEach(() => {
	jest.useRealTimers();
});

describe('an activation', () => {
	it.each<[string, unknown, boolean]>([
		['an ID', { id: 'a' }, true],
		['a listing', { listingId: 5 }, true],
		['an empty ID', { id: '' }, false],
		['a number for an ID', { id: 5 }, false],
		['neither', { status: { result: 'PENDING' } }, false],
		['nothing', null, false],
		['text', 'a', false],
		['a list', [{ id: 'a' }], false],
	])('is told by %s: %j, %s', (_, body, expected) => {
		expect(isActivation(body)).toBe(expected);
	});

	it('is no other answer’s', () => {
		expect(() => readActivation({})).toThrow(
			expect.objectContaining({
				kind: 'foreign',
				message: 'The service answered without an activation',
			}),
		);
	});

	it.each<[unknown, number | undefined]>([
		[123, 123],
		['123', undefined],
		['', undefined],
		[null, undefined],
		[['123'], undefined],
		[undefined, undefined],
	])('of the listing %j is of %j', (listingId, expected) => {
		expect(listingOf({ listingId } as Activation)).toBe(expected);
	});

	it.each<[unknown, string]>([
		[{ result: 'ACTIVATED' }, 'ACTIVATED'],
		[{ result: 5 }, ''],
		[{}, ''],
		['ACTIVATED', ''],
		[null, ''],
		[undefined, ''],
	])('with the status %j has the result “%s”', (status, expected) => {
		expect(resultOf({ status } as Activation)).toBe(expected);
	});
});

describe('whether an activation', () => {
	it.each([
		['ERROR', true, false],
		['DEACTIVATED', true, false],
		['PENDING', false, true],
		['', false, true],
		['ACTIVATED', false, false],
		['SCHEDULED', false, false],
		['QUEUED', false, false],
	])('that is “%s” has failed: %s; has to be carried out yet: %s', (result, failed, pending) => {
		const activation = { status: { result } };

		expect(isFailed(activation)).toBe(failed);
		expect(isPending(activation)).toBe(pending);
	});

	it.each<[string, string, Activation[string], boolean, boolean]>([
		['active, without an end', 'ACTIVATED', undefined, true, true],
		['active until later', 'ACTIVATED', iso(NOW + HOUR), true, true],
		['active until this very second', 'ACTIVATED', iso(NOW), true, true],
		['active until a second ago', 'ACTIVATED', iso(NOW - SECOND), false, false],
		['active until a time that is not set', 'ACTIVATED', '0001-01-01T00:00:00Z', true, true],
		['waiting', 'PENDING', undefined, false, true],
		['waiting, whatever its end', 'PENDING', iso(NOW - HOUR), false, true],
		['planned', 'SCHEDULED', iso(NOW + HOUR), false, true],
		['planned, and over', 'SCHEDULED', iso(NOW - HOUR), false, false],
		['something new, and over', 'QUEUED', iso(NOW - HOUR), false, false],
		['failed', 'ERROR', iso(NOW + HOUR), false, false],
	])('that is %s is active or in the way', (_, result, expiryAt, active, current) => {
		const activation = { status: { result }, expiryAt };

		expect(isActive(activation, told)).toBe(active);
		expect(isCurrent(activation, told)).toBe(current);
	});

	it('has ended with the last millisecond of its end', () => {
		const activation = { status: { result: 'ACTIVATED' }, expiryAt: iso(NOW) };
		const at = (ms: number): ServiceTime => ({ ...told, timeAt: () => NOW + ms });

		expect(isCurrent(activation, at(998))).toBe(true);
		expect(isCurrent(activation, at(999))).toBe(false);
	});
});

describe('when an activation was made', () => {
	const MINUTE_START = Date.UTC(2026, 2, 2, 9, 15);
	const MINUTE_END = MINUTE_START + MINUTE - 1;

	it.each<[string, { from?: number; to?: number }, boolean]>([
		['of any time', {}, true],
		['that begins as it ends', { from: MINUTE_END }, true],
		['that begins after it', { from: MINUTE_END + 1 }, false],
		['that ends as it begins', { to: MINUTE_START }, true],
		['that ends before it', { to: MINUTE_START - 1 }, false],
		['around it', { from: MINUTE_START - HOUR, to: MINUTE_END + HOUR }, true],
		['long before it', { from: 0, to: HOUR }, false],
	])('may be in a period %s', (_, period, expected) => {
		expect(isMadeIn({ createdAt: '2026-03-02T09:15Z' }, period)).toBe(expected);
	});

	it.each([undefined, 'soon', '0001-01-01T00:00:00Z'])(
		'may be in every period if it is told as %j',
		(createdAt) => {
			expect(isMadeIn({ createdAt }, { from: NOW, to: NOW })).toBe(true);
		},
	);
});

describe('the errors of an answer', () => {
	const one = { reason: 'One', code: 1 };

	it.each<[string, unknown, unknown]>([
		['in a list', { errors: [one] }, [one]],
		['in an object that holds a list', { errors: { errors: [one] } }, [one]],
		['among other things', { errors: [null, 'no', one] }, [one]],
		['as text', { errors: 'no' }, []],
		['not there', {}, []],
		['of no object', 'no', []],
		['of nothing', null, []],
	])('%s', (_, holder, errors) => {
		expect(errorsIn(holder)).toEqual(errors);
	});

	it('have their codes as text, whether they are text or numbers', () => {
		expect(codesOf([{ code: 1 }, { code: 'x' }, { code: null }, { code: [1] }, {}])).toEqual([
			'1',
			'x',
		]);
	});

	it('are told with those first that name a cause, and else in their order', () => {
		const errors = [
			{ code: 5 },
			{ reason: 'no code' },
			{ code: 1_021_001 },
			{ code: 1_011_900 },
			{ code: 1_011_007 },
		];

		expect(mostSpecificFirst(errors)).toEqual([
			{ code: 1_021_001 },
			{ code: 1_011_007 },
			{ code: 5 },
			{ reason: 'no code' },
			{ code: 1_011_900 },
		]);
	});
});
