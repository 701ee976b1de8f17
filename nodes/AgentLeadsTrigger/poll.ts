import groupBy from 'lodash/groupBy';
import sortBy from 'lodash/sortBy';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isoSeconds } from '../../service/basics/times';
import { mapConcurrently, REQUESTS_AT_ONCE } from '../../service/basics/concurrency';
import { ServiceError } from '../../service/failure';
import type { LeadRequest, LeadsReading } from '../../service/leads/fetchLeads';
import { fetchLeads } from '../../service/leads/fetchLeads';
import { LEADS_INTEGRATION } from '../../service/leads/integration';
import { Session } from '../../service/session';
import type { RetryLimits } from '../../service/session';
import type { TimeWindow } from '../../service/leads/window';
import { leadJson } from '../common/leads/simplifyLead';
import { toNodeError } from '../common/nodeErrors';
import type { DeliveredLeads } from './target/deliveredLeads';
import { asPassing, errorOfAll, hasFailed, named, noteOutcomes, reportFailures } from './failures';
import type { NodeMemory } from './memory';
import {
	budgetOf,
	claimFirstPoll,
	forgetWaits,
	isBehind,
	isToTell,
	isToWait,
	memoryOf,
} from './memory';
import { clockNotice, gapNotice, straysNotice } from './notices';
import type { FreshLead, Scope } from './target/progress';
import {
	baselineWindow,
	CAUGHT_UP_MS,
	clientMark,
	missedSpan,
	nextWindow,
	notAhead,
	startScope,
	takeBaseline,
	takeIn,
	withoutMissed,
} from './target/progress';
import type { Settings, Target } from './settings';
import { titleOf } from './settings';
import type { Progress } from './target/storedProgress';
import { readProgress, writeProgress } from './target/storedProgress';

const DAY_MS = 24 * 3_600_000;

/** Where the host does not say how long a poll may take. */
const CAREFUL_BUDGET_MS = 40_000;

/** What was caught up goes out about every minute, also where the host would allow more. */
const LONGEST_POLL_MS = 50_000;

/** A person waits while a workflow is activated. */
const ACTIVATION_BUDGET_MS = 20_000;

/** A longer backlog goes out over several polls: n8n holds an execution's items in memory. */
const MOST_LEADS = 10_000;

/** How far the host's clock may be off while the service has not told its time. */
const CLOCK_DOUBT_MS = 10 * 60_000;

/** n8n may return from publishing a while before it polls first; what comes meanwhile counts. */
const PUBLISHED_WITHIN_MS = 60_000;

/** Fewer leads from outside of the window may be late ones. */
const MANY_STRAYS = 5;

/** A target in one poll. */
interface Task {
	target: Target;
	scope: Scope;
	/** Whether the scope begins with this poll, or is another client's. */
	isNew: boolean;
	/** Whether this poll has chosen the start of the scope. */
	isBegun: boolean;
	/** Whether what is there already only becomes known, and nothing is delivered. */
	isBaseline: boolean;
	/** Whether the service asked to wait for longer than this poll. */
	isWaiting: boolean;
	/** Whether a first answer was put aside, since it was asked for by a wrong clock. */
	isAskedAgain: boolean;
	/** Whether the service has answered for it in this poll. */
	isAnswered: boolean;
	/** Whether there is nothing more to ask for in this poll. */
	isDone: boolean;
	failure?: ServiceError;
}

interface DueWindow {
	task: Task;
	window: TimeWindow;
}

interface Delivery extends FreshLead {
	target: Target;
	/** What is missing before this lead. */
	gap?: IDataObject;
}

/**
 * One poll of the trigger: every scope goes on from its own progress.
 *
 * @returns the leads, oldest first, or null when there are none
 * @throws NodeApiError or ServiceError when no scope was answered; the stored progress is unchanged
 * then
 */
export async function pollLeads(
	context: IPollFunctions,
	settings: Settings,
): Promise<INodeExecutionData[][] | null> {
	const memory = memoryOf(context);
	const isFirst = claimFirstPoll(context);
	// A tick gives way: the next one takes over what is left. An activation has no next one.
	while (memory.current) {
		if (!isFirst) return null;
		const { delivered } = memory;
		await Promise.allSettled([memory.current]);
		// n8n drops what a poll brings while its workflow is published anew.
		memory.delivered = delivered;
	}
	const poll = new Poll(context, settings, memory, isFirst).run();
	memory.current = poll;
	return await poll.finally(() => delete memory.current);
}

class Poll {
	private readonly limits: RetryLimits & { deadline: number };

	private readonly deliveries: Delivery[] = [];

	private readonly startedAt = Date.now();

	private tasks: Task[] = [];

	/** All that was delivered, with what this poll delivers. */
	private delivered!: DeliveredLeads;

	/** Whether something failed that every other request would fail of as well. */
	private isHopeless = false;

	constructor(
		private readonly context: IPollFunctions,
		private readonly settings: Settings,
		private readonly memory: NodeMemory,
		private readonly isFirst: boolean,
	) {
		if (isFirst) forgetWaits(memory);
		const hostMs = budgetOf(context) ?? CAREFUL_BUDGET_MS;
		const budgetMs = Math.min(hostMs, isFirst ? ACTIVATION_BUDGET_MS : LONGEST_POLL_MS);
		const maxWaitMs = Math.min(settings.limits.maxWaitMs, budgetMs / 2);
		this.limits = { ...settings.limits, maxWaitMs, deadline: Date.now() + budgetMs };
	}

	async run(): Promise<INodeExecutionData[][] | null> {
		const { context, memory, isFirst } = this;
		const staticData = context.getWorkflowStaticData('node');
		const stored = readProgress(staticData);
		const isLagging = isBehind(memory, stored.polls);
		if (isLagging && !isFirst) return null;
		const known = this.goOnFrom(stored);
		const isNamedAnew = known.scopes.size === 0;
		this.delivered = ((isNamedAnew && memory.delivered) || known.delivered).copy();
		const session = await this.begin(known);
		// An activation that fails has begun nothing.
		if (!isFirst) memory.unstored = { from: stored.polls, progress: this.begun(known) };
		// What is known goes on from newer progress, once n8n has stored that.
		if (isLagging) for (const task of this.tasks) task.isDone = !task.isBaseline;
		await this.askInRounds(session);
		this.correctStarts();
		this.tellOfClock();
		await this.faceFailures();

		const reached = this.snapshot(known.polls + 1);
		const items = this.toItems();
		if (!isLagging) writeProgress(staticData, reached);
		if (isFirst || items.length > 0) memory.storedPolls = (isLagging ? stored : reached).polls;
		if (items.length === 0) {
			memory.unstored = { from: stored.polls, progress: reached };
			memory.reached = reached;
			return null;
		}
		memory.handedOver = { polls: reached.polls, at: Date.now() };
		memory.delivered = reached.delivered;
		delete memory.reached;
		return [items];
	}

	/** What is stored, or what this process reached since and the host did not store. */
	private goOnFrom(stored: Progress): Progress {
		const { memory, isFirst } = this;
		// What another process stored meanwhile counts, and the leads that it delivered.
		const isOfAnother = isFirst && stored.polls > (memory.storedPolls ?? 0);
		if (!isOfAnother && memory.unstored?.from === stored.polls) return memory.unstored.progress;
		delete memory.unstored;
		if (!isFirst || isOfAnother) return stored;
		// A workflow that is published again is loaded anew, from before its last quiet polls.
		const { reached = stored } = memory;
		return reached.polls > stored.polls ? reached : stored;
	}

	private snapshot(polls: number): Progress {
		return {
			polls,
			scopes: new Map(this.tasks.map(({ target, scope }) => [target.key, scope])),
			delivered: this.delivered,
		};
	}

	/** What is known, and the scopes that begin: they have their start, even if this poll fails. */
	private begun({ polls, scopes, delivered }: Progress): Progress {
		return { polls, scopes: new Map([...scopes, ...this.snapshot(polls).scopes]), delivered };
	}

	private async begin({ scopes }: Progress): Promise<Session> {
		const { context, settings, memory } = this;
		const credentials = await context.getCredentials(LEADS_INTEGRATION.credentialType);
		const client = clientMark(LEADS_INTEGRATION.grant(credentials).clientId);
		this.tasks = settings.targets.map((target) =>
			this.beginTask(target, client, scopes.get(target.key)),
		);
		return new Session(context, LEADS_INTEGRATION, credentials, this.limits, memory.clock);
	}

	/** Goes on where the scope is, or begins it. */
	private beginTask(target: Target, client: string, known?: Scope): Task {
		const isWaiting = !this.isFirst && isToWait(this.memory, target.key);
		const state = { target, isWaiting, isAnswered: false, isDone: false, isAskedAgain: false };
		if (known?.client === client) {
			return { ...state, scope: known, isNew: false, isBegun: false, isBaseline: false };
		}
		const isFromNow = this.settings.startFrom === 'activation';
		// It may be a new pair for the same agency: what its old one has not seen is still to come.
		if (known && isFromNow) {
			const scope = { ...known, client };
			return { ...state, scope, isNew: true, isBegun: false, isBaseline: false };
		}
		// Leads that the client before was given are not given again, as far as they are known.
		const seen = known?.seen ?? new Map<string, number>();
		const scope = { ...startScope(client, this.startOfNew()), seen };
		const isBaseline = isFromNow && this.isFirst;
		return { ...state, scope, isNew: true, isBegun: true, isBaseline };
	}

	/**
	 * From when on the leads of a new scope are delivered. With “activation” that is now, and the
	 * moment in which n8n may already have said that the workflow is published. A later poll that
	 * knows of no activation comes after a crash: it reaches back, since a lead too many is better
	 * than one too few.
	 */
	private startOfNew(doubtMs = this.memory.clock.isKnown ? 0 : CLOCK_DOUBT_MS): number {
		const now = this.memory.clock.told(this.startedAt);
		switch (this.settings.startFrom) {
			case 'last24Hours':
				return now - DAY_MS;
			case 'last30Days':
				return now - 30 * DAY_MS;
			case 'activation':
				if (!this.isFirst) return now - this.settings.lookBackMs;
				return now - PUBLISHED_WITHIN_MS - doubtMs;
		}
	}

	/** Also a service that was too busy to answer may have told its time. */
	private correctStarts(): void {
		for (const task of this.tasks) {
			if (!task.isBegun || task.isAnswered) continue;
			const { client, seen } = task.scope;
			task.scope = { ...startScope(client, this.startOfNew()), seen };
		}
	}

	/** A window of each scope in every round: one that is far behind does not hold up the others. */
	private async askInRounds(session: Session): Promise<void> {
		while (this.mayAsk() && this.deliveries.length < MOST_LEADS) {
			const due = this.dueWindows();
			if (due.length === 0) return;
			const byType = Object.values(groupBy(due, ({ task }) => task.target.leadType));
			const lanes = Math.ceil(REQUESTS_AT_ONCE / byType.length);
			// Lanes of its own for each type: one that hangs does not keep the other one waiting.
			await Promise.all(
				byType.map(async (group) => {
					await mapConcurrently(this.inOrder(group), lanes, async ({ task, window }) => {
						if (this.mayAsk()) await this.ask(session, task, window);
					});
				}),
			);
		}
	}

	/** What failed before comes last, else what is furthest behind first. */
	private inOrder(due: DueWindow[]): DueWindow[] {
		return sortBy(due, [
			({ task }) => this.memory.failing.has(task.target.key),
			({ task }) => task.scope.watermark,
		]);
	}

	private mayAsk(): boolean {
		return !this.isHopeless && Date.now() < this.limits.deadline;
	}

	private dueWindows(): DueWindow[] {
		return this.tasks.flatMap((task) => {
			if (task.isDone || task.isWaiting || task.failure) return [];
			const window = task.isBaseline ? this.baselineWindow() : this.nextWindow(task);
			return window ? [{ task, window }] : [];
		});
	}

	private baselineWindow(): TimeWindow {
		// The first answer tells whether the clock can be trusted.
		const start = this.memory.clock.hasAnswered ? this.startOfNew() : this.startOfNew(0);
		return baselineWindow(start, this.settings.lookBackMs);
	}

	/** Up to the start of the poll: a slow service would never be caught up with otherwise. */
	private nextWindow(task: Task): TimeWindow | undefined {
		const { clock } = this.memory;
		const earliest = clock.earliestNow(this.startedAt);
		const latest = clock.now(this.startedAt);
		// The host's clock may have gone back. A service that tells its time will tell.
		const willTell = !task.isAnswered && (clock.isKnown || !clock.hasAnswered);
		if (!willTell) task.scope = this.notAhead(task.scope, latest);
		const upTo = willTell ? Math.max(latest, task.scope.watermark) : latest;
		const { lookBackMs } = this.settings;
		return nextWindow(task.scope, { earliest, latest: upTo }, lookBackMs, !task.isAnswered);
	}

	private notAhead(scope: Scope, now: number): Scope {
		const { completeFrom } = this.delivered;
		return notAhead(scope, { now, isTold: this.memory.clock.isKnown, completeFrom });
	}

	/** @throws ServiceError, also when the poll's time is over, whatever the request waits for */
	private async fetch(session: Session, request: LeadRequest): Promise<LeadsReading> {
		const over = AbortSignal.timeout(Math.max(1, this.limits.deadline - Date.now()));
		const [outcome] = await Promise.allSettled([fetchLeads(session, request, over)]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const failure: unknown = outcome.reason;
		if (failure instanceof ServiceError || !over.aborted) throw failure;
		throw new ServiceError('unavailable', 'The service did not answer in time', {
			requestKind: 'data',
		});
	}

	private async ask(session: Session, task: Task, window: TimeWindow): Promise<void> {
		const { leadType, filter } = task.target;
		const request = { leadType, filter, window, names: this.settings.names };
		const [outcome] = await Promise.allSettled([this.fetch(session, request)]);
		if (outcome.status === 'rejected') {
			const failure: unknown = outcome.reason;
			if (!(failure instanceof ServiceError)) throw failure;
			this.noteFailure(task, task.isNew ? failure : asPassing(failure));
			return;
		}
		if (this.wasMisled(task, window)) return;
		if (task.isBaseline) this.takeBaseline(task, window, outcome.value);
		else this.takeIn(task, window, outcome.value);
		task.isAnswered = true;
		delete task.failure;
	}

	private takeBaseline(task: Task, window: TimeWindow, { leads }: LeadsReading): void {
		const { lookBackMs } = this.settings;
		const start = this.startOfNew();
		const times = { start, now: this.memory.clock.now(), lookBackMs };
		task.scope = takeBaseline(task.scope, window, leads, times);
		// The host's clock may have been behind.
		task.isDone = start - window.to <= CAUGHT_UP_MS;
	}

	private takeIn(task: Task, window: TimeWindow, { leads, askedAt }: LeadsReading): void {
		const { clock } = this.memory;
		const before = this.withMissed(task);
		const taken = takeIn(before, window, leads, this.settings.lookBackMs, askedAt);
		const { scope, fresh, strays } = taken;
		// A watermark short of the window's end is where the service's own time ends.
		task.isDone = scope.watermark < window.to || scope.watermark <= before.watermark;
		task.scope = clock.isKnown ? this.notAhead(scope, clock.now()) : scope;
		if (strays >= MANY_STRAYS && strays * 2 >= leads.length) {
			this.tellOfStrays(task.target, window, `${strays} of ${leads.length}`);
		}
		this.deliver(task, fresh);
	}

	/**
	 * Whether the first answer shows that a wrong clock chose the window: then it is put aside, and
	 * the service is asked again by its own clock.
	 */
	private wasMisled(task: Task, window: TimeWindow): boolean {
		if (task.isAnswered || task.isAskedAgain) return false;
		task.isAskedAgain = task.isBaseline
			? window.to - this.startOfNew() > CAUGHT_UP_MS
			: this.beganAhead(task) || this.isCutShort(task, window);
		return task.isAskedAgain;
	}

	/** A start that the host's clock put into the service's future is put right. */
	private beganAhead(task: Task): boolean {
		const { isNew, scope } = task;
		if (scope.since === undefined || scope.seenFrom !== undefined) return false;
		const latest = isNew ? this.startOfNew() : this.memory.clock.told();
		if (scope.watermark - latest <= CAUGHT_UP_MS) return false;
		task.scope = { ...startScope(scope.client, this.startOfNew()), seen: scope.seen };
		return true;
	}

	/** Whether leads were left out as too old that the service still keeps. */
	private isCutShort({ scope }: Task, window: TimeWindow): boolean {
		if (window.from - scope.watermark <= CAUGHT_UP_MS) return false;
		return missedSpan(scope, this.memory.clock.earliestNow()) === undefined;
	}

	private noteFailure(task: Task, failure: ServiceError): void {
		task.failure = failure;
		const { kind, details, isTransient } = failure;
		if (details.requestKind === 'token') this.failOthers(failure);
		this.isHopeless ||= details.requestKind === 'token' || kind === 'credential';
		// A service that is busy or out of reach is not pressed for the other scopes.
		if (isTransient) this.limits.maxTries = 1;
	}

	/** What no token can be had for fails as well, and waits for as long. */
	private failOthers(failure: ServiceError): void {
		for (const task of this.tasks) {
			if (!task.isAnswered && !task.isDone && !task.isWaiting) task.failure ??= failure;
		}
	}

	/** The scope before an answer, with what the service no longer keeps of the time since. */
	private withMissed({ scope, target }: Task): Scope {
		const missed = scope.missed ?? missedSpan(scope, this.memory.clock.earliestNow());
		if (!missed) return scope;
		if (!scope.missed) this.context.logger.warn(`${titleOf(target)}: ${gapNotice(missed)}`);
		return { ...scope, missed };
	}

	/** A lead that two filter ids share is delivered once, whichever of them brings it, and when. */
	private deliver(task: Task, fresh: FreshLead[]): void {
		const { target, scope } = task;
		const now = this.memory.clock.now();
		const deliveries = sortBy(fresh, 'time').flatMap((lead): Delivery[] => {
			const isNew = this.delivered.claim(target.leadType, lead.key, now);
			return isNew ? [{ ...lead, target }] : [];
		});
		const [first] = deliveries;
		if (first && scope.missed) {
			const { from, to } = scope.missed;
			first.gap = { from: isoSeconds(from), to: isoSeconds(to), message: gapNotice(scope.missed) };
			task.scope = withoutMissed(scope);
		}
		for (const delivery of deliveries) this.deliveries.push(delivery);
	}

	/** A wrong clock loses nothing here, and may do harm elsewhere. */
	private tellOfClock(): void {
		const { wrongByMs } = this.memory.clock;
		if (wrongByMs === undefined || !isToTell(this.memory, 'clock')) return;
		this.context.logger.warn(clockNotice(wrongByMs));
	}

	private tellOfStrays(target: Target, window: TimeWindow, share: string): void {
		if (!isToTell(this.memory, `strays ${target.key}`)) return;
		this.context.logger.warn(`${titleOf(target)}: ${straysNotice(share, window)}`);
	}

	/**
	 * What failed fails the poll only if nothing else works, or if somebody is just setting it up. A
	 * busy service does not keep a workflow from being activated. Scopes that wait for a busy service
	 * do not fail the poll, and are told of like others that fail while the poll goes on.
	 *
	 * @throws NodeApiError
	 */
	private async faceFailures(): Promise<void> {
		const { context, memory, tasks } = this;
		noteOutcomes(memory, tasks);
		const error = this.errorOfPoll();
		const unheard = error ? tasks.filter(({ isWaiting }) => isWaiting) : tasks;
		await reportFailures(context, memory, unheard);
		if (error) throw error;
	}

	private errorOfPoll(): Error | undefined {
		const { context, tasks, isFirst } = this;
		const failed = tasks.filter(hasFailed);
		const isAnswered = tasks.some((task) => task.isAnswered);
		const node = context.getNode();
		if (isFirst) {
			const refused = failed.find(
				({ failure, isNew }) => !failure.isTransient && (isNew || !isAnswered),
			);
			return refused && toNodeError(node, named(refused, tasks), { isMessageOnly: true });
		}
		const error = isAnswered ? undefined : errorOfAll(failed, tasks);
		return error && toNodeError(node, error, { isPoll: true });
	}

	private toItems(): INodeExecutionData[] {
		const { simplify } = this.settings;
		return sortBy(this.deliveries, 'time').map(({ lead, target, gap }) => {
			const json = leadJson(lead, target.leadType, simplify);
			return { json: gap ? { ...json, gap } : json };
		});
	}
}
