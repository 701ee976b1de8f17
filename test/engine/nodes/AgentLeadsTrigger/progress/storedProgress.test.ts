import { describe, expect, it } from '@jest/globals';

import { HOUR } from '../../../../lab/engine/leads';
import { MINUTE, useTriggerBench } from '../../../../lab/engine/triggerBench';

const world = useTriggerBench();
const { branches, host, submit, pass } = world;

describe('stored progress', () => {
	it('is legible', async () => {
		const trigger = host({
			...branches('10234', '10235'),
			leadTypes: ['applicant'],
			filterId: '10234',
		});
		await trigger.activate();
		pass(MINUTE);
		submit('a-lead', 0, 'applicant', { branchId: '10234' });

		await trigger.tick();

		expect(trigger.state).toEqual({
			version: 1,
			polls: 2,
			scopes: {
				'applicant · branch 10234': {
					client: expect.stringMatching(/^[\w-]{12}$/),
					watermark: '2026-06-30T12:01:30Z',
					start: '2026-06-30T11:59:30Z',
					seenFrom: '2026-06-30T11:01:30Z',
					seen: { '2026-06-30T12:01Z': ['a-lead'] },
				},
			},
			delivered: { marks: { '2026-06-30': expect.stringMatching(/^[\w-]{8}$/) } },
		});
	});

	it('stays small, however many leads there were', async () => {
		const trigger = host({ leadTypes: ['applicant'] });
		await trigger.activate();

		const sizes: number[] = [];

		for (let hour = 0; hour < 8; hour++) {
			const from = world.bench.sandbox.now();
			pass(HOUR);
			world.bench.sandbox.addLeads('applicant', 400, { from, to: world.bench.sandbox.now() });
			expect(await trigger.tick()).toHaveLength(400);
			sizes.push(JSON.stringify(trigger.state).length);
		}

		// What is kept of a lead beyond the look-back is its mark.
		const marks = 6 * 400 * 8;

		expect(sizes[7]).toBeLessThan((sizes[1] ?? 0) * 1.2 + marks);
	});
});
