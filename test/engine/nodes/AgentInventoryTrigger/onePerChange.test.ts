import { describe, expect, it, jest } from '@jest/globals';

import { useChangesBench } from '../../../lab/engine/changesBench';
import { AGENCY } from '../../../lab/engine/inventory';
import { TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { alignClocks } from '../../../lab/engine/virtualTime';
import { HOUR } from '../../../lab/times';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const world = useChangesBench();
const { poll, published, killed, idAt, change } = world;

describe.each(TRIGGER_HOSTS)('with a run for each change, on %s', (_, options) => {
	it('each change starts a run once, in order, and the poll starts none', async () => {
		const trigger = await published(options);
		change(1, { price: 2 });
		world.bench.sandbox.advance(1_000);
		change(0, { price: 1 });

		expect(await poll(trigger)).toEqual([]);
		await poll(trigger);

		expect(trigger.executions.started).toMatchObject([
			{ id: idAt(1), price: 2 },
			{ id: idAt(0), price: 1 },
		]);
		expect(trigger.executions.empty).toEqual([]);
		expect(trigger.executions.refused).toBe(0);
	});

	it('a change that was given up is not told again, and the next one goes on from it', async () => {
		const trigger = await published(options, { options: { runAgain: 1 } });
		trigger.executions.resultOf = () => 'error';
		change(0, { price: 1 });
		for (let polls = 0; polls < 5; polls++) await poll(trigger);
		trigger.executions.resultOf = () => 'success';
		change(0, { price: 2 });
		expect(trigger.reported.map(({ message }) => message)).toEqual([
			`The workflow failed 2 times for the change of property ${idAt(0)}, and is not started for it again`,
		]);

		const next = await killed(trigger);
		for (let polls = 0; polls < 3; polls++) await poll(next);

		const [first, second, third] = next.executions.rows.map(({ key = '' }) => key);
		expect(first).toMatch(/^agentInventory:[^:]+:[^:]+:[^:]+:[^:]+:[^:]+:1$/);
		expect([second, third]).toEqual([`${first}:#2`, first?.replace(/1$/, '2')]);
		expect(next.executions.started.map(({ price, previous }) => [price, previous])).toEqual([
			[1, { price: expect.any(Number) }],
			[1, { price: expect.any(Number) }],
			[2, { price: 1 }],
		]);
	});

	it('a newer change waits for the runs of the one before, however long, and tells what these were given', async () => {
		const trigger = await published(options, { options: { runAgain: 1 } });
		trigger.executions.resultOf = ({ json: { attempt } }) => (attempt ? undefined : 'error');
		change(0, { price: 1 });
		await poll(trigger);
		change(0, { price: 2 });
		// Much longer than Look Back.
		for (let polls = 0; polls < 3; polls++) {
			await poll(trigger);
			world.bench.sandbox.advance(HOUR);
		}
		const before = trigger.executions.started.map(({ price, attempt }) => [price, attempt]);

		for (const run of trigger.executions.rows)
			if (!run.result) trigger.executions.end(run, 'success');
		trigger.executions.resultOf = () => 'success';
		for (let polls = 0; polls < 3; polls++) await poll(trigger);

		expect(before).toEqual([
			[1, undefined],
			[1, 2],
		]);
		expect(trigger.executions.started.slice(2)).toMatchObject([
			{ price: 2, previous: { price: 1 } },
		]);
	});

	it('a run that was lost with its process is started again with what the property is now, even for a change from days ago', async () => {
		const trigger = await published(options, { options: { runAgain: 2 } });
		trigger.executions.resultOf = ({ json: { attempt } }) => (attempt ? 'success' : undefined);
		change(0, { price: 1 });
		await poll(trigger, 48 * HOUR);
		change(0, { price: 2 });

		const next = await killed(trigger);
		for (let polls = 0; polls < 4; polls++) await poll(next);

		expect(next.executions.started).toMatchObject([{ price: 1 }, { price: 2, attempt: 2 }]);
		expect(next.executions.started[1]?.previous).toEqual(next.executions.started[0]?.previous);
	});

	it('a property that changes again while n8n is down is told as it was given to the run that was cut off', async () => {
		const trigger = await published(options);
		trigger.executions.resultOf = () => undefined;
		change(0, { price: 1 });
		await poll(trigger);
		change(0, { price: 2 });
		// The next process is killed as well, before n8n has refused to start the run once more.
		trigger.executions.isLocked = true;
		world.bench.sandbox.advance(3 * HOUR);
		alignClocks();
		const between = await killed(trigger);
		trigger.executions.isLocked = false;

		const next = await killed(between);
		next.executions.resultOf = () => 'success';
		for (let polls = 0; polls < 3; polls++) await poll(next);

		expect(next.executions.started).toMatchObject([
			{ price: 1 },
			{ price: 2, previous: { price: 1 } },
		]);
	});

	it('a property that goes back and changes once more, each time followed by a restart, is told three times', async () => {
		const { price } = { ...world.bench.sandbox.inventory.of(AGENCY)[0] };
		let trigger = await published(options);
		change(0, { price: 1 });
		await poll(trigger);
		for (const next of [price, 2]) {
			world.bench.sandbox.advance(1_000);
			change(0, { price: next });
			trigger = await killed(trigger);
		}
		for (let polls = 0; polls < 3; polls++) await poll(trigger);

		expect(trigger.executions.started.map((item) => item.price)).toEqual([1, price, 2]);
	});

	it('a change whose run was cut off counts as delivered once Runs is One per Poll', async () => {
		const trigger = await published(options);
		trigger.executions.resultOf = () => undefined;
		change(0, { price: 1 });
		await poll(trigger);

		const next = world.hostOf(trigger.kill(), { runs: 'onePerPoll' });
		const items = await world.activate(next);
		change(0, { price: 2 });

		expect([...items, ...(await poll(next))]).toMatchObject([{ price: 2, previous: { price: 1 } }]);
	});

	it.each([
		['as it was', {}, 7],
		['for new properties alone', { events: ['created'] }, 5],
	])(
		'a workflow that is published again %s starts the runs that are still wanted',
		async (...each) => {
			const [, parameters, count] = each;
			const trigger = await published(options);
			trigger.executions.resultOf = () => undefined;
			for (let index = 0; index < 7; index++) change(index, { price: 1 });
			await trigger.tick();
			Object.assign(trigger.parameters, parameters);
			for (const run of trigger.executions.rows) trigger.executions.end(run, 'success');

			await world.activate(trigger);
			for (let polls = 0; polls < 3; polls++) await poll(trigger, 2 * HOUR);

			expect(trigger.executions.started).toHaveLength(count);
		},
	);

	it('what another main process has delivered is asked for no more, and what both find has one run', async () => {
		const trigger = await published(options, { options: { runAgain: 1 } });
		change(0, { price: 1 });
		for (let polls = 0; polls < 2; polls++) await poll(trigger);
		const other = world.hostOf({ ...trigger.remains }, trigger.parameters);
		await world.activate(other);
		change(1, { price: 2 });
		for (let polls = 0; polls < 2; polls++) await poll(other);

		const { refused } = trigger.executions;
		trigger.state = structuredClone(other.remains.saved ?? {});
		await world.activate(trigger);
		await poll(trigger);
		expect(trigger.executions.refused).toBe(refused);

		change(2, { price: 3 });
		for (const each of [other, trigger, other, trigger]) await poll(each);
		expect(trigger.executions.started.map(({ price }) => price)).toEqual([1, 2, 3]);
	});

	it('a change whose run n8n did not begin is not lost if n8n is killed then', async () => {
		const trigger = await published(options);
		jest.spyOn(trigger.logger, 'warn').mockImplementation(() => {});
		trigger.executions.isBarred = true;
		change(0, { price: 1 });
		for (let polls = 0; polls < 3; polls++) await poll(trigger);
		trigger.executions.isBarred = false;

		const next = await killed(trigger);
		for (let polls = 0; polls < 3; polls++) await poll(next);

		const begun = next.executions.started.filter(({ id }) => id !== undefined);
		expect(begun).toMatchObject([{ id: idAt(0), price: 1 }]);
	});

	it('a change of Runs there and back neither loses nor doubles a change, even of a run under way', async () => {
		const trigger = await published(options);
		trigger.executions.resultOf = () => undefined;
		const delivered: unknown[] = [];
		for (const [index, runs] of [
			'onePerChange',
			'onePerPoll',
			'onePerChange',
			'onePerPoll',
		].entries()) {
			trigger.parameters.runs = runs;
			const items = await world.activate(trigger);
			change(0, { price: index + 1 });
			items.push(...(await poll(trigger)), ...(await poll(trigger)));
			delivered.push(...items.map(({ price }) => price));
		}

		expect(delivered).toEqual([2, 4]);
		expect(trigger.executions.started.map(({ price }) => price)).toEqual([1, 3]);
	});

	it('a process that is killed after the baseline, and before any change, leaves the baseline to the next one', async () => {
		world.bench.fill(1_300);
		// One poll reads about 40 pages: the baseline takes several polls.
		world.bench.sandbox.inventory.mostOnPage = 20;
		const trigger = world.hostOf(options);
		await world.activate(trigger);
		for (let polls = 0; polls < 5; polls++) await poll(trigger);
		// A run without items makes n8n store the progress, where it does not store it anyway.
		expect(trigger.executions.empty).toHaveLength(options.isDurable ? 0 : 1);
		const { price } = { ...world.bench.sandbox.inventory.of(AGENCY)[1_299] };
		change(1_299, { price: 1 });

		const next = await killed(trigger);
		for (let polls = 0; polls < 3; polls++) await poll(next);

		expect(next.executions.started.filter(({ id }) => id !== undefined)).toMatchObject([
			{ id: idAt(1_299), price: 1, previous: { price } },
		]);
	}, 60_000);
});
