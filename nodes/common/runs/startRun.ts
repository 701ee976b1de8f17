import isEmpty from 'lodash/isEmpty';
import type {
	IExecuteResponsePromiseData,
	INodeExecutionData,
	IRun,
	ITriggerFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { keepNewest } from '../../../service/basics/newest';
import { SECOND_MS } from '../../../service/basics/times';
import { isObject } from '../../../service/basics/values';
import type { RunEnd, RunOutcome } from './runOutcome';

/** A queue worker says this of a run that another process replaced by one of the same key. */
const REPLACED = /failed to find data for execution/i;

/** n8n says this of a run that it has listed as failed before it could begin, such as for want of a credential. */
const BARRED = /^no active execution found/i;

/** A queue worker says this of such a run, in one way or the other by the version of n8n. */
const ISSUES = /^the (?:'.*' node|workflow) has issues/is;

/** More keys than leads that two triggers of a workflow may bring at about the same time. */
const MOST_KEYS = 20_000;

/** How long to wait until n8n has stored what it was told to. */
const SEALED_WITHIN_MS = 3 * SECOND_MS;

/** A run that a trigger of this process asked for. */
interface StartedRun {
	nodeId: string;
	run: Promise<RunOutcome>;
	startsOnce: boolean;
}

/** The newest of them by their keys: n8n need not refuse what is known here. */
const started = new Map<string, StartedRun>();

/** The keys of runs that n8n did not begin: it would refuse them, as if their leads had had a run. */
const barredKeys = new Set<string>();

/** Outlasts the publications of a workflow, as runs do. */
export interface Unsealed {
	/** The key of a run that has ended since n8n stored the node's progress last. */
	key?: string;
}

/**
 * Starts runs for a node, for as long as its workflow is published.
 *
 * n8n keeps a key with each run, under a unique index of its database: of two runs with the same key the second
 * is not started, whichever process asks for it.
 */
export class Starter {
	/** Whether the workflow is still published. */
	isOpen = true;

	/** The run that tells where runs are carried out. */
	private asked?: Promise<RunOutcome>;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly unsealed: Unsealed,
		/** Whether another trigger that brings the same lead may run it again if its run fails. */
		readonly startsOnce = false,
	) {}

	/** Whether runs have ended that the stored progress does not know of. */
	get isUnsealed(): boolean {
		return this.canSeal && this.unsealed.key !== undefined;
	}

	/** Behind a trigger that always outputs data, an empty run would go on with a lead that is none. */
	get canSeal(): boolean {
		return this.context.getNode().alwaysOutputData !== true;
	}

	/**
	 * @param key at most 255 characters
	 * @param onBegun called once the run has begun, if the node tells so with `sendResponse`
	 */
	async start(item: INodeExecutionData, key: string, onBegun?: () => void): Promise<RunOutcome> {
		const outcome = await this.startOnce(item, key, onBegun);
		if (outcome.end !== 'unstored') this.unsealed.key = key;
		return outcome;
	}

	/**
	 * Has n8n store the node's progress, as it does whenever a run is to be started: this one is refused, since its key is
	 * known. If n8n does not keep its runs, an empty one is started, and nothing follows the trigger.
	 */
	async seal(): Promise<void> {
		const { key } = this.unsealed;
		if (key !== undefined && this.canSeal) await this.emptyRun(key);
	}

	/** Has n8n store the node's progress now, by an empty run: nothing follows the trigger. */
	async store(key: string): Promise<void> {
		if (this.canSeal) await this.emptyRun(key);
	}

	/**
	 * Whether other processes carry out the runs: an empty one tells, in which nothing follows the trigger. Undefined if it
	 * does not.
	 *
	 * @param key of a run that n8n knows
	 */
	async askWhere(key: string): Promise<boolean | undefined> {
		if (!this.canSeal) return false;
		this.asked ??= this.emit([], `${key}:${Date.now()}`);
		const { isElsewhere } = await this.asked;
		// What becomes of the lead by this answer is not stored yet.
		this.unsealed.key = key;
		if (isElsewhere === undefined) delete this.asked;
		return isElsewhere;
	}

	/** It may wait for a free slot for as long as other runs go on. */
	private async emptyRun(key: string): Promise<void> {
		await Promise.race([this.emit([], key), sleep(SEALED_WITHIN_MS)]);
	}

	private async startOnce(
		item: INodeExecutionData,
		key: string,
		onBegun?: () => void,
	): Promise<RunOutcome> {
		for (let other = this.startedByOther(key); other; other = this.startedByOther(key)) {
			const { end } = await other.run;
			if (end === 'failed' && other.startsOnce) return { end };
			if (isStarted(end)) return { end: 'taken' };
		}
		if (barredKeys.has(key)) return { end: 'barred' };
		const { startsOnce } = this;
		const run = this.emit([item], key, onBegun);
		remember(key, { nodeId: this.context.getNode().id, run, startsOnce });
		const outcome = await run;
		if (!isStarted(outcome.end)) started.delete(key);
		if (outcome.end === 'barred') rememberBarred(key);
		return outcome;
	}

	/** The run with this key that another trigger of the workflow asked for. */
	private startedByOther(key: string): StartedRun | undefined {
		const known = started.get(key);
		return known?.nodeId === this.context.getNode().id ? undefined : known;
	}

	private async emit(
		items: INodeExecutionData[],
		key: string,
		onBegun?: () => void,
	): Promise<RunOutcome> {
		const { createDeferredPromise } = this.context.helpers;
		const done = createDeferredPromise<IRun>();
		const response = onBegun && createDeferredPromise<IExecuteResponsePromiseData>();
		// Why there is none shows in how the run ends.
		response?.promise.then(onBegun, () => {});
		try {
			// n8n stores what is written until now.
			delete this.unsealed.key;
			this.context.emit([items], response, done, key);
			return outcomeOfRun(await done.promise);
		} catch (error) {
			return { end: endOfRejection(error) };
		}
	}
}

function remember(key: string, run: StartedRun): void {
	started.set(key, run);
	keepNewest(started, MOST_KEYS);
}

function rememberBarred(key: string): void {
	barredKeys.add(key);
	keepNewest(barredKeys, MOST_KEYS);
}

/** Whether the trigger that asked for a run got it: of a run that n8n refused, another process may know more. */
function isStarted(end: RunEnd): boolean {
	return end !== 'refused' && end !== 'unstored' && end !== 'barred';
}

/** @param run undefined if n8n knew the key */
function outcomeOfRun(run: IRun | undefined): RunOutcome {
	if (!run) return { end: 'refused' };
	const end = endOfRun(run);
	// A run that was lost with its queue worker comes without its job.
	const isTold = end === 'succeeded' || run.jobId !== undefined;
	return { end, ...(isTold && { isElsewhere: run.jobId !== undefined }) };
}

function endOfRun({ status, data, jobId }: IRun): RunEnd {
	const reason = data?.resultData?.error?.message ?? '';
	if (REPLACED.test(reason)) return 'refused';
	// A run that has begun can fail with the same words, such as those of another workflow that it calls.
	const hasBegun = jobId !== undefined || !isEmpty(data?.resultData?.runData);
	if (status === 'error' && ISSUES.test(reason) && !hasBegun) return 'barred';
	if (status === 'canceled') return /timed out/i.test(reason) ? 'failed' : 'stopped';
	return status === 'error' || status === 'crashed' ? 'failed' : 'succeeded';
}

/** n8n rejects if a run was cancelled, or could not be stored. */
function endOfRejection(error: unknown): RunEnd {
	if (error instanceof Error && BARRED.test(error.message)) return 'barred';
	if (!isObject(error) || error.reason === undefined) return 'unstored';
	return error.reason === 'manual' ? 'stopped' : 'failed';
}
