import { describe, expect, it } from '@jest/globals';

import { LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

describe('bad input is refused before any request', () => {
	it.each([
		['an empty id', { filterBy: 'branch', filterId: '={{ "" }}' }, 'Filter IDs'],
		['a stray comma', { filterBy: 'branch', filterId: '12,,13' }, 'Filter IDs'],
		['a semicolon', { filterBy: 'branch', filterId: '12; 13' }, 'Filter IDs'],
		['an unknown filter', { filterBy: '={{ "planet" }}', filterId: '1' }, 'Filter By'],
		[
			'from after to',
			{ period: 'range', from: '2026-06-02T00:00:00', to: '2026-06-01T00:00:00' },
			'From',
		],
		['no start', { period: 'range', from: '={{ "" }}' }, 'From'],
		['a start that is no date', { period: 'range', from: '={{ "yesterday" }}' }, 'From'],
		['a start in seconds', { period: 'range', from: '={{ 1793750400 }}' }, 'From'],
		['a start in the future', { period: 'range', from: '2999-01-01T00:00:00' }, 'From'],
		[
			'an end that is no date',
			{ period: 'range', from: '2026-06-01T00:00:00', to: '={{ "31/31/2026" }}' },
			'To',
		],
		['a negative amount', { period: 'recent', recentAmount: -1, recentUnit: 'days' }, 'Amount'],
		[
			'an unknown unit',
			{ period: 'recent', recentAmount: 1, recentUnit: '={{ "weeks" }}' },
			'Unit',
		],
		['a limit of zero', { limit: 0 }, 'Limit'],
		['a limit that is text', { limit: '={{ "many" }}' }, 'Limit'],
		['no tries', { options: { maxTries: 0 } }, 'Max Tries'],
		['a negative wait', { options: { maxWait: -1 } }, 'Max Wait'],
		[
			'a query name with a space',
			{ options: { filterParameter: 'branch id' } },
			'Filter Parameter Name',
		],
		[
			'one name for two things',
			{ options: { fromTimeParameter: 'time', toTimeParameter: 'time' } },
			'Options',
		],
	])('%s', async (_, parameters, field) => {
		const { error } = await bench.run(parameters);

		expect(error?.message).toContain(`“${field}”`);
		expect(error?.description).toBeTruthy();
		expect(bench.sandbox.requests).toHaveLength(0);
	});
});
