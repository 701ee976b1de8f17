import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceClock } from '../../../../service/basics/clock';
import type { Activation, ToldTime } from '../../../../service/products/activation';
import type { Evidence } from '../../../../service/products/ownership';
import {
	claimed,
	currentIn,
	isOwn,
	madeIn,
	mayBeOfListing,
	mayBeOwn,
	namesListing,
	sortByListing,
} from '../../../../service/products/ownership';
import type { Listing } from '../../../../service/products/products';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** When the order was sent, by the host's clock. */
const SENT_AT = Date.UTC(2026, 2, 2, 9, 15, 30);

const iso = (time: number) => new Date(time).toISOString();

/** What a session tells after an answer of a service whose clock is ahead by this much. */
function told(aheadMs?: number): ToldTime {
	const clock = new ServiceClock();
	if (aheadMs !== undefined) clock.read(new Date(Date.now() + aheadMs).toUTCString(), Date.now());
	return { knowsTime: clock.isToldNow, timeAt: (hostTime) => clock.earliestNow(hostTime) };
}

beforeEach(() => {
	jest.useFakeTimers({ now: SENT_AT });
});

afterEach(() => {
	jest.useRealTimers();
});

describe('whether an activation is of the order', () => {
	type Row = [
		name: string,
		createdAt: Activation[string],
		aheadMs: number | undefined,
		isOwn: boolean,
		mayBe: boolean,
	];

	it.each<Row>([
		['made when it was sent', iso(SENT_AT), 0, true, true],
		['made later', iso(SENT_AT + HOUR), 0, true, true],
		['made in the same minute, in minutes', '2026-03-02T09:15Z', 0, true, true],
		['made in the minute before, in minutes', '2026-03-02T09:14Z', 0, false, true],
		['made in the same second, in seconds', '2026-03-02T09:15:30', 0, true, true],
		['made 2 s before', iso(SENT_AT - 2 * SECOND), 0, true, true],
		['made 4 s before', iso(SENT_AT - 4 * SECOND), 0, false, true],
		['made 5 min before', iso(SENT_AT - 5 * MINUTE), 0, false, true],
		['made 5 min 1 s before', iso(SENT_AT - 5 * MINUTE - SECOND), 0, false, false],
		['made nobody knows when', undefined, 0, false, true],
		['made at a time that is not set', '0001-01-01T00:00:00Z', 0, false, true],
		['made at a time that is a number', SENT_AT, 0, false, true],

		['7 min ahead, made then', iso(SENT_AT + 7 * MINUTE), 7 * MINUTE, true, true],
		['7 min ahead, made 4 s before', iso(SENT_AT + 7 * MINUTE - 4_000), 7 * MINUTE, false, true],
		['7 min ahead, made by the host’s clock', iso(SENT_AT), 7 * MINUTE, false, false],
		['7 min behind, made then', iso(SENT_AT - 7 * MINUTE), -7 * MINUTE, true, true],
		['7 min behind, made 6 min before', iso(SENT_AT - 13 * MINUTE), -7 * MINUTE, false, false],

		// Nobody knows which of the two clocks is wrong: the earlier one counts.
		['an hour ahead, made by the host’s clock', iso(SENT_AT), HOUR, true, true],
		['an hour ahead, made then', iso(SENT_AT + HOUR), HOUR, true, true],
		['an hour behind, made then', iso(SENT_AT - HOUR), -HOUR, true, true],

		['no time told, made then', iso(SENT_AT), undefined, true, true],
		['no time told, made 5 s before', iso(SENT_AT - 5 * SECOND), undefined, false, true],
		['no time told, made a day before', iso(SENT_AT - 24 * HOUR), undefined, false, true],
		['no time told, made nobody knows when', undefined, undefined, false, true],
	])('%s', (_, createdAt, aheadMs, own, mayBe) => {
		const time = told(aheadMs);
		const evidence = { sentAt: SENT_AT };

		const activation = { id: 'a', createdAt };

		expect([isOwn(activation, evidence, time), mayBeOwn(activation, evidence, time)]).toEqual([
			own,
			mayBe,
		]);
		expect(claimed(activation, evidence, time)).toEqual(
			own ? { own: activation } : { existing: activation },
		);
	});

	it.each<[string, Evidence, Activation, boolean]>([
		['nothing was sent', {}, { id: 'a', createdAt: iso(SENT_AT) }, false],
		[
			'it was there before',
			{ sentAt: SENT_AT, before: new Set(['a', 'b']) },
			{ id: 'a', createdAt: iso(SENT_AT) },
			false,
		],
		[
			'others were there before',
			{ sentAt: SENT_AT, before: new Set(['b']) },
			{ id: 'a', createdAt: iso(SENT_AT) },
			true,
		],
		[
			'nobody knows whether it was there, as it has no ID',
			{ sentAt: SENT_AT, before: new Set(['a']) },
			{ createdAt: iso(SENT_AT) },
			true,
		],
		[
			'nobody has noted what was there before',
			{ sentAt: SENT_AT },
			{ id: 'a', createdAt: iso(SENT_AT) },
			true,
		],
	])('if %s', (_, evidence, activation, expected) => {
		expect(isOwn(activation, evidence, told(0))).toBe(expected);
		expect(mayBeOwn(activation, evidence, told(0))).toBe(expected);
	});

	it.each<[string, Evidence, Activation, boolean]>([
		[
			'it was not there before, and is less than an hour older',
			{ sentAt: SENT_AT, before: new Set(['b']) },
			{ id: 'a', createdAt: iso(SENT_AT - 59 * MINUTE) },
			true,
		],
		[
			'it was not there before, and is more than an hour older',
			{ sentAt: SENT_AT, before: new Set(['b']) },
			{ id: 'a', createdAt: iso(SENT_AT - 61 * MINUTE) },
			false,
		],
		[
			'it is minutes older, and without an ID nobody knows whether it was there before',
			{ sentAt: SENT_AT, before: new Set(['b']) },
			{ createdAt: iso(SENT_AT - 10 * MINUTE) },
			false,
		],
		[
			'it is a minute older, and one without an ID of its time was there before',
			{ sentAt: SENT_AT, before: new Set([iso(SENT_AT - MINUTE)]) },
			{ createdAt: iso(SENT_AT - MINUTE) },
			false,
		],
		[
			'it is of the same second, in which one without an ID was there before',
			{ sentAt: SENT_AT, before: new Set(['2026-03-02T09:15:31Z']) },
			{ createdAt: '2026-03-02T09:15:31Z' },
			false,
		],
		[
			'it is of the same minute, told with seconds, in which one without an ID was there before',
			{ sentAt: SENT_AT, before: new Set(['2026-03-02T09:16:00Z']) },
			{ createdAt: '2026-03-02T09:16:00Z' },
			true,
		],
		[
			'it is of the same minute, in which one without an ID was there before',
			{ sentAt: SENT_AT, before: new Set(['2026-03-02T09:15Z']) },
			{ createdAt: '2026-03-02T09:15Z' },
			true,
		],
		[
			'it is half an hour older, and another client had not been shown it',
			{ sentAt: SENT_AT, before: new Set(['b']), isOthersLook: true },
			{ id: 'a', createdAt: iso(SENT_AT - 30 * MINUTE) },
			false,
		],
		[
			'it is minutes older, and nobody has looked before',
			{ sentAt: SENT_AT },
			{ id: 'a', createdAt: iso(SENT_AT - 10 * MINUTE) },
			false,
		],
	])('may be the case if %s', (_, evidence, activation, expected) => {
		expect(mayBeOwn(activation, evidence, told(0))).toBe(expected);
	});
});

describe('what a list of the listing comes to', () => {
	const one = (id: string, result: string, createdAgoMs: number, more: Activation = {}) => ({
		id,
		status: { result },
		createdAt: iso(SENT_AT - createdAgoMs),
		...more,
	});

	const mine = one('mine', 'ACTIVATED', 0);
	const mineFailed = one('failed', 'ERROR', 0);
	const failedBefore = one('failed before', 'ERROR', MINUTE);
	const failedLongBefore = one('long before', 'ERROR', HOUR);
	const active = one('active', 'ACTIVATED', HOUR);
	const planned = one('planned', 'SCHEDULED', HOUR);
	const waiting = one('waiting', 'PENDING', HOUR);
	const over = one('over', 'ACTIVATED', 40 * 24 * HOUR, { expiryAt: iso(SENT_AT - HOUR) });

	it.each<[string, Activation[], unknown, unknown]>([
		['nothing', [], undefined, undefined],
		['its own', [mine], { own: mine }, { own: mine }],
		['its own before another', [active, mine], { own: mine }, { own: mine }],
		['its own that has failed', [mineFailed], { own: mineFailed }, { own: mineFailed }],
		['an active one', [active], { existing: active }, { existing: active }],
		['a planned one', [planned], { existing: planned }, { existing: planned }],
		['a waiting one', [waiting], { existing: waiting }, { existing: waiting }],
		['one whose term is over', [over], undefined, undefined],
		['one that has failed long before', [failedLongBefore], undefined, undefined],
		['one that may be its own, and has failed', [failedBefore], undefined, { own: failedBefore }],
		[
			'an active one rather than one that has failed',
			[failedBefore, active],
			{ existing: active },
			{ existing: active },
		],
	])('%s', (_, activations, current, made) => {
		const evidence = { sentAt: SENT_AT };

		expect(currentIn(activations, evidence, told(0))).toEqual(current);
		expect(madeIn(activations, evidence, told(0))).toEqual(made);
	});

	it.each<[string, Evidence, string]>([
		['is its own, if the look before did not show it', { before: new Set() }, 'own'],
		['is not, if that look has shown it', { before: new Set(['untold']) }, 'existing'],
		['is not, if nobody has looked before', {}, 'existing'],
		['is not, if another client has', { before: new Set(), isOthersLook: true }, 'existing'],
	])('what does not tell when it was made %s', (_, evidence, whose) => {
		const untold = { ...waiting, id: 'untold', createdAt: undefined };

		expect(currentIn([untold], { sentAt: SENT_AT, ...evidence }, told(0))).toEqual({
			[whose]: untold,
		});
		expect(currentIn([untold], evidence, told(0))).toEqual({ existing: untold });
	});

	it('does not make what failed its own, if it does not tell when that was made', () => {
		const untold = { ...mineFailed, createdAt: undefined };

		expect(currentIn([untold], { sentAt: SENT_AT, before: new Set() }, told(0))).toBeUndefined();
	});

	it('is no order’s own before anything was sent', () => {
		expect(currentIn([mine], {}, told(0))).toEqual({ existing: mine });
		expect(madeIn([mineFailed], {}, told(0))).toBeUndefined();
	});

	it.each([
		['told', 0, undefined],
		['not told', undefined, 'planned'],
	])(
		'takes a planned one whose end has passed as the service’s time, which is %s, has it',
		(_, aheadMs, id) => {
			const past = { ...planned, expiryAt: iso(SENT_AT - MINUTE) };

			const found = currentIn([past], {}, told(aheadMs));

			expect(found && 'existing' in found ? found.existing.id : undefined).toBe(id);
		},
	);
});

describe('of which listing an activation is', () => {
	const LISTING: Listing = { listingId: 123 };
	const OWN_ID: Listing = { customerListingId: 'OUR-1' };

	const of = (id: string, listingId?: Activation[string]) => ({ id, listingId });

	it.each<[string, Listing, Activation[], string[], string[]]>([
		['named', LISTING, [of('a', 123)], ['a'], []],
		['named as text', LISTING, [of('a', ' 123')], ['a'], []],
		['nameless', LISTING, [of('a'), of('b', null)], ['a', 'b'], []],
		['named and nameless', LISTING, [of('a', 123), of('b')], ['a', 'b'], []],
		['another’s', LISTING, [of('a', 777)], [], []],
		['named, and another’s', LISTING, [of('a', 123), of('b', 777)], ['a'], []],
		['nameless beside another’s', LISTING, [of('a'), of('b', 777)], [], ['a']],
		['of one listing, by an own ID', OWN_ID, [of('a', 5), of('b', 5)], ['a', 'b'], []],
		['nameless, by an own ID', OWN_ID, [of('a'), of('b')], ['a', 'b'], []],
		['of one and nameless, by an own ID', OWN_ID, [of('a', 5), of('b')], ['a', 'b'], []],
		['of two listings, by an own ID', OWN_ID, [of('a', 5), of('b', 6)], [], ['a', 'b']],
		['of none, as there are none', OWN_ID, [], [], []],
	])('%s', (_, listing, activations, own, unclear) => {
		const sorted = sortByListing(activations, listing);

		expect(sorted.own.map(({ id }) => id)).toEqual(own);
		expect(sorted.unclear.map(({ id }) => id)).toEqual(unclear);
	});

	it.each<[string, Listing, Activation, boolean, boolean]>([
		['its listing', LISTING, of('a', 123), true, true],
		['its listing as text', LISTING, of('a', '123'), true, true],
		['another one', LISTING, of('a', 777), false, false],
		['none', LISTING, of('a'), false, true],
		['a word', LISTING, of('a', 'x123'), false, true],
		['one that an own ID may mean', OWN_ID, of('a', 123), false, true],
	])('if it names %s', (_, listing, activation, isNamed, mayBe) => {
		expect(namesListing(activation, listing)).toBe(isNamed);
		expect(mayBeOfListing(activation, listing)).toBe(mayBe);
	});
});
