import { expect, it } from '@jest/globals';

import { runKeyOf } from '../../../../../nodes/common/runs/runKey';

const LEAD = { leadType: 'applicant', key: 'a' } as const;

// n8n keeps the keys with its executions: another spelling would run every lead of an older version once more.
it.each([
	[1, 'agentLead:workflow:applicant:a'],
	[2, 'agentLead:workflow:applicant#2:a'],
	[3, 'agentLead:workflow:applicant#3:a'],
])('n8n knows run %d of a lead as %s', (attempt, key) => {
	expect(runKeyOf('workflow', LEAD, attempt)).toBe(key);
});

it('a lead whose ID ends like a number is not taken for another run of a lead', () => {
	expect(runKeyOf('workflow', { ...LEAD, key: 'a#2' }, 1)).not.toBe(runKeyOf('workflow', LEAD, 2));
});
