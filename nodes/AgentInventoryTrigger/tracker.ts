import { SECOND_MS } from '../../service/basics/times';
import type { RunTracker } from '../common/polling/memory';
import type { QueueTerms } from '../common/runs/queue';
import { RunQueue } from '../common/runs/queue';
import type { Basket, ChangeToRun } from './ask';
import type { KnownProperty } from './known';
import type { Progress } from './progress';
import { leaveStarted, rewind, shortMark } from './progress';

/** So many changes wait for their runs before the service is asked for no more. */
const MOST_WAITING = 1_000;

/**
 * Hands each change to a run of its own: `queue` has those that have not ended. Until then a property is known as it was before, the
 * watermark is no later than the change, and the next change of the property waits. So a process that follows one that was killed
 * finds the same changes, and n8n refuses those that have had their run.
 */
export class ChangeTracker implements RunTracker<Progress, ChangeToRun>, Basket {
	readonly queue: RunQueue<ChangeToRun>;

	/** How far the polls came, with what is known of the properties whose changes have ended. */
	readonly agencies: Progress['agencies'];

	private polls: number;

	/** The changes in the queue, by `taskIdOf`. */
	private readonly open = new Map<string, ChangeToRun>();

	constructor({ polls, agencies, runs }: Progress, terms: QueueTerms) {
		this.polls = polls;
		this.agencies = new Map(agencies);
		this.queue = new RunQueue(runs, terms, (change, isRefused) => this.close(change, isRefused));
	}

	get progress(): Progress {
		const { polls, queue } = this;
		const agencies = new Map(
			[...this.agencies].map(([key, agency]) => [
				key,
				{ ...agency, started: new Map(agency.started) },
			]),
		);
		for (const { agency, time } of this.open.values()) rewindIn(agencies, agency, time);
		for (const { agency: key, id, from, after } of queue.run()) {
			const agency = agencies.get(key);
			// If an earlier process has started the same run with something else, n8n refuses this one.
			if (!agency || agency.started.get(id)?.changes === after.changes) continue;
			agency.started.set(id, after);
			if (!from || from.changes === agency.known.get(id)?.changes) continue;
			agency.known = new Map(agency.known).set(id, from);
		}
		return { polls, agencies, runs: queue.stored };
	}

	openOf(agency: string, id: string): KnownProperty | undefined {
		return this.open.get(taskIdOf({ agency, id }))?.after;
	}

	hasRoom(): boolean {
		return this.queue.waitingCount < MOST_WAITING;
	}

	add(change: ChangeToRun): void {
		this.open.set(taskIdOf(change), change);
		this.queue.add(taskIdOf(change), change);
	}

	notePoll(): void {
		this.polls++;
	}

	/** What was not begun is found once more: the person may have changed what the node asks for. */
	restart(): void {
		this.queue.dropUnbegun();
		for (const [id, { agency, time }] of this.open) {
			if (this.queue.has(id)) continue;
			this.open.delete(id);
			rewindIn(this.agencies, agency, time);
		}
	}

	/** Changes that have run count as delivered, and the others are found once more. */
	leave(): Progress {
		const { polls, agencies } = this.progress;
		for (const agency of agencies.values()) leaveStarted(agency);
		return { polls, agencies };
	}

	adopt({ polls, agencies }: Progress): void {
		this.polls = polls;
		for (const [key, agency] of agencies) this.agencies.set(key, agency);
	}

	/** @param isRefused whether n8n has a run with the key of this change: an earlier process may have started it with something else */
	private close({ agency: key, id, after, time }: ChangeToRun, isRefused: boolean): void {
		this.open.delete(taskIdOf({ agency: key, id }));
		const agency = this.agencies.get(key);
		if (!agency) return;
		const begun = agency.started.get(id);
		const isOfAnother = isRefused && begun?.changes === after.changes;
		agency.started.delete(id);
		agency.known.set(id, isOfAnother ? begun : after);
		if (isOfAnother) rewind(agency, time);
	}
}

/**
 * The key of a change's run: the same in a process that finds the change after a kill, though the property may be another one by
 * then, and another one for the next change.
 */
export function changeKeyOf(
	workflowId: string | undefined,
	nodeId: string,
	{ agency, begunAt, id, after }: Pick<ChangeToRun, 'agency' | 'begunAt' | 'id' | 'after'>,
	attempt: number,
): string {
	const begun = Math.floor(begunAt / SECOND_MS).toString(36);
	// An ID may be longer than a key in n8n's database.
	const parts = [workflowId, nodeId, agency, begun, shortMark(id), after.changes];
	return ['agentInventory', ...parts, ...(attempt > 1 ? [`#${attempt}`] : [])].join(':');
}

function rewindIn(agencies: Progress['agencies'], key: string, time: number): void {
	const agency = agencies.get(key);
	if (agency) rewind(agency, time);
}

/** A process that follows one that was killed has the same for the same property; it has one open change at most. */
function taskIdOf({ agency, id }: Pick<ChangeToRun, 'agency' | 'id'>): string {
	return `${agency} ${id}`;
}
