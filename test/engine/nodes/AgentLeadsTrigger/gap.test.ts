import { expect, it } from '@jest/globals';

import { DAY } from '../../../lab/engine/leads';
import { ids, MINUTE, useTriggerBench } from '../../../lab/engine/triggerBench';

const world = useTriggerBench();

it('a gap of one kind of lead is not put down to polls that succeeded for the other', async () => {
	const { bench, host, submit, pass } = world;
	const trigger = host();
	await trigger.activate();
	const fault = bench.sandbox.faults.add({
		kind: 'status',
		status: 403,
		path: '/applicant-leads',
		times: Infinity,
	});
	for (let day = 0; day < 33; day++) {
		pass(DAY);
		submit(`appraisal ${day}`, 0, 'appraisal');
		expect(ids(await trigger.tick())).toEqual([`appraisal ${day}`]);
	}
	fault.remove();
	submit('applicant');
	pass(MINUTE);

	const items = await trigger.tick();

	expect(items.find(({ id }) => id === 'applicant')?.gap).toMatchObject({
		message: expect.stringMatching(
			/keeps leads for 30 days, and these could not be fetched in that time\.$/,
		),
	});
}, 60_000);
