import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceClock } from '../../../../service/basics/clock';
import { EVERYTHING_BUT_DATE } from '../../../lab/engine/bench';
import { DAY, MINUTE, SECOND } from '../../../lab/times';

const NOON = Date.UTC(2026, 5, 30, 12);

/** A clock that an answer of a service has told its time, which is ahead of the host's by so much. */
function clockAhead(ms: number): ServiceClock {
	const clock = new ServiceClock();
	clock.read(new Date(NOON + ms).toUTCString());
	return clock;
}

beforeEach(() => {
	jest.useFakeTimers({ now: NOON, doNotFake: [...EVERYTHING_BUT_DATE] });
});

afterEach(() => {
	jest.useRealTimers();
});

describe('the service’s clock', () => {
	it.each(['', 'soon'])('is the host’s until an answer tells its time: %p', (date) => {
		const clock = new ServiceClock();
		clock.read(date);

		expect(clock.isKnown).toBe(false);
		expect([clock.now(), clock.earliestNow()]).toEqual([NOON, NOON]);
	});

	it.each([...[-400 * DAY, -16 * MINUTE, -3 * SECOND, 40 * DAY]])(
		'counts however far it is off: %d ms',
		(ms) => {
			const clock = clockAhead(ms);

			expect(clock.isKnown).toBe(true);
			expect([clock.now(), clock.now(NOON - SECOND)]).toEqual([NOON + ms, NOON - SECOND + ms]);
			expect(clock.earliestNow()).toBe(Math.min(NOON, NOON + ms));
		},
	);

	it('goes on as it was with an answer that does not tell its time, and follows the newest that does', () => {
		const clock = clockAhead(-5 * MINUTE);
		clock.read('soon');
		expect(clock.now()).toBe(NOON - 5 * MINUTE);

		clock.read(new Date(NOON).toUTCString());
		expect(clock.now()).toBe(NOON);
	});
});
