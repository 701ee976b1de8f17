import maxBy from 'lodash/maxBy';
import type { IPollFunctions } from 'n8n-workflow';

import { HOUR_MS, MINUTE_MS } from '../../../service/basics/times';
import type { ServiceError } from '../../../service/failure';
import { inLog, toNodeError } from '../nodeErrors';
import { emitError } from './host';
import type { Occasion } from './polledNode';

/**
 * A temporary failure of requests is reported as a failed execution only after it has lasted this long, because most
 * such failures end without a person's help.
 */
const PASSES_WITHIN_MS = 15 * MINUTE_MS;

/** n8n switches off a workflow that cannot be published, even if a version of it was published before. */
const OFF = 'The workflow is off until you publish it, even if it was published before.';

/**
 * One part of what a poll asks the service for, such as the leads of one branch. If the requests for one target fail,
 * the poll continues with the other targets.
 */
export interface PolledTarget {
	/** The name of the target (such as the leads of one branch) in the progress that n8n stores. */
	readonly key: string;
	/** The target's name in messages: “Applicant leads of branch NORTH”. */
	readonly title: string;
	readonly failure?: ServiceError;
	/** True if the service has answered a request for the target (such as the leads of one branch) in this poll. */
	readonly isAnswered: boolean;
	/**
	 * True if this poll sends no request for the target (such as the leads of one branch), because the service has
	 * asked for a longer wait.
	 */
	readonly isWaiting: boolean;
	/** True if the node has no progress for the target (such as the leads of one branch) from an earlier poll. */
	readonly isNew: boolean;
}

type FailedTarget = PolledTarget & { readonly failure: ServiceError };

/** The failure of the last request for a target (such as the leads of one branch). All times are epoch milliseconds. */
interface Entry {
	failure: ServiceError;
	since: number;
	lastAt: number;
	reportedAt?: number;
	/** For how long after the failed request no other request for the same target is sent, in milliseconds. */
	waitMs: number;
}

/** The failures of those targets, that is parts of what a poll asks for, whose last request failed. */
export class FailureLog {
	private readonly entries = new Map<string, Entry>();

	/**
	 * Stores how the requests for a target (such as the leads of one branch) ended: the failure and the wait that the
	 * service asked for, or, after an answer, that there is no failure. This is remembered even if the poll fails as a
	 * whole.
	 */
	noteOutcome({ key, failure, isAnswered }: PolledTarget): void {
		if (isAnswered && !failure) this.entries.delete(key);
		if (!failure) return;
		const now = Date.now();
		// After a temporary failure, no request for the same target (such as the leads of one branch) is sent for as long
		// as the service asked to wait. If a person has to correct the cause, the next poll may send a request at once.
		const { retryAfterMs = 0 } = failure.isTransient ? failure.details : {};
		const waitMs = Math.min(retryAfterMs, HOUR_MS);
		const { since = now, reportedAt } = this.entries.get(key) ?? {};
		this.entries.set(key, {
			failure,
			since: Math.min(now, since),
			lastAt: now,
			reportedAt,
			waitMs,
		});
	}

	failureOf(key: string): ServiceError | undefined {
		return this.entries.get(key)?.failure;
	}

	/**
	 * True if the wait that the service asked for has not ended. Until then, no request for the target (such as the
	 * leads of one branch) is sent.
	 */
	isToWait(key: string): boolean {
		const { lastAt, waitMs } = this.entries.get(key) ?? { lastAt: 0, waitMs: 0 };
		// `Math.abs` limits the wait if this machine's clock was set back: it then becomes at most an hour longer.
		return Math.abs(Date.now() - lastAt) < waitMs;
	}

	/**
	 * Decides whether the failure of a target (such as the leads of one branch) is reported now, and if so, stores the
	 * time of the report. It is reported at most once an hour, and a temporary failure only after it has lasted for
	 * `PASSES_WITHIN_MS`.
	 */
	takeDue(key: string): boolean {
		const now = Date.now();
		const entry = this.entries.get(key);
		if (!entry) return false;
		const { failure, since, reportedAt = -Infinity } = entry;
		const isWorthwhile = !failure.isTransient || now - since >= PASSES_WITHIN_MS;
		if (!isWorthwhile || Math.abs(now - reportedAt) < HOUR_MS) return false;
		entry.reportedAt = now;
		return true;
	}
}

/**
 * Decides whether failures of single targets (such as the leads of one branch) make the whole poll fail, and reports
 * those that do not. The table in docs/architecture.md lists the cases.
 *
 * @throws NodeApiError if the poll fails; n8n lists a failed execution, or shows the error as the reason why it cannot
 * publish the workflow
 */
export async function reportFailures(
	{ context, memory: { failures }, isActivation }: Occasion,
	targets: PolledTarget[],
): Promise<void> {
	for (const each of targets) failures.noteOutcome(each);
	const failing = targets.flatMap((target) => {
		const failure = failures.failureOf(target.key);
		return failure ? [{ ...target, failure }] : [];
	});
	// If this poll sent no request for a target (such as the leads of one branch), the target's failure is from an
	// earlier poll, so this poll does not fail because of it.
	const failed = targets.filter((each): each is FailedTarget => each.failure !== undefined);
	const isAnswered = targets.some((each) => each.isAnswered);
	// While a person publishes the workflow, the poll fails if the service refuses a request for a new target (such as
	// the leads of one branch), or if it answers for no target and refuses a request, so that the person sees the
	// refusal. A service that is only busy does not prevent publishing.
	const refused = failed.find(
		({ failure, isNew }) => !failure.isTransient && (isNew || !isAnswered),
	);
	const worst = isActivation ? refused : isAnswered ? undefined : worstOf(failed);
	// If the poll throws an error, n8n reports that error. Then only the failures of targets (such as the leads of one
	// branch) that got no request in this poll, because the service asked for a wait, are reported here.
	await report(context, failures, worst ? failing.filter(({ isWaiting }) => isWaiting) : failing);
	if (!worst) return;
	const failure = titled(worst, targets);
	const node = context.getNode();
	if (!isActivation) throw toNodeError(node, failure, { isPoll: true });
	// If n8n activates the workflow at its own start, it tries again by itself after a failure. So only a person who
	// publishes is told that the workflow is off.
	const isByPerson = ['activate', 'update'].includes(context.getActivationMode());
	const shown = isByPerson ? failure.with(failure.message, { cost: OFF }) : failure;
	throw toNodeError(node, shown, { shownAs: 'message' });
}

/**
 * Chooses the failure that the poll throws: a temporary failure if there is one, and among several of them the one for
 * which the service asked for the longest wait.
 */
function worstOf(failed: FailedTarget[]): FailedTarget | undefined {
	const passing = failed.filter(({ failure }) => failure.isTransient);
	return maxBy(passing, ({ failure }) => failure.details.retryAfterMs ?? -1) ?? failed[0];
}

/**
 * Puts the title of a target, such as “Applicant leads of branch NORTH”, in front of its failure's message, unless the
 * failure concerns all targets.
 */
function titled({ title, failure }: FailedTarget, targets: PolledTarget[]): ServiceError {
	const isShared =
		failure.details.requestKind === 'token' ||
		targets.every((other) => other.failure?.message === failure.message);
	return isShared ? failure : failure.about(title);
}

/**
 * Writes the failures to n8n's log at every poll, and reports a failed execution at most once an hour for each target
 * (such as the leads of one branch).
 */
async function report(
	context: IPollFunctions,
	log: FailureLog,
	failed: FailedTarget[],
): Promise<void> {
	const summary = summaryOf(failed);
	if (!summary) return;
	context.logger.warn(`${summary.message}. ${inLog(summary.helpCode)}`);
	const due = summaryOf(failed.filter(({ key }) => log.takeDue(key)));
	if (due) await emitError(context, toNodeError(context.getNode(), due, { isPoll: true }));
}

/**
 * Sums up several failures in one: the first failure, with the number of other targets (such as the leads of one
 * branch) that failed.
 */
function summaryOf([first, ...others]: FailedTarget[]): ServiceError | undefined {
	const more = others.length > 0 ? ` and ${others.length} more` : '';
	return first?.failure.about(`${first.title}${more}`);
}
