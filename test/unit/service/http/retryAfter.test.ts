import { describe, expect, it } from '@jest/globals';

import { parseRetryAfter } from '../../../../service/http/retryAfter';

describe('Retry-After', () => {
	it.each([
		['0', 0],
		['120', 120_000],
		[' 7 ', 7_000],
		['Wed, 21 Oct 2026 07:28:00 GMT', 60_000],
		['Wed, 21 Oct 2026 07:26:00 GMT', 0],
		['1.5', 1_500],
		['.0004', 1],
		['\t30 ', 30_000],
		['3600', 3_600_000],
		['Wed, 21 Oct 2026 08:27:00 GMT', 3_600_000],
		['Wednesday, 21-Oct-26 07:28:00 GMT', 60_000],
		['Wed Oct 21 07:28:00 2026', 60_000],
		['5, 120,7', 120_000],
		['5, Wed, 21 Oct 2026 07:28:00 GMT', 60_000],
		['Wed, 21 Oct 2026 07:28:00 GMT, Wed, 21 Oct 2026 07:29:00 GMT, 5', 120_000],
		['soon, 5', 5_000],
		['soon', undefined],
		['', undefined],
		[',', undefined],
		['1e3', undefined],
		['Infinity', undefined],
		['5 minutes', undefined],
	])('“%s” means %s ms', (value, expected) => {
		expect(parseRetryAfter(value, 'Wed, 21 Oct 2026 07:27:00 GMT')).toBe(expected);
	});

	it('of a million digits is told in no time from a number', () => {
		expect(parseRetryAfter(`${'1'.repeat(1_000_000)}x`)).toBeUndefined();
	});

	it.each([
		['over an hour', '3601'],
		['a moment in seconds', '1792567680'],
		['a moment in milliseconds', '1792567680000'],
		['before now', '-5'],
		['without end', '9'.repeat(400)],
		['a date a day ahead', 'Thu, 22 Oct 2026 07:27:00 GMT'],
		['a date years ahead', 'Thu, 22 Oct 2099 07:27:00 GMT'],
		['absurd among others', '5, 1792567680'],
	])('that is absurd counts as 15 minutes: %s', (_, value) => {
		expect(parseRetryAfter(value, 'Wed, 21 Oct 2026 07:27:00 GMT')).toBe(900_000);
	});

	it('counts a date from our own clock where the service sent no Date', () => {
		const inAMinute = new Date(Date.now() + 60_000).toUTCString();

		const wait = parseRetryAfter(inAMinute) ?? 0;

		expect(wait).toBeGreaterThan(58_000);
		expect(wait).toBeLessThanOrEqual(60_000);
	});
});
