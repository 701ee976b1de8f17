import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { USUAL_SKEW_MS } from '../../service/basics/clock';
import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { DAY_MS, isoSeconds, MINUTE_MS } from '../../service/basics/times';
import { orFailure, ServiceError } from '../../service/failure';
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import { fetchLeads, RETENTION_MS, leadKey, submittedAt } from '../../service/leads/leads';
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

/** The data that all steps of a poll for leads share. */
export interface LeadsOccasion extends Occasion<LeadsNode> {
	settings: Settings;
}

/**
 * A target, that is the subject of one request (such as the applicant leads of one branch), with its state in this
 * poll.
 */
interface AskedTarget extends PolledTarget {
	target: Target;
	progress?: TargetProgress;
	isAnswered: boolean;
	failure?: ServiceError;
	/** True if this poll sends no further request for the target (the leads of one type and filter ID). */
	isDone: boolean;
}

/**
 * Asks the service for leads in one poll. For each target, such as the applicant leads of one branch, the poll
 * continues where the previous poll left it.
 */
export class LeadsAsking {
	private readonly startedAt = Date.now();

	private targets: AskedTarget[] = [];

	/**
	 * When the workflow was published. This is needed for targets (such as the applicant leads of one branch) without
	 * stored progress. It is a value of `performance.now()`, because changes to the system clock do not affect that.
	 */
	private publishedAt = 0;

	constructor(
		private readonly occasion: LeadsOccasion,
		private readonly limits: PollLimits,
		private readonly tracker: LeadTracker,
	) {}

	/**
	 * Asks the service for the leads of every target, such as the applicant leads of one branch, and reports failures.
	 *
	 * @throws NodeApiError if the service answered for no target or, in an activation, refused a request
	 */
	async ask(): Promise<void> {
		const { context, memory, settings, isActivation } = this.occasion;
		const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType);
		const session = new Session(context, LEADS_INTEGRATION, credentials, this.limits, memory.clock);
		// If this poll is not part of an activation, the workflow was published before this process started. How long
		// before is not known, so the trigger asks for leads from an earlier time, by the length of the option Look
		// Back, unless “Start From” reaches back anyway: a lead too many is better than a missing lead.
		const isFromNow = isActivation || settings.startsBeforeMs > PUBLISHED_WITHIN_MS;
		const beganMs = performance.now() - (isFromNow ? 0 : settings.lookBackMs);
		this.publishedAt = memory.unansweredSince ?? beganMs;
		this.targets = settings.targets.map((each) => this.askedTarget(each));
		await this.askRounds(session);
		// A target, such as the applicant leads of one branch, has progress of its own as soon as the service has
		// answered for it.
		const isAllAnswered = this.targets.every(({ progress }) => progress);
		const unansweredSince = isAllAnswered ? undefined : this.publishedAt;
		// If the poll of an activation fails, `reportFailures` throws and n8n does not publish the workflow, so the time of
		// publication is not kept. After any other failed poll it is kept.
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
	 * In every round, asks for one window, that is a limited period of time, of each target, such as the applicant
	 * leads of one branch. So a target with a long backlog does not delay the others.
	 */
	private async askRounds(session: Session): Promise<void> {
		while (this.isInTime && this.tracker.queue.hasRoom) {
			const due = this.due();
			if (due.length === 0) return;
			await mapConcurrently(due, MOST_REQUESTS_AT_ONCE, async (each) => {
				// The round goes on even if the queue of waiting leads is full. Otherwise a target (such as the leads
				// of one branch) with a long backlog would block the others in every poll.
				if (this.isInTime && !each.isDone) await this.askFor(session, each);
			});
		}
	}

	/**
	 * Returns the targets (such as the applicant leads of one branch) to ask for. Those whose last request failed come
	 * last; among the others, the target that has been read up to the earliest time comes first.
	 */
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
		// A poll asks for leads submitted before the poll started. If it also asked for leads submitted since then, it
		// might never catch up with a slow service.
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
		const leads = await orFailure(fetchLeads(session, request));
		if (leads instanceof ServiceError) return this.fail(session, asked, leads);
		const askedAt = clock.isKnown ? clock.now(sentAt) : sentAt - USUAL_SKEW_MS;
		this.addLeads(asked, leads, { askedAt, reachMs, window });
		const { progress } = asked;
		asked.isAnswered = true;
		asked.progress =
			progress && window ? afterAnswer(progress, window, askedAt) : firstProgress(askedAt, reachMs);
		// If the service's clock was still before the end of the period that was asked for, the service has no later
		// leads yet, so this poll asks for no more.
		asked.isDone = window !== undefined && askedAt < window.to;
	}

	/**
	 * Notes a failure of a request. If the service has answered before for the same target (such as the leads of one
	 * branch), a web page in place of data must come from a proxy, so the failure counts as temporary.
	 */
	private fail(session: Session, asked: AskedTarget, reason: ServiceError): void {
		const isPassing = reason.kind === 'foreign' && !asked.isNew;
		const failure = isPassing ? reason.asPassing : reason;
		asked.failure = failure;
		// Without a token, the requests for all other targets (the leads of other types or branches) would fail too.
		const isForAll = failure.details.requestKind === 'token';
		for (const each of isForAll ? this.targets : [asked]) each.isDone = true;
		// If the service is busy or cannot be reached, this poll sends each of its remaining requests (for the leads of
		// other branches or of the other type) only once.
		if (failure.isTransient) session.stopRepeating();
	}

	private addLeads(
		{ target, progress }: AskedTarget,
		leads: IDataObject[],
		{ askedAt, reachMs, window }: { askedAt: number; reachMs: number; window?: TimeWindow },
	): void {
		const { leadType } = target;
		const from = progress?.watermark ?? askedAt - reachMs;
		if (askedAt - from > RETENTION_MS + MINUTE_MS) this.logGap(from, askedAt);
		// The first request for a target (such as the leads of one branch) has no period, and the service answers with
		// its last 24 hours. If older leads are wanted too, later requests fetch these leads again, in order of time.
		// They are not delivered from the first answer: after 15,000 older leads, the trigger would no longer know that
		// it has delivered them.
		const isForTime = !window && reachMs >= DAY_MS;
		for (const lead of leads) {
			const key = leadKey(lead);
			if (!this.tracker.isNew(target, key, askedAt)) continue;
			if (!window && isFromBefore(lead, askedAt, reachMs)) {
				this.tracker.noteBefore(target, key, askedAt);
			} else if (!isForTime) {
				const time = Math.min(submittedAt(lead) ?? askedAt, askedAt);
				this.tracker.add({ lead, key, time, leadType, target: target.key, from });
			}
		}
	}

	/**
	 * How far back leads are delivered, in milliseconds, if the first request for a target (such as the leads of one
	 * branch) is sent now: leads that were submitted earlier are not delivered.
	 */
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
