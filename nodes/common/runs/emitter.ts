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

/** The end of a run, or of the attempt to start it. */
export type RunEnd =
	/** The run succeeded, or waits for a person or a time. */
	| 'succeeded'
	/** The run ended in an error, or was lost with its process or its queue worker. */
	| 'failed'
	/** A person has stopped the run. */
	| 'stopped'
	/** Another trigger of the workflow has started the run. */
	| 'taken'
	/** n8n knows a run with the same key, and started none. */
	| 'refused'
	/**
	 * n8n lists the run as failed without having begun it. Its key is used up, and the execution contains no part of
	 * its lead.
	 */
	| 'notStarted'
	/** n8n may not have stored the run. */
	| 'notStored';

/** The number of arguments of `emit` in an n8n that keeps a key with each run. Earlier versions accept no key. */
const EMIT_ARGUMENTS = 4;

const N8N_TOO_OLD: Explanation = {
	message: 'This trigger needs n8n 2.39 or newer',
	advice:
		'This version of n8n cannot prevent a second run. Update n8n, then publish the workflow again.',
	code: 'n8nTooOld',
};

/** Matches a queue worker's error about a run that another process replaced by one with the same key. */
const REPLACED = /failed to find data for execution/i;

/**
 * Matches n8n's error about a run that it listed as failed before it could begin, for example because a credential is
 * missing.
 */
const NOT_STARTED = /^no active execution found/i;

/** Matches a queue worker's error about such a run, in the words of any version of n8n. */
const ISSUES = /^the (?:'.*' node|workflow) has issues/is;

/**
 * The most keys that are remembered: more than the leads that two triggers of a workflow may bring at about the same
 * time.
 */
const MOST_KEYS = 20_000;

/** The longest wait until n8n has stored the progress. */
const SAVED_WITHIN_MS = 3 * SECOND_MS;

/** A run that a trigger of this process asked for. */
interface AskedRun {
	run: Promise<RunEnd>;
	/** A promise that settles when the run ends, or as soon as it begins if the node reports that with `sendResponse`. */
	outcome: Promise<RunEnd | 'begun'>;
	/**
	 * True if Agent Leads Push Trigger asked for the run. Another trigger that finds the same lead may run it again if
	 * the run fails.
	 */
	isOfPushes: boolean;
	/** True if n8n has used up the key without starting the run. */
	isSpent?: boolean;
}

/**
 * The newest runs, by their keys. They need no second request to n8n, which would replace a run that waits for a free
 * place.
 */
const asked = new Map<string, AskedRun>();

/** The emitter of each node. It works as long as the workflow is published. */
const emitters = new Map<string, RunEmitter>();

/** True if a run has shown that queue workers carry out runs. Workers go on with their runs if this process is killed. */
let isOnWorkers = false;

/**
 * Starts runs for a node, as long as its workflow is published.
 *
 * n8n keeps a key with each run, under a unique index of its database. Of two runs with the same key, n8n does not
 * start the second, whichever process asks for it.
 */
export class RunEmitter {
	/** True while the workflow is published. */
	isOpen = true;

	constructor(
		private readonly context: ITriggerFunctions,
		readonly isOfPushes = false,
	) {}

	/** @param key the key of the run, at most 255 characters */
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
		// If the run cannot begin, its end shows the reason.
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
	 * Makes n8n store the node's progress, which n8n does whenever a run is to be started. If n8n knows the key, it
	 * starts no run; otherwise it starts an empty run, which no node follows.
	 */
	async persist(key: string): Promise<void> {
		// If “Always Output Data” is on, an empty run would go on with an item that is no lead.
		if (this.context.getNode().alwaysOutputData === true) return;
		// An empty run may wait for a free place as long as other runs go on.
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

/** Identifies a node of a workflow. */
export function nodeKey(
	context: Pick<IPollFunctions | ITriggerFunctions | IWebhookFunctions, 'getWorkflow' | 'getNode'>,
): string {
	return `${context.getWorkflow().id ?? ''}:${context.getNode().id}`;
}

/**
 * Keeps the emitter of this node until its workflow is unpublished or published anew.
 *
 * @throws NodeOperationError if n8n keeps no keys; n8n shows its message alone while a workflow is published
 */
export function keepEmitter(context: ITriggerFunctions, isOfPushes = false): RunEmitter {
	if (context.emit.length < EMIT_ARGUMENTS) {
		throw toOperationError(context.getNode(), N8N_TOO_OLD, { shownAs: 'message' });
	}
	const emitter = new RunEmitter(context, isOfPushes);
	emitters.set(nodeKey(context), emitter);
	return emitter;
}

/** @returns true if no newer emitter is kept */
export function dropEmitter(context: ITriggerFunctions, emitter: RunEmitter): boolean {
	emitter.isOpen = false;
	const key = nodeKey(context);
	if (emitters.get(key) !== emitter) return false;
	emitters.delete(key);
	return true;
}

/** The emitter of a node; undefined in a process of n8n that polls and starts no triggers. */
export function emitterFor(context: IPollFunctions | IWebhookFunctions): RunEmitter | undefined {
	return emitters.get(nodeKey(context));
}

/** True if n8n has used up this key without starting its run, as far as this process knows. */
export function isKeySpent(key: string): boolean {
	return asked.get(key)?.isSpent === true;
}

export function hasQueueWorkers(): boolean {
	return isOnWorkers;
}

/** True if the trigger that asked for a run got it. If n8n refused the run, another process may know more. */
function hasStarted(end: RunEnd): boolean {
	return end !== 'refused' && end !== 'notStored' && end !== 'notStarted';
}

/** @param run the run; undefined if n8n knew the key */
function endOfRun(run: IRun | undefined): RunEnd {
	if (!run) return 'refused';
	const { status, data, jobId } = run;
	isOnWorkers ||= jobId !== undefined;
	const reason = data?.resultData?.error?.message ?? '';
	if (REPLACED.test(reason)) return 'refused';
	// A run that has begun can fail with the same error, for example one of another workflow that it calls.
	const hasBegun = jobId !== undefined || !isEmpty(data?.resultData?.runData);
	if (status === 'error' && ISSUES.test(reason) && !hasBegun) return 'notStarted';
	if (status === 'canceled') return /timed out/i.test(reason) ? 'failed' : 'stopped';
	return status === 'error' || status === 'crashed' ? 'failed' : 'succeeded';
}

/** The end of a run whose promise n8n rejected, because the run was cancelled or could not be stored. */
function endOfRejection(error: unknown): RunEnd {
	if (error instanceof Error && NOT_STARTED.test(error.message)) return 'notStarted';
	if (!isObject(error) || error.reason === undefined) return 'notStored';
	return error.reason === 'manual' ? 'stopped' : 'failed';
}
