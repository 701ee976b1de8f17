import type { RunTracker } from '../common/polling/memory';
import type { QueueTerms } from '../common/runs/queue';
import { RunQueue } from '../common/runs/queue';
import type { AgencyProgress } from './progress/agencyProgress';
import { copyOf, leaveBegun } from './progress/agencyProgress';
import type { PropertyChange } from './progress/comparison';
import type { Progress } from './progress/storedProgress';

/** A change on its way into a run of its own. */
export interface ChangeToRun extends PropertyChange {
	/** The mark of the agency. */
	agency: string;
	agencyRef: string;
	/** When the agency’s first poll was (epoch ms). */
	begunAt: number;
}

/**
 * Hands each change to a run of its own: `queue` has those that have not ended. A property is known as it was before until then,
 * and its next change waits: so the changes of a property come in order. What is stored at any time says which properties
 * are to be read again, and as what they were handed to a run.
 */
export class ChangeTracker implements RunTracker<Progress, ChangeToRun> {
	readonly queue: RunQueue<ChangeToRun>;

	/** How far the polls came, with what is known of the properties whose changes have ended. */
	readonly agencies: Map<string, AgencyProgress>;

	private polls: number;

	/** The changes in the queue, by agency and property. */
	private readonly open = new Map<string, ChangeToRun>();

	constructor({ polls, agencies, runs }: Progress, terms: QueueTerms) {
		this.polls = polls;
		this.agencies = copiesOf(agencies);
		this.queue = new RunQueue(runs, terms, (change, isRefused) => this.close(change, isRefused));
	}

	get progress(): Progress {
		const { polls, queue } = this;
		const agencies = new Map(this.agencies);
		for (const change of this.open.values()) reread(agencies, change, this.agencies);
		for (const change of queue.run()) {
			const { id, after, promised = after } = change;
			agencies.get(change.agency)?.begun.set(id, promised);
		}
		return { polls, agencies, runs: queue.stored };
	}

	isOpen(agency: string, id: string): boolean {
		return this.open.has(placeOf({ agency, id }));
	}

	add(change: ChangeToRun): void {
		this.open.set(placeOf(change), change);
		this.queue.add(taskIdOf(change), change);
	}

	/** A poll asked these agencies: of others, only what is on its way is kept. */
	keep(asked: ReadonlyMap<string, AgencyProgress>): void {
		const busy = new Set([...this.open.values()].map(({ agency }) => agency));
		for (const key of this.agencies.keys()) {
			if (!asked.has(key) && !busy.has(key)) this.agencies.delete(key);
		}
		for (const [key, agency] of asked) this.agencies.set(key, agency);
	}

	notePoll(): void {
		this.polls++;
	}

	/** What was not begun is read once more: the person may have changed what the node asks for. */
	restart(): void {
		this.queue.dropUnbegun();
		for (const change of this.open.values()) {
			if (!this.queue.has(taskIdOf(change))) this.putBack(change);
		}
	}

	/** Changes that have run count as delivered, and the others are read once more. */
	leave(): Progress {
		const { polls, agencies } = this.progress;
		const left = copiesOf(agencies);
		for (const agency of left.values()) leaveBegun(agency);
		return { polls, agencies: left };
	}

	adopt({ polls, agencies }: Progress): void {
		this.polls = polls;
		for (const [key, agency] of agencies) this.agencies.set(key, copyOf(agency));
	}

	private putBack(change: ChangeToRun): void {
		this.open.delete(placeOf(change));
		const { pending } = this.agencies.get(change.agency) ?? {};
		pending?.set(change.id, pending.get(change.id) ?? pendingOf(change));
	}

	/** @param isRefused whether n8n has a run with the key of this change */
	private close(change: ChangeToRun, isRefused: boolean): void {
		this.open.delete(placeOf(change));
		const { id, after, promised } = change;
		const { known, begun, pending } = this.agencies.get(change.agency) ?? {};
		begun?.delete(id);
		if (!isRefused || !promised) known?.set(id, after);
		else {
			// That run has told what was promised, and not what has become of it.
			known?.set(id, promised);
			pending?.set(id, pending.get(id) ?? pendingOf(change));
		}
	}
}

export function trackChanges(known: Progress, terms: QueueTerms): ChangeTracker {
	return new ChangeTracker(known, terms);
}

/** Puts a property whose change has not ended among those to read, in a copy that shares the rest. */
function reread(
	agencies: Map<string, AgencyProgress>,
	change: ChangeToRun,
	own: ReadonlyMap<string, AgencyProgress>,
): void {
	let agency = agencies.get(change.agency);
	if (!agency) return;
	if (agency === own.get(change.agency)) {
		agency = { ...agency, pending: new Map(agency.pending), begun: new Map(agency.begun) };
		agencies.set(change.agency, agency);
	}
	if (!agency.pending.has(change.id)) agency.pending.set(change.id, pendingOf(change));
}

function pendingOf({ after, time }: ChangeToRun) {
	return { modified: after.modified, since: time, tries: 0 };
}

function copiesOf(agencies: ReadonlyMap<string, AgencyProgress>): Map<string, AgencyProgress> {
	return new Map([...agencies].map(([key, agency]) => [key, copyOf(agency)]));
}

function placeOf({ agency, id }: Pick<ChangeToRun, 'agency' | 'id'>): string {
	return `${agency} ${id}`;
}

/** A process that follows one that was killed has the same for the same change. */
export function taskIdOf({ agency, id, after }: ChangeToRun): string {
	return `${agency} ${after.changes.toString(36)} ${id}`;
}
