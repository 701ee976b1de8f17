import type { IPollFunctions } from 'n8n-workflow';

import { ServiceError } from '../../service/failure';
import { toNodeError } from '../common/nodeErrors';
import type { NodeMemory } from './memory';
import { noteFailure } from './memory';
import type { Target } from './settings';
import { titleOf } from './settings';

/** What came of a target in a poll. */
interface Attempt {
	target: Target;
	failure?: ServiceError;
	isAnswered: boolean;
	/** Whether it was not asked, since the service wants to be left alone for longer. */
	isWaiting: boolean;
}

type FailedAttempt = Attempt & { failure: ServiceError };

const MINUTE_MS = 60_000;

/** A failure that may pass is worth a person's time only when it goes on. */
const PASSES_WITHIN_MS = 15 * MINUTE_MS;

const REPORT_EVERY_MS = 60 * MINUTE_MS;

export function hasFailed<T extends Attempt>(attempt: T): attempt is T & FailedAttempt {
	return attempt.failure !== undefined;
}

/** Where the address has worked before, a page in place of data is a proxy's and will pass. */
export function asPassing(failure: ServiceError): ServiceError {
	if (failure.kind !== 'foreign') return failure;
	return new ServiceError('unavailable', failure.message, failure.details);
}

/**
 * The one error for a poll in which nothing worked: one that may pass, as long as there is one,
 * with the longest wait that the service asked for.
 */
export function errorOfAll(failed: FailedAttempt[], attempts: Attempt[]): ServiceError | undefined {
	const passing = failed.filter(({ failure }) => failure.isTransient);
	const longestFirst = passing.sort((a, b) => waitOf(b) - waitOf(a));
	const worst = longestFirst[0] ?? failed[0];
	return worst && named(worst, attempts);
}

function waitOf({ failure }: FailedAttempt): number {
	return failure.details.retryAfterMs ?? -1;
}

/** The error with its target in front, unless it is everybody's. */
export function named({ target, failure }: FailedAttempt, attempts: Attempt[]): ServiceError {
	const isShared =
		failure.details.requestKind === 'token' ||
		attempts.every((other) => other.failure?.message === failure.message);
	return isShared ? failure : failure.about(titleOf(target));
}

/** Keeps in mind what failed, and for how long it is to be left alone, whatever becomes of the poll. */
export function noteOutcomes(memory: NodeMemory, attempts: Attempt[]): void {
	for (const { target, failure, isAnswered } of attempts) {
		if (failure) noteFailure(memory, target.key, failure);
		else if (isAnswered) memory.failing.delete(target.key);
	}
}

/**
 * Tells of targets that fail or wait while the poll goes on without them: each time in n8n's log, and
 * hourly as a failed execution, which also starts the error workflow. A failure that may pass is
 * reported once it has lasted.
 */
export async function reportFailures(
	context: IPollFunctions,
	memory: NodeMemory,
	attempts: Attempt[],
): Promise<void> {
	const now = Date.now();
	const failed = attempts.flatMap((attempt): FailedAttempt[] => {
		const failure = attempt.isWaiting
			? memory.failing.get(attempt.target.key)?.failure
			: attempt.failure;
		return failure ? [{ ...attempt, failure }] : [];
	});
	if (failed.length === 0) return;
	const isAll = failed.every(({ isWaiting }) => isWaiting);
	const { message } = summaryOf(failed);
	context.logger.warn(isAll ? `${message}. It is not asked until the wait is over.` : message);

	const due = failed.filter(({ target, failure }) => {
		const { since = now, reportedAt = -Infinity } = memory.failing.get(target.key) ?? {};
		const isWorthwhile = !failure.isTransient || now - since >= PASSES_WITHIN_MS;
		return isWorthwhile && now - reportedAt >= REPORT_EVERY_MS;
	});
	if (due.length === 0) return;
	for (const { target } of due)
		Object.assign(memory.failing.get(target.key) ?? {}, { reportedAt: now });
	const error = toNodeError(context.getNode(), summaryOf(due), { isPoll: true });
	// What was found is delivered, even where the host cannot take a report.
	await Promise.allSettled([emitError(context, error)]);
}

/** The first failure, and how many there are besides. */
function summaryOf([first, ...others]: FailedAttempt[]): ServiceError {
	if (!first) throw new Error('Nothing has failed');
	const title = titleOf(first.target);
	return first.failure.about(others.length > 0 ? `${title} and ${others.length} more` : title);
}

async function emitError(context: IPollFunctions, error: Error): Promise<void> {
	await Promise.resolve(context.__emitError(error));
}
