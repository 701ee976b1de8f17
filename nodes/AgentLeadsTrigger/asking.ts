import groupBy from 'lodash/groupBy';
import sortBy from 'lodash/sortBy';
import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { isoSeconds, SECOND_MS } from '../../service/basics/times';
import { orFailure, ServiceError } from '../../service/failure';
import type { LeadRequest, LeadsReading } from '../../service/leads/fetchLeads';
import type { LeadType } from '../../service/leads/lead';
import { asItIs, fetchLeads } from '../../service/leads/fetchLeads';
import { longestWithin } from '../../service/leads/fittingLength';
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import type { TimeWindow } from '../../service/leads/window';
import type { RetryLimits } from '../../service/session';
import { Session } from '../../service/session';
import { WORDS } from '../../service/words';
import { budgetOf } from './host';
import type { NodeMemory } from './nodeMemory';
import { clockNotice, gapNotice, straysNotice } from './notices';
import { errorOfPoll, noteOutcomes, reportFailures } from './reports';
import type { Settings } from './settings';
import type { Progress } from './target/storedProgress';
import { titleOf } from './target/target';
import type { PollTerms } from './target/targetPoll';
import { TargetPoll } from './target/targetPoll';
import type { FreshLead } from './target/targetProgress';
import { clientMark } from './target/targetProgress';

/** If the host does not say how long a poll may take. */
const CAREFUL_BUDGET_MS = 40 * SECOND_MS;

/** A backlog is delivered in portions of about a minute, even if the host would allow more. */
const LONGEST_POLL_MS = 50 * SECOND_MS;

/** A person waits while a workflow is activated. */
const ACTIVATION_BUDGET_MS = 20 * SECOND_MS;

interface DueWindow {
	poll: TargetPoll;
	window: TimeWindow;
}

/** A lead that a poll found. */
export interface FoundLead extends FreshLead {
	leadType: LeadType;
	/** What is missing before this lead. */
	gap?: IDataObject;
}

/** What a poll goes by. */
export interface PollOccasion {
	context: IPollFunctions;
	settings: Settings;
	memory: NodeMemory;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
}

/** What is known from the polls before. */
interface Known {
	targets: Progress['targets'];
	delivered: PollTerms['delivered'];
}

/** Where the leads go, and for how many more there is room. */
interface Basket {
	add(lead: FoundLead): void;
	room(): number;
}

/** The part of a poll in which the service is asked, for every target from where it stands. */
export class Asking {
	readonly limits: RetryLimits & { deadline: number };

	private readonly startedAt = Date.now();

	private targets: TargetPoll[] = [];

	/** What failed, if every other request would fail of it as well. */
	private hopeless?: ServiceError;

	/** How many leads the requests under way are likely to bring. */
	private expected = 0;

	constructor(
		private readonly occasion: PollOccasion,
		private readonly known: Known,
		private readonly basket: Basket,
	) {
		const { context, settings, memory, isActivation } = occasion;
		if (isActivation) memory.failures.forgetWaits();
		const hostMs = budgetOf(context) ?? CAREFUL_BUDGET_MS;
		const budgetMs = Math.min(hostMs, isActivation ? ACTIVATION_BUDGET_MS : LONGEST_POLL_MS);
		const maxWaitMs = Math.min(settings.limits.maxWaitMs, budgetMs / 2);
		this.limits = { ...settings.limits, maxWaitMs, deadline: Date.now() + budgetMs };
	}

	/** How far each target came. */
	get reached(): Progress['targets'] {
		return new Map(this.targets.map(({ target, progress }) => [target.key, progress]));
	}

	/** How far each target was before this poll found any of its leads. */
	get begun(): Progress['targets'] {
		return new Map(this.targets.map(({ target, begun }) => [target.key, begun]));
	}

	/** Call once, before `ask`. */
	async begin(): Promise<Session> {
		const { context, settings, memory, isActivation } = this.occasion;
		const { clock, failures } = memory;
		const { targets, delivered } = this.known;
		const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType);
		const client = clientMark(LEADS_INTEGRATION.grant(credentials).clientId);
		const { startFrom, lookBackMs } = settings;
		const shared = { clock, startedAt: this.startedAt, isActivation, client };
		const mostMs = longestWithin(this.limits.maxTries);
		const terms = { ...shared, startFrom, lookBackMs, mostMs, delivered };
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
		this.tellOfClock();
		await this.faceFailures();
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
		return !poll.isAnswered || this.expected < this.basket.room();
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
		const smaller = (failed: TimeWindow) => poll.smaller(failed);
		const departs = () => {
			if (this.hopeless) throw this.hopeless;
		};
		const expected = poll.expectedIn(window);
		this.expected += expected;
		const request = { leadType, filter, window, names, smaller, keep: asItIs, departs };
		const reading = await this.fetch(session, request);
		this.expected -= expected;
		if (reading instanceof ServiceError) this.noteFailure(session, { poll, window }, reading);
		else this.take(poll, window, reading);
	}

	/** Ends when the poll's time is over, whatever the request waits for. */
	private async fetch(
		session: Session,
		request: LeadRequest<IDataObject>,
	): Promise<LeadsReading<IDataObject> | ServiceError> {
		const over = AbortSignal.timeout(Math.max(1, this.limits.deadline - Date.now()));
		return await orFailure(fetchLeads(session, request, over)).catch((error: unknown) => {
			if (!over.aborted) throw error;
			return new ServiceError('unavailable', WORDS.unavailable.messages.late, {
				requestKind: 'data',
			});
		});
	}

	private noteFailure(session: Session, { poll, window }: DueWindow, reason: ServiceError): void {
		const failure = poll.fail(reason, window);
		const isOfToken = failure.details.requestKind === 'token';
		if (isOfToken) for (const each of this.targets) each.failWithOthers(failure);
		if (isOfToken || failure.kind === 'credential') this.hopeless ??= failure;
		// A service that is busy or out of reach is not pressed for the other targets.
		if (failure.isTransient) session.stopRepeating();
	}

	private take(poll: TargetPoll, window: TimeWindow, reading: LeadsReading<IDataObject>): void {
		const { target } = poll;
		const { leads, gap, missed, strays } = poll.take(window, reading);
		if (missed) this.warn(`${titleOf(target)}: ${gapNotice(missed)}`);
		if (strays && this.occasion.memory.isToTell(`strays ${target.key}`)) {
			const share = `${strays} of ${reading.leads.length}`;
			this.warn(`${titleOf(target)}: ${straysNotice(share, window)}`);
		}
		for (const [index, lead] of leads.entries()) {
			const isAfterGap = gap && index === 0;
			this.basket.add({
				...lead,
				leadType: target.leadType,
				...(isAfterGap && { gap: gapField(gap) }),
			});
		}
	}

	/** A wrong clock loses nothing here, and may do harm elsewhere. */
	private tellOfClock(): void {
		const { wrongByMs } = this.occasion.memory.clock;
		if (wrongByMs === undefined || !this.occasion.memory.isToTell('clock')) return;
		this.warn(clockNotice(wrongByMs));
	}

	private warn(message: string): void {
		this.occasion.context.logger.warn(message);
	}

	/**
	 * A failure fails the poll only if no target was answered, or while the workflow is activated.
	 * Targets that wait for a busy service do not fail the poll, and are told of like others that fail
	 * while the poll goes on.
	 *
	 * @throws NodeApiError
	 */
	private async faceFailures(): Promise<void> {
		const { targets } = this;
		const { context, memory, isActivation } = this.occasion;
		const { failures } = memory;
		noteOutcomes(failures, targets);
		const error = errorOfPoll(context, targets, isActivation);
		const unheard = error ? targets.filter(({ isWaiting }) => isWaiting) : targets;
		await reportFailures(context, failures, unheard);
		if (error) throw error;
	}
}

function gapField(gap: TimeWindow): IDataObject {
	return { from: isoSeconds(gap.from), to: isoSeconds(gap.to), message: gapNotice(gap) };
}
