import groupBy from 'lodash/groupBy';
import sortBy from 'lodash/sortBy';
import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { isoSeconds } from '../../service/clock';
import { mapConcurrently, REQUESTS_AT_ONCE } from '../../service/concurrency';
import { ServiceError, toNodeError } from '../../service/errors';
import type { LeadRequest, LeadsReading } from '../../service/leads';
import { fetchLeads, LEADS_INTEGRATION } from '../../service/leads';
import { Session } from '../../service/request';
import type { RetryLimits } from '../../service/retry';
import type { TimeWindow } from '../../service/window';
import { leadJson } from '../common/simplifyLead';
import { asPassing, errorOfAll, hasFailed, named, reportFailures } from './failures';
import type { NodeMemory } from './memory';
import { budgetOf, claimFirstPoll, isBehind, isToWait, memoryOf } from './memory';
import type { FreshLead, Scope } from './polling';
import {
	clientMark,
	missedSpan,
	nextWindow,
	notAhead,
	startScope,
	succeedScope,
	takeIn,
	withoutMissed,
} from './polling';
import type { Settings, Target } from './settings';
import { titleOf } from './settings';
import type { Progress } from './storedProgress';
import { readProgress, writeProgress } from './storedProgress';

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

/** A target in one poll. */
interface Task {
	target: Target;
	scope: Scope;
	/** Whether the scope begins with this poll. */
	isNew: boolean;
	/** Whether what is there already only becomes known, and nothing is delivered. */
	isBaseline: boolean;
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
		await Promise.allSettled([memory.current]);
	}
	const poll = new Poll(context, settings, memory, isFirst).run();
	memory.current = poll;
	return await poll.finally(() => delete memory.current);
}

class Poll {
	private readonly limits: RetryLimits & { deadline: number };

	private readonly deliveries: Delivery[] = [];

	private readonly startedAt = Date.now();

	private readonly delivered = new Set<string>();

	private tasks: Task[] = [];

	/** Whether something failed that every other request would fail of as well. */
	private isHopeless = false;

	constructor(
		private readonly context: IPollFunctions,
		private readonly settings: Settings,
		private readonly memory: NodeMemory,
		private readonly isFirst: boolean,
	) {
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
		if (memory.unstored?.from !== stored.polls) delete memory.unstored;
		const known = memory.unstored?.progress ?? stored;
		const session = await this.begin(known);
		// An activation that fails has begun nothing.
		if (!isFirst) memory.unstored = { from: stored.polls, progress: this.begun(known) };
		// What is known goes on from newer progress, once n8n has stored that.
		if (isLagging) for (const task of this.tasks) task.isDone = !task.isBaseline;
		await this.askInRounds(session);
		this.correctStarts();
		await this.faceFailures();

		const reached = this.snapshot(known.polls + 1);
		const items = this.toItems();
		if (!isLagging) writeProgress(staticData, reached);
		if (items.length === 0) {
			memory.unstored = { from: stored.polls, progress: reached };
			return null;
		}
		memory.handedOver = { polls: reached.polls, at: Date.now() };
		return [items];
	}

	private snapshot(polls: number): Progress {
		return {
			polls,
			scopes: new Map(this.tasks.map(({ target, scope }) => [target.key, scope])),
		};
	}

	/** What is known, and the scopes that begin: they have their start, even if this poll fails. */
	private begun({ polls, scopes }: Progress): Progress {
		return { polls, scopes: new Map([...scopes, ...this.snapshot(polls).scopes]) };
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
		const state = { target, isAnswered: false, isDone: false };
		if (known?.client === client) {
			return { ...state, scope: known, isNew: false, isBaseline: false };
		}
		const isFromNow = this.settings.startFrom === 'activation';
		if (known && isFromNow) {
			return { ...state, scope: succeedScope(known, client), isNew: true, isBaseline: false };
		}
		// Leads that the client before was given are not given again, as far as they are known.
		const seen = known?.seen ?? new Map<string, number>();
		const scope = { ...startScope(client, this.startOfNew()), seen };
		return { ...state, scope, isNew: true, isBaseline: isFromNow && this.isFirst };
	}

	/**
	 * From when on the leads of a new scope are delivered. With “activation” that is now. A later
	 * poll that knows of no activation comes after a crash: it reaches back, since a lead too many
	 * is better than one too few.
	 */
	private startOfNew(): number {
		const { clock } = this.memory;
		switch (this.settings.startFrom) {
			case 'last24Hours':
				return clock.now() - DAY_MS;
			case 'last30Days':
				return clock.now() - 30 * DAY_MS;
			case 'activation':
				if (!this.isFirst) return clock.now() - this.settings.lookBackMs;
				return clock.earliestNow(this.startedAt) - (clock.isKnown ? 0 : CLOCK_DOUBT_MS);
		}
	}

	/** Also a service that was too busy to answer may have told its time. */
	private correctStarts(): void {
		for (const task of this.tasks) {
			if (!task.isBaseline || task.isAnswered) continue;
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

	/** Up to the start of the poll: a slow service would never be caught up with otherwise. */
	private dueWindows(): DueWindow[] {
		const { clock } = this.memory;
		const now = clock.now(this.startedAt);
		return this.tasks.flatMap((task) => {
			if (task.isDone || task.failure) return [];
			if (isToWait(this.memory, task.target.key)) return [];
			const { lookBackMs } = this.settings;
			// The host's clock may have gone back. A service that tells its time will tell.
			const willTell = !task.isAnswered && (clock.isKnown || !clock.hasAnswered);
			if (!willTell) task.scope = notAhead(task.scope, now);
			const upTo = willTell ? Math.max(now, task.scope.watermark) : now;
			const window = nextWindow(task.scope, upTo, lookBackMs, !task.isAnswered);
			return window ? [{ task, window }] : [];
		});
	}

	/** @throws ServiceError, also when the poll's time is over, whatever the request waits for */
	private async fetch(session: Session, request: LeadRequest): Promise<LeadsReading> {
		const over = AbortSignal.timeout(Math.max(1, this.limits.deadline - Date.now()));
		const [outcome] = await Promise.allSettled([fetchLeads(session, request, over)]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const failure: unknown = outcome.reason;
		if (failure instanceof ServiceError || !over.aborted) throw failure;
		throw new ServiceError('unavailable', 'The service did not answer in time', { step: 'data' });
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
		const { leads, askedAt } = outcome.value;
		if (this.beganAhead(task)) return;
		const before = this.withMissed(task);
		const { lookBackMs } = this.settings;
		const { scope, fresh } = takeIn(before, window, leads, lookBackMs, askedAt);
		task.isAnswered = true;
		// A watermark short of the window's end is where the service's own time ends.
		task.isDone = scope.watermark < window.to || scope.watermark <= before.watermark;
		const { clock } = this.memory;
		task.scope = clock.isKnown ? notAhead(scope, clock.now()) : scope;
		if (!task.isBaseline) this.deliver(task, fresh);
	}

	/** A start that the host's clock put into the service's future is put right, and asked again. */
	private beganAhead(task: Task): boolean {
		const { isNew, isAnswered, scope } = task;
		const now = this.memory.clock.earliestNow();
		if (!isNew || isAnswered || scope.seenFrom !== undefined || scope.watermark <= now)
			return false;
		task.scope = { ...startScope(scope.client, now), seen: scope.seen };
		return true;
	}

	private noteFailure(task: Task, failure: ServiceError): void {
		task.failure = failure;
		const { kind, details, isTransient } = failure;
		this.isHopeless ||= details.step === 'token' || kind === 'credential';
		// A service that is busy or out of reach is not pressed for the other scopes.
		if (isTransient) this.limits.maxTries = 1;
	}

	/** The scope before an answer, with what the service no longer keeps of the time since. */
	private withMissed({ scope, target }: Task): Scope {
		const missed = scope.missed ?? missedSpan(scope, this.memory.clock.now());
		if (!missed) return scope;
		if (!scope.missed) this.context.logger.warn(`${titleOf(target)}: ${gapMessage(missed)}`);
		return { ...scope, missed };
	}

	/** A lead that two filter ids share goes out once. */
	private deliver(task: Task, fresh: FreshLead[]): void {
		const { target, scope } = task;
		const deliveries = sortBy(fresh, 'time').flatMap((lead): Delivery[] => {
			const key = `${target.leadType} ${lead.key}`;
			if (this.delivered.has(key)) return [];
			this.delivered.add(key);
			return [{ ...lead, target }];
		});
		const [first] = deliveries;
		if (first && scope.missed) {
			const { from, to } = scope.missed;
			first.gap = { from: isoSeconds(from), to: isoSeconds(to), message: gapMessage(scope.missed) };
			task.scope = withoutMissed(scope);
		}
		for (const delivery of deliveries) this.deliveries.push(delivery);
	}

	/**
	 * What failed fails the poll only where nothing else works, or where somebody is just setting it
	 * up. A busy service does not keep a workflow from being activated.
	 *
	 * @throws NodeApiError
	 */
	private async faceFailures(): Promise<void> {
		const { context, tasks, isFirst } = this;
		const failed = tasks.filter(hasFailed);
		const isAnswered = tasks.some((task) => task.isAnswered);
		const node = context.getNode();
		if (isFirst) {
			const refused = failed.find(
				({ failure, isNew }) => !failure.isTransient && (isNew || !isAnswered),
			);
			if (refused) throw toNodeError(node, named(refused, tasks), { isMessageOnly: true });
		} else if (!isAnswered) {
			const error = errorOfAll(failed, tasks);
			if (error) throw toNodeError(node, error, { isPoll: true });
		}
		await reportFailures(context, this.memory, tasks);
	}

	private toItems(): INodeExecutionData[] {
		const { simplify } = this.settings;
		return sortBy(this.deliveries, 'time').map(({ lead, target, gap }) => {
			const json = leadJson(lead, target.leadType, simplify);
			return { json: gap ? { ...json, gap } : json };
		});
	}
}

function gapMessage({ from, to }: TimeWindow): string {
	return `Leads submitted between ${isoSeconds(from)} and ${isoSeconds(to)} may be missing: the service keeps leads for 30 days, and it was not asked for longer than that.`;
}
