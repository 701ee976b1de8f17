import { describe, expect, it } from '@jest/globals';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { FieldError } from '../../../../../nodes/common/fieldError';
import { givenOptions, readPollingSettings } from '../../../../../nodes/common/polling/settings';
import { DEFAULT_LIMITS } from '../../../../../service/http/retry';

const MINUTE = 60_000;

const contextWith = (parameters: IDataObject) =>
	({
		getNodeParameter: (name: string, fallback: unknown) => parameters[name] ?? fallback,
	}) as unknown as IPollFunctions;

const settingsOf = (parameters: IDataObject) =>
	readPollingSettings(
		contextWith({ runs: 'onePerThing', ...parameters }),
		3 * 24 * 60 * MINUTE,
		'onePerThing',
	);

describe('the settings of a trigger that polls', () => {
	it('are those of a node that was not changed', () => {
		expect(settingsOf({})).toEqual({
			limits: { ...DEFAULT_LIMITS, maxWaitMs: 10_000 },
			lookBackMs: 60 * MINUTE,
			simplify: false,
			hasOwnRuns: true,
			runAgain: 0,
		});
	});

	it('are what a person has set', () => {
		const options = { lookBack: 90, runAgain: 5, maxWait: 3, maxTries: 2 };

		expect(settingsOf({ options, simplify: true, runs: 'onePerPoll' })).toEqual({
			limits: { ...DEFAULT_LIMITS, maxWaitMs: 3_000, maxTries: 2 },
			lookBackMs: 90 * MINUTE,
			simplify: true,
			hasOwnRuns: false,
			runAgain: 5,
		});
	});

	it('simplify only if the person says so', () => {
		expect([true, false, 'true', ''].map((simplify) => settingsOf({ simplify }).simplify)).toEqual([
			...[true, false, false, false],
		]);
	});

	it.each<[string, IDataObject]>([
		['Look Back', { lookBack: 0 }],
		['Look Back', { lookBack: 3 * 24 * 60 + 1 }],
		['Look Back', { lookBack: 1.5 }],
		['Repeat Failed Runs', { runAgain: -1 }],
		['Repeat Failed Runs', { runAgain: 6 }],
	])('refuse a %s of %j, and name the field', (field, options) => {
		expect(() => settingsOf({ options })).toThrow(FieldError);
		expect(() => settingsOf({ options })).toThrow(field);
	});

	it('take the longest and the shortest look-back', () => {
		const times = [1, 3 * 24 * 60].map(
			(lookBack) => settingsOf({ options: { lookBack } }).lookBackMs,
		);

		expect(times).toEqual([MINUTE, 3 * 24 * 60 * MINUTE]);
	});
});

it('options are none if an expression leaves nothing of them', () => {
	const given = ['', null, [], { lookBack: 5 }, undefined].map((options) =>
		givenOptions(contextWith({ options })),
	);

	expect(given).toEqual([{}, {}, {}, { lookBack: 5 }, {}]);
});
