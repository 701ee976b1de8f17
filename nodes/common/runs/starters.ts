import type { IPollFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../../../service/basics/times';
import type { Told } from '../nodeErrors';
import { toOperationError } from '../nodeErrors';
import type { Unsealed } from './startRun';
import { Starter } from './startRun';

/** By the node: what n8n lends for as long as a workflow is published. */
const starters = new Map<string, Starter>();

/** The arguments of `emit` in an n8n that keeps a key with each run; earlier versions take no key. */
const EMIT_ARGUMENTS = 4;

const N8N_TOO_OLD: Told = {
	message: 'This trigger needs n8n 2.39 or newer',
	advice:
		'This version of n8n cannot prevent a second run. Update n8n, then publish the workflow again.',
	code: 'n8nTooOld',
};

/** By then a process of n8n has started its triggers, unless it never does. */
const STARTED_WITHIN_MS = 2 * MINUTE_MS;

/** When this process began, or dropped a starter last (epoch ms). */
let changedAt = Date.now();

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
export function keepStarter(
	context: ITriggerFunctions,
	unsealed: Unsealed,
	startsOnce = false,
): Starter {
	if (context.emit.length < EMIT_ARGUMENTS) {
		throw toOperationError(context.getNode(), N8N_TOO_OLD, { shownAs: 'message' });
	}
	const starter = new Starter(context, unsealed, startsOnce);
	starters.set(nodeKey(context), starter);
	return starter;
}

/** @returns whether no newer one is kept */
export function dropStarter(context: ITriggerFunctions, starter: Starter): boolean {
	starter.isOpen = false;
	const key = nodeKey(context);
	if (starters.get(key) !== starter) return false;
	starters.delete(key);
	changedAt = Date.now();
	return true;
}

/** Undefined in a process of n8n that polls and starts no triggers. */
export function starterFor(context: IPollFunctions | IWebhookFunctions): Starter | undefined {
	return starters.get(nodeKey(context));
}

/** What starts the runs of leads that are pushed to the same workflow, in this process. */
export function startersOfPushes(context: IPollFunctions): Starter[] {
	const workflow = `${context.getWorkflow().id ?? ''}:`;
	return [...starters]
		.filter(([key, { startsOnce }]) => key.startsWith(workflow) && startsOnce)
		.map(([, starter]) => starter);
}

/** Whether this process starts triggers, as far as it can be known: a webhook process starts none. */
export function startsTriggers(): boolean {
	// The clock may be set back.
	return starters.size > 0 || Math.abs(Date.now() - changedAt) < STARTED_WITHIN_MS;
}
