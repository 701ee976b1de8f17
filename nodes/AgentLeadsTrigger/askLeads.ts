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

/** A target in this poll. */
interface AskedTarget extends PolledTarget {
	target: Target;
	progress?: TargetProgress;
	isAnswered: boolean;
	failure?: ServiceError;
	/** Whether it has nothing more to ask for in this poll. */
	isDone: boolean;
}

/** The part of a poll in which the service is asked, for every target from where it stands. */
export class LeadsAsking {
	private readonly startedAt = Date.now();

	private targets: AskedTarget[] = [];

	/** When the targets that have no progress were published (`performance.now`, which nobody can set). */
	private publishedAt = 0;

	constructor(
		private readonly occasion: LeadsOccasion,
		private readonly limits: PollLimits,
		private readonly tracker: LeadTracker,
	) {}

	/** @throws NodeApiError when no target was answered */
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
		// A target that was answered goes on from its own progress.
		const isAllAnswered = this.targets.every(({ progress }) => progress);
		const unansweredSince = isAllAnswered ? undefined : this.publishedAt;
		// An activation that fails leaves no trace: the next one starts over.
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

	/** A window of each target in every round: one that is far behind does not hold up the others. */
	private async askRounds(session: Session): Promise<void> {
		while (this.isInTime && this.tracker.queue.hasRoom) {
			const due = this.due();
			if (due.length === 0) return;
			await mapConcurrently(due, MOST_REQUESTS_AT_ONCE, async (each) => {
				// A first window does not wait for room: what is far behind would hold up the others in every poll.
				if (each.isDone || !this.isInTime || (each.isAnswered && !this.tracker.queue.hasRoom))
					return;
				await this.askFor(session, each);
			});
		}
	}

	/** What failed before comes last, else what is furthest behind first. */
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
		// Up to the start of the poll: a slow service would never be caught up with otherwise.
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
		// Where the service's own time ends, there is nothing more to ask for.
		asked.isDone = window !== undefined && askedAt < window.to;
	}

	/** If the address has worked before, a web page in place of data is a proxy's and will pass. */
	private fail(session: Session, asked: AskedTarget, reason: ServiceError): void {
		const isPassing = reason.kind === 'foreign' && !asked.isNew;
		const failure = isPassing ? reason.asPassing : reason;
		const isForAll = failure.details.requestKind === 'token' || failure.kind === 'credential';
		// No token can be had: a target that still needs one fails as well, and waits for as long.
		for (const each of isForAll ? this.targets.filter(({ isDone }) => !isDone) : [asked]) {
			each.isDone = true;
			if (each === asked || !each.isAnswered) each.failure = failure;
		}
		// A service that is busy or out of reach is not pressed for the other targets.
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
		// A target that begins before the service's own 24 hours gets their leads in order, by its next questions.
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

	/** How long before a question that is sent now a target begins, if that is its first one. */
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
