import minBy from 'lodash/minBy';
import range from 'lodash/range';
import type { IDataObject } from 'n8n-workflow';

import type { LeadType } from '../../../service/leads/lead';
import type { TaskHandOver } from '../../common/polling/progress';
import { TaskQueue } from '../../common/runs/taskQueue';
import type { QueueTerms } from '../../common/runs/taskQueue';
import type { DeliveredLeads } from '../progress/deliveredLeads';
import type { Progress } from '../progress/storedProgress';
import type { FreshLead } from '../progress/targetProgress';

/** Behind a run that takes days many polls bring leads: so many steps of progress are kept until it ends. */
const MOST_CHECKPOINTS = 100;

/** A lead on its way into a run of its own. */
export interface LeadToRun extends FreshLead {
	leadType: LeadType;
	/** What is missing before this lead. */
	gap?: IDataObject;
}

/** Progress that may be stored once all leads up to this number have ended. */
interface Checkpoint {
	last: number;
	targets: Progress['targets'];
}

/**
 * Hands each lead to a run of its own: `queue` has those that have not ended. `progress` is at all times fit to be
 * stored: a process that follows one that was killed goes on from there, and n8n tells it which leads had their run.
 */
export class HandOver implements TaskHandOver<Progress, LeadToRun> {
	readonly queue: TaskQueue<LeadToRun>;

	/** How far the targets were asked. */
	reached: Progress['targets'];

	private polls: number;

	/** How far they were asked for leads that have all ended. */
	private committed: Progress['targets'];

	/** The leads that have ended. */
	private readonly ended: DeliveredLeads;

	private readonly checkpoints: Checkpoint[] = [];

	constructor({ polls, targets, delivered, runs }: Progress, terms: QueueTerms) {
		this.polls = polls;
		this.reached = targets;
		this.committed = targets;
		this.ended = delivered.copy();
		this.queue = new TaskQueue(runs, terms, (lead) => this.noteEnd(lead));
	}

	/** From when on it is known which leads have ended (epoch ms). */
	get completeFrom(): number | undefined {
		return this.ended.completeFrom;
	}

	/** What may be stored now. */
	get progress(): Progress {
		const { polls, committed: targets, ended: delivered, queue } = this;
		return { polls, targets, delivered, runs: queue.stored };
	}

	/** Whether a lead that a target found is to be added: it has not ended, and is not on its way. */
	claim(leadType: LeadType, key: string, now: number): boolean {
		const id = idOf({ leadType, key });
		const hasEnded = this.ended.recall(leadType, key, now);
		if (hasEnded) this.queue.forget(id);
		return !hasEnded && !this.queue.has(id);
	}

	/** Takes in a lead that was claimed. */
	add(lead: LeadToRun): void {
		this.queue.add(idOf(lead), lead);
	}

	/**
	 * A poll has asked its targets this far, and its leads were added.
	 *
	 * @param begun how far the targets were before
	 */
	notePoll(targets: Progress['targets'], begun: Progress['targets']): void {
		this.polls++;
		this.reached = targets;
		this.noteBegun(begun);
		this.noteCheckpoint(targets);
		this.commit();
	}

	/** Begins again from what is stored: the person may have changed what the node asks for. */
	restart(): void {
		this.queue.dropUnbegun();
		this.checkpoints.length = 0;
		this.reached = this.committed;
	}

	/** What may be stored if nobody is to run these leads again: those that have run count as delivered. */
	leave(): Progress {
		const { polls, targets, delivered } = this.progress;
		for (const lead of this.queue.begun()) this.noteDelivered(lead);
		return { polls, targets, delivered };
	}

	/** Takes over what another process of the node stored meanwhile. */
	adopt({ polls, targets, delivered }: Progress): void {
		this.polls = polls;
		this.checkpoints.length = 0;
		this.reached = targets;
		this.committed = targets;
		this.ended.merge(delivered);
	}

	private noteEnd(lead: LeadToRun): void {
		this.noteDelivered(lead);
		this.commit();
	}

	private noteDelivered({ leadType, key }: LeadToRun): void {
		this.ended.claim(leadType, key, this.queue.terms.now());
	}

	/** A process that follows would begin a target anew, and later, of which nothing is stored. */
	private noteBegun(begun: Progress['targets']): void {
		this.committed = withBegun(this.committed, begun);
		for (const checkpoint of this.checkpoints)
			checkpoint.targets = withBegun(checkpoint.targets, begun);
	}

	private noteCheckpoint(targets: Progress['targets']): void {
		const { checkpoints, queue } = this;
		const last = queue.count;
		// A poll without a lead takes the place of the one before.
		if (checkpoints.at(-1)?.last === last) checkpoints.pop();
		checkpoints.push({ last, targets });
		if (checkpoints.length > MOST_CHECKPOINTS) this.dropCheckpoint();
	}

	/** The one that is missed least: without it, progress goes on in a longer step. */
	private dropCheckpoint(): void {
		const { checkpoints } = this;
		const lastOf = (index: number) => checkpoints[index]?.last ?? 0;
		const inner = range(1, checkpoints.length - 1);
		const spare = minBy(inner, (index) => lastOf(index + 1) - lastOf(index - 1));
		if (spare !== undefined) checkpoints.splice(spare, 1);
	}

	private commit(): void {
		const first = this.queue.firstHeldUp;
		while (this.checkpoints[0] && this.checkpoints[0].last < first) {
			this.committed = this.checkpoints[0].targets;
			this.checkpoints.shift();
		}
	}
}

/** @param handed progress that n8n may not have stored yet: its leads were delivered */
export function handOverFrom(
	known: Progress,
	handed: Progress | undefined,
	terms: QueueTerms,
): HandOver {
	const { delivered } = handed ?? known;
	return new HandOver({ ...known, delivered }, terms);
}

function withBegun(targets: Progress['targets'], begun: Progress['targets']): Progress['targets'] {
	const missing = [...begun].filter(([key]) => !targets.has(key));
	return missing.length > 0 ? new Map([...targets, ...missing]) : targets;
}

function idOf({ leadType, key }: Pick<LeadToRun, 'leadType' | 'key'>): string {
	return `${leadType} ${key}`;
}
