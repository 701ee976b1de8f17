import type { IDataObject } from 'n8n-workflow';

import type { LeadType } from '../../service/leads/leads';
import { PolledNode } from '../common/polling/polledNode';
import { TaskTracker } from '../common/polling/taskTracker';
import type { QueueTerms } from '../common/runs/queue';
import type { DeliveredLeads } from './deliveredLeads';
import type { Progress } from './storedProgress';
import type { Target } from './target';

/** A lead that is to have a run of the workflow, or whose run has not ended. */
export interface LeadToRun {
	lead: IDataObject;
	key: string;
	leadType: LeadType;
	/** When the lead was submitted (epoch ms). The oldest lead is delivered first. */
	time: number;
	/**
	 * The name of the target (the leads of one type and filter ID) whose request found the lead, such as
	 * `appraisal · branch NORTH`.
	 */
	target: string;
	/**
	 * The watermark of the lead's target before this lead was found (epoch ms): the time up to which the leads of the
	 * same type and filter ID had been read. If n8n stops before the run has ended, the next process has to ask from
	 * this time again.
	 */
	from: number;
}

/**
 * Tracks the leads that wait for their runs or have a run under way, and how far each target has been read. A target is
 * the subject of one request, such as the applicant leads of one branch.
 */
export class LeadTracker extends TaskTracker<Progress, LeadToRun> {
	/** How far each target has been read, by the target's name, such as `appraisal · branch NORTH`. */
	reached: Progress['targets'];

	/**
	 * The leads that must not get a run: those that have had one, and those that were submitted before the trigger
	 * started to deliver leads of their type and branch.
	 */
	private readonly delivered: DeliveredLeads;

	constructor(known: Progress, terms: QueueTerms) {
		super(known, terms);
		this.reached = known.targets;
		this.delivered = known.delivered.copy();
	}

	/**
	 * The progress that may be stored now. The watermark of a target (such as the leads of one branch), that is the
	 * time up to which its leads count as read, is never later than the `from` (see `LeadToRun`) of any lead whose run
	 * has not ended. So if n8n is killed, the next process finds this lead again. n8n refuses a second run for leads that have had one, because
	 * the new run would have the same key.
	 */
	get progress(): Progress {
		const { polls, targets, delivered, queue } = this;
		return { polls, targets, delivered, runs: queue.stored };
	}

	/**
	 * True if a lead is new: it was not delivered, is not in the queue, and was not submitted before the trigger
	 * started to deliver the leads of this target (a lead type with one filter ID).
	 */
	isNew(target: Target, key: string, now: number): boolean {
		const id = leadIdOf({ leadType: target.leadType, key });
		const isDelivered = this.delivered.recall(target, key, now);
		if (isDelivered) this.queue.forget(id);
		return !isDelivered && !this.queue.get(id);
	}

	add(lead: LeadToRun): void {
		this.queue.add(leadIdOf(lead), lead);
	}

	/**
	 * Remembers a lead that was submitted before the trigger began to deliver the leads of this target (a lead type with
	 * one filter ID), so that the lead is never delivered for it.
	 */
	noteBefore({ key: target }: Target, key: string, now: number): void {
		this.delivered.note(target, key, now);
	}

	restart(): void {
		this.reached = this.targets;
		this.queue.dropUnbegun();
	}

	adopt({ polls, targets, delivered }: Progress): void {
		this.polls = polls;
		this.reached = targets;
		this.delivered.merge(delivered);
	}

	protected noteEnd({ leadType, key }: LeadToRun): void {
		this.delivered.note(leadType, key, this.queue.terms.now());
	}

	private get targets(): Progress['targets'] {
		const targets = new Map(this.reached);
		for (const { target: key, from } of this.queue.tasks()) {
			const target = targets.get(key);
			if (target && from < target.watermark) targets.set(key, { ...target, watermark: from });
		}
		return targets;
	}
}

/** The memory that this process keeps of one Agent Leads Trigger. */
export class LeadsNode extends PolledNode<Progress, LeadToRun, LeadTracker> {
	/**
	 * When the workflow was published, as a value of `performance.now()`. It is kept until the service has answered for
	 * every target, such as the applicant leads of one branch.
	 */
	unansweredSince?: number;
}

function leadIdOf({ leadType, key }: Pick<LeadToRun, 'leadType' | 'key'>): string {
	return `${leadType} ${key}`;
}
