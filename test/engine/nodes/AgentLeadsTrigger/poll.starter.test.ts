import { describe, expect, it } from '@jest/globals';

import { copyOf, MINUTE, useTriggerBench } from '../../../lab/engine/triggerBench';

const { host, submit, pass, requestsOf } = useTriggerBench();

describe('One per Lead, in a process in which n8n has not started the trigger', () => {
	it.each([true, false])('leaves the leads alone, durable cursors: %s', async (isDurable) => {
		const trigger = host({ runs: 'onePerLead', startFrom: 'last24Hours' }, { isDurable });
		const before = copyOf(trigger.state);
		submit('one');

		const requests = await requestsOf(async () => {
			expect(await trigger.activate()).toEqual([]);
			pass(MINUTE);
			expect(await trigger.tick()).toEqual([]);
		});

		expect(requests).toBe(0);
		expect(trigger.state).toEqual(before);
	});
});
