import { describe, expect, it } from '@jest/globals';

import { targetKey, titleOf } from '../../../../../nodes/AgentLeadsTrigger/progress/target';
import { targetOf } from '../../../../lab/polling/hostedTrigger';

describe('the key of a target', () => {
	it('is legible', () => {
		expect(targetKey('applicant')).toBe('applicant');
		expect(targetKey('appraisal', { by: 'branch', id: '10234' })).toBe('appraisal · branch 10234');
	});
});

it.each([
	['Applicant leads', targetOf('applicant')],
	['Appraisal leads', targetOf('appraisal')],
	['Applicant leads of branch 10234', targetOf('applicant', '10234')],
])('people read of a target as “%s”', (title, target) => {
	expect(titleOf(target)).toBe(title);
});
