import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { ToldTime } from '../../../../service/products/activation';
import type { Attempt } from '../../../../service/products/attempt';
import {
	evidenceOf,
	hasMade,
	isHidden,
	isMissing,
	isPerhapsTaken,
	isSentByOther,
	mayHaveMade,
	TIME,
} from '../../../../service/products/attempt';
import { MINUTE } from '../../../lab/times';

const NOW = Date.UTC(2026, 2, 2, 9, 15, 30);

/** A service whose clock is the host’s. */
const TOLD: ToldTime = { knowsTime: true, timeAt: (time) => time };

const ago = (ms: number) => new Date(NOW - ms).toISOString();

beforeEach(() => {
	jest.useFakeTimers({ now: NOW });
	jest.spyOn(TIME, 'now').mockReturnValue(0);
});

afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

describe('an attempt', () => {
	it.each<[string, Attempt, boolean]>([
		['was sent by this client', { sentBy: 'one' }, false],
		['was sent by another', { sentBy: 'other' }, true],
		['was not sent', {}, false],
		['was sent by another, and what it made is known', { sentBy: 'other', made: {} }, false],
	])('that %s', (_, attempt, isOthers) => {
		expect(isSentByOther(attempt, 'one')).toBe(isOthers);
		expect(isHidden(attempt, 'one')).toBe(isOthers);
		expect(isHidden({ ...attempt, isMissed: true }, 'one')).toBe(false);
	});

	it.each<[string, Attempt, boolean, boolean]>([
		['is in doubt', { isSent: true, sentAt: 0 }, true, false],
		['was taken', { isSent: true, takenAt: 0 }, true, false],
		['was refused', { isSent: true }, false, false],
		['only waits for what another one has in doubt', { sentAt: 0 }, false, false],
		['was looked for in vain', { isSent: true, sentAt: 0, isMissed: true }, true, true],
		['was taken after that', { isSent: true, sentAt: 0, isMissed: true, made: {} }, true, false],
	])('that %s', (_, attempt, isTaken, isMissed) => {
		expect(isPerhapsTaken(attempt)).toBe(isTaken);
		expect(isMissing(attempt)).toBe(isMissed);
	});

	it('is told from others by what was there before it', () => {
		const before = new Set(['a']);

		expect(evidenceOf({ before })).toEqual({ before });
		expect(evidenceOf({ before, takenAt: 0 })).toEqual({ before, sentAt: NOW });
	});
});

describe('what an order has made', () => {
	const order = (attempt: Attempt) => ({ listing: { listingId: 7 }, attempt });

	it.each<[string, Attempt, object, boolean]>([
		['has its ID', { takenAt: 0, made: { id: 'a' } }, { id: 'a' }, true],
		['has its ID, written in capitals', { takenAt: 0, made: { id: 'a' } }, { id: 'A' }, true],
		['has another one', { takenAt: 0, made: { id: 'a' } }, { id: 'b', createdAt: ago(0) }, false],
		['began with it', { sentAt: 0 }, { id: 'b', createdAt: ago(0) }, true],
		['began with it, and names no listing', { sentAt: 0 }, { createdAt: ago(0) }, true],
		['names another listing', { sentAt: 0 }, { listingId: 8, createdAt: ago(0) }, false],
		['names its listing', { sentAt: 0 }, { listingId: 7, createdAt: ago(0) }, true],
		[
			'names another listing than it, which named none when it was made',
			{ sentAt: 0, made: { id: 'a', listingId: 0 } },
			{ listingId: 8, createdAt: ago(0) },
			false,
		],
		['began before it', { sentAt: 0 }, { createdAt: ago(MINUTE) }, false],
	])('%s', (_, attempt, activation, isMade) => {
		expect(hasMade(order(attempt), { ...activation }, TOLD)).toBe(isMade);
	});

	it.each([
		['may have begun a minute before it', MINUTE, true],
		['did not begin an hour before it', 60 * MINUTE, false],
	])('%s', (_, agoMs, mayBeMade) => {
		const activation = { createdAt: ago(agoMs) };

		expect(mayHaveMade(order({ sentAt: 0 }), activation, TOLD)).toBe(mayBeMade);
	});

	it('is of whichever listing, if an own ID does not tell', () => {
		const own = { listing: { customerListingId: 'OUR-1' }, attempt: { sentAt: 0 } };

		expect(hasMade(own, { listingId: 8, createdAt: ago(0) }, TOLD)).toBe(true);
	});
});
