import maxBy from 'lodash/maxBy';
import type { IPollFunctions } from 'n8n-workflow';

import { HOUR_MS, MINUTE_MS } from '../../../service/basics/times';
import type { ServiceError } from '../../../service/failure';
import { inLog, toNodeError } from '../nodeErrors';
import { emitError } from './host';
import type { Occasion } from './polledNode';

/** A failure that may pass is worth a person's time only if it goes on. */
const PASSES_WITHIN_MS = 15 * MINUTE_MS;

/** n8n takes a workflow that cannot be published out of service, whatever was published before. */
const OFF = 'The workflow is off until you publish it, even if it was published before.';

/** A part of what a poll asks for: if it fails, the others go on. */
export interface PolledTarget {
	/** Its name in stored progress. */
	readonly key: string;
	/** For people: “Applicant leads of branch NORTH”. */
	readonly title: string;
	readonly failure?: ServiceError;
	/** Whether the service has answered for it in this poll. */
	readonly isAnswered: boolean;
	/** Whether the service has asked to be left alone for longer. */
	readonly isWaiting: boolean;
	/** Whether it begins with this poll. */
	readonly isNew: boolean;
}

type FailedTarget = PolledTarget & { readonly failure: ServiceError };

/** A target of which the last question failed. Times in epoch milliseconds. */
interface Entry {
	failure: ServiceError;
	since: number;
	lastAt: number;
	reportedAt?: number;
	/** How long to wait after the last time, in milliseconds. */
	waitMs: number;
}

/** The targets, by key, that were not answered when they were asked last. */
export class FailureLog {
	private readonly entries = new Map<string, Entry>();

	/** Keeps in mind what failed, and for how long to leave it alone, whatever becomes of the poll. */
	noteOutcome({ key, failure, isAnswered }: PolledTarget): void {
		if (isAnswered && !failure) this.entries.delete(key);
		if (!failure) return;
		const now = Date.now();
		// A failure that a person corrects is over at once.
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

	/** Whether the service has asked for a longer wait for a target. */
	isToWait(key: string): boolean {
		const { lastAt, waitMs } = this.entries.get(key) ?? { lastAt: 0, waitMs: 0 };
		// A clock that went back makes it an hour longer at most.
		return Math.abs(Date.now() - lastAt) < waitMs;
	}

	/** Whether to report a target now: once an hour, and a failure that may pass only after a while. Notes that it is reported. */
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
 * Decides what the failures of a poll lead to, by the table in docs/architecture.md.
 *
 * @throws NodeApiError if the poll fails: n8n lists that as a failed execution, or as why it does not publish the workflow
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
	// A person sets the node up just now. But a busy service does not keep a workflow from being published.
	const refused = failed.find(
		({ failure, isNew }) => !failure.isTransient && (isNew || !isAnswered),
	);
	const worst = isActivation ? refused : isAnswered ? undefined : worstOf(failed);
	// The error of the poll itself is not reported a second time.
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

/** A failure that may pass, as long as there is one, with the longest wait that the service asked for. */
function worstOf(failed: FailedTarget[]): FailedTarget | undefined {
	const passing = failed.filter(({ failure }) => failure.isTransient);
	return maxBy(passing, ({ failure }) => failure.details.retryAfterMs ?? -1) ?? failed[0];
}

/** The failure with its target in front, unless it is the failure of all targets. */
function titled({ title, failure }: FailedTarget, targets: PolledTarget[]): ServiceError {
	const isShared =
		failure.details.requestKind === 'token' ||
		targets.every((other) => other.failure?.message === failure.message);
	return isShared ? failure : failure.about(title);
}

/** Writes each time to n8n's log, and reports a failed execution once an hour. */
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

/** The first failure, and how many there are besides. */
function summaryOf([first, ...others]: FailedTarget[]): ServiceError | undefined {
	const more = others.length > 0 ? ` and ${others.length} more` : '';
	return first?.failure.about(`${first.title}${more}`);
}
