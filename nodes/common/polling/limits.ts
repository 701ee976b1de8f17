import { SECOND_MS } from '../../../service/basics/times';
import type { ServiceError } from '../../../service/failure';
import { orFailure } from '../../../service/failure';
import type { RetryLimits } from '../../../service/session';
import { lateAnswer } from '../../../service/words';
import { budgetOf } from './host';
import type { Occasion } from './occasion';

/** If the host does not say how long a poll may take. */
const CAREFUL_BUDGET_MS = 40 * SECOND_MS;

/** A backlog is delivered in portions of about a minute, even if the host would allow more. */
const LONGEST_POLL_MS = 50 * SECOND_MS;

/** A person waits while a workflow is activated. */
const ACTIVATION_BUDGET_MS = 20 * SECOND_MS;

/** The limits of a poll's requests. */
export interface PollLimits extends RetryLimits {
	/** When the poll has to end (epoch ms). */
	deadline: number;
}

/** The limits that a person has set, as far as the host leaves the poll that much time from now on. */
export function limitsOfPoll({ context, isActivation }: Occasion, limits: RetryLimits): PollLimits {
	const hostMs = budgetOf(context) ?? CAREFUL_BUDGET_MS;
	const budgetMs = Math.min(hostMs, isActivation ? ACTIVATION_BUDGET_MS : LONGEST_POLL_MS);
	const maxWaitMs = Math.min(limits.maxWaitMs, budgetMs / 2);
	return { ...limits, maxWaitMs, deadline: Date.now() + budgetMs };
}

/** Ends when the poll's time is over, whatever the request waits for. */
export async function orLate<R>(
	{ deadline }: PollLimits,
	request: (over: AbortSignal) => Promise<R>,
): Promise<R | ServiceError> {
	const over = AbortSignal.timeout(Math.max(1, deadline - Date.now()));
	return await orFailure(request(over)).catch((error: unknown) => {
		if (!over.aborted) throw error;
		return lateAnswer({ requestKind: 'data' });
	});
}
