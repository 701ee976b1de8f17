import type { StartFrom } from '../../../nodes/AgentLeadsTrigger/settings';
import type { Target } from '../../../nodes/AgentLeadsTrigger/target';
import type { ModelLead, ModelService } from './leadsModel';
import { DAY, HOUR, MINUTE, SECOND } from './leadsModel';

/** What rounding, time on the wire and the last seconds of a poll come to. */
const SLACK = 30 * SECOND;

/** A poll that takes longer than this may leave something to the next one. */
const PROMPT = 15 * SECOND;

/** How far behind the host's clock the trigger stays while the service does not tell its time. */
const DOUBT = 15 * MINUTE;

/** What comes in this time before an activation may have come after somebody asked for it. */
const CLICK = MINUTE;

/** A target from its first poll until it is taken out of the configuration. */
interface Life {
	/** When it was first polled. */
	born: number;
	/** When its first poll that did not fail began. */
	begun: number;
	/** Whether that was an activation that made known all there was. */
	hasBaseline: boolean;
	/** When its first poll that did not fail was over. */
	settled: number;
	/** When the first poll in which the service answered for it was over. */
	answered: number;
	/** When polls began after which nothing that was shown by then may be missing. */
	complete: number[];
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
	private readonly delivered = new Set<string>();
	private wasClean = false;
	private isClockOff = false;
	constructor(private readonly service: ModelService) {}

	/** The process ends: only what was stored is known to the next one. */
	restart(): void {
		this.lives = copyOf(this.stored);
		this.wasClean = false;
	}

	/**
	 * The stored progress is loaded anew, while the process goes on and may remember more. A target
	 * that only one of the two knows may go on or begin anew.
	 */
	reload(): void {
		for (const [key, life] of this.lives) {
			if (!this.stored.has(key)) life.settled = Infinity;
		}
		for (const [key, life] of this.stored) {
			if (this.lives.has(key)) continue;
			this.lives.set(key, { ...copy(life), settled: Infinity, hasBaseline: false });
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
				const times = {
					born: start,
					begun: start,
					settled: Infinity,
					answered: Infinity,
					complete: [],
				};
				return [key, { ...times, hasBaseline }];
			}),
		);
		const outcome = await work();
		const isPrompt = service.now - start < PROMPT;
		const isSound = (key: string) =>
			isPrompt && service.asked.has(key) && !service.troubled.has(key);
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
			const isAnswered = service.asked.has(key) && !service.troubled.has(key);
			if (isAnswered) life.answered = Math.min(life.answered, service.now);
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
		const ofIt = targets.flatMap(({ key }) => {
			const life = lead && isIn(key, lead) ? lives.get(key) : undefined;
			return life ? [life] : [];
		});
		if (!lead || ofIt.length === 0) throw new Error(`${name} belongs to no target`);
		if (this.delivered.has(name)) throw new Error(`${name} was delivered twice: ${told(lead)}`);
		if (ofIt.every((life) => this.isFromBefore(lead, life, startFrom))) {
			throw new Error(`${name} is from before the start: ${told(lead)}, ${told(ofIt)}`);
		}
		this.delivered.add(name);
	}

	private isFromBefore(lead: ModelLead, life: Life, startFrom: StartFrom): boolean {
		const { born, hasBaseline } = life;
		const { ahead, behind, hasDate, manner } = this.service;
		if (startFrom === 'last30Days' || lead.shownFrom >= born) return false;
		// Leads from outside of the window look like late ones, and some have no time that tells.
		if (manner === 'straying' || (manner === 'ignoring' && !lead.hasOwnTime && !hasBaseline))
			return false;
		if (hasBaseline && (hasDate || behind === 0)) {
			const doubt = hasDate ? 0 : DOUBT + ahead;
			return Math.max(lead.shownFrom, claimOf(lead)) <= born - CLICK - doubt - SLACK;
		}
		// Without a time of its own a lead may be from any moment that the first window reaches.
		const unknown = lead.hasOwnTime ? 0 : this.longestLookBack();
		const doubt = startFrom === 'last24Hours' ? DAY : Math.max(DOUBT, this.longestLookBack());
		const untold = hasDate ? 0 : DOUBT;
		return lead.placed < born - doubt - untold - unknown - behind - ahead - MINUTE - SLACK;
	}

	private findMissing(key: string, life: Life, startFrom: StartFrom): void {
		for (const lead of this.service.leads) {
			if (!isIn(key, lead) || !this.isPromised(lead, life, startFrom)) continue;
			this.promised++;
			if (this.delivered.has(lead.name)) continue;
			throw new Error(`${lead.name} was not delivered by ${key}: ${told(lead)}, ${told(life)}`);
		}
	}

	private isPromised(lead: ModelLead, life: Life, startFrom: StartFrom): boolean {
		const { ahead, behind, hasDate } = this.service;
		const { placed, shownFrom } = lead;
		const skew = hasDate ? 0 : ahead + behind;
		const due = Math.max(shownFrom, placed + Math.min(behind, skew)) + SLACK;
		const deadline = life.complete.find((start) => start >= due && start > life.settled);
		if (deadline === undefined) return false;
		if (placed < deadline - 30 * DAY + skew + HOUR) return false;
		if (!this.isAfterStart(lead, life, startFrom)) return false;
		if (shownFrom < life.born && startFrom !== 'activation') return true;
		const lag = shownFrom - placed + (hasDate ? 0 : ahead);
		return this.polls
			.filter(({ at }) => at >= placed - ahead - MINUTE && at <= deadline)
			.every(({ lookBackMs }) => lag <= lookBackMs);
	}

	private isAfterStart(lead: ModelLead, life: Life, startFrom: StartFrom): boolean {
		const { begun, born, settled, answered, hasBaseline } = life;
		const { ahead, behind, hasDate } = this.service;
		const isByClock = hasDate && begun === born;
		const doubt = isByClock ? 0 : ahead + behind;
		const { shownFrom, hasOwnTime } = lead;
		// The first answer leaves out what was submitted before, whenever it came.
		const time = Math.min(lead.placed, lead.submitted);
		switch (startFrom) {
			case 'last30Days':
				return time >= begun - 30 * DAY + doubt + HOUR;
			case 'last24Hours':
				return time >= begun - DAY + doubt + SLACK;
			case 'activation': {
				// Nothing tells whether a lead of the first answer was there before if it has no time of its own.
				if (!hasOwnTime && shownFrom <= answered) return false;
				if (shownFrom > settled) return hasBaseline || time >= begun + doubt;
				return hasBaseline && time >= born - CLICK + SLACK;
			}
		}
	}

	private longestLookBack(): number {
		return Math.max(...this.polls.map(({ lookBackMs }) => lookBackMs));
	}
}

/** The latest moment that its own time may stand for, if it has one: some are in minutes. */
function claimOf({ fields }: ModelLead): number {
	const time = typeof fields.createdAt === 'string' ? Date.parse(fields.createdAt) : NaN;
	return time % MINUTE === 0 ? time + MINUTE : time;
}

/** Targets are by lead type alone, or by branch as well; never both at a time. */
function isIn(key: string, { leadType, branches }: ModelLead): boolean {
	return key === leadType || branches.some((branch) => key === `${leadType} · branch ${branch}`);
}

function copyOf(lives: Map<string, Life>): Map<string, Life> {
	return new Map([...lives].map(([key, life]) => [key, copy(life)]));
}

function copy(life: Life): Life {
	return { ...life, complete: [...life.complete] };
}

function told(value: object): string {
	return JSON.stringify(value, (name, each: unknown) =>
		['placed', 'shownFrom', 'born', 'begun', 'settled'].includes(name) && Number.isFinite(each)
			? new Date(Number(each)).toISOString()
			: each,
	);
}
