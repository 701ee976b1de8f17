import type { StartFrom } from '../../nodes/AgentLeadsTrigger/polling';
import type { Target } from '../../nodes/AgentLeadsTrigger/settings';
import type { ModelLead, ModelService } from './leadsModel';
import { DAY, HOUR, MINUTE, SECOND } from './leadsModel';

/** What rounding, time on the wire and the last seconds of a poll come to. */
const SLACK = 30 * SECOND;

/** A poll that takes longer than this may leave something to the next one. */
const PROMPT = 15 * SECOND;

/** How far the host's clock may be off while the service has not told its time. */
const DOUBT = 10 * MINUTE;

/** A scope from its first poll until it is taken out of the configuration. */
interface Life {
	/** When it was first polled. */
	born: number;
	/** When its first poll that did not fail began. */
	begun: number;
	/** Whether that was an activation that made known all there was. */
	hasBaseline: boolean;
	/** When its first poll that did not fail was over. */
	settled: number;
	/** When polls began after which nothing that was shown by then may be missing. */
	complete: number[];
	delivered: Set<string>;
	/** What it delivered before, where it is open whether it went on. */
	earlier: Set<string>;
}

export interface Setup {
	targets: Target[];
	lookBackMs: number;
	startFrom: StartFrom;
}

export interface PollOutcome {
	/** Names of the leads; undefined where the poll failed as a whole. */
	names?: string[];
	/** Whether what it wrote outlives the process. */
	isStored: boolean;
}

/** What was promised of the deliveries, kept without a look at the trigger's own progress. */
export class Ledger {
	/** How many leads had to be delivered. */
	promised = 0;

	private lives = new Map<string, Life>();
	private stored = new Map<string, Life>();
	private readonly polls: Array<{ at: number; lookBackMs: number }> = [];
	private wasClean = false;
	private isClockOff = false;

	constructor(private readonly service: ModelService) {}

	/** The process ends: only what was stored is known to the next one. */
	restart(): void {
		this.lives = copyOf(this.stored);
		this.wasClean = false;
	}

	/**
	 * The stored progress is loaded anew, while the process goes on and may remember more. A scope
	 * that only one of the two knows may go on or begin anew.
	 */
	reload(): void {
		for (const [key, life] of this.lives) {
			if (!this.stored.has(key)) life.settled = Infinity;
		}
		for (const [key, life] of this.stored) {
			if (this.lives.has(key)) continue;
			const earlier = new Set([...life.earlier, ...life.delivered]);
			const open = { settled: Infinity, hasBaseline: false, delivered: new Set<string>() };
			this.lives.set(key, { ...life, ...open, earlier });
		}
	}

	/** A process knows of it only once the service has answered again. */
	clockChanged(): void {
		this.wasClean = false;
		this.isClockOff = true;
	}

	async poll(
		setup: Setup,
		hasBaseline: boolean,
		work: () => Promise<PollOutcome>,
	): Promise<PollOutcome> {
		const { service } = this;
		const start = service.now;
		this.polls.push({ at: start, lookBackMs: setup.lookBackMs });
		const before = this.lives;
		const lives = new Map(
			setup.targets.map(({ key }): [string, Life] => {
				const known = before.get(key);
				if (known) return [key, known];
				const times = { born: start, begun: start, settled: Infinity, complete: [] };
				return [key, { ...times, hasBaseline, delivered: new Set(), earlier: new Set() }];
			}),
		);
		const outcome = await work();
		const isPrompt = service.now - start < PROMPT;
		const isSound = (key: string) => isPrompt && !service.troubled.has(key);
		for (const [key, life] of lives) {
			if (life.settled < Infinity) continue;
			life.begun = start;
			life.hasBaseline &&= isSound(key) && outcome.names !== undefined && !this.isClockOff;
		}
		if (!outcome.names) {
			this.wasClean = false;
			this.lives = new Map([...before, ...lives]);
			return outcome;
		}
		for (const [key, life] of before) {
			if (!lives.has(key)) this.findMissing(key, life, setup.startFrom);
		}
		for (const name of outcome.names) this.deliver(setup, lives, name);
		for (const [key, life] of lives) {
			life.settled = Math.min(life.settled, service.now);
			if (isSound(key) && this.wasClean) life.complete.push(start);
		}
		this.wasClean = isPrompt && service.troubled.size === 0;
		this.isClockOff = false;
		this.lives = lives;
		if (outcome.isStored) this.stored = copyOf(lives);
		return outcome;
	}

	/** @throws when something promised was not delivered */
	close({ startFrom }: Setup): void {
		for (const [key, life] of this.lives) this.findMissing(key, life, startFrom);
	}

	private deliver({ targets, startFrom }: Setup, lives: Map<string, Life>, name: string): void {
		const lead = this.service.leads.find((each) => each.name === name);
		const target = targets.find((each) => lead && isIn(each.key, lead));
		const life = target && lives.get(target.key);
		if (!lead || !life) throw new Error(`${name} belongs to no scope`);
		if (life.delivered.has(name)) throw new Error(`${name} was delivered twice: ${told(lead)}`);
		if (this.isFromBefore(lead, life, startFrom)) {
			throw new Error(`${name} is from before the start: ${told(lead)}, ${told(life)}`);
		}
		life.delivered.add(name);
	}

	private isFromBefore(lead: ModelLead, life: Life, startFrom: StartFrom): boolean {
		const { born, hasBaseline } = life;
		const { ahead, behind, hasDate } = this.service;
		if (startFrom === 'last30Days') return false;
		const isExact = hasDate || behind === 0;
		if (hasBaseline && isExact) return lead.shownFrom <= born - SLACK;
		// Without a time of its own a lead may be from any moment that the first window reaches.
		const unknown = lead.hasOwnTime ? 0 : this.longestLookBack();
		const doubt = startFrom === 'last24Hours' ? DAY : Math.max(DOUBT, this.longestLookBack());
		return lead.placed < born - doubt - unknown - behind - ahead - MINUTE - SLACK;
	}

	private findMissing(key: string, life: Life, startFrom: StartFrom): void {
		for (const lead of this.service.leads) {
			if (!isIn(key, lead) || life.earlier.has(lead.name)) continue;
			if (!this.isPromised(lead, life, startFrom)) continue;
			this.promised++;
			if (life.delivered.has(lead.name)) continue;
			throw new Error(`${lead.name} was not delivered by ${key}: ${told(lead)}, ${told(life)}`);
		}
	}

	private isPromised(lead: ModelLead, life: Life, startFrom: StartFrom): boolean {
		const { ahead, behind, hasDate } = this.service;
		const { placed, shownFrom } = lead;
		const due = Math.max(shownFrom, placed + behind) + SLACK;
		const deadline = life.complete.find((start) => start >= due && start > life.settled);
		if (deadline === undefined) return false;
		if (placed < deadline - 30 * DAY + ahead + behind + HOUR) return false;
		if (!isAfterStart(lead, life, startFrom, ahead + behind)) return false;
		if (shownFrom < life.born && startFrom !== 'activation') return true;
		const lag = shownFrom - placed + (hasDate ? 0 : ahead);
		return this.polls
			.filter(({ at }) => at >= placed - ahead - MINUTE && at <= deadline)
			.every(({ lookBackMs }) => lag <= lookBackMs);
	}

	private longestLookBack(): number {
		return Math.max(...this.polls.map(({ lookBackMs }) => lookBackMs));
	}
}

/** @param doubt how far the clock may have been off at the start */
function isAfterStart(
	{ placed, shownFrom }: ModelLead,
	{ begun, settled, hasBaseline }: Life,
	startFrom: StartFrom,
	doubt: number,
): boolean {
	switch (startFrom) {
		case 'last30Days':
			return placed >= begun - 30 * DAY + doubt + HOUR;
		case 'last24Hours':
			return placed >= begun - DAY + doubt;
		case 'activation':
			return shownFrom > settled && (hasBaseline || placed >= begun + doubt);
	}
}

/** Scopes are by lead type alone, or by branch as well; never both at a time. */
function isIn(key: string, { leadType, branch }: ModelLead): boolean {
	return key === leadType || key === `${leadType} · branch ${branch}`;
}

function copyOf(lives: Map<string, Life>): Map<string, Life> {
	return new Map([...lives].map(([key, life]) => [key, { ...life }]));
}

function told(value: object): string {
	return JSON.stringify(value, (name, each: unknown) =>
		['placed', 'shownFrom', 'born', 'begun', 'settled'].includes(name) && Number.isFinite(each)
			? new Date(Number(each)).toISOString()
			: each,
	);
}
