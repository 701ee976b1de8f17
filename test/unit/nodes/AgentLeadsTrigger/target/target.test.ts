import { describe, expect, it } from '@jest/globals';

import { targetKey } from '../../../../../nodes/AgentLeadsTrigger/target/target';

describe('the key of a target', () => {
	it('is legible', () => {
		expect(targetKey('applicant')).toBe('applicant');
		expect(targetKey('appraisal', { by: 'branch', id: '10234' })).toBe('appraisal · branch 10234');
	});
});
