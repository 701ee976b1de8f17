import type {
	IDataObject,
	INodeExecutionData,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { deepCopy, NodeOperationError } from 'n8n-workflow';

import { leadJson } from '../common/leads/simplifyLead';
import { runKeyOf } from '../common/runs/runKey';
import type { RunOutcome } from '../common/runs/runOutcome';
import type { RunHost, Runner } from '../common/runs/runner';
import { dropStarter, keepStarter, starterFor } from '../common/runs/starters';
import type { Starter } from '../common/runs/startRun';
import type { TaskRuns } from '../common/runs/taskRuns';
import { runNumber } from '../common/runs/taskRuns';
import type { FoundLead, PollOccasion } from './asking';
import { Asking } from './asking';
import { commit, emitError, isDurable } from './host';
import { memoryOfNode } from './nodeMemory';
import {
	barredNotice,
	givenUpNotice,
	noStarterNotice,
	oldHostNotice,
	stuckNotice,
} from './notices';
import type { HandOver, LeadToRun } from './runs/handOver';
import type { Progress } from './target/storedProgress';
import { readProgress, writeProgress } from './target/storedProgress';

/** So many leads wait for their runs before the service is asked for no more. */
const MOST_WAITING = 1_000;

/** What n8n calls before the first poll, whenever a workflow is published or n8n starts. */
export function beginRuns(context: ITriggerFunctions): ITriggerResponse {
	const memory = memoryOfNode(context);
	const starter = keepStarter(context, memory.unsealed);
	memory.runs?.handOver.queue.retryBarred();
	const closeFunction = async () => {
		if (dropStarter(context, starter)) await memory.runs?.runner.seal();
	};
	return { closeFunction };
}

/** A poll that hands each lead to a run of its own: runs are started while it goes on, and after it. */
export async function pollForRuns(occasion: PollOccasion): Promise<INodeExecutionData[][] | null> {
	const { context, memory } = occasion;
	const starter = starterFor(context);
	if (!starter) {
		// With durable cursors n8n polls before it has started the trigger, and in processes that never do.
		if (memory.isToTell('no starter')) context.logger.info(noStarterNotice());
		return null;
	}
	if (!starter.heedsKey && memory.isToTell('no key')) context.logger.warn(oldHostNotice());
	await new PollForRuns(occasion, starter).run();
	return null;
}

class PollForRuns implements RunHost<LeadToRun> {
	private readonly staticData: IDataObject;

	private readonly handOver: HandOver;

	private readonly runner: Runner<LeadToRun>;

	private readonly asking: Asking;

	constructor(
		private readonly occasion: PollOccasion,
		private readonly starter: Starter,
	) {
		const { context, settings, memory, isActivation } = occasion;
		this.staticData = context.getWorkflowStaticData('node');
		const { runAgain } = settings;
		const terms = { runAgain, now: () => Date.now(), random: () => Math.random() };
		const stored = readProgress(this.staticData);
		const { handOver, runner } = memory.runsFrom(stored, isActivation, terms);
		this.handOver = handOver;
		this.runner = runner;
		const known = { targets: handOver.reached, delivered: handOver };
		const add = (lead: FoundLead) => handOver.add(lead);
		const room = () => MOST_WAITING - handOver.queue.waitingCount;
		this.asking = new Asking(occasion, known, { add, room });
	}

	/** @throws what the service failed with; runs go on all the same, unless this is an activation */
	async run(): Promise<void> {
		let isAsked = false;
		try {
			await this.ask();
			isAsked = true;
		} finally {
			if (isAsked || !this.occasion.isActivation) await this.startRuns();
			else this.handOver.restart();
		}
	}

	async start(runs: TaskRuns<LeadToRun>): Promise<RunOutcome> {
		try {
			const { task: lead, attempt } = runs;
			const key = runKeyOf(this.occasion.context.getWorkflow().id, lead, attempt);
			const outcome = await this.starter.start(this.itemOf(runs), key);
			if (outcome.end !== 'refused' || !this.handOver.queue.hasToKnowWhere(runs)) return outcome;
			const isElsewhere = await this.starter.askWhere(key);
			return isElsewhere === undefined ? { end: 'unstored' } : { ...outcome, isElsewhere };
		} catch {
			// Such as a lead that is nested too deeply to be copied.
			return { end: 'unstored' };
		}
	}

	async store(): Promise<void> {
		writeProgress(this.staticData, this.storable);
		await commit(this.occasion.context);
	}

	isOpen(): boolean {
		return this.starter.isOpen && !(this.isDurable && Date.now() >= this.asking.limits.deadline);
	}

	noteEnd(): void {
		// Before it is stored that the lead has ended: a crash must not leave it untold.
		void this.report();
		// n8n waits for runs to end when it is stopped, and polls no more.
		if (!this.starter.isOpen && !starterFor(this.occasion.context)) void this.runner.seal();
	}

	async seal(): Promise<void> {
		if (this.isDurable || this.isLeft) return;
		await this.store();
		await this.starter.seal();
	}

	private itemOf(runs: TaskRuns<LeadToRun>): INodeExecutionData {
		const { task: lead } = runs;
		const attempt = runNumber(runs);
		// A node of the workflow may change what it is given: the next run gets the lead as the service sent it.
		const json = leadJson(deepCopy(lead.lead), lead.leadType, this.occasion.settings.simplify);
		return {
			json: { ...json, ...(lead.gap && { gap: lead.gap }), ...(attempt > 1 && { attempt }) },
		};
	}

	private get isDurable(): boolean {
		return isDurable(this.occasion.context);
	}

	/** To seal stores what all nodes of the workflow have written as well: what is out of date must not come back. */
	private get isLeft(): boolean {
		const { context, memory } = this.occasion;
		const isPublishedAnew = (starterFor(context) ?? this.starter) !== this.starter;
		return isPublishedAnew || memory.runs?.runner !== this.runner;
	}

	private get storable(): Progress {
		const { handOver, starter } = this;
		// Where n8n refuses no second run, a lead counts as delivered once it has begun.
		if (!starter.heedsKey) return handOver.leave();
		if (this.isDurable || starter.canSeal) return handOver.progress;
		// After any restart, the last runs that have succeeded would look unfinished.
		const { polls, targets, delivered, runs } = handOver.progress;
		const { runAgain } = this.occasion.settings;
		return { polls, targets, delivered, ...(runAgain === 0 && { runs }) };
	}

	private async ask(): Promise<void> {
		const { asking, handOver } = this;
		const session = await asking.begin();
		// Targets that begin have their start, even if this poll fails.
		handOver.reached = new Map([...handOver.reached, ...asking.reached]);
		await asking.ask(session);
		handOver.notePoll(asking.reached, asking.begun);
	}

	private async startRuns(): Promise<void> {
		await this.store();
		const work = this.runner.work(this);
		if (this.isDurable) await work;
		await this.sealIfQuiet();
	}

	/** Where a lead may be run again, a crash must not make one that has succeeded look unfinished. */
	private async sealIfQuiet(): Promise<void> {
		const { memory, settings, isActivation } = this.occasion;
		const { handOver, starter } = this;
		// A run that is about to start stores the progress as well.
		const isQuiet = handOver.queue.waitingCount === 0 && starter.isUnsealed && !isActivation;
		const isDue = settings.runAgain > 0 && isQuiet && !this.isLeft;
		if (isDue && memory.isToSeal()) await this.runner.seal();
	}

	private async report(): Promise<void> {
		const { handOver, occasion } = this;
		const { context } = occasion;
		const barred = handOver.queue.takeBarred();
		if (barred) context.logger.warn(barredNotice(barred));
		const notices = [
			...handOver.queue.takeGivenUp().map(({ task, runs }) => givenUpNotice(task, runs)),
			...handOver.queue.takeStuck().map(stuckNotice),
		];
		for (const { message, description } of notices) {
			const error = new NodeOperationError(context.getNode(), message, { description });
			await emitError(context, error);
		}
	}
}
