import type { Settings } from '../../../../nodes/AgentLeadsTrigger/settings';
import { settingsOf, targetOf } from '../hostedTrigger';
import { A_LEAD, HOUR, MINUTE, ModelService, NO_TROUBLE, SECOND } from '../leadsModel';
import { Agenda } from './agenda';
import type { RunsHost } from './database';
import { Database } from './database';
import { codeOfProcess, sleepBy } from './packageCode';
import type { Fault, RunsWorld } from './process';
import { ModelProcess } from './process';
import { RunsLedger } from './runsLedger';
import type { RunSchedule, RunStep } from './runSchedules';

const MOST_LEADS = 24;

/** n8n waits no longer for its runs when it is stopped. */
const SHUTDOWN_MS = 30 * SECOND;

/** In which every lead has come to its end, even if each of six runs takes minutes and few go on at a time. */
const LONGEST_END_MS = 12 * HOUR;

/**
 * Plays a schedule to its end.
 *
 * @returns how many leads had their runs
 * @throws if a lead was not started, or once too often, or too many at a time
 */
export async function playRuns(
	schedule: RunSchedule,
	host: Omit<RunsHost, 'slots'>,
): Promise<number> {
	const stage = new Stage(schedule, { ...host, slots: schedule.slots });
	const { random } = Math;
	Math.random = stage.random;
	try {
		for (const step of schedule.steps) await stage.take(step);
		return await stage.end();
	} finally {
		Math.random = random;
	}
}

class Stage {
	private readonly service: ModelService;
	private readonly agenda: Agenda;
	private readonly database: Database;
	private readonly ledger: RunsLedger;
	private readonly world: RunsWorld;
	private readonly circumstances;
	private readonly processes: Array<ModelProcess | undefined> = [];
	private readonly faults: Fault[] = [];
	private runAgain: number;
	private seed: number;

	constructor(
		private readonly schedule: RunSchedule,
		host: RunsHost,
	) {
		const { runAgain, plan, insertMs, random } = schedule;
		this.seed = random;
		this.runAgain = runAgain;
		this.circumstances = {
			mostAgain: runAgain,
			leastAgain: runAgain,
			kills: 0,
			stops: 0,
			hasTwoProcesses: schedule.processes > 1,
			wasUntold: false,
			wasUncommitted: false,
		};
		this.service = new ModelService(true, 0, random);
		this.agenda = new Agenda(this.service);
		sleepBy(this.agenda);
		this.database = new Database(host, this.agenda, plan, () => this.service.now);
		this.ledger = new RunsLedger(this.service, () => this.database, this.circumstances);
		this.world = {
			service: this.service,
			agenda: this.agenda,
			database: this.database,
			ledger: this.ledger,
			settings: () => this.settings,
			insertMs: () => this.random() * insertMs,
			takeFault: (kinds) => this.takeFault(kinds),
		};
	}

	/** Repeatable. */
	readonly random = (): number => {
		this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
		return this.seed / 2 ** 32;
	};

	async take(step: RunStep): Promise<void> {
		switch (step.do) {
			case 'pass':
				return await this.agenda.pass(step.ms);
			case 'arrive':
				return this.arrive(step.count, step.lagMs);
			case 'poll':
				return await this.poll(step.process, step.isLost);
			case 'publish':
				(await this.processAt(step.process)).publish();
				return await this.agenda.pass(0);
			case 'kill':
				return this.kill(step.process);
			case 'stop':
				return await this.stop(step.process);
			case 'settings':
				return this.change(step.runAgain);
			case 'fault':
				this.faults.push(step.fault);
				return;
			case 'stopRun':
				return this.stopRun();
			case 'loseWorkers':
				return this.loseWorkers();
		}
	}

	/** Nothing goes wrong any more, and n8n polls every minute until there is nothing left to do. */
	async end(): Promise<number> {
		this.faults.length = 0;
		const end = this.service.now + LONGEST_END_MS;
		for (let isDone = false; !isDone; isDone = this.isDone) {
			if (this.service.now > end) throw new Error(`It does not end: ${String(this.held)}`);
			for (let each = 0; each < this.schedule.processes; each++) await this.poll(each, false);
			await this.agenda.pass(MINUTE);
		}
		await this.checkQuiet();
		return this.ledger.close();
	}

	private get settings(): Settings {
		const setup = { targets: [targetOf('applicant')], lookBackMs: HOUR } as const;
		const settings = settingsOf({ ...setup, targets: [...setup.targets], startFrom: 'last30Days' });
		return { ...settings, runs: 'onePerLead', runAgain: this.runAgain };
	}

	private get held(): number[] {
		// Of two processes each may go on naming what the other one has ended.
		const isOfInterest = (index: number) => this.schedule.processes === 1 || index % 2 === 0;
		return this.processes.flatMap((each) =>
			each?.isAlive ? each.held.filter((_, index) => isOfInterest(index)) : [],
		);
	}

	private get isDone(): boolean {
		const isOver = this.database.rows.every(
			({ status }) => status !== 'new' && status !== 'running',
		);
		const isAllStarted = this.service.leads.every(
			({ name }) => this.ledger.runsOf(name).length > 0 || this.ledger.mayLoseBarred(name),
		);
		return isOver && isAllStarted && this.held.every((count) => count === 0);
	}

	/** What has ended is not asked for again, not even by a process that comes after a stop. */
	private async checkQuiet(): Promise<void> {
		if (this.schedule.processes > 1) return;
		// Between its polls a host with durable cursors stores nothing. And of two triggers, the one whose last poll has
		// failed does not know yet what the other one has run.
		await this.poll(0, false);
		await this.agenda.pass(MINUTE);
		await this.stop(0);
		const { refused } = this.ledger;
		const runs = this.database.rows.length;
		for (let polls = 0; polls < 2; polls++) {
			await this.poll(0, false);
			await this.agenda.pass(MINUTE);
		}
		const more = [this.ledger.refused - refused, this.database.rows.length - runs];
		if (more.some((count) => count > 0)) throw new Error(`Asked for again: ${String(more)}`);
	}

	private async processAt(index: number): Promise<ModelProcess> {
		const at = index % this.schedule.processes;
		const known = this.processes[at];
		if (known?.isAlive) return known;
		const { code, workflowId } = await codeOfProcess();
		const nodes = ['node-1', 'node-2'].slice(0, this.schedule.triggers);
		return (this.processes[at] = new ModelProcess(this.world, code, nodes, workflowId));
	}

	private arrive(count: number, lagMs: number): void {
		if (this.service.leads.length + count > MOST_LEADS) return;
		this.service.arrive({ ...A_LEAD, count, lagMs });
	}

	private async poll(index: number, isLost: boolean): Promise<void> {
		const mishaps = isLost ? [{ request: 0, mishap: 'lost' as const }] : [];
		this.service.beginPoll({ ...NO_TROUBLE, mishaps });
		(await this.processAt(index)).poll();
		await this.agenda.pass(0);
		this.service.beginPoll(NO_TROUBLE);
	}

	private kill(index: number): void {
		const process = this.processes[index % this.schedule.processes];
		if (!process?.isAlive) return;
		this.circumstances.kills++;
		process.kill();
	}

	private async stop(index: number): Promise<void> {
		const process = this.processes[index % this.schedule.processes];
		if (!process?.isAlive) return;
		this.circumstances.stops++;
		void process.stop();
		await this.agenda.pass(SHUTDOWN_MS);
		const isBusy = this.database.rows.some(
			(row) => row.process === process && (row.status === 'running' || row.status === 'new'),
		);
		// Between polls with durable cursors, nothing stores what has ended.
		if (isBusy || this.database.host.isDurable) this.circumstances.kills++;
		process.kill();
	}

	private change(runAgain: number): void {
		const { mostAgain, leastAgain } = this.circumstances;
		this.runAgain = runAgain;
		this.circumstances.mostAgain = Math.max(mostAgain, runAgain);
		this.circumstances.leastAgain = Math.min(leastAgain, runAgain);
	}

	private stopRun(): void {
		const [oldest] = this.database.rows.filter(({ status }) => status === 'running');
		if (oldest) this.database.end(oldest, 'stopped');
	}

	private loseWorkers(): void {
		if (!this.database.host.isQueue) return;
		const running = this.database.rows.filter(({ status }) => status === 'running');
		for (const row of running) this.database.end(row, 'crashed');
	}

	private takeFault(kinds: Fault[]): Fault | undefined {
		const index = this.faults.findIndex((fault) => kinds.includes(fault));
		const [fault] = index < 0 ? [] : this.faults.splice(index, 1);
		if (fault === 'after') this.circumstances.wasUntold = true;
		if (fault === 'commit') this.circumstances.wasUncommitted = true;
		return fault;
	}
}
