import { describe, expect, it, jest } from '@jest/globals';

import { PROGRESS_FORMAT } from '../../../../nodes/AgentLeadsTrigger/storedProgress';
import { copyOf, ids, MINUTE, TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';
import { useRunsBench } from '../../../lab/engine/runsBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { settled } from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const APPLICANTS = { key: 'applicant', leadType: 'applicant' } as const;

const world = useRunsBench();
const { submit, published, poll } = world;

describe.each(TRIGGER_HOSTS)('while runs are under way, on %s', (_, options) => {
	it('what is stored does not pass a lead that has not ended', async () => {
		const trigger = await published(options, { leadTypes: ['applicant'] });
		trigger.executions.resultOf = ({ json: { id } }) => (id === 'slow' ? undefined : 'success');
		submit('slow', 5_000);
		const before = world.bench.sandbox.now();
		for (let polls = 0; polls < 3; polls++) {
			await poll(trigger);
			submit(`quick ${polls}`, 5_000);
		}

		const { saved } = trigger.remains;

		const progress = PROGRESS_FORMAT.read(copyOf(saved ?? {}));
		expect(progress.targets.get('applicant')?.watermark).toBeLessThanOrEqual(before);
		expect(progress.delivered.recall(APPLICANTS, 'quick 0', before)).toBe(true);
		expect(progress.delivered.recall(APPLICANTS, 'slow', before)).toBe(false);
	});

	it('the service is asked for no more while a thousand leads wait', async () => {
		const trigger = await published(options, { leadTypes: ['applicant'] });
		trigger.executions.resultOf = () => undefined;
		const to = world.bench.sandbox.now();
		world.bench.sandbox.addLeads('applicant', 1_010, { from: to - MINUTE, to });

		const begunAt = Date.now();
		const asked: boolean[] = [];
		for (let polls = 0; polls < 5; polls++) {
			// How often depends on how much of the virtual time passes meanwhile: what it brings is asked for as well.
			const requests = await world.requestsOf(async () => await poll(trigger, 2 * MINUTE));
			asked.push(requests > 0);
		}

		// By the third poll enough may have begun.
		expect(asked).toEqual([true, false, expect.any(Boolean), true, true]);
		// After a minute a run no longer holds up the others: five begin at once, and five more in each minute.
		const minutes = Math.floor((Date.now() - begunAt) / MINUTE);
		const { length: started } = trigger.executions.started;
		expect(started).toBeGreaterThanOrEqual(25);
		expect(started).toBeLessThanOrEqual(5 * (1 + minutes));
		expect(trigger.executions.refused).toBe(0);
	});

	it('no more runs start once the workflow is unpublished, and the rest once it is published', async () => {
		const trigger = await published(options, { leadTypes: ['applicant'] });
		trigger.executions.resultOf = () => undefined;
		for (let lead = 0; lead < 8; lead++) submit(`lead ${lead}`, 9_000 - lead * 1_000);
		await trigger.tick();
		// Sooner than a minute, after which runs no longer hold up the others.
		await settled(10);
		const { rows } = trigger.executions;

		await trigger.unpublish();
		for (const run of [...rows]) trigger.executions.end(run, 'success');
		await settled();
		const startedBefore = rows.length;
		await trigger.activate();
		for (let polls = 0; polls < 2; polls++) await poll(trigger);

		expect(startedBefore).toBe(5);
		expect(ids(trigger.executions.started)).toEqual(
			Array.from({ length: 8 }, (__, lead) => `lead ${lead}`),
		);
	});
});
