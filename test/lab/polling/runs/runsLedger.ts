import { readProgress } from '../../../../nodes/AgentLeadsTrigger/storedProgress';
import { textOf } from '../../../../service/basics/values';
import { targetOf } from '../hostedTrigger';
import type { ModelService } from '../leadsModel';
import { MINUTE } from '../leadsModel';
import type { Database, Done, Execution } from './database';
import type { ModelProcess } from './process';

/** What happened in a schedule that takes something from what is promised. */
export interface Circumstances {
	/** The most and the fewest times that a lead was to be run again. */
	mostAgain: number;
	leastAgain: number;
	/** How often a process was killed, or n8n did not wait for its runs. */
	kills: number;
	/** How often a process ended in good order. */
	stops: number;
	hasTwoProcesses: boolean;
	/** Whether n8n has ever said that a run may not be stored while it was. */
	wasUntold: boolean;
	/** Whether the progress of a poll was not stored. */
	wasUncommitted: boolean;
}

/** A run that was asked for, and whose end the trigger does not know. */
interface Pending {
	process: ModelProcess;
	node: string;
	since: number;
}

const MOST_SHORT_RUNS = 5;

/** What was promised of the runs, kept without a look at the trigger's own progress. */
export class RunsLedger {
	/** How many runs n8n refused, since it knew the key. */
	refused = 0;

	private readonly pending = new Set<Pending>();

	private readonly told = new Map<string, number>();

	constructor(
		private readonly service: ModelService,
		private readonly database: () => Database,
		private readonly circumstances: Circumstances,
	) {}

	/** @throws if too many runs are under way */
	noteEmitted(process: ModelProcess, node: string, done: Done): void {
		const pending = { process, node, since: this.service.now };
		this.pending.add(pending);
		const over = () => this.pending.delete(pending);
		done.promise.then(over, over);
		const short = [...this.pending].filter(
			(each) =>
				each.process === process && each.node === node && this.service.now - each.since < MINUTE,
		);
		if (short.length > MOST_SHORT_RUNS) this.fail(`${short.length} runs at once`);
	}

	noteTold(message: string): void {
		const lead = this.service.leads.find(({ fields }) => {
			return message.includes(` lead ${textOf(fields.id)},`);
		});
		if (!lead) return;
		this.told.set(lead.name, (this.told.get(lead.name) ?? 0) + 1);
	}

	/** Marks the runs whose lead has ended by what n8n now stores. */
	noteSaved(): void {
		const { saved, rows } = this.database();
		const open = rows.filter(({ isEndSaved, status }) => !isEndSaved && isOver(status));
		for (const row of open) {
			const { delivered } = readProgress(saved[row.node] ?? {});
			const lead = this.service.leads.find(({ name }) => name === row.lead);
			row.isEndSaved =
				lead !== undefined && delivered.recall(targetOf(lead.leadType), textOf(lead.fields.id), 0);
		}
	}

	/** @throws if the lead has had its run, or has one */
	noteStarted(row: Execution): void {
		const { mostAgain, hasTwoProcesses } = this.circumstances;
		const before = this.runsOf(row.lead).filter((each) => each !== row);
		if (row.attempt > mostAgain + 1) this.fail(`attempt ${row.attempt} of ${row.lead}`);
		if (before.length > mostAgain) this.fail(`${row.lead} has too many runs`);
		if (hasTwoProcesses) return;
		for (const each of before) {
			if (each.isUntold || each.isResumed) continue;
			const isOfThis = each.process === row.process;
			// A trigger that planned a run cannot know in the next process that the other one started it.
			if (each.node !== row.node && !isOfThis) continue;
			const isKnown = isOfThis || each.isEndSaved;
			if (isGood(each.status) && isKnown) this.fail(`${row.lead} runs again after its end`);
			if (isOfThis && !isOver(each.status)) this.fail(`${row.lead} runs twice at a time`);
			const pauseMs = MINUTE * 2 ** (each.attempt - 1);
			const elapsedMs = this.service.now - each.endedAt;
			if (isOfThis && elapsedMs < pauseMs) this.fail(`${row.lead} runs again too soon`);
		}
	}

	/** @returns how many leads have ended in a run @throws if a lead has not had its runs */
	close(): number {
		for (const { name } of this.service.leads) {
			const runs = this.runsOf(name);
			if (runs.length === 0 && this.mayLoseBarred(name)) continue;
			if (runs.length === 0) this.fail(`${name} was never started`);
			this.checkEnd(name, runs);
		}
		return this.service.leads.length;
	}

	/** A run that n8n did not begin is none. */
	runsOf(name: string): Execution[] {
		return this.database().rows.filter(({ lead, status }) => lead === name && status !== 'barred');
	}

	/**
	 * If n8n is killed before it has stored that a run was barred, or another process takes it for a run. With durable cursors
	 * nothing is stored between the last poll and a stop.
	 */
	mayLoseBarred(name: string): boolean {
		const { kills, stops, hasTwoProcesses, wasUncommitted } = this.circumstances;
		const isBarred = this.database().rows.some(
			({ lead, status }) => lead === name && status === 'barred',
		);
		const { isDurable } = this.database().host;
		const isBetween = (hasTwoProcesses || isDurable) && kills + stops > 0;
		const mayLose = isBetween || (wasUncommitted && kills > 0);
		return isBarred && mayLose;
	}

	private checkEnd(name: string, runs: Execution[]): void {
		const { mostAgain, leastAgain, kills, hasTwoProcesses, wasUntold } = this.circumstances;
		const { host } = this.database();
		const told = this.told.get(name) ?? 0;
		// Each process tells of what it gave up itself.
		if (told > (1 + kills) * (hasTwoProcesses ? 2 : 1)) this.fail(`${name} was told ${told} times`);
		if (hasTwoProcesses || mostAgain !== leastAgain) return;
		if (runs.some(({ status }) => isGood(status))) return;
		if (mostAgain === 0) return;
		// A run that n8n did not own up to counts as done, and so does one that a worker failed while nobody was there to see it.
		if (wasUntold || (host.isQueue && kills > 0)) return;
		const used = Math.max(...runs.map(({ attempt }) => attempt));
		if (used <= mostAgain) this.fail(`${name} was given up after ${used} runs`);
		if (told === 0) this.fail(`${name} was given up, and nobody was told`);
	}

	private fail(what: string): never {
		const rows = this.database().rows.map(
			({ lead, attempt, status, node, startedAt, endedAt, process }) =>
				`${lead}#${attempt} ${status} by ${node} of ${process.workflowId} ${startedAt}–${endedAt}`,
		);
		throw new Error(`${what}\n${rows.join('\n')}`);
	}
}

function isOver(status: Execution['status']): boolean {
	return status !== 'new' && status !== 'running';
}

/** Whether the lead is not to be run again. */
function isGood(status: Execution['status']): boolean {
	return status === 'success' || status === 'waiting' || status === 'stopped';
}
