import type { Settings } from '../../../nodes/AgentLeadsTrigger/settings';
import { textOf } from '../../../service/basics/values';
import type { ModelLead, ModelService } from './leadsModel';
import { DAY, HOUR, MINUTE, SECOND } from './leadsModel';
import type { Execution, PollOutcome } from './modelHost';
import { isOver } from './modelHost';

/** What rounding, time on the wire and the last seconds of a poll come to. */
const SLACK = 30 * SECOND;

/** A poll that takes longer than this may leave something to the next one. */
const PROMPT = 15 * SECOND;

/** How far behind the host's clock the trigger stays while the service does not tell its time. */
const DOUBT = 15 * MINUTE;

/** What comes in this time before an activation may have come after somebody asked for it. */
const CLICK = MINUTE;

const MOST_SHORT_RUNS = 5;

/** A target from its first poll on. */
interface Life {
	/** When it was first polled. */
	born: number;
	/** Whether that was an activation that was answered at once: what there was is known. */
	hasBaseline: boolean;
	/** When the first poll began and ended that the service answered well for it; what n8n did not store may begin anew. */
	since: number;
	settled: number;
	isStored: boolean;
	/** When polls began after which nothing that was shown by then may be missing. */
	complete: number[];
}

/** What was promised of deliveries and runs, kept without a look at the trigger's own progress. */
export class Ledger {
	/** How many leads had to be delivered. */
	promised = 0;

	/** How often a process was killed, or n8n did not wait for its runs. */
	kills = 0;

	/** How often anything stopped a process. */
	ends = 0;

	/** Faults that take something from what is promised. */
	readonly faults = new Set<string>();

	private readonly lives = new Map<string, Life>();
	private readonly underWay: Array<{ process: number; since: number; isOver: boolean }> = [];
	private readonly reported = new Map<string, number>();
	private readonly lookBacks: number[] = [];
	private wasClean = false;

	constructor(
		private readonly service: ModelService,
		private readonly settings: () => Settings,
		private readonly isDurable: boolean,
	) {}

	/** What n8n did not store begins anew, or goes on if the process remembers it. */
	reload(): void {
		this.wasClean = false;
		for (const life of this.lives.values()) {
			if (!life.isStored) forget(life);
		}
	}

	/** A process knows of it only once the service has answered again. */
	clockChanged(): void {
		this.wasClean = false;
		for (const life of this.lives.values()) if (!isSettled(life)) life.hasBaseline = false;
	}

	/** A poll begins. @returns what notes its end */
	begin(isActivation: boolean): (outcome: PollOutcome) => void {
		const { service } = this;
		const { targets, startFrom, lookBackMs } = this.settings();
		const start = service.now;
		this.lookBacks.push(lookBackMs);
		// What is taken out of the node's fields begins anew, or goes on if it comes back at once.
		const left = [...this.lives].filter(([key]) => targets.every((target) => target.key !== key));
		for (const [, life] of left) forget(life);
		for (const { key } of targets) {
			if (this.lives.has(key)) continue;
			const hasBaseline = isActivation && startFrom === 'activation';
			const times = { born: start, since: Infinity, settled: Infinity, complete: [] };
			this.lives.set(key, { ...times, hasBaseline, isStored: false });
		}
		return ({ names, isStored }) => {
			const isPrompt = service.now - start < PROMPT;
			for (const [key, life] of this.lives) {
				const isAnswered = service.asked.has(key) && !service.troubled.has(key);
				const isSound = isPrompt && isAnswered && names !== undefined;
				if (!isSettled(life)) life.hasBaseline &&= isSound && life.born === start;
				if (!isSettled(life) && isSound)
					Object.assign(life, { since: start, settled: service.now });
				if (isSound && this.wasClean) life.complete.push(start);
				life.isStored ||= isStored && isSettled(life);
			}
			this.wasClean = isPrompt && names !== undefined && service.troubled.size === 0;
		};
	}

	/** @throws if too many runs are under way */
	noteEmitted(process: number, end: Promise<unknown>): void {
		const emitted = { process, since: this.service.now, isOver: false };
		this.underWay.push(emitted);
		const over = () => (emitted.isOver = true);
		end.then(over, over);
		const short = this.underWay.filter(
			(each) => !each.isOver && each.process === process && this.service.now - each.since < MINUTE,
		);
		if (short.length > MOST_SHORT_RUNS) throw new Error(`${short.length} runs at once`);
	}

	/** A failed execution was reported. */
	noteReported(message: string): void {
		const isOf = ({ fields }: ModelLead) => message.includes(` lead ${textOf(fields.id)},`);
		const lead = this.service.leads.find(isOf);
		if (lead) this.reported.set(lead.name, (this.reported.get(lead.name) ?? 0) + 1);
	}

	/** @throws if the lead is none of the trigger's, is from before the start, has had its run, or has one */
	noteStarted(row: Execution, rows: Execution[]): void {
		const { runAgain, startFrom } = this.settings();
		const lead = this.service.leads.find(({ name }) => name === row.lead);
		const lives = [...this.lives].filter(([key]) => lead && isIn(key, lead));
		if (!lead || lives.length === 0) throw new Error(`${row.lead} belongs to no target`);
		if (lives.every(([, life]) => this.isFromBefore(lead, life, startFrom))) {
			throw new Error(`${row.lead} is from before the start: ${told([lead, lives])}`);
		}
		const before = runsOf(row.lead, rows).filter((each) => each !== row);
		const fail = (what: string) => {
			throw new Error(`${row.lead} ${what}: ${told([lead, before, row])}`);
		};
		if (row.attempt > runAgain + 1 || before.length > runAgain) fail('runs too often');
		for (const each of before.filter(({ isUntold, isResumed }) => !isUntold && !isResumed)) {
			const isOfThis = each.process === row.process;
			if (isGood(each) && (isOfThis || each.isEndSaved)) fail('runs again after its end');
			if (isOfThis && !isOver(each)) fail('runs twice at a time');
			const isSoon = this.service.now - each.endedAt < MINUTE * 2 ** (each.attempt - 1);
			if (isOfThis && isSoon) fail('runs again too soon');
		}
	}

	/** @throws when something promised was not delivered, or given up too early or in silence */
	close(rows: Execution[]): void {
		for (const lead of this.service.leads) {
			const runs = runsOf(lead.name, rows);
			if (runs.length > 0) this.checkEnd(lead, runs);
			for (const [key, life] of this.lives) {
				if (!isIn(key, lead) || !this.isPromised(lead, life)) continue;
				this.promised++;
				if (runs.length > 0 || this.mayLoseBarred(lead.name, rows)) continue;
				throw new Error(`${lead.name} was not delivered by ${key}: ${told([lead, life])}`);
			}
		}
	}

	/** If n8n is killed before it has stored that a run was barred; durable cursors store nothing between the last poll and a stop. */
	mayLoseBarred(name: string, rows: Execution[]): boolean {
		const isBarred = rows.some(({ lead, status }) => lead === name && status === 'barred');
		const isBetween = this.isDurable ? this.ends > 0 : this.faults.has('commit') && this.kills > 0;
		return isBarred && isBetween;
	}

	private checkEnd({ name }: ModelLead, runs: Execution[]): void {
		const { runAgain } = this.settings();
		const reports = this.reported.get(name) ?? 0;
		const fail = (what: string) => {
			throw new Error(`${name} ${what}: ${told(runs)}`);
		};
		if (reports > 1 + this.kills) fail(`was reported ${reports} times`);
		if (runAgain === 0 || runs.some(isGood)) return;
		// What n8n said it did not store counts as done, and so does what a worker failed while nobody was there to see it.
		if (this.faults.has('after') || this.kills > 0) return;
		if (Math.max(...runs.map(({ attempt }) => attempt)) <= runAgain) fail('was given up early');
		if (reports === 0) fail('was given up, and nobody was told');
	}

	private isFromBefore(lead: ModelLead, life: Life, startFrom: Settings['startFrom']): boolean {
		const { born, hasBaseline } = life;
		const { ahead, behind, hasDate, manner } = this.service;
		if (startFrom === 'last30Days' || lead.shownFrom >= born) return false;
		// Some of what a service sends that ignores the times has no time that tells.
		if (manner === 'ignoring' && !lead.hasOwnTime && !hasBaseline) return false;
		if (hasBaseline && (hasDate || behind === 0)) {
			const doubt = hasDate ? 0 : DOUBT + ahead;
			return Math.max(lead.shownFrom, claimOf(lead)) <= born - CLICK - doubt - SLACK;
		}
		const longest = Math.max(...this.lookBacks);
		// Without a time of its own a lead may be from any moment that the first window reaches.
		const unknown = lead.hasOwnTime ? 0 : longest;
		const doubt = startFrom === 'last24Hours' ? DAY : Math.max(DOUBT, longest);
		const untold = hasDate ? 0 : DOUBT;
		return lead.placed < born - doubt - untold - unknown - behind - ahead - MINUTE - SLACK;
	}

	private isPromised(lead: ModelLead, life: Life): boolean {
		const { ahead, behind, hasDate } = this.service;
		const { placed, shownFrom } = lead;
		const { startFrom } = this.settings();
		const skew = hasDate ? 0 : ahead + behind;
		const due = Math.max(shownFrom, placed + Math.min(behind, skew)) + SLACK;
		const deadline = life.complete.find((start) => start >= due && start > life.settled);
		if (deadline === undefined || placed < deadline - 30 * DAY + skew + HOUR) return false;
		if (!this.isAfterStart(lead, life)) return false;
		if (shownFrom < life.born && startFrom !== 'activation') return true;
		return shownFrom - placed + (hasDate ? 0 : ahead) <= Math.min(...this.lookBacks);
	}

	private isAfterStart({ shownFrom, hasOwnTime, placed, submitted }: ModelLead, life: Life) {
		const { born, since, settled, hasBaseline } = life;
		const { ahead, behind, hasDate } = this.service;
		const doubt = hasDate && born === since ? 0 : ahead + behind;
		const time = Math.min(placed, submitted);
		switch (this.settings().startFrom) {
			case 'last30Days':
				return time >= since - 30 * DAY + doubt + HOUR;
			case 'last24Hours':
				return time >= since - DAY + doubt + SLACK;
			case 'activation':
				// Nothing tells whether a lead of the first answer was there before if it has no time of its own.
				if (!hasOwnTime && shownFrom <= settled) return false;
				if (shownFrom > settled) return hasBaseline || time >= since + doubt;
				return hasBaseline && time >= born - CLICK + SLACK;
		}
	}
}

function forget(life: Life): void {
	const times = { since: Infinity, settled: Infinity, complete: [] };
	Object.assign(life, { ...times, hasBaseline: false, isStored: false });
}

function isSettled({ settled }: Life): boolean {
	return settled < Infinity;
}

/** A run that n8n did not begin is none. */
export function runsOf(name: string, rows: Execution[]): Execution[] {
	return rows.filter(({ lead, status }) => lead === name && status !== 'barred');
}

/** Whether the lead is not to be run again. */
function isGood({ status }: Execution): boolean {
	return status === 'success' || status === 'waiting' || status === 'stopped';
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

function told(value: unknown): string {
	return JSON.stringify(value, (name, each: unknown) => {
		if (name === 'process' || name === 'done') return undefined;
		const isTime = typeof each === 'number' && each > DAY * 365 && Number.isFinite(each);
		return isTime ? new Date(each).toISOString() : each;
	});
}
