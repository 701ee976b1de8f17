import type { IDataObject } from 'n8n-workflow';

import type { LeadType } from '../../service/leads/leads';
import { PolledNode } from '../common/polling/polledNode';
import { TaskTracker } from '../common/polling/taskTracker';
import type { QueueTerms } from '../common/runs/queue';
import type { DeliveredLeads } from './deliveredLeads';
import type { Progress } from './storedProgress';
import type { Target } from './target';

/** A lead on its way into a run. */
export interface LeadToRun {
	lead: IDataObject;
	key: string;
	leadType: LeadType;
	/** When the lead was submitted (epoch ms). The oldest lead is delivered first. */
	time: number;
	/** The key of the target that found the lead. */
	target: string;
	/** The watermark of that target before it found the lead (epoch ms): a later process has to ask from there until the run has ended. */
	from: number;
}

/** The leads on their way into runs, and the watermarks of the targets. */
export class LeadTracker extends TaskTracker<Progress, LeadToRun> {
	/** The progress of each target. */
	reached: Progress['targets'];

	/** The leads that must not have a run, or another one. */
	private readonly delivered: DeliveredLeads;

	constructor(known: Progress, terms: QueueTerms) {
		super(known, terms);
		this.reached = known.targets;
		this.delivered = known.delivered.copy();
	}

	/**
	 * The progress that may be stored now. The watermark of a target is never later than `from` of a lead whose run has
	 * not ended. So if n8n is killed, the next process asks for that lead again, and n8n refuses the leads that have
	 * had their run, by their keys.
	 */
	get progress(): Progress {
		const { polls, targets, delivered, queue } = this;
		return { polls, targets, delivered, runs: queue.stored };
	}

	/** True if a lead that a target found is neither delivered nor on its way into a run. */
	isNew(target: Target, key: string, now: number): boolean {
		const id = leadIdOf({ leadType: target.leadType, key });
		const isDelivered = this.delivered.recall(target, key, now);
		if (isDelivered) this.queue.forget(id);
		return !isDelivered && !this.queue.get(id);
	}

	add(lead: LeadToRun): void {
		this.queue.add(leadIdOf(lead), lead);
	}

	/** Notes a lead that was there before its target began. */
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

/** The memory of this process for one Agent Leads Trigger. */
export class LeadsNode extends PolledNode<Progress, LeadToRun, LeadTracker> {
	/** When the workflow was published with targets for which the service has not answered yet (`performance.now`). */
	unansweredSince?: number;
}

function leadIdOf({ leadType, key }: Pick<LeadToRun, 'leadType' | 'key'>): string {
	return `${leadType} ${key}`;
}
