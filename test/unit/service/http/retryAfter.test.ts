import { describe, expect, it, jest } from '@jest/globals';

import { parseRetryAfter } from '../../../../service/http/retryAfter';

describe('Retry-After', () => {
	it.each([
		['0', 0],
		['120', 120_000],
		[' 7 ', 7_000],
		['Wed, 21 Oct 2026 07:28:00 GMT', 60_000],
		['Wed, 21 Oct 2026 07:26:00 GMT', 0],
		['\t30 ', 30_000],
		['3600', 3_600_000],
		['Wed, 21 Oct 2026 08:27:00 GMT', 3_600_000],
		['Wednesday, 21-Oct-26 07:28:00 GMT', 60_000],
		['Wed Oct 21 07:28:00 2026', 60_000],
		['1.5', undefined],
		['-5', undefined],
		['5, 120', undefined],
		['9999999', 9_999_999_000],
		['1792567680', undefined],
		['Thu, 22 Oct 2099 07:27:00 GMT', 2_303_769_600_000],
		['soon', undefined],
		['', undefined],
		[',', undefined],
		['1e3', undefined],
		['Infinity', undefined],
		['5 minutes', undefined],
	])('“%s” means %s ms', (value, expected) => {
		expect(parseRetryAfter(value, 'Wed, 21 Oct 2026 07:27:00 GMT')).toBe(expected);
	});

	it('counts a date from our own clock where the service sent no Date', () => {
		jest.useFakeTimers({ now: Date.UTC(2026, 5, 30, 12) });

		expect(parseRetryAfter('Tue, 30 Jun 2026 12:01:00 GMT', '')).toBe(60_000);

		jest.useRealTimers();
	});
});
