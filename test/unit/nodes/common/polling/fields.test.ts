import { describe, expect, it } from '@jest/globals';
import type { INodeProperties } from 'n8n-workflow';

import { pollingOptions } from '../../../../../nodes/common/polling/fields';

const MAX_WAIT: INodeProperties = {
	...{ displayName: 'Max Wait', name: 'maxWait', type: 'number', default: 60 },
	description: 'Up to how many seconds to wait.',
};
const MAX_TRIES: INodeProperties = {
	...{ displayName: 'Max Tries', name: 'maxTries', type: 'number', default: 5 },
};

const [runAgain, lookBack, maxWait, maxTries, ...more] = pollingOptions(
	[MAX_WAIT, MAX_TRIES],
	{ one: 'lead', many: 'leads' },
	'onePerLead',
);

describe('the options of a trigger that polls', () => {
	it('let a person run a failed run again, up to five times, if each task has a run of its own', () => {
		expect(runAgain).toMatchObject({
			displayName: 'Run Again If It Fails',
			name: 'runAgain',
			type: 'number',
			typeOptions: { minValue: 0, maxValue: 5, numberPrecision: 0 },
			displayOptions: { show: { '/runs': ['onePerLead'] } },
			default: 0,
			hint: 'Times',
		});
		expect(runAgain?.description).toContain('start the workflow for a lead if its run fails');
	});

	it('let a person look back by whole minutes, by an hour as a rule', () => {
		expect(lookBack).toMatchObject({
			displayName: 'Look Back',
			name: 'lookBack',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 60,
			hint: 'In minutes',
		});
		expect(lookBack?.description).toMatch(/to catch leads that appear late\. Leads already/);
	});

	it('wait 10 seconds as a rule, and leave the rest to the next poll', () => {
		expect(maxWait).toMatchObject({ ...MAX_WAIT, default: 10, description: expect.any(String) });
		expect(maxWait?.description).toMatch(/next poll\.$/);
	});

	it('have the other options as they are', () => {
		expect(maxTries).toBe(MAX_TRIES);
		expect(more).toEqual([]);
	});
});
