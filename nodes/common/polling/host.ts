import type { IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import type { RetryLimits } from '../../../service/http/retry';

/** The budget that n8n returns if it sets no limit of its own. */
const UNLIMITED_BUDGET_MS = 300_000;

/** The longest poll, even if the host would allow more: a backlog is delivered in portions of about a minute. */
const LONGEST_POLL_MS = 50 * SECOND_MS;

/** The longest poll while a workflow is activated, because a person waits for it. */
const ACTIVATION_BUDGET_MS = 20 * SECOND_MS;

/** The time that n8n may let pass between publishing and the first poll. Leads and changes of this time count. */
export const PUBLISHED_WITHIN_MS = MINUTE_MS;

/** The contexts that have polled. n8n's default scheduler keeps one context for all polls of an active workflow. */
const polled = new WeakSet<IPollFunctions>();

/**
 * True if this is the poll with which n8n tries a trigger while it activates a workflow: the first poll of its
 * context. Call it once in each poll. Hosts with durable cursors make a context for each later poll, with a time
 * limit.
 */
export function claimActivation(context: IPollFunctions): boolean {
	if (polled.has(context)) return false;
	polled.add(context);
	return !isDurable(context);
}

/**
 * True if n8n keeps progress for each poll itself (durable cursors). It then stores the progress that a poll has
 * written only if the node asks for that before the poll ends.
 */
export function isDurable(context: IPollFunctions): boolean {
	return budgetOf(context) !== UNLIMITED_BUDGET_MS;
}

/** Reports a failed execution, which also starts the error workflow; not every host can do so. */
export async function emitError(context: IPollFunctions, error: Error): Promise<void> {
	try {
		await Promise.resolve(context.__emitError(error));
	} catch {
		// The poll delivers what it found even if the host cannot store a report.
	}
}

/** The limits of a poll's requests. */
export interface PollLimits extends RetryLimits {
	/** When the poll has to end (epoch ms). */
	deadline: number;
}

/** The limits that a person has set, shortened to the time that the host gives the poll. */
export function limitsOfPoll(
	{ context, isActivation }: { context: IPollFunctions; isActivation: boolean },
	limits: RetryLimits,
): PollLimits {
	const longestMs = isActivation ? ACTIVATION_BUDGET_MS : LONGEST_POLL_MS;
	const budgetMs = Math.min(budgetOf(context), longestMs);
	const maxWaitMs = Math.min(limits.maxWaitMs, budgetMs / 2);
	return { ...limits, maxWaitMs, deadline: Date.now() + budgetMs };
}

/** The milliseconds that the host gives a poll. */
function budgetOf(context: Partial<Pick<IPollFunctions, 'getPollBudgetMs'>>): number {
	return context.getPollBudgetMs?.() ?? UNLIMITED_BUDGET_MS;
}
