import type { IDataObject } from 'n8n-workflow';

import { DeliveredLeads } from '../../../nodes/AgentLeadsTrigger/target/deliveredLeads';
import type { FreshLead, Scope } from '../../../nodes/AgentLeadsTrigger/target/progress';
import {
	nextWindow,
	notAhead,
	startScope,
	takeIn,
} from '../../../nodes/AgentLeadsTrigger/target/progress';
import type { Target } from '../../../nodes/AgentLeadsTrigger/settings';
import {
	readProgress,
	writeProgress,
} from '../../../nodes/AgentLeadsTrigger/target/storedProgress';
import { ServiceClock } from '../../../service/basics/clock';
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
	/** Whether a start is by the service's clock, however wrong the host's is. */
	readonly isExact: boolean;
	/** @returns whether it has a client that can be replaced */
	replaceClient(): boolean;
	activate(setup: Setup): Promise<PollOutcome>;
	tick(setup: Setup): Promise<PollOutcome>;
	restart(): void | Promise<void>;
}

/** Drives the progress logic as a poll does, and nothing else of it. */
export class PureTrigger implements TriggerUnderTest {
	readonly hasBaseline = () => false;
	readonly reloads = false;
	readonly isExact = false;

	private clock = new ServiceClock();
	private scopes = new Map<string, Scope>();
	private delivered = new DeliveredLeads();
	private stored = '{}';

	constructor(
		private readonly service: ModelService,
		private readonly storesQuietPolls: boolean,
	) {}

	replaceClient(): boolean {
		return false;
	}

	restart(): void {
		this.clock = new ServiceClock();
		const { scopes, delivered } = readProgress(JSON.parse(this.stored) as IDataObject);
		Object.assign(this, { scopes, delivered });
	}

	async activate(setup: Setup): Promise<PollOutcome> {
		return await this.tick(setup);
	}

	async tick(setup: Setup): Promise<PollOutcome> {
		const deadline = Date.now() + BUDGET;
		const reached = new Map<string, Scope>();
		const delivered = this.delivered.copy();
		const leads: IDataObject[] = [];
		const start = startScope('client', this.start(setup));
		for (const target of setup.targets) {
			const scope = this.scopes.get(target.key) ?? start;
			const isDue = () => Date.now() < deadline;
			const outcome = this.pollScope(target, scope, setup.lookBackMs, isDue);
			if (outcome === 'crash') return { isStored: false };
			reached.set(target.key, outcome.scope);
			const { leadType } = target;
			const fresh = outcome.fresh.filter(({ key }) => {
				return delivered.claim(leadType, key, this.clock.now());
			});
			leads.push(...fresh.map(({ lead }) => lead));
		}
		this.scopes = reached;
		this.delivered = delivered;
		const isStored = this.storesQuietPolls || leads.length > 0;
		if (isStored) this.store();
		return await Promise.resolve({ names: leads.map(nameOf), isStored });
	}

	private pollScope(target: Target, known: Scope, lookBackMs: number, isDue: () => boolean) {
		const startedAt = Date.now();
		let scope = known;
		const fresh: FreshLead[] = [];
		for (let isFirst = true; isDue(); isFirst = false) {
			const { clock } = this;
			const now = clock.now(startedAt);
			const willTell = isFirst && (clock.isKnown || !clock.hasAnswered);
			if (!willTell) scope = this.notAhead(scope, now);
			const latest = willTell ? Math.max(now, scope.watermark) : now;
			const times = { earliest: clock.earliestNow(startedAt), latest };
			const window = nextWindow(scope, times, lookBackMs, isFirst);
			if (!window) break;
			const sentAt = Date.now();
			const { answer, mishap } = this.service.answer(target, window);
			if (mishap === 'crash') return mishap;
			if (mishap) break;
			const askedAt = clock.read(answer.date, sentAt);
			const taken = takeIn(scope, window, answer.leads, lookBackMs, askedAt);
			fresh.push(...taken.fresh);
			const { watermark } = taken.scope;
			const isDone = watermark < window.to || watermark <= scope.watermark;
			scope = clock.isKnown ? this.notAhead(taken.scope, clock.now()) : taken.scope;
			if (isDone) break;
		}
		return { scope, fresh };
	}

	private notAhead(scope: Scope, now: number): Scope {
		const { completeFrom } = this.delivered;
		return notAhead(scope, { now, isTold: this.clock.isKnown, completeFrom });
	}

	private start({ startFrom }: Setup): number {
		if (startFrom === 'last24Hours') return this.clock.now() - DAY;
		if (startFrom === 'last30Days') return this.clock.now() - 30 * DAY;
		return this.clock.now() - (this.clock.isKnown ? 0 : 10 * MINUTE);
	}

	private store(): void {
		const stored: IDataObject = {};
		writeProgress(stored, { polls: 1, scopes: this.scopes, delivered: this.delivered });
		this.stored = JSON.stringify(stored);
	}
}
