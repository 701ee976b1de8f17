import { describe, expect, it } from '@jest/globals';

import { pushedLeadIn } from '../../../../nodes/AgentLeadsPushTrigger/pushedLead';

const NAMES = { applicant: 'applicant', appraisal: 'appraisal' };
const LEAD = { id: 'a' };

describe('the lead in a push', () => {
	it.each(['applicant', 'appraisal'] as const)('is told by the one key: %s', (leadType) => {
		expect(pushedLeadIn({ [leadType]: LEAD }, NAMES)).toEqual({ leadType, lead: LEAD });
	});

	it('is found beside what is unknown', () => {
		expect(pushedLeadIn({ version: 2, applicant: LEAD }, NAMES)?.lead).toBe(LEAD);
	});

	it('is found under another name', () => {
		const names = { ...NAMES, appraisal: 'valuation' };

		expect(pushedLeadIn({ valuation: LEAD }, names)).toEqual({ leadType: 'appraisal', lead: LEAD });
		expect(pushedLeadIn({ appraisal: LEAD }, names)).toBeUndefined();
	});

	it.each([
		['nothing', undefined],
		['a text', 'applicant'],
		['a list', [{ applicant: LEAD }]],
		['no wrapper', LEAD],
		['an empty lead', { applicant: {} }],
		['a list of leads', { applicant: [LEAD] }],
		['no lead', { applicant: null }],
		['two leads', { applicant: LEAD, appraisal: LEAD }],
	])('is not made of %s', (_, body) => {
		expect(pushedLeadIn(body, NAMES)).toBeUndefined();
	});
});
