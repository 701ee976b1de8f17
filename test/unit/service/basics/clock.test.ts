import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceClock } from '../../../../service/basics/clock';
import { EVERYTHING_BUT_DATE } from '../../../lab/engine/bench';
import { DAY, HOUR, MINUTE, SECOND } from '../../../lab/polling/leadsModel';

const NOON = Date.UTC(2026, 5, 30, 12);

/** Reads an answer that took two seconds, from a service whose clock is ahead by so much. */
function read(clock: ServiceClock, aheadMs: number): number | undefined {
	return clock.read(new Date(NOON + aheadMs).toUTCString(), NOON - 2 * SECOND);
}

beforeEach(() => {
	jest.useFakeTimers({ now: NOON, doNotFake: [...EVERYTHING_BUT_DATE] });
});

afterEach(() => {
	jest.useRealTimers();
});

describe('the service’s clock', () => {
	it('is the host’s until the service tells its time', () => {
		const clock = new ServiceClock();

		expect(clock).toMatchObject({ isKnown: false, hasAnswered: false, wrongByMs: undefined });
		expect([clock.now(), clock.earliestNow(), clock.told()]).toEqual([NOON, NOON, NOON]);
		expect(clock.read(undefined, NOON)).toBeUndefined();
		expect(clock).toMatchObject({ isKnown: false, hasAnswered: true });
	});

	it.each([-15 * MINUTE, -3 * SECOND, 15 * MINUTE])('counts alone while it is %d ms off', (ms) => {
		const clock = new ServiceClock();

		expect(read(clock, ms)).toBe(NOON + ms - 2 * SECOND);
		expect([clock.now(), clock.earliestNow(), clock.told()]).toEqual(Array(3).fill(NOON + ms));
		expect(clock.wrongByMs).toBeUndefined();
	});

	it.each([16 * MINUTE, 23 * HOUR, 2 * DAY, 30 * DAY])(
		'and the host’s make a span while they are %d ms apart',
		(ms) => {
			const [ahead, behind] = [new ServiceClock(), new ServiceClock()];

			expect(read(ahead, ms)).toBe(NOON - 2 * SECOND);
			expect([ahead.earliestNow(), ahead.now(), ahead.told()]).toEqual([
				NOON,
				NOON + ms,
				NOON + ms,
			]);
			expect(ahead.wrongByMs).toBe(-ms);
			expect(read(behind, -ms)).toBe(NOON - ms - 2 * SECOND);
			expect([behind.earliestNow(), behind.now()]).toEqual([NOON - ms, NOON]);
			expect([behind.told(), behind.wrongByMs]).toEqual([NOON - ms, ms]);
		},
	);

	it.each([31 * DAY, -400 * DAY])(
		'is not believed when it is %d ms off, and that is told',
		(ms) => {
			const clock = new ServiceClock();

			expect(read(clock, ms)).toBeUndefined();
			expect(clock).toMatchObject({ isKnown: false, wrongByMs: -ms });
			expect(clock.now()).toBe(NOON);
		},
	);

	it.each([
		[30 * DAY, true],
		[31 * DAY, false],
	])('is told by an answer that is %d ms off after one that was right: %p', (ms, isToldNow) => {
		const clock = new ServiceClock();
		expect(clock.isToldNow).toBe(false);

		read(clock, 0);
		read(clock, -ms);

		expect(clock.isToldNow).toBe(isToldNow);
	});

	it('goes on as it was with an answer that does not tell its time', () => {
		const clock = new ServiceClock();

		read(clock, -5 * MINUTE);

		expect(clock.read('soon', NOON - SECOND)).toBe(NOON - 5 * MINUTE - SECOND);
		expect(clock.now()).toBe(NOON - 5 * MINUTE);
	});
});
