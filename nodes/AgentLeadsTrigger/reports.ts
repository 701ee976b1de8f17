import type { IPollFunctions } from 'n8n-workflow';

import type { ServiceError } from '../../service/failure';
import { toNodeError } from '../common/nodeErrors';
import { emitError } from './host';
import type { FailureLog } from './target/failureLog';
import type { Target } from './target/target';
import { titleOf } from './target/target';
import type { TargetPoll } from './target/targetPoll';

interface FailedTarget {
	target: Target;
	failure: ServiceError;
}

/**
 * The error of a poll, if it fails as a whole: no target was answered. At an activation a person is just
 * setting the node up, so a failure that does not pass counts by itself; but a busy service does not keep
 * a workflow from being activated.
 */
export function errorOfPoll(
	context: IPollFunctions,
	targets: TargetPoll[],
	isActivation: boolean,
): Error | undefined {
	const failed = targets.flatMap(({ target, failure, isNew }) =>
		failure ? [{ target, failure, isNew }] : [],
	);
	const isAnswered = targets.some((each) => each.isAnswered);
	const node = context.getNode();
	if (isActivation) {
		const refused = failed.find(
			({ failure, isNew }) => !failure.isTransient && (isNew || !isAnswered),
		);
		return refused && toNodeError(node, titled(refused, targets), { isMessageOnly: true });
	}
	const worst = isAnswered ? undefined : worstOf(failed);
	return worst && toNodeError(node, titled(worst, targets), { isPoll: true });
}

/** One that may pass, as long as there is one, with the longest wait that the service asked for. */
function worstOf(failed: FailedTarget[]): FailedTarget | undefined {
	const passing = failed.filter(({ failure }) => failure.isTransient);
	const longestFirst = passing.sort((a, b) => askedWaitOf(b) - askedWaitOf(a));
	return longestFirst[0] ?? failed[0];
}

function askedWaitOf({ failure }: FailedTarget): number {
	return failure.details.retryAfterMs ?? -1;
}

/** The failure with its target in front, unless it is everybody's. */
function titled({ target, failure }: FailedTarget, targets: TargetPoll[]): ServiceError {
	const isShared =
		failure.details.requestKind === 'token' ||
		targets.every((other) => other.failure?.message === failure.message);
	return isShared ? failure : failure.about(titleOf(target));
}

/** Keeps in mind what failed, and for how long to leave it alone, whatever becomes of the poll. */
export function noteOutcomes(log: FailureLog, targets: TargetPoll[]): void {
	for (const { target, failure, isAnswered, triedMs } of targets) {
		if (failure) log.note(target.key, failure, triedMs);
		else if (isAnswered) log.clear(target.key);
	}
}

/**
 * Tells of targets that fail or wait while the poll goes on without them: each time in n8n's log, and
 * hourly as a failed execution. A failure that may pass is reported once it has lasted.
 */
export async function reportFailures(
	context: IPollFunctions,
	log: FailureLog,
	targets: TargetPoll[],
): Promise<void> {
	const failing = targets.filter(({ failure, isWaiting }) => failure || isWaiting);
	const failed = failing.flatMap(({ target }) => lastFailureOf(log, target));
	if (failed.length === 0) return;
	const isAll = failing.every(({ isWaiting }) => isWaiting);
	const { message } = summaryOf(failed);
	context.logger.warn(isAll ? `${message}. It is not asked until the wait is over.` : message);

	const keys = log.takeDue(failed.map(({ target }) => target.key));
	const due = failed.filter(({ target }) => keys.includes(target.key));
	if (due.length === 0) return;
	await emitError(context, toNodeError(context.getNode(), summaryOf(due), { isPoll: true }));
}

function lastFailureOf(log: FailureLog, target: Target): FailedTarget[] {
	const failure = log.failureOf(target.key);
	return failure ? [{ target, failure }] : [];
}

/** The first failure, and how many there are besides. */
function summaryOf([first, ...others]: FailedTarget[]): ServiceError {
	if (!first) throw new Error('Nothing has failed');
	const title = titleOf(first.target);
	return first.failure.about(others.length > 0 ? `${title} and ${others.length} more` : title);
}
