import { createHash } from 'node:crypto';

import { SECOND_MS } from '../../service/basics/times';
import type { RunTracker } from '../common/polling/memory';
import type { QueueTerms } from '../common/runs/queue';
import { RunQueue } from '../common/runs/queue';
import type { PropertyChange } from './compare';
import { isChanged } from './compare';
import type { KnownProperty } from './known';
import { KnownProperties } from './known';
import type { AgencyProgress, Progress } from './progress';
import { copiesOf, copyOf, leaveStarted, rewind } from './progress';

/** A longer ID would make the key longer than n8n's database takes. */
const LONGEST_ID = 100;

/** A change on its way into a run of its own. */
export interface ChangeToRun extends PropertyChange {
	/** The mark of the agency. */
	agency: string;
	agencyRef: string;
	/** When the agency's first poll was (epoch ms). */
	begunAt: number;
}

/**
 * Hands each change to a run of its own: `queue` has those that have not ended. Until then a property is known as it was before, the
 * watermark is no later than the change, and the next change of the property waits. So a process that follows one that was killed
 * finds the same changes, and n8n refuses those that have had their run.
 */
export class ChangeTracker implements RunTracker<Progress, ChangeToRun> {
	readonly queue: RunQueue<ChangeToRun>;

	/** How far the polls came, with what is known of the properties whose changes have ended. */
	readonly agencies: Progress['agencies'];

	private polls: number;

	/** The changes in the queue, by `changeIdOf`. */
	private readonly open = new Map<string, ChangeToRun>();

	constructor({ polls, agencies, runs }: Progress, terms: QueueTerms) {
		this.polls = polls;
		this.agencies = copiesOf(agencies);
		this.queue = new RunQueue(runs, terms, (change, isRefused) => this.close(change, isRefused));
	}

	get progress(): Progress {
		const { polls, queue } = this;
		const agencies = new Map(this.agencies);
		for (const [key, agency] of agencies) {
			agencies.set(key, { ...agency, started: new Map(agency.started) });
		}
		for (const { agency, time } of this.open.values()) rewindIn(agencies, agency, time);
		for (const { agency, ...change } of queue.run()) noteStart(change, agencies.get(agency));
		return { polls, agencies, runs: queue.stored };
	}

	openOf(agency: string, id: string): KnownProperty | undefined {
		return this.open.get(changeIdOf(agency, id))?.after;
	}

	add(change: ChangeToRun): void {
		this.open.set(changeIdOf(change.agency, change.id), change);
		this.queue.add(taskIdOf(change), change);
	}

	/** A poll asked these agencies: of others, only what is on its way is kept. */
	keep(asked: Progress['agencies']): void {
		const busy = new Set([...this.open.values()].map(({ agency }) => agency));
		for (const key of this.agencies.keys()) {
			if (!asked.has(key) && !busy.has(key)) this.agencies.delete(key);
		}
		for (const [key, agency] of asked) this.agencies.set(key, agency);
	}

	notePoll(): void {
		this.polls++;
	}

	/** What was not begun is found once more: the person may have changed what the node asks for. */
	restart(): void {
		this.queue.dropUnbegun();
		for (const [id, change] of this.open) {
			if (this.queue.has(taskIdOf(change))) continue;
			this.open.delete(id);
			rewindIn(this.agencies, change.agency, change.time);
		}
	}

	/** Changes that have run count as delivered, and the others are found once more. */
	leave(): Progress {
		const { polls, agencies } = this.progress;
		const left = copiesOf(agencies);
		for (const agency of left.values()) leaveStarted(agency);
		return { polls, agencies: left };
	}

	adopt({ polls, agencies }: Progress): void {
		this.polls = polls;
		for (const [key, agency] of agencies) this.agencies.set(key, copyOf(agency));
	}

	/** @param isRefused whether n8n has a run with the key of this change */
	private close({ agency: key, id, after, time }: ChangeToRun, isRefused: boolean): void {
		this.open.delete(changeIdOf(key, id));
		const agency = this.agencies.get(key);
		if (!agency) return;
		const begun = agency.started.get(id);
		agency.started.delete(id);
		const isOfAnother = isRefused && begun?.changes === after.changes && isChanged(begun, after);
		agency.known.set(id, isOfAnother ? begun : after);
		if (isOfAnother) rewind(agency, time);
	}
}

/**
 * The key of a change's run: the same in a process that finds the change after a kill, though the property may be another one by
 * then, and another one for the next change. The property comes last: its ID may have colons and numbers.
 */
export function changeKeyOf(
	workflowId: string | undefined,
	nodeId: string,
	{ agency, begunAt, id, after }: Pick<ChangeToRun, 'agency' | 'begunAt' | 'id' | 'after'>,
	attempt: number,
): string {
	const begun = Math.floor(begunAt / SECOND_MS).toString(36);
	const count = attempt > 1 ? `${after.changes}#${attempt}` : after.changes;
	const property = id.length > LONGEST_ID ? hashed(id) : id;
	return ['agentInventory', workflowId, nodeId, agency, begun, count, property].join(':');
}

/** What is stored while a run is under way: what the property was before it, and what the run was started with. */
function noteStart({ id, from, after }: PropertyChange, agency?: AgencyProgress): void {
	if (!agency) return;
	// An earlier process has most likely started the same run with something else, and this one will be refused.
	if (agency.started.get(id)?.changes !== after.changes) agency.started.set(id, after);
	if (!from || from.changes === agency.known.get(id)?.changes) return;
	agency.known = new KnownProperties(agency.known);
	agency.known.set(id, from);
}

function rewindIn(agencies: Map<string, AgencyProgress>, key: string, time: number): void {
	const agency = agencies.get(key);
	if (agency) rewind(agency, time);
}

function hashed(text: string): string {
	return createHash('sha256').update(text).digest('base64url');
}

function changeIdOf(agency: string, id: string): string {
	return `${agency} ${id}`;
}

/** A process that follows one that was killed has the same for the same change. */
function taskIdOf({ agency, id, after }: ChangeToRun): string {
	return `${agency} ${after.changes} ${id}`;
}
