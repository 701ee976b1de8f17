import { describe, expect, it } from '@jest/globals';

import { DAY, HOUR } from '../../../lab/engine/leads';
import { ids, useTriggerBench } from '../../../lab/engine/triggerBench';

const world = useTriggerBench();
const { branches, host, submit } = world;

describe('a manual test', () => {
	it('shows the newest few leads, oldest first, and touches no state', async () => {
		for (let hour = 20; hour > 0; hour--) {
			submit(`${hour} hours ago`, hour * HOUR, hour % 2 ? 'applicant' : 'appraisal');
		}
		const trigger = host();

		expect(ids(await trigger.test())).toEqual([5, 4, 3, 2, 1].map((hour) => `${hour} hours ago`));
		expect(trigger.state).toEqual({});
	});

	it('keeps to the filter and reaches further back when the last day is empty', async () => {
		const trigger = host({ ...branches('1', '2'), filterId: '2' });
		submit('other', HOUR, 'applicant', { branchId: '1' });
		submit('old', 20 * DAY, 'applicant', { branchId: '2' });

		expect(ids(await trigger.test())).toEqual(['old']);
	});

	it('looks at a week before it looks at a month', async () => {
		submit('three days ago', 3 * DAY);
		submit('a fortnight ago', 14 * DAY);
		const trigger = host({ leadTypes: ['applicant'] });

		expect(ids(await trigger.test())).toEqual(['three days ago']);
		expect(world.bench.dataRequests).toHaveLength(2);
	});

	it.each([
		['applicant', /^Applicant leads of branch 3: The service refused the request/],
		['appraisal', /^Appraisal leads of branch 3: The service refused the request/],
	])('says which branch is refused for %s leads', async (leadType, message) => {
		const trigger = host({ ...branches('1', '2'), filterId: '1,3', leadTypes: [leadType] });

		const error = await trigger.failure(trigger.test());

		expect(error.message).toMatch(message);
	});

	it('shows raw leads with their type', async () => {
		submit('one', HOUR, 'appraisal');

		const [lead] = await host({ simplify: false }).test();

		expect(lead).toMatchObject({ id: 'one', leadType: 'appraisal', contact: {} });
	});
});
