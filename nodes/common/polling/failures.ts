import maxBy from 'lodash/maxBy';
import type { INode, IPollFunctions, NodeOperationError } from 'n8n-workflow';

import { HOUR_MS, MINUTE_MS } from '../../../service/basics/times';
import type { ServiceError } from '../../../service/failure';
import { asNodeError, inLog, toNodeError, toOperationError, WONT_PASS } from '../nodeErrors';
import { UnreadableProgress } from '../storedValues';
import { emitError } from './host';
import type { Occasion } from './memory';

/** No target waits longer, whatever the service asks for. */
const LONGEST_WAIT_MS = HOUR_MS;

/** A failure that may pass is worth a person's time only if it goes on. */
const PASSES_WITHIN_MS = 15 * MINUTE_MS;

const REPORT_EVERY_MS = HOUR_MS;

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

interface FailedTarget {
	target: PolledTarget;
	failure: ServiceError;
}

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
		if (!failure) {
			if (isAnswered) this.entries.delete(key);
			return;
		}
		const now = Date.now();
		// What a person corrects is well again at once.
		const { retryAfterMs = 0 } = failure.isTransient ? failure.details : {};
		const { times = 0, since = now, reportedAt } = this.entries.get(key) ?? {};
		const waitMs = Math.min(retryAfterMs, LONGEST_WAIT_MS);
		// A clock that went back must not have a person wait for the report.
		const first = Math.min(now, since);
		const counts = { times: times + 1, since: first, lastAt: now, reportedAt };
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
		const elapsedMs = Date.now() - lastAt;
		// A clock that went back must not make it longer.
		return elapsedMs >= 0 && elapsedMs < waitMs;
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
		if (!entry || !isDue(entry, now)) return false;
		entry.reportedAt = now;
		return true;
	}
}

function isDue({ failure, since, reportedAt = -Infinity }: Entry, now: number): boolean {
	const isWorthwhile = !failure.isTransient || now - since >= PASSES_WITHIN_MS;
	return isWorthwhile && Math.abs(now - reportedAt) >= REPORT_EVERY_MS;
}

/**
 * Decides what the failures of a poll lead to, by the table in nodes/README.md.
 *
 * @throws NodeApiError if the poll fails: n8n lists that as a failed execution, or as why it does not publish the workflow
 */
export async function faceFailures(
	{ context, memory: { failures }, isActivation }: Occasion,
	targets: PolledTarget[],
): Promise<void> {
	for (const each of targets) failures.noteOutcome(each);
	const node = context.getNode();
	const failed = targets.flatMap((target) => failedTarget(target, target.failure));
	const isAnswered = targets.some((each) => each.isAnswered);
	// A person sets the node up just now. But a busy service does not keep a workflow from being published.
	const refused = failed.find(
		({ failure, target }) => !failure.isTransient && (target.isNew || !isAnswered),
	);
	const worst = isActivation ? refused : isAnswered ? undefined : worstOf(failed);
	// What the error of the poll shows is not reported a second time.
	const others = targets.filter(({ isWaiting, failure }) => isWaiting || (failure && !worst));
	const unanswered = others.flatMap((target) =>
		failedTarget(target, failures.failureOf(target.key)),
	);
	await report(context, failures, unanswered);
	if (!worst) return;
	const failure = titled(worst, targets);
	throw isActivation
		? toNodeError(node, withState(context, failure), { shownAs: 'message' })
		: toNodeError(node, failure, { isPoll: true });
}

function failedTarget(target: PolledTarget, failure?: ServiceError): FailedTarget[] {
	return failure ? [{ target, failure }] : [];
}

/** With what becomes of the workflow; when n8n starts, it tries again by itself. */
function withState(context: IPollFunctions, failure: ServiceError): ServiceError {
	const isByPerson = ['activate', 'update'].includes(context.getActivationMode());
	return isByPerson ? failure.with(failure.message, { cost: OFF }) : failure;
}

/** One that may pass, as long as there is one, with the longest wait that the service asked for. */
function worstOf(failed: FailedTarget[]): FailedTarget | undefined {
	const passing = failed.filter(({ failure }) => failure.isTransient);
	return maxBy(passing, ({ failure }) => failure.details.retryAfterMs ?? -1) ?? failed[0];
}

/** The failure with its target in front, unless it is everybody's. */
function titled({ target, failure }: FailedTarget, targets: PolledTarget[]): ServiceError {
	const isShared =
		failure.details.requestKind === 'token' ||
		targets.every((other) => other.failure?.message === failure.message);
	return isShared ? failure : failure.about(target.title);
}

/** Each time in n8n's log, and hourly as a failed execution. */
async function report(
	context: IPollFunctions,
	log: FailureLog,
	failed: FailedTarget[],
): Promise<void> {
	if (failed.length === 0) return;
	const { message, helpCode } = summaryOf(failed);
	const isAllWaiting = failed.every(({ target }) => target.isWaiting);
	const wait = isAllWaiting ? ' It is not asked until the wait is over.' : '';
	context.logger.warn(`${message}.${wait} ${inLog(helpCode)}`);
	const due = failed.filter(({ target }) => log.takeDue(target.key));
	if (due.length === 0) return;
	await emitError(context, toNodeError(context.getNode(), summaryOf(due), { isPoll: true }));
}

/** The first failure, and how many there are besides. */
function summaryOf([first, ...others]: FailedTarget[]): ServiceError {
	if (!first) throw new Error('Nothing has failed');
	const { title } = first.target;
	return first.failure.about(others.length > 0 ? `${title} and ${others.length} more` : title);
}

/** A wrong clock loses nothing here, and may do harm elsewhere. */
export function tellOfClock({ context, memory }: Occasion): void {
	const { wrongByMs } = memory.clock;
	if (wrongByMs === undefined || !memory.isToTell('clock')) return;
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
	return toOperationError(
		node,
		{ message, advice, code: 'progressUnreadable' },
		{ failure: WONT_PASS },
	);
}
