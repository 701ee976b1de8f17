import type { IDataObject } from 'n8n-workflow';

import { DeliveredLeads } from '../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import type { Progress } from '../../../nodes/AgentLeadsTrigger/progress/storedProgress';
import {
	readProgress,
	writeProgress,
} from '../../../nodes/AgentLeadsTrigger/progress/storedProgress';
import { TargetPoll } from '../../../nodes/AgentLeadsTrigger/progress/targetPoll';
import { ServiceClock } from '../../../service/basics/clock';
import type { FailureKind } from '../../../service/failure';
import { ServiceError } from '../../../service/failure';
import type { TimeWindow } from '../../../service/leads/windows';
import type { PollOutcome, Setup } from './leadsLedger';
import type { Mishap, ModelService } from './leadsModel';
import { nameOf } from './leadsModel';

const BUDGET = 40_000;

/** What may poll in a schedule: the targets alone, or the trigger in a host. */
export interface TriggerUnderTest {
	/** Whether its first poll only makes known what is there. */
	readonly hasBaseline: (setup: Setup) => boolean;
	/** Whether an activation goes on from what was stored, also within a process. */
	readonly reloads: boolean;
	/** Whether a start is by the service's clock, however wrong the host's is. */
	readonly isExact: boolean;
	/** @returns whether it has a client that can be replaced */
	replaceClient(): boolean;
	activate(setup: Setup): Promise<PollOutcome>;
	tick(setup: Setup): Promise<PollOutcome>;
	restart(): void | Promise<void>;
}

/** What a poll makes of a mishap; a crash ends it. */
const KINDS: Record<Exclude<Mishap, 'crash'>, FailureKind> = {
	400: 'rejected',
	429: 'busy',
	500: 'unavailable',
	lost: 'unavailable',
};

/**
 * Asks for what each `TargetPoll` says and hands it the answer, and has no logic of its own: no n8n, no
 * HTTP, no error that fails a poll, no wait that a service asks for.
 */
export class PureTrigger implements TriggerUnderTest {
	readonly hasBaseline = ({ startFrom }: Setup) => startFrom === 'activation';
	readonly reloads = false;
	readonly isExact = true;

	private clock = new ServiceClock();
	private progress: Progress = { polls: 0, targets: new Map(), delivered: new DeliveredLeads() };
	private stored = '{}';
	private clients = 1;

	constructor(
		private readonly service: ModelService,
		private readonly storesQuietPolls: boolean,
	) {}

	replaceClient(): boolean {
		this.clients++;
		return true;
	}

	restart(): void {
		this.clock = new ServiceClock();
		this.progress = readProgress(JSON.parse(this.stored) as IDataObject);
	}

	async activate(setup: Setup): Promise<PollOutcome> {
		return await Promise.resolve(this.poll(setup, true));
	}

	async tick(setup: Setup): Promise<PollOutcome> {
		return await Promise.resolve(this.poll(setup, false));
	}

	private poll({ targets, startFrom, lookBackMs }: Setup, isActivation: boolean): PollOutcome {
		const { clock, clients } = this;
		const delivered = this.progress.delivered.copy();
		const startedAt = Date.now();
		const client = `client ${clients}`;
		const common = { clock, startedAt, isActivation, client };
		const terms = { ...common, startFrom, lookBackMs, delivered };
		const polls = targets.map(
			(target) => new TargetPoll(target, terms, this.progress.targets.get(target.key)),
		);
		// A start outlasts a poll that crashes, but not an activation.
		const begun = isActivation ? [] : progressOf(polls);
		this.progress = {
			...this.progress,
			targets: new Map([...this.progress.targets, ...begun]),
		};
		const leads = this.askAll(polls, startedAt + BUDGET);
		if (!leads) return { isStored: false };
		for (const each of polls) each.correctStart();
		this.progress = { polls: 1, targets: new Map(progressOf(polls)), delivered };
		const isStored = this.storesQuietPolls || leads.length > 0;
		if (isStored) this.store();
		return { names: leads.map(nameOf), isStored };
	}

	/** @returns the leads; undefined after a crash */
	private askAll(polls: TargetPoll[], deadline: number): IDataObject[] | undefined {
		const leads: IDataObject[] = [];
		for (;;) {
			const due = polls.flatMap((poll) => {
				const window = poll.dueWindow();
				return window ? [{ poll, window }] : [];
			});
			if (due.length === 0) return leads;
			for (const { poll, window } of due) {
				if (Date.now() >= deadline) return leads;
				const found = this.ask(poll, window);
				if (!found) return undefined;
				leads.push(...found);
			}
		}
	}

	private ask(poll: TargetPoll, window: TimeWindow): IDataObject[] | undefined {
		const sentAt = Date.now();
		const { answer, mishap } = this.service.answer(poll.target, window);
		if (mishap === 'crash') return undefined;
		const askedAt = mishap === 'lost' ? undefined : this.clock.read(answer.date, sentAt);
		if (mishap) {
			poll.fail(new ServiceError(KINDS[mishap], 'No'), window);
			return [];
		}
		const { leads } = poll.take(window, { leads: answer.leads, askedAt });
		return leads.map(({ lead }) => lead);
	}

	private store(): void {
		const stored: IDataObject = {};
		writeProgress(stored, this.progress);
		this.stored = JSON.stringify(stored);
	}
}

function progressOf(polls: TargetPoll[]) {
	return polls.map(({ target, progress }) => [target.key, progress] as const);
}
