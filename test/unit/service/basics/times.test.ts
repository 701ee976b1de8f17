import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { mayLieIn, submittedAt } from '../../../../service/leads/leads';
import {
	DAY_MS,
	isoSeconds,
	latestServiceTime,
	serviceTime,
	wholeSeconds,
} from '../../../../service/basics/times';
import { leadJson } from '../../../../nodes/common/leads/simplifyLead';
import { latestCreation } from '../../../../service/products/activation';

const QUARTER_PAST = Date.UTC(2026, 2, 2, 9, 15);

/** As on a host whose own zone is 13 hours ahead: whatever has no offset is read in that. */
function moveHostZone() {
	const parse = Date.parse.bind(Date);
	const hasOffset = (text: string) => /(Z|[+-]\d\d:\d\d)$/.test(text) || text.length === 10;
	jest
		.spyOn(Date, 'parse')
		.mockImplementation((text) => parse(hasOffset(text) ? text : `${text}+13:00`));
}

afterEach(() => {
	jest.restoreAllMocks();
});

describe('a time of the service', () => {
	it.each([
		['2026-03-02T09:15Z', 0],
		['2026-03-02T09:15:30Z', 30_000],
		['2026-03-02T09:15:30.250Z', 30_250],
		['2026-03-02T09:15:30.123456789Z', 30_123],
		['2026-03-02T10:15:30+01:00', 30_000],
		['2026-03-02T03:45:00.5-05:30', 500],
		['2026-03-02T09:15', 0],
		['2026-03-02T09:15:30.25', 30_250],
	])('%s is read, in UTC if it has no offset', (text, laterMs) => {
		moveHostZone();

		expect(serviceTime(text)).toBe(QUARTER_PAST + laterMs);
	});

	it.each([
		'',
		'soon',
		'2026-03-02',
		'2026-13-02T09:15Z',
		'09:15',
		'2 March 2026',
		'0001-01-01T00:00Z',
		'0001-01-01T14:00:00+14:00',
		'1970-01-01T00:00:00Z',
		null,
		7,
		{},
	])('%j is none', (value) => {
		expect(serviceTime(value)).toBeUndefined();
		expect(latestServiceTime(value)).toBeUndefined();
	});

	it.each([
		['2026-03-02T09:15Z', 59_999],
		['2026-03-02T10:15+01:00', 59_999],
		['2026-03-02T09:15:30Z', 30_999],
		['2026-03-02T09:15:30.25', 30_999],
	])('%s may mean the rest of its minute or second', (text, laterMs) => {
		expect(latestServiceTime(text)).toBe(QUARTER_PAST + laterMs);
	});

	it('is the same in leads, simplified leads and activations', () => {
		moveHostZone();

		const createdAt = '2026-03-02T09:15';

		expect(submittedAt({ createdAt })).toBe(QUARTER_PAST);
		expect(leadJson({ createdAt }, 'applicant', true).createdAt).toBe('2026-03-02T09:15:00Z');
		expect(latestCreation({ id: 'a', createdAt })).toBe(QUARTER_PAST + 59_999);
	});
});

describe('a lead', () => {
	const window = { from: QUARTER_PAST + 30_000, to: QUARTER_PAST + 90_000 };

	it.each([
		['2026-03-02T09:15:29Z', false],
		['2026-03-02T09:15:30Z', true],
		['2026-03-02T09:16:30Z', true],
		['2026-03-02T09:16:30.900Z', true],
		['2026-03-02T09:16:31Z', false],
		['2026-03-02T09:14Z', false],
		['2026-03-02T09:15Z', true],
		['2026-03-02T09:16Z', true],
		['2026-03-02T09:17Z', false],
		['0001-01-01T00:00Z', true],
		['soon', true],
		[undefined, true],
	])('of %s may lie in half past to half past: %s', (createdAt, expected) => {
		expect(mayLieIn(window, { createdAt })).toBe(expected);
	});
});

describe('a time of our own', () => {
	it.each([
		[QUARTER_PAST, '2026-03-02T09:15:00Z'],
		[QUARTER_PAST + 30_999, '2026-03-02T09:15:30Z'],
		[QUARTER_PAST + DAY_MS, '2026-03-03T09:15:00Z'],
	])('is sent in UTC and in whole seconds, cut off: %d as %s', (epochMs, text) => {
		expect(isoSeconds(epochMs)).toBe(text);
	});

	it.each([
		[999, 0],
		[1_000, 1_000],
		[1_999, 1_000],
		[-1, -1_000],
	])('is cut to whole seconds: %d to %d', (ms, cut) => {
		expect(wholeSeconds(ms)).toBe(cut);
	});
});
