import type { IPollFunctions } from 'n8n-workflow';

import type { ServiceError } from '../../../service/failure';
import { inLog, toNodeError } from '../nodeErrors';
import { emitError } from './host';
import type { FailureLog } from './failureLog';
import type { Occasion } from './occasion';

/** A part of what a poll asks for: if it fails, the others go on. */
export interface PolledTarget {
	/** Its name in stored progress. */
	readonly key: string;
	/** For people: “Applicant leads of branch 10234”. */
	readonly title: string;
	readonly failure?: ServiceError;
	/** Whether the service has answered for it in this poll. */
	readonly isAnswered: boolean;
	/** Whether the service has asked to be left alone for longer. */
	readonly isWaiting: boolean;
	/** Whether it begins with this poll, or was another client's until now. */
	readonly isNew: boolean;
	/** How long a window was asked for in vain, if that may have been too long (ms). */
	readonly triedMs?: number;
}

/** n8n takes a workflow that cannot be published out of service, whatever was published before. */
const OFF = 'The workflow is off until you publish it, even if it was published before.';

interface FailedTarget {
	target: PolledTarget;
	failure: ServiceError;
}

/**
 * A failure fails the poll only if no target was answered, or while the workflow is activated.
 * Targets that wait for a busy service do not fail the poll, and are told of like others that fail
 * while the poll goes on.
 *
 * @throws NodeApiError
 */
export async function faceFailures(
	{ context, memory: { failures }, isActivation }: Occasion,
	targets: PolledTarget[],
): Promise<void> {
	noteOutcomes(failures, targets);
	const error = errorOfPoll(context, targets, isActivation);
	const unheard = error ? targets.filter(({ isWaiting }) => isWaiting) : targets;
	await reportFailures(context, failures, unheard);
	if (error) throw error;
}

/**
 * The error of a poll, if it fails as a whole: no target was answered. At an activation a person is just
 * setting the node up, so a failure that does not pass counts by itself; but a busy service does not keep
 * a workflow from being activated.
 */
function errorOfPoll(
	context: IPollFunctions,
	targets: PolledTarget[],
	isActivation: boolean,
): Error | undefined {
	const failed = targets.flatMap((target) =>
		target.failure ? [{ target, failure: target.failure }] : [],
	);
	const isAnswered = targets.some((each) => each.isAnswered);
	const node = context.getNode();
	if (isActivation) {
		const refused = failed.find(
			({ failure, target }) => !failure.isTransient && (target.isNew || !isAnswered),
		);
		const told = refused && withState(context, titled(refused, targets));
		return told && toNodeError(node, told, { shownAs: 'message' });
	}
	const worst = isAnswered ? undefined : worstOf(failed);
	return worst && toNodeError(node, titled(worst, targets), { isPoll: true });
}

/** With what becomes of the workflow; when n8n starts, it tries again by itself. */
function withState(context: IPollFunctions, failure: ServiceError): ServiceError {
	const isByPerson = ['activate', 'update'].includes(context.getActivationMode());
	return isByPerson ? failure.with(failure.message, { cost: OFF }) : failure;
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
function titled({ target, failure }: FailedTarget, targets: PolledTarget[]): ServiceError {
	const isShared =
		failure.details.requestKind === 'token' ||
		targets.every((other) => other.failure?.message === failure.message);
	return isShared ? failure : failure.about(target.title);
}

/** Keeps in mind what failed, and for how long to leave it alone, whatever becomes of the poll. */
function noteOutcomes(log: FailureLog, targets: PolledTarget[]): void {
	for (const { key, failure, isAnswered, triedMs } of targets) {
		if (failure) log.note(key, failure, triedMs);
		else if (isAnswered) log.clear(key);
	}
}

/**
 * Tells of targets that fail or wait while the poll goes on without them: each time in n8n's log, and
 * hourly as a failed execution. A failure that may pass is reported once it has lasted.
 */
async function reportFailures(
	context: IPollFunctions,
	log: FailureLog,
	targets: PolledTarget[],
): Promise<void> {
	const failing = targets.filter(({ failure, isWaiting }) => failure || isWaiting);
	const failed = failing.flatMap((target) => lastFailureOf(log, target));
	if (failed.length === 0) return;
	const isAll = failing.every(({ isWaiting }) => isWaiting);
	const { message, helpCode } = summaryOf(failed);
	const wait = isAll ? ' It is not asked until the wait is over.' : '';
	context.logger.warn(`${message}.${wait} ${inLog(helpCode)}`);

	const keys = log.takeDue(failed.map(({ target }) => target.key));
	const due = failed.filter(({ target }) => keys.includes(target.key));
	if (due.length === 0) return;
	await emitError(context, toNodeError(context.getNode(), summaryOf(due), { isPoll: true }));
}

function lastFailureOf(log: FailureLog, target: PolledTarget): FailedTarget[] {
	const failure = log.failureOf(target.key);
	return failure ? [{ target, failure }] : [];
}

/** The first failure, and how many there are besides. */
function summaryOf([first, ...others]: FailedTarget[]): ServiceError {
	if (!first) throw new Error('Nothing has failed');
	const title = first.target.title;
	return first.failure.about(others.length > 0 ? `${title} and ${others.length} more` : title);
}
