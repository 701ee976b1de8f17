import minBy from 'lodash/minBy';
import range from 'lodash/range';
import type { IDataObject } from 'n8n-workflow';

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../service/basics/times';
import type { LeadType } from '../../../service/leads/lead';
import type { RunEnd } from '../../common/runs/runOutcome';
import type { DeliveredLeads } from '../target/deliveredLeads';
import type { Progress } from '../target/storedProgress';
import type { FreshLead } from '../target/targetProgress';
import { OtherProcesses } from './otherProcesses';

/** So few at a time that a catch-up leaves n8n room for other work. */
const RUNS_AT_ONCE = 5;

/** A run that takes longer no longer holds up the leads behind it. */
const LONG_RUN_MS = MINUTE_MS;

/** A run that takes longer no longer holds up the progress: n8n does not tell of the end of every run. */
const ENDLESS_RUN_MS = DAY_MS;

/** The pause before a lead is run again; each one is twice as long as the one before. */
const RUN_AGAIN_PAUSE_MS = MINUTE_MS;

/** The pause before the fifth time that a lead is run again. No other is longer. */
const LONGEST_WAIT_FOR_RUN_MS = 16 * MINUTE_MS;

/** When to try again if n8n could not store a run. Each pause is twice as long as the one before, up to the longest. */
const STORE_PAUSE_MS = MINUTE_MS;

/** How long none is started after n8n could not store a run: it writes an error into its log for each. */
const STORE_HOLD_MS = 10 * SECOND_MS;

/** When to try again if n8n did not begin a run. Each pause is twice as long as the one before, up to the longest. */
const BARRED_PAUSE_MS = 15 * SECOND_MS;

/** By then n8n runs the workflow as it was published: while it publishes, it still runs the version before. */
const IN_FORCE_WITHIN_MS = 10 * SECOND_MS;

/** A lead is told of once n8n could not store its run so many times in a row. */
const TELL_AFTER_TRIES = 5;

/** Behind a run that takes days many polls bring leads: so many steps of progress are kept until it ends. */
const MOST_CHECKPOINTS = 100;

/** So many runs of earlier processes are remembered: a lead that the service shows no more would stay for ever. */
const MOST_INHERITED = 1_000;

/** A lead on its way into a run of its own. */
export interface LeadToRun extends FreshLead {
	leadType: LeadType;
	/** What is missing before this lead. */
	gap?: IDataObject;
}

/** A lead that has not ended, and how far its runs came. */
export interface LeadRuns {
	readonly lead: LeadToRun;
	/** Leads are numbered as they come. */
	readonly number: number;
	/** Which run is under way or is next: 1 is the first. n8n knows each by a key of its own. */
	attempt: number;
	/** How many runs before this one n8n did not begin: they are no runs of the lead. */
	barred: number;
	/** How many of them since the workflow was published: each makes the pause longer. */
	barredPauses: number;
	/** When the run was started (epoch ms); unset while none is under way. */
	startedAt?: number;
	/** When the next run is due (epoch ms). */
	dueAt: number;
	/** Whether a process before this one may have started this attempt. */
	isInherited: boolean;
	/** How many times in a row n8n could not store this attempt, as far as it says. */
	unstored: number;
	/** Whether a run was planned at all. */
	hasBegun: boolean;
}

/** A lead whose runs have all failed. */
export interface GivenUp {
	lead: LeadToRun;
	runs: number;
}

/** How the hand-over is set by the person, and by the host. */
export interface HandOverTerms {
	/** How many more times a lead is run if its run fails. */
	runAgain: number;
	/** Epoch milliseconds. */
	now: () => number;
	/** From 0 to 1. */
	random: () => number;
}

/** Progress that may be stored once all leads up to this number have ended. */
interface Checkpoint {
	last: number;
	targets: Progress['targets'];
}

/**
 * Hands each lead to a run of its own. It knows nothing of n8n: ask `next` for a lead to start, say so with
 * `noteStart`, and tell `settle` what became of its run. `progress` is at all times fit to be stored: a process
 * that follows one that was killed goes on from there, and n8n tells it which leads had their run.
 */
export class HandOver {
	/** How far the targets were asked. */
	reached: Progress['targets'];

	private polls: number;

	/** How far they were asked for leads that have all ended. */
	private committed: Progress['targets'];

	/** The leads that have ended. */
	private readonly ended: DeliveredLeads;

	private readonly checkpoints: Checkpoint[] = [];

	/** The leads that have not ended, by what `idOf` says, in the order in which they came. */
	private readonly open = new Map<string, LeadRuns>();

	/** Those of them whose runs are under way. */
	private readonly running = new Set<LeadRuns>();

	/** How many leads came. */
	private count = 0;

	/** What a process before this one had under way. */
	private readonly inherited: Map<string, number>;

	/** Of its leads, how many runs n8n did not begin. */
	private readonly inheritedBarred: ReadonlyMap<string, number>;

	private isElsewhere?: boolean;

	private givenUp: GivenUp[] = [];

	/** Leads whose runs n8n cannot store. */
	private stuck: LeadToRun[] = [];

	/** From when on and for how long no run is started (epoch ms, ms). */
	private hold = { from: -Infinity, ms: 0 };

	/** How many times in a row n8n did not begin a run: as a rule it begins none of the workflow then. */
	private barredInRow = 0;

	/** The first of them, until it is told. */
	private barred?: LeadToRun;

	private readonly others: OtherProcesses;

	constructor(
		{ polls, targets, delivered, runs }: Progress,
		public terms: HandOverTerms,
	) {
		this.polls = polls;
		this.reached = targets;
		this.committed = targets;
		this.ended = delivered.copy();
		// The newest come first.
		this.inherited = new Map([...(runs?.started ?? [])].slice(0, MOST_INHERITED));
		this.inheritedBarred = runs?.barred ?? new Map();
		this.isElsewhere = runs?.isElsewhere;
		this.others = new OtherProcesses(terms);
	}

	/** From when on it is known which leads have ended (epoch ms). */
	get completeFrom(): number | undefined {
		return this.ended.completeFrom;
	}

	/** How many leads wait for a run. */
	get waitingCount(): number {
		return this.open.size - this.running.size;
	}

	/** What may be stored now. */
	get progress(): Progress {
		const { polls, committed: targets, ended: delivered, isElsewhere } = this;
		const started = new Map<string, number>();
		const barred = new Map<string, number>();
		const note = (id: string, attempt: number, runsBarred: number) => {
			if (started.has(id)) return;
			if (this.terms.runAgain > 0 || runsBarred > 0) started.set(id, attempt);
			if (runsBarred > 0) barred.set(id, runsBarred);
		};
		for (const [id, runs] of this.open) if (runs.hasBegun) note(id, runs.attempt, runs.barred);
		for (const [id, attempt] of this.inherited) note(id, attempt, this.barredOf(id));
		return { polls, targets, delivered, runs: { started, barred, isElsewhere } };
	}

	/** Whether a lead that a target found is to be added: it has not ended, and is not on its way. */
	claim(leadType: LeadType, key: string, now: number): boolean {
		const id = idOf({ leadType, key });
		const hasEnded = this.ended.recall(leadType, key, now);
		if (hasEnded) this.inherited.delete(id);
		return !hasEnded && !this.open.has(id);
	}

	/** Takes in a lead that was claimed. */
	add(lead: LeadToRun): void {
		const id = idOf(lead);
		const attempt = this.inherited.get(id) ?? 1;
		const barred = attempt > 1 ? this.barredOf(id) : 0;
		const isInherited = this.inherited.delete(id);
		const dueAt = this.terms.now() + this.others.leaveMs();
		const number = ++this.count;
		const begun = { isInherited, hasBegun: isInherited };
		const counts = { attempt, barred, barredPauses: 0, unstored: 0 };
		this.open.set(id, { lead, number, ...counts, dueAt, ...begun });
	}

	/**
	 * A poll has asked its targets this far, and its leads were added.
	 *
	 * @param begun how far the targets were before
	 */
	notePoll(targets: Progress['targets'], begun: Progress['targets']): void {
		this.polls++;
		this.reached = targets;
		this.noteBegun(begun);
		this.noteCheckpoint(targets);
		this.commit();
	}

	/** Begins again from what is stored: the person may have changed what the node asks for. */
	restart(): void {
		for (const [id, { hasBegun }] of this.open) if (!hasBegun) this.open.delete(id);
		this.checkpoints.length = 0;
		this.reached = this.committed;
	}

	/** A person has published the workflow again, and may have put right why n8n did not begin runs. */
	retryBarred(): void {
		if (this.barredInRow === 0) return;
		this.barredInRow = 1;
		this.hold = { from: this.terms.now(), ms: IN_FORCE_WITHIN_MS };
		for (const runs of this.waiting()) {
			runs.barredPauses = 0;
			if (runs.barred > 0) runs.dueAt = this.terms.now();
		}
	}

	/** What may be stored if nobody is to run these leads again: those that have run count as delivered. */
	leave(): Progress {
		const { polls, targets, delivered } = this.progress;
		const now = this.terms.now();
		for (const runs of this.open.values()) {
			const { leadType, key } = runs.lead;
			if (hasRun(runs)) delivered.claim(leadType, key, now);
		}
		return { polls, targets, delivered };
	}

	/** Takes over what another process of the node stored meanwhile. */
	adopt({ polls, targets, delivered }: Progress): void {
		this.polls = polls;
		this.checkpoints.length = 0;
		this.reached = targets;
		this.committed = targets;
		this.ended.merge(delivered);
	}

	/** The lead that may be started now: the oldest, unless other processes are at work. */
	next(): LeadRuns | undefined {
		if (this.heldMs > 0) return undefined;
		const now = this.terms.now();
		const isShort = ({ startedAt = now }: LeadRuns) => Math.abs(now - startedAt) < LONG_RUN_MS;
		const busy = [...this.running].filter(isShort);
		// Until n8n begins runs again, one at a time shows whether it does.
		const most = this.barredInRow > 0 ? 1 : RUNS_AT_ONCE;
		if (busy.length >= most) return undefined;
		return this.others.choose(this.due(now));
	}

	/** How long until `next` may bring a lead, in milliseconds; undefined if a run has to end first. */
	get waitMs(): number | undefined {
		const now = this.terms.now();
		let shortest: number | undefined;
		for (const runs of this.waiting()) {
			const left = leftMs(runs, now);
			shortest = Math.min(left, shortest ?? left);
		}
		if (shortest === undefined) return undefined;
		return Math.max(shortest, this.others.pauseMs, this.heldMs);
	}

	/** Plans a run: what is stored from now on says that it may be under way. */
	noteStart(runs: LeadRuns): void {
		runs.startedAt = this.terms.now();
		runs.hasBegun = true;
		this.running.add(runs);
		this.others.noteStart();
	}

	/** What was planned could not be stored, and the run was not started. */
	postpone(runs: LeadRuns): void {
		delete runs.startedAt;
		this.running.delete(runs);
		runs.hasBegun = runs.attempt > 1 || isUnsure(runs);
		runs.dueAt = this.terms.now() + STORE_PAUSE_MS;
	}

	/** What became of a run, or of the attempt to start it. */
	settle(runs: LeadRuns, end: RunEnd): void {
		delete runs.startedAt;
		this.running.delete(runs);
		if (end === 'unstored') this.startLater(runs);
		else if (end === 'barred') this.settleBarred(runs);
		else if (end === 'refused') this.settleRefused(runs);
		else if (end === 'failed') this.settleFailed(runs);
		else this.close(runs);
		if (end !== 'succeeded' && end !== 'failed' && end !== 'stopped') return;
		this.others.noteOwn(runs);
		this.barredInRow = 0;
	}

	/** Leads whose runs have all failed, each told once. */
	takeGivenUp(): GivenUp[] {
		const { givenUp } = this;
		this.givenUp = [];
		return givenUp;
	}

	/** Leads whose runs n8n could not store again and again, each told once. They are still tried. */
	takeStuck(): LeadToRun[] {
		const { stuck } = this;
		this.stuck = [];
		return stuck;
	}

	/** The first lead whose run n8n did not begin, if it began those before; told once. */
	takeBarred(): LeadToRun | undefined {
		const { barred } = this;
		delete this.barred;
		return barred;
	}

	/** Whether runs are carried out by other processes, and go on if this one is killed. */
	noteElsewhere(isElsewhere: boolean): void {
		this.isElsewhere = isElsewhere;
	}

	/** Whether `noteElsewhere` has to come before a refusal: the run may be lost, or under way elsewhere. */
	hasToKnowWhere({ isInherited }: LeadRuns): boolean {
		return isInherited && this.terms.runAgain > 0 && this.isElsewhere === undefined;
	}

	private *waiting(): Generator<LeadRuns> {
		for (const runs of this.open.values()) if (runs.startedAt === undefined) yield runs;
	}

	private *due(now: number): Generator<LeadRuns> {
		for (const runs of this.waiting()) if (leftMs(runs, now) === 0) yield runs;
	}

	/** How long none is to be started, in milliseconds: a clock that went back must not make it hours. */
	private get heldMs(): number {
		const { from, ms } = this.hold;
		const left = from + ms - this.terms.now();
		return left > ms ? 0 : Math.max(0, left);
	}

	private barredOf(id: string): number {
		return this.inheritedBarred.get(id) ?? 0;
	}

	private startLater(runs: LeadRuns): void {
		const now = this.terms.now();
		const pauseMs = STORE_PAUSE_MS * 2 ** runs.unstored++;
		runs.dueAt = now + Math.min(pauseMs, LONGEST_WAIT_FOR_RUN_MS);
		if (this.heldMs < STORE_HOLD_MS) this.hold = { from: now, ms: STORE_HOLD_MS };
		if (runs.unstored === TELL_AFTER_TRIES) this.stuck.push(runs.lead);
	}

	/** n8n would refuse its key from now on: the next run has another one. */
	private settleBarred(runs: LeadRuns): void {
		const now = this.terms.now();
		if (this.barredInRow === 0 && runs.barred === 0) this.barred = runs.lead;
		runs.attempt++;
		runs.barred++;
		runs.barredPauses++;
		runs.isInherited = false;
		runs.unstored = 0;
		// Longer than no run is started at first: otherwise a lead that n8n alone does not begin would hold up the others.
		runs.dueAt = now + Math.min(BARRED_PAUSE_MS * 2 ** runs.barredPauses, LONGEST_WAIT_FOR_RUN_MS);
		// Those that were started together count as one.
		if (this.barredInRow > 0 && this.heldMs > 0) return;
		const holdMs = BARRED_PAUSE_MS * 2 ** this.barredInRow++;
		this.hold = { from: now, ms: Math.min(holdMs, LONGEST_WAIT_FOR_RUN_MS) };
	}

	private settleRefused(runs: LeadRuns): void {
		if (!isUnsure(runs)) {
			this.others.noteRefused(runs);
			this.close(runs);
		} else if (runs.isInherited && this.isElsewhere) {
			// A queue worker carries it on.
			this.close(runs);
		} else {
			this.settleFailed(runs);
		}
	}

	private settleFailed(runs: LeadRuns): void {
		const { lead } = runs;
		const { runAgain, now } = this.terms;
		const failed = runNumber(runs);
		if (failed <= runAgain) {
			runs.attempt++;
			runs.isInherited = false;
			runs.unstored = 0;
			runs.dueAt = now() + RUN_AGAIN_PAUSE_MS * 2 ** (failed - 1);
			return;
		}
		if (runAgain > 0) this.givenUp.push({ lead, runs: failed });
		this.close(runs);
	}

	private close({ lead }: LeadRuns): void {
		this.open.delete(idOf(lead));
		this.ended.claim(lead.leadType, lead.key, this.terms.now());
		this.commit();
	}

	/** A process that follows would begin a target anew, and later, of which nothing is stored. */
	private noteBegun(begun: Progress['targets']): void {
		this.committed = withBegun(this.committed, begun);
		for (const checkpoint of this.checkpoints)
			checkpoint.targets = withBegun(checkpoint.targets, begun);
	}

	private noteCheckpoint(targets: Progress['targets']): void {
		const { checkpoints, count: last } = this;
		// A poll without a lead takes the place of the one before.
		if (checkpoints.at(-1)?.last === last) checkpoints.pop();
		checkpoints.push({ last, targets });
		if (checkpoints.length > MOST_CHECKPOINTS) this.dropCheckpoint();
	}

	/** The one that is missed least: without it, progress goes on in a longer step. */
	private dropCheckpoint(): void {
		const { checkpoints } = this;
		const lastOf = (index: number) => checkpoints[index]?.last ?? 0;
		const inner = range(1, checkpoints.length - 1);
		const spare = minBy(inner, (index) => lastOf(index + 1) - lastOf(index - 1));
		if (spare !== undefined) checkpoints.splice(spare, 1);
	}

	private commit(): void {
		const first = this.firstHeldUp();
		while (this.checkpoints[0] && this.checkpoints[0].last < first) {
			this.committed = this.checkpoints[0].targets;
			this.checkpoints.shift();
		}
	}

	/** The number of the oldest lead that may have to be asked for again. */
	private firstHeldUp(): number {
		const now = this.terms.now();
		for (const { number, startedAt = now } of this.open.values()) {
			if (now - startedAt < ENDLESS_RUN_MS) return number;
		}
		return Infinity;
	}
}

function withBegun(targets: Progress['targets'], begun: Progress['targets']): Progress['targets'] {
	const missing = [...begun].filter(([key]) => !targets.has(key));
	return missing.length > 0 ? new Map([...targets, ...missing]) : targets;
}

/** How long a lead still waits, in milliseconds: a clock that went back must not make it hours. */
function leftMs({ dueAt }: LeadRuns, now: number): number {
	const left = Math.max(0, dueAt - now);
	return left > LONGEST_WAIT_FOR_RUN_MS ? 0 : left;
}

/** Whether n8n may know a run of this attempt that has failed. */
function isUnsure({ isInherited, unstored }: LeadRuns): boolean {
	return isInherited || unstored > 0;
}

/** Whether a run is under way or has ended, as far as is known: rather one too many than none. */
function hasRun(runs: LeadRuns): boolean {
	const { barred, startedAt, hasBegun } = runs;
	const isFirst = runNumber(runs) === 1 && startedAt === undefined;
	return hasBegun && !(isFirst && (isUnsure(runs) || barred > 0));
}

/** Which run of the lead is under way or is next, of those that n8n begins. */
export function runNumber({ attempt, barred }: LeadRuns): number {
	return attempt - barred;
}

function idOf({ leadType, key }: Pick<LeadToRun, 'leadType' | 'key'>): string {
	return `${leadType} ${key}`;
}
