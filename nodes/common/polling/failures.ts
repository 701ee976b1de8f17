import maxBy from 'lodash/maxBy';
import type { IPollFunctions } from 'n8n-workflow';

import { HOUR_MS, MINUTE_MS } from '../../../service/basics/times';
import type { ServiceError } from '../../../service/failure';
import { inLog, toNodeError } from '../nodeErrors';
import { emitError } from './host';
import type { Occasion } from './polledNode';

/** The time after which a failure that may pass is reported. Before that, it is not worth a person's time. */
const PASSES_WITHIN_MS = 15 * MINUTE_MS;

/** n8n switches off a workflow that cannot be published, even if a version of it was published before. */
const OFF = 'The workflow is off until you publish it, even if it was published before.';

/** A part of what a poll asks for. If it fails, the other parts continue. */
export interface PolledTarget {
	/** The target's name in stored progress. */
	readonly key: string;
	/** The target's name in messages: “Applicant leads of branch NORTH”. */
	readonly title: string;
	readonly failure?: ServiceError;
	/** True if the service has answered for the target in this poll. */
	readonly isAnswered: boolean;
	/** True if the service has asked for a longer wait before the next request for the target. */
	readonly isWaiting: boolean;
	/** True if this is the first poll of the target. */
	readonly isNew: boolean;
}

type FailedTarget = PolledTarget & { readonly failure: ServiceError };

/** A target whose last request failed. Times are epoch milliseconds. */
interface Entry {
	failure: ServiceError;
	since: number;
	lastAt: number;
	reportedAt?: number;
	/** The wait after the last request, in milliseconds. */
	waitMs: number;
}

/** The targets, by key, for which the last request failed. */
export class FailureLog {
	private readonly entries = new Map<string, Entry>();

	/** Notes which target failed, and for how long the service asked for a wait, even if the poll fails later. */
	noteOutcome({ key, failure, isAnswered }: PolledTarget): void {
		if (isAnswered && !failure) this.entries.delete(key);
		if (!failure) return;
		const now = Date.now();
		// A failure that a person has to correct has no wait: once it is corrected, the next poll succeeds.
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

	/** True while the service wants no request for a target. */
	isToWait(key: string): boolean {
		const { lastAt, waitMs } = this.entries.get(key) ?? { lastAt: 0, waitMs: 0 };
		// If the clock was set back, the wait is an hour longer at most.
		return Math.abs(Date.now() - lastAt) < waitMs;
	}

	/**
	 * True if a target is to be reported now: at most once an hour, and for a failure that may pass only after a while.
	 * It notes that the target is reported.
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
 * Decides what follows from the failures of a poll, by the table in docs/architecture.md.
 *
 * @throws NodeApiError if the poll fails; n8n lists it as a failed execution, or shows it as the reason why the
 * workflow is not published
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
	const failed = failing.filter(({ isWaiting }) => !isWaiting);
	const isAnswered = targets.some((each) => each.isAnswered);
	// While a person publishes, a refusal fails the poll, so that the person sees it. A busy service does not prevent
	// publishing.
	const refused = failed.find(
		({ failure, isNew }) => !failure.isTransient && (isNew || !isAnswered),
	);
	const worst = isActivation ? refused : isAnswered ? undefined : worstOf(failed);
	// The failure that the poll itself throws is not reported a second time.
	await report(context, failures, worst ? failing.filter(({ isWaiting }) => isWaiting) : failing);
	if (!worst) return;
	const failure = titled(worst, targets);
	const node = context.getNode();
	if (!isActivation) throw toNodeError(node, failure, { isPoll: true });
	// When n8n starts, it tries to publish again by itself.
	const isByPerson = ['activate', 'update'].includes(context.getActivationMode());
	const shown = isByPerson ? failure.with(failure.message, { cost: OFF }) : failure;
	throw toNodeError(node, shown, { shownAs: 'message' });
}

/**
 * The failure that the poll throws: one that may pass, if there is one, with the longest wait that the service asked
 * for.
 */
function worstOf(failed: FailedTarget[]): FailedTarget | undefined {
	const passing = failed.filter(({ failure }) => failure.isTransient);
	return maxBy(passing, ({ failure }) => failure.details.retryAfterMs ?? -1) ?? failed[0];
}

/** The failure, with its target in front unless it is the failure of all targets. */
function titled({ title, failure }: FailedTarget, targets: PolledTarget[]): ServiceError {
	const isShared =
		failure.details.requestKind === 'token' ||
		targets.every((other) => other.failure?.message === failure.message);
	return isShared ? failure : failure.about(title);
}

/** Writes failures to n8n's log each time, and reports a failed execution once an hour. */
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

/** The first failure, with the number of further ones. */
function summaryOf([first, ...others]: FailedTarget[]): ServiceError | undefined {
	const more = others.length > 0 ? ` and ${others.length} more` : '';
	return first?.failure.about(`${first.title}${more}`);
}
