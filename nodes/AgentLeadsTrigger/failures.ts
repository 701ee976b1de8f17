import type { IPollFunctions, NodeApiError } from 'n8n-workflow';

import { NodeOperationError } from 'n8n-workflow';

import type { Occasion } from '../../service/errors';
import { ServiceError, toNodeError } from '../../service/errors';
import { FieldError } from '../common/parameters';
import type { NodeMemory } from './memory';
import type { Target } from './settings';
import { titleOf } from './settings';
import { UnreadableProgress } from './storedProgress';

/** A target that may have failed. */
interface Attempt {
	target: Target;
	failure?: ServiceError;
	isAnswered: boolean;
}

type FailedAttempt = Attempt & { failure: ServiceError };

const MINUTE_MS = 60_000;

/** A failure that may pass is worth a person's time only when it goes on. */
const PASSES_WITHIN_MS = 15 * MINUTE_MS;

const REPORT_EVERY_MS = 60 * MINUTE_MS;

/**
 * Does the work, and turns what it fails of into n8n's errors. They declare whether waiting helps.
 *
 * @throws NodeApiError, NodeOperationError; n8n's own errors as they are
 */
export async function inNodeErrors<T>(context: IPollFunctions, work: () => Promise<T>): Promise<T> {
	const [outcome] = await Promise.allSettled([work()]);
	if (outcome.status === 'fulfilled') return outcome.value;
	const error: unknown = outcome.reason;
	const node = context.getNode();
	if (error instanceof ServiceError) {
		throw toNodeError(node, error, { isPoll: context.getMode() !== 'manual' });
	}
	if (error instanceof FieldError) throw wontPass(error.toNodeError(node));
	if (error instanceof UnreadableProgress) {
		const description =
			'Update this package: the progress was written by a newer version of it, or was changed by hand. To start over instead, rename this node.';
		throw wontPass(new NodeOperationError(node, error.message, { description }));
	}
	throw error;
}

/** Declares to newer n8n versions that polling again does not help. */
function wontPass(error: NodeOperationError): NodeOperationError {
	return Object.assign(error, { failure: { cause: 'configuration-invalid' } });
}

/** The error for a target, which is named unless all of them failed alike. */
export function pollError(
	context: IPollFunctions,
	{ target, failure }: FailedAttempt,
	attempts: Attempt[],
	occasion: Occasion = {},
): NodeApiError {
	const isShared =
		failure.details.step === 'token' ||
		attempts.every((other) => other.failure?.message === failure.message);
	const error = isShared ? failure : failure.about(titleOf(target));
	return toNodeError(context.getNode(), error, { isPoll: true, ...occasion });
}

export function hasFailed<T extends Attempt>(attempt: T): attempt is T & FailedAttempt {
	return attempt.failure !== undefined;
}

/**
 * Tells of targets that fail while the poll goes on without them: each time in n8n's log, and
 * hourly as a failed execution, which also starts the error workflow. A failure that may pass is
 * reported once it has lasted.
 */
export async function reportFailures(
	context: IPollFunctions,
	{ failing }: NodeMemory,
	attempts: Attempt[],
): Promise<void> {
	for (const { target, failure, isAnswered } of attempts) {
		if (isAnswered && !failure) failing.delete(target.key);
	}
	for (const attempt of attempts.filter(hasFailed)) {
		const { target, failure } = attempt;
		const error = pollError(context, attempt, attempts);
		context.logger.warn(`${error.message}. ${error.description ?? ''}`);
		const state = failing.get(target.key) ?? { since: Date.now() };
		failing.set(target.key, state);
		const isWorthwhile = !failure.isTransient || Date.now() - state.since >= PASSES_WITHIN_MS;
		const isDue = Date.now() - (state.reportedAt ?? -Infinity) >= REPORT_EVERY_MS;
		if (!isWorthwhile || !isDue) continue;
		state.reportedAt = Date.now();
		// What was found is delivered, even where the host cannot take a report.
		await Promise.allSettled([emitError(context, error)]);
	}
}

async function emitError(context: IPollFunctions, error: NodeApiError): Promise<void> {
	await Promise.resolve(context.__emitError(error));
}
