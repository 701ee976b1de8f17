import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { USUAL_SKEW_MS } from '../../service/basics/clock';
import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { DAY_MS, isoSeconds, MINUTE_MS } from '../../service/basics/times';
import { orFailure, ServiceError } from '../../service/failure';
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import { fetchLeads, RETENTION_MS, shortKeyOf, submittedAt } from '../../service/leads/leads';
import type { TimeWindow } from '../../service/leads/windows';
import { Session } from '../../service/session';
import type { PolledTarget } from '../common/polling/failures';
import { reportFailures } from '../common/polling/failures';
import type { PollLimits } from '../common/polling/host';
import { PUBLISHED_WITHIN_MS } from '../common/polling/host';
import type { Occasion } from '../common/polling/polledNode';
import type { LeadsNode, LeadTracker } from './leadTracker';
import type { Settings } from './settings';
import type { Target } from './target';
import { titleOf } from './target';
import type { TargetProgress } from './targetProgress';
import { afterAnswer, dueWindow, firstProgress, isFromBefore } from './targetProgress';

/** What a poll goes by. */
export interface LeadsOccasion extends Occasion<LeadsNode> {
	settings: Settings;
}

/** A target and its state in this poll. */
interface AskedTarget extends PolledTarget {
	target: Target;
	progress?: TargetProgress;
	isAnswered: boolean;
	failure?: ServiceError;
	/** True if the poll has nothing more to ask for about this target. */
	isDone: boolean;
}

/** The part of a poll that asks the service for leads: each target continues from its own progress. */
export class LeadsAsking {
	private readonly startedAt = Date.now();

	private targets: AskedTarget[] = [];

	/**
	 * When the workflow was published with the targets that have no progress yet, by `performance.now`, which nobody
	 * can set.
	 */
	private publishedAt = 0;

	constructor(
		private readonly occasion: LeadsOccasion,
		private readonly limits: PollLimits,
		private readonly tracker: LeadTracker,
	) {}

	/** @throws NodeApiError if the service answered for no target */
	async ask(): Promise<void> {
		const { context, memory, settings, isActivation } = this.occasion;
		const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType);
		const session = new Session(context, LEADS_INTEGRATION, credentials, this.limits, memory.clock);
		// Without an activation the workflow was published before this process began, so a lead too many is better than one too few.
		const isFromNow = isActivation || settings.startsBeforeMs > PUBLISHED_WITHIN_MS;
		const beganMs = performance.now() - (isFromNow ? 0 : settings.lookBackMs);
		this.publishedAt = memory.unansweredSince ?? beganMs;
		this.targets = settings.targets.map((each) => this.askedTarget(each));
		await this.askRounds(session);
		// Once the service has answered for a target, the target has progress of its own.
		const isAllAnswered = this.targets.every(({ progress }) => progress);
		const unansweredSince = isAllAnswered ? undefined : this.publishedAt;
		// A failed activation must not leave a time behind, because the next one starts over.
		if (!isActivation) memory.unansweredSince = unansweredSince;
		await reportFailures(this.occasion, this.targets);
		memory.unansweredSince = unansweredSince;
		this.tracker.reached = new Map(
			this.targets.flatMap(({ key, progress }) => (progress ? [[key, progress] as const] : [])),
		);
	}

	private askedTarget(target: Target): AskedTarget {
		const { key } = target;
		const progress = this.tracker.reached.get(key);
		const { memory, isActivation } = this.occasion;
		const isWaiting = !isActivation && memory.failures.isToWait(key);
		const state = { isNew: !progress, isWaiting, isAnswered: false, isDone: isWaiting };
		return { target, key, title: titleOf(target), progress, ...state };
	}

	/**
	 * Asks for one window of each target in every round, so that a target with a long backlog does not delay the
	 * others.
	 */
	private async askRounds(session: Session): Promise<void> {
		while (this.isInTime && this.tracker.queue.hasRoom) {
			const due = this.due();
			if (due.length === 0) return;
			await mapConcurrently(due, MOST_REQUESTS_AT_ONCE, async (each) => {
				// The first window of a target does not wait for room in the queue. Otherwise a target with a long backlog
				// would block the others in every poll.
				if (each.isDone || !this.isInTime || (each.isAnswered && !this.tracker.queue.hasRoom))
					return;
				await this.askFor(session, each);
			});
		}
	}

	/** The targets to ask for, in order: those with the oldest watermark first, and those that failed before last. */
	private due(): AskedTarget[] {
		const { failures } = this.occasion.memory;
		return sortBy(
			this.targets.filter((each) => !each.isDone),
			[
				({ key }) => failures.failureOf(key) !== undefined,
				({ progress }) => progress?.watermark ?? 0,
			],
		);
	}

	private get isInTime(): boolean {
		return Date.now() < this.limits.deadline;
	}

	private async askFor(session: Session, asked: AskedTarget): Promise<void> {
		const { clock } = this.occasion.memory;
		const { lookBackMs, names } = this.occasion.settings;
		const { leadType, filter } = asked.target;
		// A poll asks for leads up to its own start. If the end moved on during the poll, a slow service could not be
		// caught up with.
		const now = clock.now(this.startedAt);
		const window =
			asked.progress && dueWindow(asked.progress, now, asked.isAnswered ? undefined : lookBackMs);
		if (asked.progress && !window) {
			asked.isDone = true;
			return;
		}
		const sentAt = Date.now();
		const reachMs = this.reachMs;
		const request = { leadType, filter, names, window };
		const reading = await orFailure(fetchLeads(session, request));
		if (reading instanceof ServiceError) return this.fail(session, asked, reading);
		const askedAt = clock.isKnown ? clock.now(sentAt) : sentAt - USUAL_SKEW_MS;
		this.addLeads(asked, reading.leads, { askedAt, reachMs, window });
		const { progress } = asked;
		asked.isAnswered = true;
		asked.progress =
			progress && window ? afterAnswer(progress, window, askedAt) : firstProgress(askedAt, reachMs);
		// If the service's clock has not reached the end of the window, there is nothing more to ask for.
		asked.isDone = window !== undefined && askedAt < window.to;
	}

	/** If the address has worked before, a web page in place of data comes from a proxy and will pass. */
	private fail(session: Session, asked: AskedTarget, reason: ServiceError): void {
		const isPassing = reason.kind === 'foreign' && !asked.isNew;
		const failure = isPassing ? reason.asPassing : reason;
		const isForAll = failure.details.requestKind === 'token' || failure.kind === 'credential';
		// If no token can be got, the other targets that still need one fail as well, and wait for as long.
		for (const each of isForAll ? this.targets.filter(({ isDone }) => !isDone) : [asked]) {
			each.isDone = true;
			if (each === asked || !each.isAnswered) each.failure = failure;
		}
		// If the service is busy or out of reach, requests for the other targets are not retried.
		if (failure.isTransient) session.stopRepeating();
	}

	private addLeads(
		{ target, progress, isAnswered }: AskedTarget,
		leads: IDataObject[],
		{ askedAt, reachMs, window }: { askedAt: number; reachMs: number; window?: TimeWindow },
	): void {
		const { leadType } = target;
		const from = progress?.watermark ?? askedAt - reachMs;
		if (!isAnswered && askedAt - from > RETENTION_MS + MINUTE_MS) this.logGap(from, askedAt);
		// If a target begins before the service's own 24 hours, later requests fetch these leads in order of time.
		const isForTime = !window && reachMs >= DAY_MS;
		for (const lead of leads) {
			const key = shortKeyOf(lead);
			if (!this.tracker.isNew(target, key, askedAt)) continue;
			if (!window && isFromBefore(lead, askedAt, reachMs)) {
				this.tracker.noteBefore(target, key, askedAt);
			} else if (!isForTime) {
				const time = Math.min(submittedAt(lead) ?? askedAt, askedAt);
				this.tracker.add({ lead, key, time, leadType, target: target.key, from });
			}
		}
	}

	/** The time before a target's first request, if that is sent now, at which the target begins. */
	private get reachMs(): number {
		return performance.now() - this.publishedAt + this.occasion.settings.startsBeforeMs;
	}

	private logGap(from: number, askedAt: number): void {
		const { context, memory } = this.occasion;
		if (!memory.mayLog('gap')) return;
		const to = isoSeconds(askedAt - RETENTION_MS);
		context.logger.warn(
			`Leads submitted between ${isoSeconds(from)} and ${to} may be missing: the service keeps leads for 30 days, and these could not be fetched in that time.`,
		);
	}
}
