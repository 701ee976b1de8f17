import { describe, expect, it } from '@jest/globals';

import type { LeadToRun } from '../../../../../nodes/AgentLeadsTrigger/runs/handOver';
import { HandOver } from '../../../../../nodes/AgentLeadsTrigger/runs/handOver';
import { DeliveredLeads } from '../../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import type { Progress } from '../../../../../nodes/AgentLeadsTrigger/progress/storedProgress';
import type { TaskRuns } from '../../../../../nodes/common/runs/taskRuns';
import { MINUTE } from '../../../../lab/polling/leadsModel';

const NOW = Date.UTC(2026, 5, 30, 12);

const MINUTES_A_DAY = 24 * 60;

type Targets = Progress['targets'];

/** A node whose first lead has a run that does not end, and the polls after it. */
class LongRun {
	private now = NOW;

	readonly handOver = new HandOver(
		{ polls: 0, targets: new Map(), delivered: new DeliveredLeads() },
		{ runAgain: 0, now: () => this.now, random: () => 0 },
	);

	/** How far each poll came. */
	readonly reached: Targets[] = [];

	private readonly first: TaskRuns<LeadToRun>;

	constructor() {
		this.poll('first');
		this.first = this.start();
	}

	/** A poll, with a lead if there is a key. */
	poll(key?: string): void {
		this.now += MINUTE;
		if (key) this.handOver.add({ lead: { id: key }, key, leadType: 'applicant', time: this.now });
		const progress = { client: 'c', watermark: this.now, start: NOW, seen: new Map() };
		const targets: Targets = new Map([['applicant', progress]]);
		this.reached.push(targets);
		this.handOver.notePoll(targets, new Map());
	}

	/** Takes in the oldest lead that may be started. */
	start(): TaskRuns<LeadToRun> {
		const runs = this.handOver.queue.next();
		if (!runs) throw new Error('No lead may be started');
		this.handOver.queue.noteStart(runs);
		return runs;
	}

	/** A poll whose lead is run at once. */
	pollAndRun(key: string): void {
		this.poll(key);
		this.handOver.queue.settle(this.start(), 'succeeded');
	}

	endFirst(): void {
		this.handOver.queue.settle(this.first, 'succeeded');
	}
}

/** How many of some objects can be reached from a value. */
function reachableFrom(value: unknown, wanted: Set<unknown>, met = new Set<unknown>()): number {
	if (typeof value !== 'object' || value === null || met.has(value)) return 0;
	met.add(value);
	const inside = value instanceof Map ? [...value.values()] : Object.values(value);
	return inside.reduce<number>(
		(sum, each) => sum + reachableFrom(each, wanted, met),
		wanted.has(value) ? 1 : 0,
	);
}

describe('behind a run that takes long', () => {
	it('the progress of thousands of polls with leads takes no more room than that of some', () => {
		const node = new LongRun();

		for (let poll = 0; poll < 5_000; poll++) node.pollAndRun(`lead ${poll}`);

		expect(reachableFrom(node.handOver, new Set(node.reached))).toBeLessThan(150);
	});

	it('quiet polls take none', () => {
		const node = new LongRun();

		for (let poll = 0; poll < 50; poll++) node.poll();

		expect(reachableFrom(node.handOver, new Set(node.reached))).toBeLessThanOrEqual(3);
	});

	it('progress stays where it was, and goes on to the newest poll with the end of the run', () => {
		const node = new LongRun();
		const before = node.handOver.progress.targets;
		for (let poll = 0; poll < 1_000; poll++) node.pollAndRun(`lead ${poll}`);

		expect(node.handOver.progress.targets).toBe(before);

		node.endFirst();

		expect(node.handOver.progress.targets).toBe(node.reached.at(-1));
	});

	it('progress never passes a lead that has not ended', () => {
		const node = new LongRun();
		for (let poll = 0; poll < 500; poll++) node.pollAndRun(`lead ${poll}`);
		node.poll('second');
		const second = node.start();
		const polls = node.reached.length;
		for (let poll = 0; poll < 500; poll++) node.pollAndRun(`later lead ${poll}`);

		node.endFirst();
		const reached = node.reached.indexOf(node.handOver.progress.targets);

		// In steps, so not quite to the poll before that lead.
		expect(reached).toBeGreaterThan(polls / 2);
		expect(reached).toBeLessThan(polls - 1);

		node.handOver.queue.settle(second, 'succeeded');

		expect(node.handOver.progress.targets).toBe(node.reached.at(-1));
	});

	it('progress stands still for a day at most: of some runs n8n never says that they have ended', () => {
		const node = new LongRun();
		const before = node.handOver.progress.targets;
		for (let poll = 0; poll < MINUTES_A_DAY; poll++) {
			expect(node.handOver.progress.targets).toBe(before);
			node.poll();
		}

		node.poll();

		expect(node.handOver.progress.targets).toBe(node.reached.at(-1));
	});
});
