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

/** The result of a run, or of the attempt to start it. */
export type RunEnd =
	/** The run succeeded, or has paused until a person or a set time continues it. */
	| 'succeeded'
	/** The run ended in an error, or was lost with its process or its queue worker. */
	| 'failed'
	/** A person has stopped the run. */
	| 'stopped'
	/** Another trigger of the workflow has already started a run with the same key. */
	| 'taken'
	/** n8n already has a run with the same key, and started no second one. */
	| 'refused'
	/**
	 * n8n stored the run and its key, but the run failed before any of its nodes was executed. n8n lists it as failed.
	 * The key cannot be used again, and the stored execution contains no part of the lead.
	 */
	| 'notStarted'
	/** n8n may not have stored the run. */
	| 'notStored';

/**
 * The number of arguments of `emit` in versions of n8n that store a key with each run, by which they refuse a second
 * run. Earlier versions accept no key.
 */
const EMIT_ARGUMENTS = 4;

const N8N_TOO_OLD: Explanation = {
	message: 'This trigger needs n8n 2.39 or newer',
	advice:
		'This version of n8n cannot prevent a second run. Update n8n, then publish the workflow again.',
	code: 'n8nTooOld',
};

/** Matches a queue worker's error for a run that another process has replaced with a run of the same key. */
const REPLACED = /failed to find data for execution/i;

/**
 * Matches n8n's error for a run that it lists as failed although no node ran, for example because a credential is
 * missing.
 */
const NOT_STARTED = /^no active execution found/i;

/**
 * Matches a queue worker's error for a run of which no node ran, for example because a credential is missing. The
 * pattern covers the texts of all versions of n8n.
 */
const ISSUES = /^the (?:'.*' node|workflow) has issues/is;

/**
 * The largest number of run keys that are remembered: more than the leads that two triggers of a workflow may deliver
 * at about the same time.
 */
const MOST_KEYS = 20_000;

/** The longest time to wait until n8n has stored the progress. */
const SAVED_WITHIN_MS = 3 * SECOND_MS;

/** A run that a trigger in this process has asked n8n for. */
interface AskedRun {
	run: Promise<RunEnd>;
	/**
	 * Settles when the run ends. If the node reports the start of the run with `sendResponse`, it settles as soon as
	 * the run starts.
	 */
	outcome: Promise<RunEnd | 'begun'>;
	/**
	 * True if Agent Leads Push Trigger asked for the run. If the run fails, Agent Leads Trigger may run the same lead
	 * again.
	 */
	isOfPushes: boolean;
	/** True if n8n has stored the key of this run but ran no node, so that the key cannot start a run any more. */
	isSpent?: boolean;
}

/**
 * The newest runs, by their keys. A run that is listed here is not asked for again: a second request would replace the
 * first one if that still waits for a free place in n8n.
 */
const asked = new Map<string, AskedRun>();

/** The emitter of each node, that is its means to start runs. An emitter works as long as the workflow is published. */
const emitters = new Map<string, RunEmitter>();

/**
 * True if a past run shows that n8n's queue workers execute the runs. A worker continues its runs if this process is
 * killed.
 */
let isOnWorkers = false;

/**
 * Starts runs for a node, as long as its workflow is published.
 *
 * n8n stores a key with each run, under a unique index of its database. If two runs have the same key, n8n starts only
 * the first, even if another process asks for the second.
 */
export class RunEmitter {
	/** True while the workflow is published. */
	isOpen = true;

	constructor(
		private readonly context: ITriggerFunctions,
		readonly isOfPushes = false,
	) {}

	/**
	 * Starts a run, unless this workflow already has a run with the same key, and waits until the run ends.
	 *
	 * @param key the key of the run, at most 255 characters
	 */
	async start(item: INodeExecutionData, key: string): Promise<RunEnd> {
		const { asked: each, isNew } = this.ask(item, key);
		const end = await each.run;
		if (isNew || end === 'notStarted' || (end === 'failed' && each.isOfPushes)) return end;
		return hasStarted(end) ? 'taken' : await this.start(item, key);
	}

	/** Asks n8n for a run with this key, unless a trigger of this process has already asked for it. */
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
		// If n8n reports that the run cannot start, the result of the run shows the reason.
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
	 * Makes n8n store the node's progress: n8n does that each time it is asked for a run. If n8n already has a run with
	 * the key, it starts none. Otherwise it starts a run without items, in which no further node is executed.
	 */
	async persist(key: string): Promise<void> {
		// A run without items, which only makes n8n store the progress, is not possible if the node's setting “Always
		// Output Data” is on: n8n would give the next node an empty item, as if it were a lead.
		if (this.context.getNode().alwaysOutputData === true) return;
		// If many runs are under way, n8n may hold back the run without items until others have ended. The poll must
		// not wait that long, so it waits for a few seconds at most.
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

/** Returns a text that identifies a node among all nodes of all workflows. */
export function nodeKey(
	context: Pick<IPollFunctions | ITriggerFunctions | IWebhookFunctions, 'getWorkflow' | 'getNode'>,
): string {
	return `${context.getWorkflow().id ?? ''}:${context.getNode().id}`;
}

/**
 * Creates and keeps the emitter of a node, that is its means to start runs, until the workflow is unpublished or
 * published anew.
 *
 * @throws NodeOperationError if this version of n8n stores no keys with runs; the advice is part of its message,
 * because n8n shows the message alone while a workflow is published
 */
export function keepEmitter(context: ITriggerFunctions, isOfPushes = false): RunEmitter {
	if (context.emit.length < EMIT_ARGUMENTS) {
		throw toOperationError(context.getNode(), N8N_TOO_OLD, { shownAs: 'message' });
	}
	const emitter = new RunEmitter(context, isOfPushes);
	emitters.set(nodeKey(context), emitter);
	return emitter;
}

/**
 * Closes an emitter, because the workflow is unpublished or published anew.
 *
 * @returns true if the node has no newer emitter
 */
export function dropEmitter(context: ITriggerFunctions, emitter: RunEmitter): boolean {
	emitter.isOpen = false;
	const key = nodeKey(context);
	if (emitters.get(key) !== emitter) return false;
	emitters.delete(key);
	return true;
}

/** The emitter of a node; undefined in a process of n8n that polls but has not started the trigger. */
export function emitterFor(context: IPollFunctions | IWebhookFunctions): RunEmitter | undefined {
	return emitters.get(nodeKey(context));
}

/**
 * True if n8n has stored this key without executing a node of its run, as far as this process knows. The key cannot
 * start a run any more.
 */
export function isKeySpent(key: string): boolean {
	return asked.get(key)?.isSpent === true;
}

export function hasQueueWorkers(): boolean {
	return isOnWorkers;
}

/**
 * True if n8n started a run for the trigger that asked. The result is false for a refused run, because the run with the
 * same key belongs to another process, whose result is not known here.
 */
function hasStarted(end: RunEnd): boolean {
	return end !== 'refused' && end !== 'notStored' && end !== 'notStarted';
}

/**
 * Finds out how a run ended.
 *
 * @param run the run; undefined if n8n already had a run with the same key
 */
function endOfRun(run: IRun | undefined): RunEnd {
	if (!run) return 'refused';
	const { status, data, jobId } = run;
	isOnWorkers ||= jobId !== undefined;
	const reason = data?.resultData?.error?.message ?? '';
	if (REPLACED.test(reason)) return 'refused';
	// A run that has executed nodes can fail with the error text of a run that could not start, for example because of
	// another workflow that it calls.
	const hasBegun = jobId !== undefined || !isEmpty(data?.resultData?.runData);
	if (status === 'error' && ISSUES.test(reason) && !hasBegun) return 'notStarted';
	if (status === 'canceled') return /timed out/i.test(reason) ? 'failed' : 'stopped';
	return status === 'error' || status === 'crashed' ? 'failed' : 'succeeded';
}

/** Finds out the result of a run whose promise n8n rejected, because the run was cancelled or could not be stored. */
function endOfRejection(error: unknown): RunEnd {
	if (error instanceof Error && NOT_STARTED.test(error.message)) return 'notStarted';
	if (!isObject(error) || error.reason === undefined) return 'notStored';
	return error.reason === 'manual' ? 'stopped' : 'failed';
}
