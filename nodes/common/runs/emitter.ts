import isEmpty from 'lodash/isEmpty';
import type {
	IExecuteResponsePromiseData,
	INodeExecutionData,
	IPollFunctions,
	IRun,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { keepNewest } from '../../../service/basics/remembered';
import { SECOND_MS } from '../../../service/basics/times';
import { isObject } from '../../../service/basics/values';
import type { Explanation } from '../nodeErrors';
import { toOperationError } from '../nodeErrors';

/** What became of a run, or of the attempt to start it. */
export type RunEnd =
	/** It succeeded, or waits for a person or a time. */
	| 'succeeded'
	/** It ended in an error, or was lost with its process or its queue worker. */
	| 'failed'
	/** A person has stopped it. */
	| 'stopped'
	/** Another trigger of the workflow has started it. */
	| 'taken'
	/** n8n knows a run of the same key, and started none. */
	| 'refused'
	/** n8n lists it as failed without having begun it: the key is used up, and nothing of its lead is kept. */
	| 'notStarted'
	/** n8n may not have stored it. */
	| 'notStored';

/** The arguments of `emit` in an n8n that keeps a key with each run; earlier versions take no key. */
const EMIT_ARGUMENTS = 4;

const N8N_TOO_OLD: Explanation = {
	message: 'This trigger needs n8n 2.39 or newer',
	advice:
		'This version of n8n cannot prevent a second run. Update n8n, then publish the workflow again.',
	code: 'n8nTooOld',
};

/** A queue worker says this of a run that another process replaced by one of the same key. */
const REPLACED = /failed to find data for execution/i;

/** n8n says this of a run that it has listed as failed before it could begin, such as for want of a credential. */
const NOT_STARTED = /^no active execution found/i;

/** A queue worker says this of such a run, in one way or the other by the version of n8n. */
const ISSUES = /^the (?:'.*' node|workflow) has issues/is;

/** More keys than leads that two triggers of a workflow may bring at about the same time. */
const MOST_KEYS = 20_000;

/** How long to wait until n8n has stored what it was told to. */
const SAVED_WITHIN_MS = 3 * SECOND_MS;

/** A run that a trigger of this process asked for. */
interface AskedRun {
	run: Promise<RunEnd>;
	/** Settles as soon as the run begins, if the node says so with `sendResponse`. */
	outcome: Promise<RunEnd | 'begun'>;
	/** Another trigger that finds the same lead may run it again if its run fails. */
	isOfPushes: boolean;
	/** Whether n8n has the key, and did not start the run. */
	isSpent?: boolean;
}

/** The newest runs by their keys: n8n need not refuse these, and would replace a run that waits for a free place. */
const asked = new Map<string, AskedRun>();

/** By the node: what n8n lends for as long as a workflow is published. */
const emitters = new Map<string, RunEmitter>();

/** Whether a run has told that queue workers carry out runs: they go on with them if this process is killed. */
let isOnWorkers = false;

/**
 * Starts runs for a node, for as long as its workflow is published.
 *
 * n8n keeps a key with each run, under a unique index of its database: of two runs with the same key the second
 * is not started, whichever process asks for it.
 */
export class RunEmitter {
	/** Whether the workflow is still published. */
	isOpen = true;

	constructor(
		private readonly context: ITriggerFunctions,
		readonly isOfPushes = false,
	) {}

	/** @param key at most 255 characters */
	async start(item: INodeExecutionData, key: string): Promise<RunEnd> {
		const { asked: each, isNew } = this.ask(item, key);
		const end = await each.run;
		if (isNew || end === 'notStarted' || (end === 'failed' && each.isOfPushes)) return end;
		return hasStarted(end) ? 'taken' : await this.start(item, key);
	}

	/** Asks for a run with this key, unless a trigger of this process has. */
	ask(item: INodeExecutionData, key: string): { asked: AskedRun; isNew: boolean } {
		const known = asked.get(key);
		if (known) return { asked: known, isNew: false };
		const { isOfPushes } = this;
		const { done, response } = this.emit([item], key);
		const run = done.then((end) => {
			if (end === 'notStarted') own.isSpent = true;
			else if (!hasStarted(end)) asked.delete(key);
			return end;
		});
		// If the run cannot begin, its end says why.
		const begun =
			response?.then(
				() => 'begun' as const,
				async () => await run,
			) ?? run;
		const own: AskedRun = { run, outcome: Promise.race([begun, run]), isOfPushes };
		asked.set(key, own);
		keepNewest(asked, MOST_KEYS);
		return { asked: own, isNew: true };
	}

	/**
	 * Has n8n store the node's progress, as it does whenever a run is to be started. With a key that it knows, n8n starts none;
	 * otherwise an empty one, which no node follows.
	 */
	async persist(key: string): Promise<void> {
		// Behind a trigger that always outputs data, an empty run would go on with a lead that is none.
		if (this.context.getNode().alwaysOutputData === true) return;
		// It may wait for a free place for as long as other runs go on.
		await Promise.race([this.emit([], key).done, sleep(SAVED_WITHIN_MS)]);
	}

	private emit(items: INodeExecutionData[], key: string) {
		const { createDeferredPromise } = this.context.helpers;
		const done = createDeferredPromise<IRun>();
		const response = this.isOfPushes
			? createDeferredPromise<IExecuteResponsePromiseData>()
			: undefined;
		try {
			this.context.emit([items], response, done, key);
		} catch {
			done.reject(new Error('n8n could not take the run'));
		}
		return { done: done.promise.then(endOfRun, endOfRejection), response: response?.promise };
	}
}

/** Tells a node of a workflow from all others. */
export function nodeKey(
	context: Pick<IPollFunctions | ITriggerFunctions | IWebhookFunctions, 'getWorkflow' | 'getNode'>,
): string {
	return `${context.getWorkflow().id ?? ''}:${context.getNode().id}`;
}

/**
 * Keeps what starts runs for this node until its workflow is unpublished or published anew.
 *
 * @throws NodeOperationError if n8n keeps no keys: while a workflow is published, n8n shows its message alone
 */
export function keepEmitter(context: ITriggerFunctions, isOfPushes = false): RunEmitter {
	if (context.emit.length < EMIT_ARGUMENTS) {
		throw toOperationError(context.getNode(), N8N_TOO_OLD, { shownAs: 'message' });
	}
	const emitter = new RunEmitter(context, isOfPushes);
	emitters.set(nodeKey(context), emitter);
	return emitter;
}

/** @returns whether no newer one is kept */
export function dropEmitter(context: ITriggerFunctions, emitter: RunEmitter): boolean {
	emitter.isOpen = false;
	const key = nodeKey(context);
	if (emitters.get(key) !== emitter) return false;
	emitters.delete(key);
	return true;
}

/** Undefined in a process of n8n that polls and starts no triggers. */
export function emitterFor(context: IPollFunctions | IWebhookFunctions): RunEmitter | undefined {
	return emitters.get(nodeKey(context));
}

/** Whether n8n has this key and did not start its run, as far as this process knows. */
export function isKeySpent(key: string): boolean {
	return asked.get(key)?.isSpent === true;
}

export function hasQueueWorkers(): boolean {
	return isOnWorkers;
}

/** Whether the trigger that asked for a run got it: of a run that n8n refused, another process may know more. */
function hasStarted(end: RunEnd): boolean {
	return end !== 'refused' && end !== 'notStored' && end !== 'notStarted';
}

/** @param run undefined if n8n knew the key */
function endOfRun(run: IRun | undefined): RunEnd {
	if (!run) return 'refused';
	const { status, data, jobId } = run;
	isOnWorkers ||= jobId !== undefined;
	const reason = data?.resultData?.error?.message ?? '';
	if (REPLACED.test(reason)) return 'refused';
	// A run that has begun can fail with the same words, such as those of another workflow that it calls.
	const hasBegun = jobId !== undefined || !isEmpty(data?.resultData?.runData);
	if (status === 'error' && ISSUES.test(reason) && !hasBegun) return 'notStarted';
	if (status === 'canceled') return /timed out/i.test(reason) ? 'failed' : 'stopped';
	return status === 'error' || status === 'crashed' ? 'failed' : 'succeeded';
}

/** n8n rejects if a run was cancelled, or could not be stored. */
function endOfRejection(error: unknown): RunEnd {
	if (error instanceof Error && NOT_STARTED.test(error.message)) return 'notStarted';
	if (!isObject(error) || error.reason === undefined) return 'notStored';
	return error.reason === 'manual' ? 'stopped' : 'failed';
}
