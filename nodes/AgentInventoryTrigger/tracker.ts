import { SECOND_MS } from '../../service/basics/times';
import { TaskTracker } from '../common/polling/taskTracker';
import type { QueueTerms } from '../common/runs/queue';
import type { PropertyChange } from './compare';
import type { KnownProperty } from './known';
import type { Progress } from './progress';
import { rewind, shortMark } from './progress';

/** A change on its way to the workflow. */
export interface ChangeToRun extends PropertyChange {
	/** The mark of the agency. */
	agency: string;
	agencyRef: string;
	/** When the agency's first poll was (epoch ms). */
	begunAt: number;
}

/**
 * The changes on their way into runs, and the progress of the polls. A property has one open change at most; its next
 * change waits.
 */
export class ChangeTracker extends TaskTracker<Progress, ChangeToRun> {
	/** The progress of each agency, with the properties whose changes have ended. */
	readonly agencies: Progress['agencies'];

	constructor(known: Progress, terms: QueueTerms) {
		super(known, terms);
		// A copy, so that a poll that fails leaves no trace in what is known.
		this.agencies = structuredClone(known.agencies);
	}

	/**
	 * The progress that may be stored now. A property whose change has not ended is stored as it was before, and the
	 * watermark of its agency is no later than that change. So if n8n is killed, the next process finds the change
	 * again, and n8n refuses its run if it has had one.
	 */
	get progress(): Progress {
		const { polls, queue } = this;
		const agencies = new Map(
			[...this.agencies].map(([key, agency]) => [
				key,
				{ ...agency, started: new Map(agency.started) },
			]),
		);
		for (const { agency, time } of queue.tasks()) rewindIn(agencies, agency, time);
		for (const { agency: key, id, from, after } of queue.started()) {
			const agency = agencies.get(key);
			// If an earlier process has started this run with other values, n8n refuses it, so those values stay.
			if (!agency || agency.started.get(id)?.changes === after.changes) continue;
			agency.started.set(id, after);
			if (!from || from.changes === agency.known.get(id)?.changes) continue;
			agency.known = new Map(agency.known).set(id, from);
		}
		return { polls, agencies, runs: queue.stored };
	}

	/** The state that a property gets by its change in the queue. */
	openOf(agency: string, id: string): KnownProperty | undefined {
		return this.queue.get(taskIdOf({ agency, id }))?.after;
	}

	add(change: ChangeToRun): void {
		this.queue.add(taskIdOf(change), change);
	}

	restart(): void {
		for (const { agency, time } of this.queue.dropUnbegun()) {
			rewindIn(this.agencies, agency, time);
		}
	}

	override leave(): void {
		super.leave();
		// No more runs are started for these: those that were started count as delivered.
		for (const { started, known } of this.agencies.values()) {
			for (const [id, property] of started) known.set(id, property);
			started.clear();
		}
	}

	adopt({ polls, agencies }: Progress): void {
		this.polls = polls;
		for (const [key, agency] of agencies) this.agencies.set(key, agency);
	}

	/**
	 * Notes the end of a change. If n8n refused its run, an earlier process may have started the run with other values
	 * of the property.
	 */
	protected noteEnd({ agency: key, id, after, time }: ChangeToRun, isRefused: boolean): void {
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
 * The key of a change's run. A process that finds the change after a kill makes the same key, though the property may
 * have changed again by then. The next change of the property has another key.
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

/**
 * The ID of a change as a task. A process that follows one that was killed makes the same ID. One for each property
 * is enough, because a property has one open change at most.
 */
function taskIdOf({ agency, id }: Pick<ChangeToRun, 'agency' | 'id'>): string {
	return `${agency} ${id}`;
}
