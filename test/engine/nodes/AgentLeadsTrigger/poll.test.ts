import { describe, expect, it } from '@jest/globals';

import { HOUR } from '../../../lab/engine/leads';
import { ids, MINUTE, useTriggerBench } from '../../../lab/engine/triggerBench';

const world = useTriggerBench();
const { branches, host, submit, pass, windows, requestsOf } = world;

describe('a poll', () => {
	it('asks once for each type and filter ID, behind the watermark by the look-back', async () => {
		const trigger = host({ ...branches('1', '2'), options: { lookBack: 30 } });
		await trigger.activate();
		pass(MINUTE);
		const before = windows().length;

		expect(await requestsOf(async () => await trigger.tick())).toBe(4);
		expect(windows().slice(before)).toEqual(
			Array.from({ length: 4 }, () => ['2026-06-30T11:30:00Z', '2026-06-30T12:01:30Z']),
		);
	});

	it('gives way to one that is under way', async () => {
		const trigger = host();
		await trigger.activate();
		pass(MINUTE);
		submit('one');
		world.bench.sandbox.faults.add({ kind: 'latency', ms: 300, path: /leads$/, times: 2 });
		const before = world.bench.dataRequests.length;

		const [first, second] = await Promise.all([trigger.tick(), trigger.tick()]);

		expect(ids(first)).toEqual(['one']);
		expect(second).toEqual([]);
		expect(world.bench.dataRequests.length - before).toBe(2);
	});

	it('after a crash between activation and the first poll reaches back rather than lose a lead', async () => {
		const trigger = host({}, { isDurable: true });
		submit('before', 2 * HOUR);
		submit('perhaps before', 10 * MINUTE);

		expect(ids(await trigger.tick())).toEqual(['perhaps before']);
	});

	it('under a new name starts over, even just after a lead', async () => {
		const trigger = host({ leadTypes: ['applicant'] });
		await trigger.activate();
		pass(MINUTE);
		submit('one');

		expect(ids(await trigger.tick())).toEqual(['one']);

		pass(3_000);
		trigger.state = {};
		expect(await trigger.activate('update')).toEqual([]);

		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('under a new name delivers what n8n dropped of a poll that was under way', async () => {
		const trigger = host({ leadTypes: ['applicant'], startFrom: 'last24Hours' });
		await trigger.activate();
		pass(MINUTE);
		submit('one');
		world.bench.sandbox.faults.add({ kind: 'latency', ms: 300, path: /leads$/, times: 1 });
		const dropped = trigger.tick();
		trigger.state = {};
		const activation = trigger.activate('update');

		expect(ids(await dropped)).toEqual(['one']);

		const delivered = ids(await activation);

		for (let minute = 0; minute < 3; minute++) {
			pass(MINUTE);
			delivered.push(...ids(await trigger.tick()));
		}

		expect(delivered).toEqual(['one']);
	});

	it('delivers an applicant and an appraisal with the same ID, in one poll or two, and an answer’s double once', async () => {
		const trigger = host();
		await trigger.activate();
		const types = async () => {
			pass(MINUTE);
			return (await trigger.tick()).map(({ leadType }) => leadType).sort();
		};
		submit('same');
		submit('same');
		submit('same', 0, 'appraisal');
		submit('other');

		expect(await types()).toEqual(['applicant', 'applicant', 'appraisal']);

		submit('other', 0, 'appraisal');
		expect(await types()).toEqual(['appraisal']);
	});

	it.each([
		[{ version: 2 }, '2'],
		[{ version: 1, polls: 'many', targets: {}, delivered: {} }, '"many"'],
	])('refuses progress that it cannot read rather than to start over: %j', async (state, at) => {
		const trigger = host();
		trigger.state = state;

		const error = await trigger.failure(trigger.activate());

		expect(error.message).toBe(`The stored progress cannot be read at ${at}`);
		expect(error.failure).toEqual({ cause: 'configuration-invalid' });
		expect(world.bench.dataRequests).toEqual([]);
	});
});
