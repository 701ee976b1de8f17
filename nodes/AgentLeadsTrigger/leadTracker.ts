import type { IDataObject } from 'n8n-workflow';

import type { LeadType } from '../../service/leads/leads';
import type { RunTracker } from '../common/polling/memory';
import { memories, NodeMemory } from '../common/polling/memory';
import type { QueueTerms } from '../common/runs/queue';
import { RunQueue } from '../common/runs/queue';
import type { DeliveredLeads } from './deliveredLeads';
import { Publication } from './publication';
import type { Progress } from './storedProgress';
import { readProgress, writeProgress } from './storedProgress';
import type { Target } from './target';

/** So many leads wait for their runs before the service is asked for no more. */
const MOST_WAITING = 1_000;

/** A lead on its way into a run. */
export interface LeadToRun {
	lead: IDataObject;
	key: string;
	leadType: LeadType;
	/** The oldest is delivered first (epoch ms). */
	time: number;
	/** The key of the target that found it, and from when on that is to ask if this process is killed (epoch ms). */
	target: string;
	from: number;
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
		this.queue = new RunQueue(runs, terms, (lead) => this.noteEnd(lead));
	}

	/** What may be stored now. */
	get progress(): Progress {
		const { polls, targets, ended: delivered, queue } = this;
		return { polls, targets, delivered, runs: queue.stored };
	}

	hasRoom(): boolean {
		return this.queue.waitingCount < MOST_WAITING;
	}

	isNew(target: Target, key: string, now: number): boolean {
		const id = leadIdOf({ leadType: target.leadType, key });
		const hasEnded = this.ended.recall(target, key, now);
		if (hasEnded) this.queue.forget(id);
		return !hasEnded && !this.queue.has(id);
	}

	add(lead: LeadToRun): void {
		this.queue.add(leadIdOf(lead), lead);
	}

	noteBefore({ key: target }: Target, key: string, now: number): void {
		this.ended.note(target, key, now);
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
		for (const lead of this.queue.run()) this.noteEnd(lead);
		return { polls, targets, delivered };
	}

	/** Takes over what another process of the node stored meanwhile. */
	adopt({ polls, targets, delivered }: Progress): void {
		this.polls = polls;
		this.reached = targets;
		this.ended.merge(delivered);
	}

	/** Each target as it was before the earliest of its leads that have not ended. */
	private get targets(): Progress['targets'] {
		const targets = new Map(this.reached);
		for (const { target: key, from } of this.queue.tasks()) {
			const target = targets.get(key);
			if (target && from < target.watermark) targets.set(key, { ...target, watermark: from });
		}
		return targets;
	}

	private noteEnd({ leadType, key }: LeadToRun): void {
		this.ended.note(leadType, key, this.queue.terms.now());
	}
}

/** What a process remembers of a leads trigger. */
export class LeadsMemory extends NodeMemory<Progress, LeadToRun, LeadTracker> {
	readonly publication = new Publication();
}

export const memoryOfNode = memories(
	() => new LeadsMemory({ read: readProgress, write: writeProgress }),
);

function leadIdOf({ leadType, key }: Pick<LeadToRun, 'leadType' | 'key'>): string {
	return `${leadType} ${key}`;
}
