import { describe, expect, it } from '@jest/globals';
import type { IRun, ITriggerFunctions } from 'n8n-workflow';

import { HandOver } from '../../../../../nodes/AgentLeadsTrigger/runs/handOver';
import { Starter } from '../../../../../nodes/common/runs/startRun';
import {
	readProgress,
	writeProgress,
} from '../../../../../nodes/AgentLeadsTrigger/progress/storedProgress';

const LEAD = { key: 'lead', lead: {}, leadType: 'applicant' as const, time: 0 };

/** A process, and those that follow it when it is killed. */
class Processes {
	private now = 0;

	private stored = {};

	handOver = this.follow();

	/** The next lead has a run under way, and that is stored. */
	begin(): void {
		this.handOver.add(LEAD);
		this.start();
		writeProgress(this.stored, this.handOver.progress);
	}

	start() {
		this.now += 60_000;
		const runs = this.handOver.queue.next();
		if (!runs) throw new Error('No lead may be started');
		this.handOver.queue.noteStart(runs);
		return runs;
	}

	/** The process is killed, and the next one finds the lead. */
	kill() {
		this.handOver = this.follow();
		this.handOver.add(LEAD);
		return this.start();
	}

	private follow(): HandOver {
		const terms = { runAgain: 2, now: () => this.now, random: () => 0 };
		return new HandOver(readProgress(this.stored), terms);
	}
}

describe('a process that was killed before any run had ended', () => {
	it('leaves open where runs are carried out: the next one has to find out', () => {
		const processes = new Processes();
		processes.begin();

		const runs = processes.kill();

		expect(processes.handOver.queue.hasToKnowWhere(runs)).toBe(true);
	});

	it.each([
		['by queue workers', true, 0],
		['by itself', false, 1],
	])(
		'if runs are carried out %s, the next one runs its leads again or not',
		(_, isElsewhere, size) => {
			const processes = new Processes();
			processes.begin();
			const runs = processes.kill();

			processes.handOver.queue.noteElsewhere(isElsewhere);
			processes.handOver.queue.settle(runs, 'refused');

			expect(processes.handOver.queue.waitingCount).toBe(size);
		},
	);
});

it.each([true, false])('what a run has told once is stored (%s)', (isElsewhere) => {
	const processes = new Processes();
	processes.handOver.queue.noteElsewhere(isElsewhere);
	processes.begin();

	const runs = processes.kill();

	expect(processes.handOver.queue.hasToKnowWhere(runs)).toBe(false);
});

describe('a starter', () => {
	const JOB = { status: 'success', jobId: '7' };

	/** @param end of each run, in order */
	function starterOf(...ends: object[]) {
		const keys: unknown[] = [];
		const emit = (_items: unknown, _response: unknown, done: Deferred, key: unknown) => {
			keys.push(key);
			done.resolve(ends.shift() as IRun);
		};
		const helpers = { createDeferredPromise: () => new Deferred() };
		const context = { emit, helpers, getNode: () => ({ id: 'node' }) };
		return { keys, starter: new Starter(context as unknown as ITriggerFunctions, {}) };
	}

	it.each([
		['a queue', JOB, true],
		['none', { status: 'success' }, false],
	])(
		'asks once where runs are carried out, with a key of its own: %s',
		async (_, end, expected) => {
			const { keys, starter } = starterOf(end);

			const answers = await Promise.all([starter.askWhere('a'), starter.askWhere('b')]);

			expect(answers).toEqual([expected, expected]);
			expect(keys).toEqual([expect.stringMatching(/^a:\d+$/)]);
		},
	);

	it('does not take a run that was lost with its worker for one of its own process', async () => {
		const { starter } = starterOf({ status: 'error' });

		expect(await starter.start({ json: {} }, 'lost')).toEqual({ end: 'failed' });
	});
});

class Deferred {
	resolve: (run: IRun) => void = () => {};

	readonly promise = new Promise<IRun>((resolve) => (this.resolve = resolve));
}
