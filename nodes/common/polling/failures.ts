import maxBy from 'lodash/maxBy';
import type { INode, IPollFunctions, NodeOperationError } from 'n8n-workflow';

import { HOUR_MS, MINUTE_MS } from '../../../service/basics/times';
import type { ServiceError } from '../../../service/failure';
import { asNodeError, inLog, toNodeError, toOperationError, WONT_PASS } from '../nodeErrors';
import { UnreadableProgress } from '../storedValues';
import { emitError } from './host';
import type { Occasion } from './memory';

/** A failure that may pass is worth a person's time only if it goes on. */
const PASSES_WITHIN_MS = 15 * MINUTE_MS;

/** n8n takes a workflow that cannot be published out of service, whatever was published before. */
const OFF = 'The workflow is off until you publish it, even if it was published before.';

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
	/** Whether it begins with this poll. */
	readonly isNew: boolean;
}

type FailedTarget = PolledTarget & { readonly failure: ServiceError };

/** Times in epoch milliseconds. */
interface Entry {
	failure: ServiceError;
	/** How many times in a row. */
	times: number;
	since: number;
	lastAt: number;
	reportedAt?: number;
	/** How long to wait after the last time, in milliseconds. */
	waitMs: number;
}

/** The targets, by key, that were not answered when they were asked last. */
export class FailureLog {
	private readonly entries = new Map<string, Entry>();

	/** Tells apart whom the service was asked as, and where. */
	private fingerprint?: string;

	/** Keeps in mind what failed, and for how long to leave it alone, whatever becomes of the poll. */
	noteOutcome({ key, failure, isAnswered }: PolledTarget): void {
		if (isAnswered && !failure) this.entries.delete(key);
		if (!failure) return;
		const now = Date.now();
		// What a person corrects is well again at once.
		const { retryAfterMs = 0 } = failure.isTransient ? failure.details : {};
		const waitMs = Math.min(retryAfterMs, HOUR_MS);
		const { times = 0, since = now, reportedAt } = this.entries.get(key) ?? {};
		const counts = { times: times + 1, since: Math.min(now, since), lastAt: now, reportedAt };
		this.entries.set(key, { failure, ...counts, waitMs });
	}

	/** How many times in a row a target has failed. */
	timesOf(key: string): number {
		return this.entries.get(key)?.times ?? 0;
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

	/** Call before the service is asked: once a person has corrected the credential, no wait of before counts. */
	askAs(fingerprint: string): void {
		if (fingerprint !== this.fingerprint) this.forgetWaits();
		this.fingerprint = fingerprint;
	}

	/** A person publishes the workflow, and wants to know what the service says now. */
	forgetWaits(): void {
		for (const entry of this.entries.values()) entry.waitMs = 0;
	}

	/** Whether a person is to be told of a target now: once an hour. Notes that it is. */
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
	const node = context.getNode();
	const failed = targets.flatMap((target) => failedTarget(target, target.failure));
	const isAnswered = targets.some((each) => each.isAnswered);
	// A person sets the node up just now. But a busy service does not keep a workflow from being published.
	const refused = failed.find(
		({ failure, isNew }) => !failure.isTransient && (isNew || !isAnswered),
	);
	const worst = isActivation ? refused : isAnswered ? undefined : worstOf(failed);
	// What the error of the poll shows is not reported a second time.
	const others = targets.filter(({ isWaiting, failure }) => isWaiting || (failure && !worst));
	await report(
		context,
		failures,
		others.flatMap((target) => failedTarget(target, failures.failureOf(target.key))),
	);
	if (!worst) return;
	const failure = titled(worst, targets);
	if (!isActivation) throw toNodeError(node, failure, { isPoll: true });
	// When n8n starts, it tries to publish again by itself.
	const isByPerson = ['activate', 'update'].includes(context.getActivationMode());
	const shown = isByPerson ? failure.with(failure.message, { cost: OFF }) : failure;
	throw toNodeError(node, shown, { shownAs: 'message' });
}

function failedTarget(target: PolledTarget, failure?: ServiceError): FailedTarget[] {
	return failure ? [{ ...target, failure }] : [];
}

/** One that may pass, as long as there is one, with the longest wait that the service asked for. */
function worstOf(failed: FailedTarget[]): FailedTarget | undefined {
	const passing = failed.filter(({ failure }) => failure.isTransient);
	return maxBy(passing, ({ failure }) => failure.details.retryAfterMs ?? -1) ?? failed[0];
}

/** The failure with its target in front, unless it is everybody's. */
function titled({ title, failure }: FailedTarget, targets: PolledTarget[]): ServiceError {
	const isShared =
		failure.details.requestKind === 'token' ||
		targets.every((other) => other.failure?.message === failure.message);
	return isShared ? failure : failure.about(title);
}

/** Each time in n8n's log, and hourly as a failed execution. */
async function report(
	context: IPollFunctions,
	log: FailureLog,
	failed: FailedTarget[],
): Promise<void> {
	const summary = summaryOf(failed);
	if (!summary) return;
	const isAllWaiting = failed.every(({ isWaiting }) => isWaiting);
	const wait = isAllWaiting ? ' It is not asked until the wait is over.' : '';
	context.logger.warn(`${summary.message}.${wait} ${inLog(summary.helpCode)}`);
	const due = summaryOf(failed.filter(({ key }) => log.takeDue(key)));
	if (due) await emitError(context, toNodeError(context.getNode(), due, { isPoll: true }));
}

/** The first failure, and how many there are besides. */
function summaryOf([first, ...others]: FailedTarget[]): ServiceError | undefined {
	const more = others.length > 0 ? ` and ${others.length} more` : '';
	return first?.failure.about(`${first.title}${more}`);
}

/** A wrong clock loses nothing here, and may do harm elsewhere. */
export function logClockDifference({ context, memory }: Occasion): void {
	const { wrongByMs } = memory.clock;
	if (wrongByMs === undefined || !memory.mayLog('clock')) return;
	const minutes = Math.round(Math.abs(wrongByMs) / MINUTE_MS);
	const side = wrongByMs > 0 ? 'ahead of' : 'behind';
	context.logger.warn(
		`The clock of the machine that n8n runs on is ${minutes} minutes ${side} the service’s. Check it: one of the two is wrong.`,
	);
}

/**
 * Does the work, and turns what it fails of into n8n's errors. They declare whether waiting helps.
 *
 * @throws NodeApiError, NodeOperationError; n8n's own errors as they are
 */
export async function inNodeErrors<T>(context: IPollFunctions, work: () => Promise<T>): Promise<T> {
	return await work().catch((error: unknown) => {
		const node = context.getNode();
		const isPoll = context.getMode() !== 'manual';
		throw asNodeError(node, error, { isPoll }) ?? asProgressError(node, error) ?? error;
	});
}

function asProgressError(node: INode, error: unknown): NodeOperationError | undefined {
	if (!(error instanceof UnreadableProgress)) return undefined;
	const { message, advice } = error;
	const explanation = { message, advice, code: 'progressUnreadable' } as const;
	return toOperationError(node, explanation, { failure: WONT_PASS });
}
