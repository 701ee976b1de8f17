import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { SECOND_MS } from '../../../service/basics/times';
import { isObject } from '../../../service/basics/values';
import type { RunEnd } from './handOver';
import type { RunOutcome } from './runner';

/** The arguments of `emit`, with the key. */
const WITH_KEY = 4;

/** A queue worker says this of a run that another process replaced by one of the same key. */
const REPLACED = /failed to find data for execution/i;

/** More keys than leads that two triggers of a workflow may bring at about the same time. */
const MOST_KEYS = 20_000;

/** How long to wait until n8n has stored what it was told to. */
const SEALED_WITHIN_MS = 3 * SECOND_MS;

/** The newest keys that nodes of this process used, each with its node: n8n need not refuse what is known here. */
const startedBy = new Map<string, string>();

/** The ends of a node's runs, whichever starter has started them. */
export interface Ends {
	/** The key of a run that has ended since n8n stored the node's progress last. */
	unsealed?: string;
}

/**
 * Starts runs for a node, for as long as its workflow is published.
 *
 * n8n keeps a key with each run, under a unique index of its database: of two runs with the same key the second
 * is not started, whichever process asks for it. Older versions of n8n know no key.
 */
export class Starter {
	/** Whether this n8n heeds the key. */
	readonly heedsKey: boolean;

	/** Whether the workflow is still published. */
	isOpen = true;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly ends: Ends,
	) {
		this.heedsKey = context.emit.length >= WITH_KEY;
	}

	/** Whether runs have ended that the stored progress does not know of. */
	get isUnsealed(): boolean {
		return this.canSeal && this.ends.unsealed !== undefined;
	}

	/** @param key at most 255 characters */
	async start(item: INodeExecutionData, key: string): Promise<RunOutcome> {
		if (!this.claim(key)) return { end: 'taken' };
		const outcome = await this.emit([item], key);
		if (outcome.end === 'unstored') startedBy.delete(key);
		else this.ends.unsealed = key;
		return outcome;
	}

	/**
	 * Has n8n store the node's progress, as it does whenever a run is to be started: this one is refused, since its key is
	 * known. If n8n does not keep its runs, an empty one is started, and nothing follows the trigger.
	 */
	async seal(): Promise<void> {
		const { unsealed } = this.ends;
		if (unsealed === undefined || !this.canSeal) return;
		// An empty run may wait for a free slot for as long as other runs go on.
		await Promise.race([this.emit([], unsealed), sleep(SEALED_WITHIN_MS)]);
	}

	/** Behind a trigger that always outputs data, an empty run would go on with a lead that is none. */
	private get canSeal(): boolean {
		return this.heedsKey && this.context.getNode().alwaysOutputData !== true;
	}

	/** Whether no other trigger of the workflow has started a run with this key. */
	private claim(key: string): boolean {
		const nodeId = this.context.getNode().id;
		const known = startedBy.get(key) ?? nodeId;
		startedBy.set(key, known);
		for (const oldest of startedBy.keys()) {
			if (startedBy.size <= MOST_KEYS) break;
			startedBy.delete(oldest);
		}
		return known === nodeId;
	}

	private async emit(items: INodeExecutionData[], key: string): Promise<RunOutcome> {
		const done = this.context.helpers.createDeferredPromise<IRun>();
		try {
			// n8n stores what is written until now.
			delete this.ends.unsealed;
			this.context.emit([items], undefined, done, key);
			return outcomeOfRun(await done.promise);
		} catch (error) {
			return { end: endOfRejection(error) };
		}
	}
}

/** @param run undefined if n8n knew the key */
function outcomeOfRun(run: IRun | undefined): RunOutcome {
	if (!run) return { end: 'refused' };
	return { end: endOfRun(run), isElsewhere: run.jobId !== undefined };
}

function endOfRun({ status, data }: IRun): RunEnd {
	const reason = data?.resultData?.error?.message ?? '';
	if (REPLACED.test(reason)) return 'refused';
	if (status === 'canceled') return /timed out/i.test(reason) ? 'failed' : 'stopped';
	return status === 'error' || status === 'crashed' ? 'failed' : 'succeeded';
}

/** n8n rejects if a run was cancelled, or could not be stored. */
function endOfRejection(error: unknown): RunEnd {
	if (!isObject(error) || error.reason === undefined) return 'unstored';
	return error.reason === 'manual' ? 'stopped' : 'failed';
}
