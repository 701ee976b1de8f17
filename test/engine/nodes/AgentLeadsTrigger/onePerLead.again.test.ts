import { describe, expect, it, jest } from '@jest/globals';

import { copyOf, ids, MINUTE, TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';
import { useRunsBench } from '../../../lab/engine/runsBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { settled } from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const world = useRunsBench();
const { submit, published, poll, killed } = world;

const AGAIN = { options: { runAgain: 1 }, simplify: false };

describe.each(TRIGGER_HOSTS)('on %s', (_, options) => {
	it('a node of the workflow that changes what is inside of a lead changes nothing for the next run', async () => {
		const trigger = await published(options, AGAIN);
		trigger.executions.resultOf = () => 'error';
		submit('a', 5_000);
		await poll(trigger);
		const [first] = trigger.executions.started;
		const contact = structuredClone(first?.contact);
		Object.assign(first?.contact ?? {}, { email: 'changed' });

		await poll(trigger, 2 * MINUTE);

		expect(trigger.executions.started).toHaveLength(2);
		expect(trigger.executions.started[1]?.contact).toEqual(contact);
	});

	it('a run that was lost with its process is started again', async () => {
		const trigger = await published(options, AGAIN);
		trigger.executions.resultOf = ({ json: { attempt } }) => (attempt ? 'success' : undefined);
		submit('a', 5_000);
		await poll(trigger);

		const next = await killed(trigger);
		for (let polls = 0; polls < 3; polls++) await poll(next);

		expect(next.executions.started).toMatchObject([{ id: 'a' }, { id: 'a', attempt: 2 }]);
	});

	it('leads that are no longer asked for once the workflow is published again have no run', async () => {
		const trigger = await published(options);
		trigger.executions.resultOf = () => undefined;
		for (let lead = 0; lead < 8; lead++) submit(`lead ${lead}`, 9_000 - lead * 1_000);
		await trigger.tick();
		await settled(10);

		trigger.parameters.leadTypes = ['appraisal'];
		await world.activate(trigger);
		for (const run of trigger.executions.open) trigger.executions.end(run, 'success');
		for (let polls = 0; polls < 2; polls++) await poll(trigger);

		expect(trigger.executions.started).toHaveLength(5);
	});

	it('what another main process has delivered meanwhile is asked for no more', async () => {
		const trigger = await published(options, AGAIN);
		submit('a', 5_000);
		for (let polls = 0; polls < 2; polls++) await poll(trigger);
		const other = world.hostOf({ ...trigger.remains }, trigger.parameters);
		await world.activate(other);
		submit('b', 5_000);
		for (let polls = 0; polls < 2; polls++) await poll(other);

		const { refused } = trigger.executions;
		trigger.state = copyOf(other.remains.saved ?? {});
		await world.activate(trigger);
		for (let polls = 0; polls < 2; polls++) await poll(trigger);

		expect(ids(trigger.executions.started)).toEqual(['a', 'b']);
		expect(trigger.executions.refused).toBe(refused);
	});

	it('an ID that ends like the number of an attempt is a lead of its own', async () => {
		const trigger = await published(options, AGAIN);
		trigger.executions.resultOf = ({ json: { attempt } }) => (attempt ? 'success' : 'error');
		submit('abc', 5_000);
		await poll(trigger);
		await poll(trigger, 2 * MINUTE);
		trigger.executions.resultOf = () => 'success';

		submit('abc:2', 5_000);
		submit('abc#2', 4_000);
		await poll(trigger);

		expect(ids(trigger.executions.started)).toEqual(['abc', 'abc', 'abc:2', 'abc#2']);
	});

	it('a lead whose run n8n could not store is delivered if the person chooses One per Poll', async () => {
		const trigger = await published(options);
		trigger.executions.isLocked = true;
		submit('a', 5_000);
		await poll(trigger);

		trigger.parameters.runs = 'onePerPoll';
		const delivered = [...(await trigger.activate()), ...(await poll(trigger))];

		expect(ids(delivered)).toEqual(['a']);
	});
});

it('a run that ends stores nothing of the workflow as it was before it was published again', async () => {
	const trigger = await published({ isDurable: false }, AGAIN);
	trigger.executions.resultOf = () => undefined;
	submit('long', 5_000);
	await poll(trigger);
	await trigger.unpublish();
	await trigger.activate();
	Object.assign(trigger.state, { other: 'stored since' });
	trigger.saved = structuredClone(trigger.state);

	const [long] = trigger.executions.rows;
	if (long) trigger.executions.end(long, 'success');
	await trigger.unpublish();

	expect(trigger.saved).toHaveProperty('other', 'stored since');
});
