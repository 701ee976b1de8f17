import { describe, expect, it } from '@jest/globals';

import { MINUTE, useTriggerBench } from '../../../lab/engine/triggerBench';

const world = useTriggerBench();
const { branches, host, submit, pass } = world;

describe('stored progress', () => {
	it('is legible', async () => {
		const trigger = host({
			...branches('NORTH', 'SOUTH'),
			leadTypes: ['applicant'],
			filterId: 'NORTH',
		});
		await trigger.activate();
		pass(MINUTE);
		submit('a-lead', 0, 'applicant', { branchId: 'NORTH' });

		await trigger.tick();

		expect(trigger.state).toEqual({
			version: 1,
			polls: 2,
			targets: {
				'applicant · branch NORTH': {
					watermark: '2026-06-30T12:01:30Z',
					start: '2026-06-29T12:00:30Z',
				},
			},
			delivered: { '2026-06-30': expect.stringMatching(/^[\w-]{8}$/) },
		});
	});
});
