import type { IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import type { RetryLimits } from '../../../service/http/retry';

/** The budget that n8n names if it sets no limit of its own. */
const UNLIMITED_BUDGET_MS = 300_000;

/** A backlog is delivered in portions of about a minute, even if the host would allow more. */
const LONGEST_POLL_MS = 50 * SECOND_MS;

/** A person waits while a workflow is activated. */
const ACTIVATION_BUDGET_MS = 20 * SECOND_MS;

/** n8n may return from publishing a while before it polls first: what comes meanwhile counts. */
export const PUBLISHED_WITHIN_MS = MINUTE_MS;

/** Contexts that have polled: n8n's scheduler keeps one for all polls of an active workflow. */
const polled = new WeakSet<IPollFunctions>();

/**
 * Whether this is the poll with which n8n tries a trigger out while it activates a workflow: the
 * first one of its context. Ask once for each poll. Hosts with durable cursors make a context for
 * each later poll, and give it a limit of time.
 */
export function claimActivation(context: IPollFunctions): boolean {
	if (polled.has(context)) return false;
	polled.add(context);
	return !isDurable(context);
}

/**
 * Whether n8n keeps progress for each poll by itself (durable cursors): what a poll writes counts only if n8n
 * is told so before the poll ends.
 */
export function isDurable(context: IPollFunctions): boolean {
	return budgetOf(context) !== UNLIMITED_BUDGET_MS;
}

/** Reports a failed execution, which also starts the error workflow; not every host can do so. */
export async function emitError(context: IPollFunctions, error: Error): Promise<void> {
	try {
		await Promise.resolve(context.__emitError(error));
	} catch {
		// What the poll found is delivered even if the host cannot take a report.
	}
}

/** The limits of a poll's requests. */
export interface PollLimits extends RetryLimits {
	/** When the poll has to end (epoch ms). */
	deadline: number;
}

/** The limits that a person has set, as far as the host leaves the poll that much time from now on. */
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
