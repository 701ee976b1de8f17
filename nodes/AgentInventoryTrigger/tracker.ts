import { SECOND_MS } from '../../service/basics/times';
import { TaskTracker } from '../common/polling/taskTracker';
import type { QueueTerms } from '../common/runs/queue';
import type { PropertyChange } from './compare';
import type { KnownProperty } from './known';
import type { Progress } from './progress';
import { rewind, shortMark } from './progress';

/** A change of a property that is to have a run of the workflow, or whose run has not ended. */
export interface ChangeToRun extends PropertyChange {
	/** The agency's mark: a hash of its AgencyRef. */
	agency: string;
	agencyRef: string;
	/** When the agency was polled for the first time (epoch ms). */
	begunAt: number;
}

/**
 * Tracks the changes that wait for their runs or have a run under way, and how far each agency has been read. Only one
 * change of a property is in the queue at a time; the next change waits until the run of that one has ended.
 */
export class ChangeTracker extends TaskTracker<Progress, ChangeToRun> {
	/**
	 * The progress of each agency, by the agency's mark (a hash of its AgencyRef). It does not include changes whose
	 * runs have not ended.
	 */
	readonly agencies: Progress['agencies'];

	constructor(known: Progress, terms: QueueTerms) {
		super(known, terms);
		// The progress is copied, so that a poll that fails does not alter the progress from which it started.
		this.agencies = structuredClone(known.agencies);
	}

	/**
	 * The progress that may be stored now. A property whose change has not ended is stored in its state before the
	 * change, and the agency's watermark, that is the time up to which it was read, is no later than that change. So if
	 * n8n is killed, the next process finds the change again. If the change has already had a run, n8n refuses a second
	 * one, because it would have the same key.
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
			// If an earlier process has started the run of this change, perhaps with other values of the property, n8n
			// refuses to start it again. So the values that the earlier process stored are kept.
			if (!agency || agency.started.get(id)?.changes === after.changes) continue;
			agency.started.set(id, after);
			if (!from || from.changes === agency.known.get(id)?.changes) continue;
			agency.known = new Map(agency.known).set(id, from);
		}
		return { polls, agencies, runs: queue.stored };
	}

	/**
	 * If a change of a property is in the queue, returns the property's state after that change; otherwise undefined.
	 */
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
		// If “Runs” is set to “One per Poll”, no runs are started for single changes. Changes for which a run was
		// started before count as delivered.
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
	 * Stores the new state of a property after the run of its change has ended. If n8n refused the run, an earlier
	 * process may have started it with other values of the property: then those values are stored, and the property is
	 * read again.
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
 * Makes the key of a change's run, by which n8n refuses a second run. If n8n was killed and a new process finds the
 * change again, it makes the same key, even if the property has changed once more. The next change of the property has
 * another key.
 */
export function changeKeyOf(
	workflowId: string | undefined,
	nodeId: string,
	{ agency, begunAt, id, after }: Pick<ChangeToRun, 'agency' | 'begunAt' | 'id' | 'after'>,
	attempt: number,
): string {
	const begun = Math.floor(begunAt / SECOND_MS).toString(36);
	// The property's ID is hashed, because it may be longer than the key that n8n's database can store.
	const parts = [workflowId, nodeId, agency, begun, shortMark(id), after.changes];
	return ['agentInventory', ...parts, ...(attempt > 1 ? [`#${attempt}`] : [])].join(':');
}

function rewindIn(agencies: Progress['agencies'], key: string, time: number): void {
	const agency = agencies.get(key);
	if (agency) rewind(agency, time);
}

/**
 * Makes the ID of a change in the queue. It consists of the agency and the property, because the queue holds at most
 * one change of each property. A new process makes the same ID after n8n was killed.
 */
function taskIdOf({ agency, id }: Pick<ChangeToRun, 'agency' | 'id'>): string {
	return `${agency} ${id}`;
}
