import type { IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import type { RetryLimits } from '../../../service/http/retry';

/**
 * The time budget that n8n returns for a poll if it sets no limit. Any other value shows that n8n has durable cursors,
 * that is, it stores the progress of each poll itself; see `isDurable`.
 */
const UNLIMITED_BUDGET_MS = 300_000;

/**
 * The longest time that one poll takes, even if n8n allows more. So a backlog is delivered in portions of about a
 * minute.
 */
const LONGEST_POLL_MS = 50 * SECOND_MS;

/** The longest time of a poll while n8n activates a workflow, because a person waits for the result. */
const ACTIVATION_BUDGET_MS = 20 * SECOND_MS;

/**
 * The longest time that n8n may take from the publication of a workflow to its first poll. The first poll also delivers
 * leads and changes that are older than the poll by at most this time.
 */
export const PUBLISHED_WITHIN_MS = MINUTE_MS;

/**
 * The contexts (the `this` of a poll) with which n8n has called a poll. n8n's default scheduler uses the same context
 * for all polls of an active workflow.
 */
const polled = new WeakSet<IPollFunctions>();

/**
 * True in the poll with which n8n tries a trigger while it activates the workflow. n8n calls all polls of an active
 * workflow with one context (the `this` of a poll), so the first poll with a context is the one at the activation. An
 * n8n with durable cursors, that is one that stores the progress of each poll itself, makes a new context for each
 * later poll. Such a context has a time limit, and the result is false. Call this function only once in each poll,
 * because it remembers the context.
 */
export function claimActivation(context: IPollFunctions): boolean {
	if (polled.has(context)) return false;
	polled.add(context);
	return !isDurable(context);
}

/**
 * True if n8n has durable cursors: it stores the progress of each poll itself, but only what the node has committed
 * with `__commitCursor` before the poll ends.
 */
export function isDurable(context: IPollFunctions): boolean {
	return budgetOf(context) !== UNLIMITED_BUDGET_MS;
}

/**
 * Reports a failed execution, which also starts the error workflow. It throws nothing if this version of n8n cannot
 * report one.
 */
export async function emitError(context: IPollFunctions, error: Error): Promise<void> {
	try {
		await Promise.resolve(context.__emitError(error));
	} catch {
		// If n8n cannot store the report of a failed execution, the poll must still deliver what it found.
	}
}

/** The limits on the tries, the waits and the time of the requests that one poll sends. */
export interface PollLimits extends RetryLimits {
	/** The time by which the poll has to end (epoch ms). */
	deadline: number;
}

/** Shortens the limits that a person has set to the time that n8n gives the poll. */
export function limitsOfPoll(
	{ context, isActivation }: { context: IPollFunctions; isActivation: boolean },
	limits: RetryLimits,
): PollLimits {
	const longestMs = isActivation ? ACTIVATION_BUDGET_MS : LONGEST_POLL_MS;
	const budgetMs = Math.min(budgetOf(context), longestMs);
	const maxWaitMs = Math.min(limits.maxWaitMs, budgetMs / 2);
	return { ...limits, maxWaitMs, deadline: Date.now() + budgetMs };
}

/** The time that n8n gives a poll, in milliseconds. */
function budgetOf(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number {
	return context.getPollBudgetMs?.() ?? UNLIMITED_BUDGET_MS;
}
