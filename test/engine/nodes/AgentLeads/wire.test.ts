import { beforeEach, expect, it } from '@jest/globals';

import { FILTER_KINDS } from '../../../../service/leads/leads';
import { LeadsBench } from '../../../lab/engine/leads';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(LeadsBench);

beforeEach(() => {
	bench.setTime('2026-03-29T12:00:00.789Z');
});

/** What was asked for: the list, and its query. */
const asked = () => bench.dataRequests.map(({ path, query }) => [path, query]);

it.each([
	['applicantLead', '/leads-api/applicant-leads'],
	['appraisalLead', '/leads-api/appraisal-leads'],
])('Agent Leads asks for %s without times', async (resource, path) => {
	await bench.run({ resource });

	expect(asked()).toEqual([[path, {}]]);
});

it.each([
	['30 minutes', { recentAmount: 30, recentUnit: 'minutes' }, '2026-03-29T11:30:00Z'],
	['6 hours', { recentAmount: 6, recentUnit: 'hours' }, '2026-03-29T06:00:00Z'],
	['1 day', { recentAmount: 1, recentUnit: 'days' }, '2026-03-28T12:00:00Z'],
])('Agent Leads asks for the last %s in whole seconds', async (_, recent, from) => {
	await bench.run({ period: 'recent', ...recent });

	expect(bench.windows).toEqual([[from, '2026-03-29T12:00:00Z']]);
});

it.each(FILTER_KINDS)('Agent Leads asks for the leads of a %s by its ID', async (filterBy) => {
	await bench.run({ filterBy, filterId: 'A1&b=2+3' });

	expect(asked()).toEqual([['/leads-api/applicant-leads', { [`${filterBy}-id`]: ['A1&b=2+3'] }]]);
});

it('Agent Leads uses other names of parameters if the options have some', async () => {
	await bench.run({
		...{ period: 'recent', recentAmount: 1, recentUnit: 'hours' },
		...{ filterBy: 'branch', filterId: '11' },
		options: { fromTimeParameter: 'since', toTimeParameter: 'until', filterParameter: 'office' },
	});
	const window = { since: ['2026-03-29T11:00:00Z'], until: ['2026-03-29T12:00:00Z'] };

	expect(asked()).toEqual([['/leads-api/applicant-leads', { ...window, office: ['11'] }]]);
});
