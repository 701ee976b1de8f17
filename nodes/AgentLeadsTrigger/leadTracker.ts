import type { IDataObject } from 'n8n-workflow';

import type { LeadType } from '../../service/leads/leads';
import type { RunTracker } from '../common/polling/progress';
import type { QueueTerms } from '../common/runs/queue';
import { RunQueue } from '../common/runs/queue';
import type { DeliveredLeads } from './progress/deliveredLeads';
import type { Progress } from './progress/storedProgress';
import type { FreshLead, TargetProgress } from './progress/targetProgress';

/** A lead on its way into a run of its own. */
export interface LeadToRun extends FreshLead {
	leadType: LeadType;
	/** What is missing before this lead. */
	gap?: IDataObject;
	/** The key of the target that brought it, and how far that was before. */
	target: string;
	before: TargetProgress;
}

/**
 * Hands each lead to a run of its own. The stored progress never passes a lead whose run has not ended: a process that follows
 * one that was killed asks for it again, and n8n refuses by their keys those that had their run.
 */
export class LeadTracker implements RunTracker<Progress, LeadToRun> {
	readonly queue: RunQueue<LeadToRun>;

	/** How far the targets were asked. */
	reached: Progress['targets'];

	private polls: number;

	/** The leads that have ended. */
	private readonly ended: DeliveredLeads;

	constructor({ polls, targets, delivered, runs }: Progress, terms: QueueTerms) {
		this.polls = polls;
		this.reached = targets;
		this.ended = delivered.copy();
		this.queue = new RunQueue(runs, terms, (lead) => this.noteDelivered(lead));
	}

	/** From when on it is known which leads have ended (epoch ms). */
	get completeFrom(): number | undefined {
		return this.ended.completeFrom;
	}

	/** What may be stored now. */
	get progress(): Progress {
		const { polls, targets, ended: delivered, queue } = this;
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

	/** A poll has asked its targets this far, and its leads were added. */
	notePoll(targets: Progress['targets']): void {
		this.polls++;
		this.reached = targets;
	}

	/** Begins again from what is stored: the person may have changed what the node asks for. */
	restart(): void {
		this.reached = this.targets;
		this.queue.dropUnbegun();
	}

	/** What may be stored if nobody is to run these leads again: those that have run count as delivered. */
	leave(): Progress {
		const { polls, targets, delivered } = this.progress;
		for (const lead of this.queue.run()) this.noteDelivered(lead);
		return { polls, targets, delivered };
	}

	/** Takes over what another process of the node stored meanwhile. */
	adopt({ polls, targets, delivered }: Progress): void {
		this.polls = polls;
		this.reached = targets;
		this.ended.merge(delivered);
	}

	/** Each target as it was before its first lead that has not ended. */
	private get targets(): Progress['targets'] {
		const before = new Map<string, TargetProgress>();
		for (const lead of this.queue.tasks()) {
			if (!before.has(lead.target)) before.set(lead.target, lead.before);
		}
		return new Map([...this.reached, ...before]);
	}

	private noteDelivered({ leadType, key }: LeadToRun): void {
		this.ended.claim(leadType, key, this.queue.terms.now());
	}
}

/** @param handed progress that n8n may not have stored yet: its leads were delivered */
export function trackLeads(
	known: Progress,
	handed: Progress | undefined,
	terms: QueueTerms,
): LeadTracker {
	const { delivered } = handed ?? known;
	return new LeadTracker({ ...known, delivered }, terms);
}

function idOf({ leadType, key }: Pick<LeadToRun, 'leadType' | 'key'>): string {
	return `${leadType} ${key}`;
}
