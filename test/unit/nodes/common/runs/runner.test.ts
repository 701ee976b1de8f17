import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { RunHost } from '../../../../../nodes/common/runs/runner';
import { Runner } from '../../../../../nodes/common/runs/runner';
import type { RunOutcome } from '../../../../../nodes/common/runs/runOutcome';
import type { TaskRuns } from '../../../../../nodes/common/runs/taskRuns';
import { EVERYTHING_BUT_DATE } from '../../../../lab/engine/bench';
import { MINUTE, ModelService, SECOND } from '../../../../lab/polling/leadsModel';
import { Agenda, settled } from '../../../../lab/polling/runs/agenda';
import { sleepBy, sleepOfPackage } from '../../../../lab/polling/runs/packageCode';
import type { NamedTask } from '../../../../lab/polling/runs/queueBench';
import { queueBench } from '../../../../lab/polling/runs/queueBench';

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (ms: number) => await sleepOfPackage(ms),
}));

let agenda: Agenda;
let service: ModelService;

beforeEach(() => {
	jest.useFakeTimers({ doNotFake: [...EVERYTHING_BUT_DATE] });
	service = new ModelService(true, 0, 1);
	agenda = new Agenda(service);
	sleepBy(agenda);
});

afterEach(() => {
	jest.useRealTimers();
});

/** A host whose runs end when the test says so. */
class TestHost implements RunHost<NamedTask> {
	isUp = true;
	stores = 0;
	ends = 0;
	seals = 0;
	failing = false;
	readonly started: Array<{ name: string; end: (outcome: RunOutcome) => void }> = [];

	/** How often was stored before the first start. */
	storesBefore?: number;

	async start({ task: { name } }: TaskRuns<NamedTask>): Promise<RunOutcome> {
		this.storesBefore ??= this.stores;
		return await new Promise((end) => this.started.push({ name, end }));
	}

	async store(): Promise<void> {
		this.stores++;
		await Promise.resolve();
		if (this.failing) throw new Error('The database is locked');
	}

	isOpen(): boolean {
		return this.isUp;
	}

	noteEnd(): void {
		this.ends++;
	}

	async seal(): Promise<void> {
		this.seals++;
		await this.store();
	}
}

function runnerOn(runAgain = 0) {
	const bench = queueBench({ runAgain, now: () => service.now });
	const runner = new Runner(bench.queue);
	const host = new TestHost();
	let isOver = false;
	const work = async (on = host) => {
		isOver = false;
		void runner.work(on).then(() => (isOver = true));
		await settled();
	};
	const names = () => host.started.map(({ name }) => name);
	return { ...bench, runner, host, work, names, isOver: () => isOver };
}

/**
 * With an alarm for later than it has to wake: a task is due again in 200 ms. When it went to sleep, another one was due
 * and as many ran as may. Two of those have ended since.
 */
async function asleepForLonger() {
	const bench = runnerOn(1);
	const { add, host, work, names } = bench;
	add('a');
	await work();
	host.started[0]?.end({ end: 'failed' });
	await agenda.pass(59 * SECOND + 700);
	add('b', 'c', 'd', 'e', 'f', 'g');
	await work();
	await agenda.pass(100);
	for (const run of [1, 2]) host.started[run]?.end({ end: 'succeeded' });
	await settled();
	expect(names()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
	return bench;
}

describe('the runner', () => {
	it('stores what is planned before it starts it', async () => {
		const { add, host, work, names, planned } = runnerOn(1);
		add('a', 'b');

		await work();

		expect(names()).toEqual(['a', 'b']);
		expect(host.storesBefore).toBe(1);
		expect(planned()).toEqual({ a: 1, b: 1 });
	});

	it('starts nothing that is not stored, and tries again a minute later', async () => {
		const { add, host, work, names, queue } = runnerOn(1);
		add('a');
		host.failing = true;

		await work();

		expect(names()).toEqual([]);
		expect(queue.waitMs).toBe(MINUTE);
		host.failing = false;
		await agenda.pass(MINUTE);
		await work();
		expect(names()).toEqual(['a']);
	});

	it('goes on as soon as a run ends, and stores that', async () => {
		const { add, host, work, names, isOver, hasEnded } = runnerOn();
		add('a', 'b', 'c', 'd', 'e', 'f');
		await work();
		expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
		const { stores } = host;

		host.started[0]?.end({ end: 'succeeded' });
		await settled();

		expect(names()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
		expect(host.stores).toBeGreaterThan(stores);
		expect(host.ends).toBe(1);
		expect(hasEnded('a')).toBe(true);
		expect(isOver()).toBe(false);
	});

	it('stores that the last run has ended', async () => {
		const { add, host, work, isOver } = runnerOn();
		add('a');
		await work();
		const { stores } = host;

		host.started[0]?.end({ end: 'succeeded' });
		await settled();

		expect(host.stores).toBe(stores + 1);
		expect(isOver()).toBe(true);
	});

	it('stays five seconds for runs that end soon, and starts nothing afterwards', async () => {
		const { add, host, work, names, isOver } = runnerOn();
		add('a');
		await work();

		await agenda.pass(4 * SECOND);
		expect(isOver()).toBe(false);
		await agenda.pass(2 * SECOND);

		expect(isOver()).toBe(true);
		add('b');
		host.started[0]?.end({ end: 'succeeded' });
		await agenda.pass(MINUTE);
		expect(names()).toEqual(['a']);
	});

	it('ends at once if there is nothing to do', async () => {
		const { work, isOver, host } = runnerOn();

		await work();

		expect(isOver()).toBe(true);
		expect(host.stores).toBe(0);
	});

	it('waits for what is due within half a minute, and leaves the rest to the next poll', async () => {
		const { add, host, work, names, isOver } = runnerOn(1);
		add('a');
		await work();
		host.started[0]?.end({ end: 'failed' });
		await agenda.pass(10 * SECOND);
		expect(isOver()).toBe(true);

		await agenda.pass(25 * SECOND);
		await work();
		await agenda.pass(24 * SECOND);
		expect(names()).toEqual(['a']);
		expect(isOver()).toBe(false);
		await agenda.pass(2 * SECOND);

		expect(names()).toEqual(['a', 'a']);
	});

	it('stays until five seconds after the start, and not a moment longer', async () => {
		const { add, work, isOver } = runnerOn();
		add('a');
		await work();

		await agenda.pass(5 * SECOND - 1);
		expect(isOver()).toBe(false);
		await agenda.pass(1);
		await settled();

		expect(isOver()).toBe(true);
	});

	it.each([
		[0, false],
		[1, true],
	])('is over at once %d ms before a task is due in half a minute: %s', async (early, isLeft) => {
		const { add, host, work, isOver } = runnerOn(1);
		add('a');
		await work();
		host.started[0]?.end({ end: 'failed' });
		await agenda.pass(10 * SECOND);
		await agenda.pass(20 * SECOND - early);

		await work();

		expect(isOver()).toBe(isLeft);
	});

	it('starts what is due as soon as it is, and not with the next second', async () => {
		const { add, host, work, names } = runnerOn(1);
		add('a');
		await work();
		host.started[0]?.end({ end: 'failed' });
		await agenda.pass(10 * SECOND);
		await agenda.pass(49 * SECOND + 700);
		await work();

		await agenda.pass(299);
		expect(names()).toEqual(['a']);
		await agenda.pass(1);
		await settled();

		expect(names()).toEqual(['a', 'a']);
	});

	it('starts what is due as soon as it is, even if it went to sleep for longer while as many ran as may', async () => {
		const { names } = await asleepForLonger();

		await agenda.pass(200);
		await settled();

		expect(names().slice(7)).toEqual(['a']);
	});

	it('keeps the alarm that it has when one that it no longer needs goes off', async () => {
		const { host } = await asleepForLonger();
		await agenda.pass(200);
		await agenda.pass(700);
		const naps = jest.spyOn(agenda, 'sleep');

		host.started[3]?.end({ end: 'succeeded' });
		await settled();

		expect(naps).not.toHaveBeenCalled();
	});

	it('has one alarm at a time, however many runs end', async () => {
		const { add, host, work } = runnerOn();
		add(...Array.from({ length: 60 }, (_, index) => `task-${index}`));
		await work();
		const naps = jest.spyOn(agenda, 'sleep');

		for (let index = 0; index < 50; index++) {
			host.started[index]?.end({ end: 'succeeded' });
			await settled();
		}

		expect(host.started.length).toBeGreaterThan(50);
		expect(naps).not.toHaveBeenCalled();
	});

	it('never sleeps for less than no time, however fast the clock goes', async () => {
		const { add, host, work } = runnerOn(1);
		add('a');
		await work();
		host.started[0]?.end({ end: 'failed' });
		await agenda.pass(59 * SECOND + 999);
		const naps = jest.spyOn(agenda, 'sleep');
		const dateNow = Date.now;
		let looks = 0;
		jest.spyOn(Date, 'now').mockImplementation(() => dateNow() + 3 * looks++);

		await work();

		expect(naps).toHaveBeenCalled();
		expect(Math.min(...naps.mock.calls.map(([ms]) => ms))).toBeGreaterThan(0);
	});

	it('ends when its host is closed', async () => {
		const { add, host, work, names, isOver } = runnerOn();
		add('a', 'b', 'c', 'd', 'e', 'f');
		await work();

		host.isUp = false;
		host.started[0]?.end({ end: 'succeeded' });
		await settled();

		expect(isOver()).toBe(true);
		expect(names()).toHaveLength(5);
	});

	it('goes on with another host when a poll lends one', async () => {
		const { add, host, work, runner, isOver } = runnerOn();
		add('a');
		await work();
		const next = new TestHost();

		void runner.work(next);
		await settled();

		expect(isOver()).toBe(true);
		add('b');
		host.started[0]?.end({ end: 'succeeded' });
		await settled();
		expect(host.started).toHaveLength(1);
		expect(next.started).toMatchObject([{ name: 'b' }]);
	});

	it('notes that runs are carried out elsewhere', async () => {
		const { add, host, work, queue } = runnerOn();
		add('a');
		await work();

		host.started[0]?.end({ end: 'succeeded', isElsewhere: true });
		await settled();

		expect(queue.stored.isElsewhere).toBe(true);
	});

	it.each([
		['is sealed if n8n did not begin it: n8n would refuse its key after a crash', 'barred', 1],
		['is not sealed if it has succeeded', 'succeeded', 0],
	] as const)('sees to it that a run %s', async (_name, end, expected) => {
		const { add, host, work } = runnerOn();
		add('a');
		await work();

		host.started[0]?.end({ end });
		await settled();

		expect(host.seals).toBe(expected);
	});

	it('has the newest host seal, and does not fail if that does', async () => {
		const { runner, host, work } = runnerOn();
		await runner.seal();
		expect(host.seals).toBe(0);
		await work();
		host.failing = true;

		await runner.seal();

		expect(host.seals).toBe(1);
	});
});
