import { describe, expect, it, jest } from '@jest/globals';

import { ids, TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';
import { useRunsBench } from '../../../lab/engine/runsBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const DAY = 24 * 60 * 60_000;

const world = useRunsBench();
const { submit, published, poll, killed } = world;

describe.each(TRIGGER_HOSTS)('while the first run goes on, on %s', (_, options) => {
	it('n8n is killed for days, and no lead of them is lost', async () => {
		const trigger = world.hostOf(options, { startFrom: 'last24Hours' });
		trigger.executions.resultOf = () => undefined;
		submit('slow', 5_000);
		await trigger.activate();
		await poll(trigger);
		submit('meanwhile', 5_000);
		world.pass(2 * DAY);

		const next = await killed(trigger);
		for (let polls = 0; polls < 3; polls++) await poll(next);

		expect(ids(next.executions.started)).toEqual(['slow', 'meanwhile']);
	});

	it('a lead type is added, n8n is killed for days, and no lead of them is lost', async () => {
		const trigger = await published(options, { leadTypes: ['applicant'] });
		trigger.executions.resultOf = () => undefined;
		submit('slow', 5_000);
		await poll(trigger);
		trigger.parameters.leadTypes = ['applicant', 'appraisal'];
		submit('before', 60 * 60_000, 'appraisal');
		await trigger.activate();
		await poll(trigger);
		submit('meanwhile', 5_000, 'appraisal');
		world.pass(2 * DAY);

		const next = await killed(trigger);
		for (let polls = 0; polls < 3; polls++) await poll(next);

		expect(ids(next.executions.started)).toEqual(['slow', 'meanwhile']);
	});
});
