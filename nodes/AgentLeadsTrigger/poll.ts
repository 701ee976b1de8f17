import groupBy from 'lodash/groupBy';
import sortBy from 'lodash/sortBy';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { mapConcurrently, REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { isoSeconds, SECOND_MS } from '../../service/basics/times';
import { orFailure, ServiceError } from '../../service/failure';
import type { LeadRequest, LeadsReading } from '../../service/leads/fetchLeads';
import type { LeadType } from '../../service/leads/lead';
import { fetchLeads } from '../../service/leads/fetchLeads';
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import type { TimeWindow } from '../../service/leads/window';
import type { RetryLimits } from '../../service/session';
import { Session } from '../../service/session';
import { WORDS } from '../../service/words';
import { leadJson } from '../common/leads/simplifyLead';
import { budgetOf, claimActivation } from './host';
import type { NodeMemory } from './nodeMemory';
import { memoryOfNode } from './nodeMemory';
import { clockNotice, gapNotice, straysNotice } from './notices';
import { errorOfPoll, noteOutcomes, reportFailures } from './reports';
import type { Settings } from './settings';
import { DeliveredLeads } from './target/deliveredLeads';
import type { Progress } from './target/storedProgress';
import { readProgress, writeProgress } from './target/storedProgress';
import { titleOf } from './target/target';
import { TargetPoll } from './target/targetPoll';
import type { FreshLead } from './target/targetProgress';
import { clientMark } from './target/targetProgress';

/** If the host does not say how long a poll may take. */
const CAREFUL_BUDGET_MS = 40 * SECOND_MS;

/** A backlog is delivered in portions of about a minute, even if the host would allow more. */
const LONGEST_POLL_MS = 50 * SECOND_MS;

/** A person waits while a workflow is activated. */
const ACTIVATION_BUDGET_MS = 20 * SECOND_MS;

/** A longer backlog is delivered by several polls: n8n holds an execution's items in memory. */
const MOST_LEADS = 10_000;

interface DueWindow {
	poll: TargetPoll;
	window: TimeWindow;
}

interface Delivery extends FreshLead {
	leadType: LeadType;
	/** What is missing before this lead. */
	gap?: IDataObject;
}

/**
 * One poll of the trigger: every target goes on from its own progress.
 *
 * @returns the leads, oldest first, or null when there are none
 * @throws NodeApiError or ServiceError when no target was answered; the stored progress is unchanged
 * then
 */
export async function pollLeads(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[][] | null> {
	const memory = memoryOfNode(context);
	const isActivation = claimActivation(context);
	// A tick gives way: the next one takes over what is left. An activation has no next one.
	while (memory.current) {
		if (!isActivation) return null;
		const { delivered } = memory;
		await Promise.allSettled([memory.current]);
		// n8n drops what a poll brings while its workflow is published anew.
		memory.delivered = delivered;
	}
	const poll = new Poll(context, settings, memory, isActivation).run();
	memory.current = poll;
	return await poll.finally(() => delete memory.current);
}

class Poll {
	private readonly startedAt = Date.now();

	private readonly limits: RetryLimits & { deadline: number };

	private readonly deliveries: Delivery[] = [];

	private targets: TargetPoll[] = [];

	/** All that was delivered, with what this poll delivers. */
	private delivered = new DeliveredLeads();

	/** Whether something failed that every other request would fail of as well. */
	private isHopeless = false;

	constructor(
		private readonly context: IPollFunctions,
		private readonly settings: Settings,
		private readonly memory: NodeMemory,
		private readonly isActivation: boolean,
	) {
		if (isActivation) memory.failures.forgetWaits();
		const hostMs = budgetOf(context) ?? CAREFUL_BUDGET_MS;
		const budgetMs = Math.min(hostMs, isActivation ? ACTIVATION_BUDGET_MS : LONGEST_POLL_MS);
		const maxWaitMs = Math.min(settings.limits.maxWaitMs, budgetMs / 2);
		this.limits = { ...settings.limits, maxWaitMs, deadline: Date.now() + budgetMs };
	}

	async run(): Promise<INodeExecutionData[][] | null> {
		const { context, memory, isActivation } = this;
		const staticData = context.getWorkflowStaticData('node');
		const stored = readProgress(staticData);
		const isLagging = memory.isBehind(stored);
		if (isLagging && !isActivation) return null;
		const known = memory.goOnFrom(stored, isActivation);
		const session = await this.begin(known);
		// A failed activation leaves no trace: the next one starts over.
		if (!isActivation) memory.noteBegun(stored, this.begun(known));
		// n8n has not stored the last poll yet. Known targets wait, or they would deliver twice.
		if (isLagging) for (const each of this.targets) each.leaveToNextPoll();
		await this.askInRounds(session);
		for (const each of this.targets) each.correctStart();
		this.tellOfClock();
		await this.faceFailures();

		const reached = this.snapshot(known.polls + 1);
		const items = this.toItems();
		if (!isLagging) writeProgress(staticData, reached);
		if (isActivation || items.length > 0) memory.noteStored(isLagging ? stored : reached);
		if (items.length === 0) {
			memory.noteQuiet(stored, reached);
			return null;
		}
		memory.noteHandOver(reached);
		return [items];
	}

	private async begin({ targets, delivered }: Progress): Promise<Session> {
		const { context, settings, memory, isActivation, startedAt } = this;
		const { clock, failures } = memory;
		const isNamedAnew = targets.size === 0;
		this.delivered = ((isNamedAnew && memory.delivered) || delivered).copy();
		const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType);
		const client = clientMark(LEADS_INTEGRATION.grant(credentials).clientId);
		const { startFrom, lookBackMs } = settings;
		const shared = { clock, startedAt, isActivation, client, startFrom, lookBackMs };
		const terms = { ...shared, delivered: this.delivered };
		this.targets = settings.targets.map((target) => {
			const isWaiting = !isActivation && failures.isToWait(target.key);
			return new TargetPoll(target, terms, targets.get(target.key), isWaiting);
		});
		return new Session(context, LEADS_INTEGRATION, credentials, this.limits, clock);
	}

	private snapshot(polls: number): Progress {
		const targets = this.targets.map(({ target, progress }) => [target.key, progress] as const);
		return { polls, targets: new Map(targets), delivered: this.delivered };
	}

	/** What is known, and the targets that begin: they have their start, even if this poll fails. */
	private begun({ polls, targets, delivered }: Progress): Progress {
		return { polls, targets: new Map([...targets, ...this.snapshot(polls).targets]), delivered };
	}

	/** A window of each target in every round: one that is far behind does not hold up the others. */
	private async askInRounds(session: Session): Promise<void> {
		while (this.mayAsk() && this.deliveries.length < MOST_LEADS) {
			const due = this.dueWindows();
			if (due.length === 0) return;
			const byType = Object.values(groupBy(due, ({ poll }) => poll.target.leadType));
			const lanes = Math.ceil(REQUESTS_AT_ONCE / byType.length);
			// Each type has lanes of its own: one that hangs does not keep the other one waiting.
			await Promise.all(
				byType.map(async (group) => {
					await mapConcurrently(this.inOrder(group), lanes, async (each) => {
						if (this.mayAsk()) await this.ask(session, each);
					});
				}),
			);
		}
	}

	private mayAsk(): boolean {
		return !this.isHopeless && Date.now() < this.limits.deadline;
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
			({ poll }) => this.memory.failures.has(poll.target.key),
			({ poll }) => poll.progress.watermark,
		]);
	}

	private async ask(session: Session, { poll, window }: DueWindow): Promise<void> {
		const { leadType, filter } = poll.target;
		const request = { leadType, filter, window, names: this.settings.names };
		const reading = await this.fetch(session, request);
		if (reading instanceof ServiceError) this.noteFailure(session, poll, reading);
		else this.take(poll, window, reading);
	}

	/** Ends when the poll's time is over, whatever the request waits for. */
	private async fetch(
		session: Session,
		request: LeadRequest,
	): Promise<LeadsReading | ServiceError> {
		const over = AbortSignal.timeout(Math.max(1, this.limits.deadline - Date.now()));
		return await orFailure(fetchLeads(session, request, over)).catch((error: unknown) => {
			if (!over.aborted) throw error;
			return new ServiceError('unavailable', WORDS.unavailable.messages.late, {
				requestKind: 'data',
			});
		});
	}

	private noteFailure(session: Session, poll: TargetPoll, reason: ServiceError): void {
		const failure = poll.fail(reason);
		const isOfToken = failure.details.requestKind === 'token';
		if (isOfToken) for (const each of this.targets) each.failWithOthers(failure);
		this.isHopeless ||= isOfToken || failure.kind === 'credential';
		// A service that is busy or out of reach is not pressed for the other targets.
		if (failure.isTransient) session.stopRepeating();
	}

	private take(poll: TargetPoll, window: TimeWindow, reading: LeadsReading): void {
		const { target } = poll;
		const { leads, gap, missed, strays } = poll.take(window, reading);
		if (missed) this.warn(`${titleOf(target)}: ${gapNotice(missed)}`);
		if (strays && this.memory.isToTell(`strays ${target.key}`)) {
			const share = `${strays} of ${reading.leads.length}`;
			this.warn(`${titleOf(target)}: ${straysNotice(share, window)}`);
		}
		for (const [index, lead] of leads.entries()) {
			const isAfterGap = gap && index === 0;
			this.deliveries.push({
				...lead,
				leadType: target.leadType,
				...(isAfterGap && { gap: gapField(gap) }),
			});
		}
	}

	/** A wrong clock loses nothing here, and may do harm elsewhere. */
	private tellOfClock(): void {
		const { wrongByMs } = this.memory.clock;
		if (wrongByMs === undefined || !this.memory.isToTell('clock')) return;
		this.warn(clockNotice(wrongByMs));
	}

	private warn(message: string): void {
		this.context.logger.warn(message);
	}

	/**
	 * A failure fails the poll only if no target was answered, or while the workflow is activated.
	 * Targets that wait for a busy service do not fail the poll, and are told of like others that fail
	 * while the poll goes on.
	 *
	 * @throws NodeApiError
	 */
	private async faceFailures(): Promise<void> {
		const { context, targets, isActivation } = this;
		const { failures } = this.memory;
		noteOutcomes(failures, targets);
		const error = errorOfPoll(context, targets, isActivation);
		const unheard = error ? targets.filter(({ isWaiting }) => isWaiting) : targets;
		await reportFailures(context, failures, unheard);
		if (error) throw error;
	}

	private toItems(): INodeExecutionData[] {
		const { simplify } = this.settings;
		return sortBy(this.deliveries, 'time').map(({ lead, leadType, gap }) => {
			const json = leadJson(lead, leadType, simplify);
			return { json: gap ? { ...json, gap } : json };
		});
	}
}

function gapField(gap: TimeWindow): IDataObject {
	return { from: isoSeconds(gap.from), to: isoSeconds(gap.to), message: gapNotice(gap) };
}
