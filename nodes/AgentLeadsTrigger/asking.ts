import groupBy from 'lodash/groupBy';
import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { isoSeconds } from '../../service/basics/times';
import { ServiceError } from '../../service/failure';
import type { LeadsReading } from '../../service/leads/leads';
import { fetchLeads } from '../../service/leads/leads';
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import type { TimeWindow } from '../../service/leads/windows';
import { Session } from '../../service/session';
import type { PollLimits } from '../common/polling/limits';
import { limitsOfPoll, orLate } from '../common/polling/limits';
import type { Occasion } from '../common/polling/occasion';
import { faceFailures } from '../common/polling/reports';
import { tellOfClock } from '../common/polling/tellOfClock';
import { gapNotice, straysNotice } from './notices';
import type { LeadsMemory } from './leadsMemory';
import type { LeadToRun } from './leadTracker';
import type { Settings } from './settings';
import type { Progress } from './progress/storedProgress';
import type { PollTerms } from './progress/targetPoll';
import { TargetPoll } from './progress/targetPoll';
import { clientMark } from './progress/targetProgress';

interface DueWindow {
	poll: TargetPoll;
	window: TimeWindow;
}

/** What a poll goes by. */
export interface PollOccasion extends Occasion<LeadsMemory> {
	settings: Settings;
}

/** What is known from the polls before. */
interface Known {
	targets: Progress['targets'];
	delivered: PollTerms['delivered'];
}

/** Where the leads go, and for how many more there is room. */
interface Basket {
	add(lead: LeadToRun): void;
	room(): number;
}

/** The part of a poll in which the service is asked, for every target from where it stands. */
export class Asking {
	readonly limits: PollLimits;

	private readonly startedAt = Date.now();

	private targets: TargetPoll[] = [];

	/** What failed, if every other request would fail of it as well. */
	private hopeless?: ServiceError;

	constructor(
		private readonly occasion: PollOccasion,
		private readonly known: Known,
		private readonly basket: Basket,
	) {
		const { settings, memory, isActivation } = occasion;
		if (isActivation) memory.failures.forgetWaits();
		this.limits = limitsOfPoll(occasion, settings.limits);
	}

	/** How far each target came. */
	get reached(): Progress['targets'] {
		return new Map(this.targets.map(({ target, progress }) => [target.key, progress]));
	}

	/** Call once, before `ask`. */
	async begin(): Promise<Session> {
		const { context, settings, memory, isActivation } = this.occasion;
		const { clock, failures } = memory;
		const { targets, delivered } = this.known;
		const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType);
		const { clientId, fingerprint } = LEADS_INTEGRATION.grant(credentials);
		failures.askAs(fingerprint);
		const client = clientMark(clientId);
		const { startFrom, lookBackMs } = settings;
		const shared = { clock, startedAt: this.startedAt, isActivation, client };
		const terms = { ...shared, startFrom, lookBackMs, delivered };
		this.targets = settings.targets.map((target) => {
			const isWaiting = !isActivation && failures.isToWait(target.key);
			const longestMs = failures.longestMsFor(target.key);
			return new TargetPoll(target, terms, targets.get(target.key), { isWaiting, longestMs });
		});
		return new Session(context, LEADS_INTEGRATION, credentials, this.limits, clock);
	}

	/** n8n has not stored the last poll yet: known targets wait, or they would deliver twice. */
	leaveKnownTargets(): void {
		for (const each of this.targets) each.leaveToNextPoll();
	}

	/** @throws NodeApiError when no target was answered */
	async ask(session: Session): Promise<void> {
		await this.askInRounds(session);
		for (const each of this.targets) each.correctStart();
		tellOfClock(this.occasion);
		await faceFailures(this.occasion, this.targets);
	}

	/** A window of each target in every round: one that is far behind does not hold up the others. */
	private async askInRounds(session: Session): Promise<void> {
		while (this.mayAsk() && this.basket.room() > 0) {
			const due = this.dueWindows();
			if (due.length === 0) return;
			const byType = Object.values(groupBy(due, ({ poll }) => poll.target.leadType));
			const lanes = Math.ceil(MOST_REQUESTS_AT_ONCE / byType.length);
			// Each type has lanes of its own: one that hangs does not keep the other one waiting.
			await Promise.all(
				byType.map(async (group) => {
					await mapConcurrently(this.inOrder(group), lanes, async (each) => {
						if (this.mayAsk() && this.hasRoomFor(each)) await this.askFor(session, each);
					});
				}),
			);
		}
	}

	private mayAsk(): boolean {
		return !this.hopeless && Date.now() < this.limits.deadline;
	}

	/** A first window does not wait for room: what is far behind would hold up the others in every poll. */
	private hasRoomFor({ poll }: DueWindow): boolean {
		return !poll.isAnswered || this.basket.room() > 0;
	}

	private dueWindows(): DueWindow[] {
		return this.targets.flatMap((poll) => {
			const window = poll.dueWindow();
			return window ? [{ poll, window }] : [];
		});
	}

	/** What failed before comes last, else what is furthest behind first. */
	private inOrder(due: DueWindow[]): DueWindow[] {
		return sortBy(due, [
			({ poll }) => this.occasion.memory.failures.has(poll.target.key),
			({ poll }) => poll.progress.watermark,
		]);
	}

	private async askFor(session: Session, { poll, window }: DueWindow): Promise<void> {
		const { leadType, filter } = poll.target;
		const { names } = this.occasion.settings;
		const request = { leadType, filter, window, names };
		const reading = await orLate(
			this.limits,
			async (over) => await fetchLeads(session, request, over),
		);
		if (reading instanceof ServiceError) this.noteFailure(session, { poll, window }, reading);
		else this.take(poll, window, reading);
	}

	private noteFailure(session: Session, { poll, window }: DueWindow, reason: ServiceError): void {
		const failure = poll.fail(reason, window);
		const isOfToken = failure.details.requestKind === 'token';
		if (isOfToken) for (const each of this.targets) each.failWithOthers(failure);
		if (isOfToken || failure.kind === 'credential') this.hopeless ??= failure;
		// A service that is busy or out of reach is not pressed for the other targets.
		if (failure.isTransient) session.stopRepeating();
	}

	private take(poll: TargetPoll, window: TimeWindow, reading: LeadsReading): void {
		const { target, progress: before } = poll;
		const { leads, gap, missed, strays } = poll.take(window, reading);
		if (missed) this.warn(`${poll.title}: ${gapNotice(missed)}`);
		if (strays && this.occasion.memory.isToTell(`strays ${target.key}`)) {
			const share = `${strays} of ${reading.leads.length}`;
			this.warn(`${poll.title}: ${straysNotice(share, window)}`);
		}
		for (const [index, lead] of leads.entries()) {
			const isAfterGap = gap && index === 0;
			this.basket.add({
				...lead,
				leadType: target.leadType,
				target: target.key,
				before,
				...(isAfterGap && { gap: gapField(gap) }),
			});
		}
	}

	private warn(message: string): void {
		this.occasion.context.logger.warn(message);
	}
}

function gapField(gap: TimeWindow): IDataObject {
	return { from: isoSeconds(gap.from), to: isoSeconds(gap.to), message: gapNotice(gap) };
}
