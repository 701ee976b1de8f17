import type { IPollFunctions, ITriggerFunctions } from 'n8n-workflow';

import { ServiceClock } from '../../service/basics/clock';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../service/basics/times';
import { Runner } from '../common/runs/runner';
import type { Unsealed } from '../common/runs/startRun';
import { nodeKey } from '../common/runs/starters';
import type { QueueTerms } from '../common/runs/taskQueue';
import type { LeadToRun } from './runs/handOver';
import { HandOver } from './runs/handOver';
import type { DeliveredLeads } from './target/deliveredLeads';
import { FailureLog } from './target/failureLog';
import type { Progress } from './target/storedProgress';

const TELL_EVERY_MS = HOUR_MS;

const SEAL_EVERY_MS = 15 * MINUTE_MS;

/** How long a host may take to store what it was handed, before it counts as not stored. */
const STORED_WITHIN_MS = 10 * SECOND_MS;

/** What a process remembers of a node between its polls, beside what n8n stores. */
export class NodeMemory {
	readonly clock = new ServiceClock();

	readonly failures = new FailureLog();

	/** The poll under way. */
	current?: Promise<unknown>;

	/** Only if each lead has a run of its own. */
	runs?: { handOver: HandOver; runner: Runner<LeadToRun> };

	readonly unsealed: Unsealed = {};

	private sealedAt = -Infinity;

	/** What was delivered up to the last poll: under a new name of the node nothing is stored. */
	delivered?: DeliveredLeads;

	/**
	 * `progress`: how far the last poll came without handing anything over; many hosts do not store that.
	 * `from`: `polls` of the stored progress that it went on from.
	 */
	private unstored?: { from: number; progress: Progress };

	/** How far the polls of this process came, unless the last one handed leads over. */
	private reached?: Progress;

	/** `polls` of the newest progress of this process that n8n stores. */
	private storedPolls = 0;

	/** The last poll that handed leads to n8n: `polls` of its progress, and when (epoch ms). */
	private handedOver?: { polls: number; at: number };

	/** When n8n's log was told of something that goes on, by what it is (epoch ms). */
	private readonly told = new Map<string, number>();

	/**
	 * Whether the progress that n8n hands to a poll is from before the leads that it was handed last:
	 * it stores both together, a moment later. Polling from it would deliver them again.
	 */
	isBehind({ polls }: Progress): boolean {
		if (!this.handedOver || polls >= this.handedOver.polls) return false;
		return Math.abs(Date.now() - this.handedOver.at) < STORED_WITHIN_MS;
	}

	/** The leads on their way into runs of their own, as far as this process knows or as stored. */
	runsFrom(stored: Progress, isActivation: boolean, terms: QueueTerms) {
		const { runs } = this;
		if (!runs) {
			const known = this.goOnFrom(stored, isActivation);
			// n8n may not have stored the last poll yet, or store it under another name of the node.
			const isStale = known.targets.size === 0 || this.isBehind(stored);
			const delivered = (isStale && this.delivered) || known.delivered;
			const handOver = new HandOver({ ...known, delivered }, terms);
			return (this.runs = { handOver, runner: new Runner(handOver.queue) });
		}
		const { handOver } = runs;
		handOver.queue.terms = terms;
		if (isActivation) handOver.restart();
		if (stored.polls > handOver.progress.polls) handOver.adopt(stored);
		return runs;
	}

	/** The leads no longer have runs of their own. */
	leaveRuns(): void {
		if (!this.runs) return;
		this.reached = this.runs.handOver.leave();
		this.storedPolls = this.reached.polls;
		delete this.runs;
	}

	/** What is stored, or what this process reached since and the host did not store. */
	goOnFrom(stored: Progress, isActivation: boolean): Progress {
		// What another process stored meanwhile counts, and the leads that it delivered.
		const isOfAnother = isActivation && stored.polls > this.storedPolls;
		if (!isOfAnother && this.unstored?.from === stored.polls) return this.unstored.progress;
		delete this.unstored;
		if (!isActivation || isOfAnother) return stored;
		// A workflow that is published again is loaded anew, from before its last quiet polls.
		const { reached = stored } = this;
		return reached.polls >= stored.polls ? reached : stored;
	}

	/** Keeps what a poll has begun, for the case that it fails. */
	noteBegun(stored: Progress, progress: Progress): void {
		this.unstored = { from: stored.polls, progress };
	}

	/** n8n stores this progress, since it is an activation's or comes with leads. */
	noteStored({ polls }: Progress): void {
		this.storedPolls = polls;
	}

	/** A poll has come this far, and there was no lead. */
	noteQuiet(stored: Progress, reached: Progress): void {
		this.unstored = { from: stored.polls, progress: reached };
		this.reached = reached;
	}

	/** A poll has come this far, and hands leads to n8n. */
	noteHandOver({ polls, delivered }: Progress): void {
		this.handedOver = { polls, at: Date.now() };
		this.delivered = delivered;
		delete this.reached;
	}

	/** Whether progress is to be sealed: n8n notes each seal in its log. Notes that it is. */
	isToSeal(): boolean {
		const now = Date.now();
		if (Math.abs(now - this.sealedAt) < SEAL_EVERY_MS) return false;
		this.sealedAt = now;
		return true;
	}

	/** Whether n8n's log is to be told of something that goes on: once an hour. Notes that it is. */
	isToTell(what: string): boolean {
		const now = Date.now();
		const elapsedMs = Math.abs(now - (this.told.get(what) ?? -Infinity));
		if (elapsedMs < TELL_EVERY_MS) return false;
		this.told.set(what, now);
		return true;
	}
}

const nodeMemories = new Map<string, NodeMemory>();

export function memoryOfNode(context: IPollFunctions | ITriggerFunctions): NodeMemory {
	const key = nodeKey(context);
	const known = nodeMemories.get(key);
	if (known) return known;
	const memory = new NodeMemory();
	nodeMemories.set(key, memory);
	return memory;
}
