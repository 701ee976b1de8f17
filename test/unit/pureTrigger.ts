import type { IDataObject } from 'n8n-workflow';

import type { Scope } from '../../nodes/AgentLeadsTrigger/polling';
import { nextWindow, notAhead, startScope, takeIn } from '../../nodes/AgentLeadsTrigger/polling';
import type { Target } from '../../nodes/AgentLeadsTrigger/settings';
import { readProgress, writeProgress } from '../../nodes/AgentLeadsTrigger/storedProgress';
import { ServiceClock } from '../../service/clock';
import type { PollOutcome, Setup } from './leadsLedger';
import type { ModelService } from './leadsModel';
import { DAY, MINUTE, nameOf } from './leadsModel';

const BUDGET = 40_000;

/** What may poll in a run: the bare progress logic, or the trigger in a host. */
export interface TriggerUnderTest {
	/** Whether its first poll only makes known what is there. */
	readonly hasBaseline: (setup: Setup) => boolean;
	/** Whether an activation goes on from what was stored, also within a process. */
	readonly reloads: boolean;
	activate(setup: Setup): Promise<PollOutcome>;
	tick(setup: Setup): Promise<PollOutcome>;
	restart(): void | Promise<void>;
}

/** Drives the progress logic as a poll does, and nothing else of it. */
export class PureTrigger implements TriggerUnderTest {
	readonly hasBaseline = () => false;
	readonly reloads = false;

	private clock = new ServiceClock();
	private scopes = new Map<string, Scope>();
	private stored = '{}';

	constructor(
		private readonly service: ModelService,
		private readonly storesQuietPolls: boolean,
	) {}

	restart(): void {
		this.clock = new ServiceClock();
		this.scopes = readProgress(JSON.parse(this.stored) as IDataObject).scopes;
	}

	async activate(setup: Setup): Promise<PollOutcome> {
		return await this.tick(setup);
	}

	async tick(setup: Setup): Promise<PollOutcome> {
		const deadline = Date.now() + BUDGET;
		const reached = new Map<string, Scope>();
		const leads: IDataObject[] = [];
		const start = startScope('client', this.start(setup));
		for (const target of setup.targets) {
			const scope = this.scopes.get(target.key) ?? start;
			const isDue = () => Date.now() < deadline;
			const outcome = this.pollScope(target, scope, setup.lookBackMs, isDue);
			if (outcome === 'crash') return { isStored: false };
			reached.set(target.key, outcome.scope);
			leads.push(...outcome.leads);
		}
		this.scopes = reached;
		const isStored = this.storesQuietPolls || leads.length > 0;
		if (isStored) this.store();
		return await Promise.resolve({ names: leads.map(nameOf), isStored });
	}

	private pollScope(target: Target, known: Scope, lookBackMs: number, isDue: () => boolean) {
		const startedAt = Date.now();
		let scope = known;
		const leads: IDataObject[] = [];
		for (let isFirst = true; isDue(); isFirst = false) {
			const { clock } = this;
			const now = clock.now(startedAt);
			const willTell = isFirst && (clock.isKnown || !clock.hasAnswered);
			if (!willTell) scope = notAhead(scope, now);
			const upTo = willTell ? Math.max(now, scope.watermark) : now;
			const window = nextWindow(scope, upTo, lookBackMs, isFirst);
			if (!window) break;
			const sentAt = Date.now();
			const { answer, mishap } = this.service.answer(target, window);
			if (mishap === 'crash') return mishap;
			if (mishap) break;
			const askedAt = clock.read(answer.date, sentAt);
			const taken = takeIn(scope, window, answer.leads, lookBackMs, askedAt);
			leads.push(...taken.fresh.map(({ lead }) => lead));
			const { watermark } = taken.scope;
			const isDone = watermark < window.to || watermark <= scope.watermark;
			scope = clock.isKnown ? notAhead(taken.scope, clock.now()) : taken.scope;
			if (isDone) break;
		}
		return { scope, leads };
	}

	private start({ startFrom }: Setup): number {
		if (startFrom === 'last24Hours') return this.clock.now() - DAY;
		if (startFrom === 'last30Days') return this.clock.now() - 30 * DAY;
		return this.clock.now() - (this.clock.isKnown ? 0 : 10 * MINUTE);
	}

	private store(): void {
		const stored: IDataObject = {};
		writeProgress(stored, { polls: 1, scopes: this.scopes });
		this.stored = JSON.stringify(stored);
	}
}
