import { describe, expect, it, jest } from '@jest/globals';

import { copyOf, ids, MINUTE, TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';
import { useRunsBench } from '../../../lab/engine/runsBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { settled } from '../../../lab/engine/virtualTime';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const AGAIN = { options: { runAgain: 1 } };

const world = useRunsBench();
const { submit, published, poll, killed } = world;

describe.each(TRIGGER_HOSTS)('with failed runs repeated, on %s', (_, options) => {
	it('n8n is killed long after a run that succeeded, with none since, and the lead has no second one', async () => {
		const trigger = await published(options, AGAIN);
		submit('a', 5_000);
		await poll(trigger);
		await poll(trigger);

		const next = await killed(trigger);
		for (let polls = 0; polls < 3; polls++) await poll(next);

		expect(ids(next.executions.started)).toEqual(['a']);
	});

	it.each([1, 0])(
		'n8n is asked to store the progress between runs once in 15 minutes at most, and only if failed runs are repeated (%d times)',
		async (runAgain) => {
			const trigger = await published(options, { options: { runAgain } });
			const alternate = async () => {
				submit(`at ${Date.now()}`, 5_000);
				await poll(trigger);
				await poll(trigger);
				return trigger.executions.refused;
			};

			const asked = [await alternate(), await alternate()];
			await poll(trigger, 14 * MINUTE);
			asked.push(await alternate());

			expect(asked).toEqual(options.isDurable || runAgain === 0 ? [0, 0, 0] : [1, 1, 2]);
		},
	);

	it('a lead whose run n8n could not store for an hour is reported once, and has its run in the end', async () => {
		const trigger = await published(options, AGAIN);
		const warn = jest.spyOn(trigger.logger, 'warn').mockImplementation(() => {});
		submit('before', 9_000);
		await poll(trigger);
		trigger.executions.isLocked = true;
		submit('a', 5_000);
		const reports: number[] = [];
		for (let polls = 0; polls < 60; polls++) {
			await poll(trigger);
			reports.push(trigger.reported.length);
		}
		trigger.executions.isLocked = false;
		for (let polls = 0; polls < 17; polls++) await poll(trigger);

		const told = 'n8n could not start the workflow for the applicant lead a, and keeps trying';
		expect(ids(trigger.executions.started)).toEqual(['before', 'a']);
		const description = expect.stringContaining('The trigger keeps the lead');
		expect(trigger.reported).toMatchObject([{ message: told, description }]);
		// The fifth attempt comes after pauses of 1, 2, 4 and 8 minutes.
		expect(reports.indexOf(1)).toBe(15);
		expect(warn.mock.calls.filter(([line]) => line.startsWith(told))).toHaveLength(1);
	});
});

/** A trigger with a run under way, and a function that ends the run. */
const withOpenRun = async () => {
	const trigger = await published({ isDurable: false }, AGAIN);
	trigger.executions.resultOf = () => undefined;
	submit('long', 5_000);
	await poll(trigger);
	const [run] = trigger.executions.rows;
	return { trigger, end: () => run && trigger.executions.end(run, 'success'), run };
};

describe('a run that ends once the workflow is published again', () => {
	it('stores nothing of what was before, even if n8n did not begin it', async () => {
		const { trigger, run } = await withOpenRun();
		await trigger.lend(trigger.executions.emitOn({}));
		const before = copyOf(trigger.saved);
		Object.assign(trigger.state, { other: 'from before' });

		run?.done?.reject(new Error('No active execution found'));
		await settled();

		expect(trigger.saved).toEqual(before);
	});

	it('stores nothing over the progress of One per Poll', async () => {
		const { trigger, end } = await withOpenRun();
		trigger.parameters.runs = 'onePerPoll';
		await trigger.unpublish();
		expect(await trigger.activate()).toEqual([]);
		const before = copyOf(trigger.saved);
		await trigger.unpublish();

		end();
		await settled();

		expect(trigger.saved).toEqual(before);
	});
});

it('n8n shuts down, waits until a run has succeeded, and the lead has no second one', async () => {
	const { trigger, end } = await withOpenRun();
	await trigger.unpublish();
	end();
	await settled();

	const next = await killed(trigger);
	for (let polls = 0; polls < 3; polls++) await poll(next);

	expect(ids(next.executions.started)).toEqual(['long']);
});

it('with durable cursors, n8n is asked for all runs before the poll returns', async () => {
	const trigger = await published({ isDurable: true });
	for (let lead = 0; lead < 8; lead++) submit(`lead ${lead}`, 5_000);

	await trigger.tick();

	// The last five may still be about to begin.
	expect(trigger.executions.started.length).toBeGreaterThanOrEqual(3);
});

/** Makes the commit with this number, counted from now, fail as in a locked database. */
function failCommit(trigger: object, number: number): void {
	let commits = 0;
	const commit = () => {
		if (++commits === number) throw new Error('The database is locked');
	};
	Object.assign(trigger, { commit });
}

it('with durable cursors, no run begins before n8n has stored that it is about to', async () => {
	const trigger = await published({ isDurable: true }, AGAIN);
	failCommit(trigger, 2);
	submit('a', 5_000);

	await poll(trigger);
	expect(trigger.executions.started).toEqual([]);
	await poll(trigger, 2 * MINUTE);
	expect(ids(trigger.executions.started)).toEqual(['a']);
});

it('a run that n8n neither begins nor stores while it publishes is begun later', async () => {
	const trigger = world.hostOf({ isDurable: true }, { startFrom: 'last24Hours' });
	trigger.executions.isBarred = true;
	failCommit(trigger, 3);
	submit('a', 5_000);
	await world.activate(trigger);
	trigger.executions.isBarred = false;

	for (let polls = 0; polls < 2; polls++) await poll(trigger);

	expect(ids(trigger.executions.started)).toEqual([undefined, 'a']);
});
