import type { Settings } from '../../../nodes/AgentLeadsTrigger/settings';
import { DEFAULT_QUERY_NAMES } from '../../../service/leads/leads';
import { Agenda } from './agenda';
import { Ledger, runsOf } from './ledger';
import type { Trouble } from './leadsModel';
import { HOUR, MINUTE, ModelService, NO_TROUBLE, SECOND } from './leadsModel';
import type { Fault, HostKind } from './modelHost';
import { isOver, ModelHost } from './modelHost';
import { sleepBy } from './packageCode';
import type { Schedule, Step } from './schedules';
import { CONFIGURATIONS } from './schedules';

/** n8n waits no longer for its runs when it is stopped. */
const SHUTDOWN_MS = 30 * SECOND;

/** The longest pause before a run is repeated, or asked for again. */
const LONGEST_PAUSE_MS = 40 * MINUTE;

/** In which every lead has come to its end, even if each of six runs takes minutes and few go on at a time. */
const LONGEST_END_MS = 24 * HOUR;

/**
 * Plays a schedule to its end.
 *
 * @returns how many leads had to be delivered
 * @throws when a promised lead was not delivered, or one too often, or one from before the start
 */
export async function play(schedule: Schedule, kind: HostKind): Promise<number> {
	const stage = new Stage(schedule, kind);
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
	private readonly ledger: Ledger;
	private readonly host: ModelHost;
	private readonly faults: Fault[] = [];
	private readonly settings: Settings;
	private seed: number;

	constructor(schedule: Schedule, kind: HostKind) {
		const { hasDate, skew, random, manner, slots, plan, insertMs } = schedule;
		const { runs, runAgain, startFrom, lookBackMs, targets } = schedule;
		this.seed = random;
		this.settings = {
			...{ runs, runAgain, startFrom, lookBackMs, simplify: false },
			targets: CONFIGURATIONS[targets] ?? [],
			names: DEFAULT_QUERY_NAMES,
			limits: { maxTries: 5, maxWaitMs: 0 },
		};
		const settings = () => this.settings;
		this.service = new ModelService(hasDate, skew, random, manner);
		this.agenda = new Agenda(this.service);
		sleepBy(this.agenda);
		this.ledger = new Ledger(this.service, settings, kind.isDurable);
		this.host = new ModelHost(kind, {
			...{ service: this.service, agenda: this.agenda, ledger: this.ledger, settings, slots, plan },
			insertMs: () => this.random() * insertMs,
			takeFault: (...kinds) => this.takeFault(kinds),
		});
	}

	/** Repeatable. */
	readonly random = (): number => {
		this.seed = (Math.imul(this.seed, 1_664_525) + 1_013_904_223) >>> 0;
		return this.seed / 2 ** 32;
	};

	async take(step: Step): Promise<void> {
		switch (step.do) {
			case 'pass':
				return await this.agenda.pass(step.ms);
			case 'arrive':
				return this.service.arrive(step.lead);
			case 'poll':
				return await this.poll(step.trouble);
			case 'publish':
				return await this.publish(step.trouble);
			case 'configure':
				this.settings.targets = CONFIGURATIONS[step.targets ?? -1] ?? this.settings.targets;
				this.settings.lookBackMs = step.lookBackMs ?? this.settings.lookBackMs;
				return await this.publish(step.trouble);
			case 'kill':
				if (this.host.kill() !== undefined) this.noteEnd(true);
				return;
			case 'stop':
				return await this.stop();
			case 'skew':
				this.service.setSkew(step.ms);
				return this.ledger.clockChanged();
			case 'fault':
				this.faults.push(step.fault);
				return;
			case 'endRuns':
				return this.host.endRuns(step.ends);
		}
	}

	/** Nothing goes wrong any more, and n8n polls until there is nothing left to do. */
	async end(): Promise<number> {
		this.faults.length = 0;
		// The service may have asked to be left alone for an hour.
		const { hasDate, behind } = this.service;
		await this.agenda.pass((hasDate ? 0 : behind) + 65 * MINUTE);
		for (let settling = 0; settling < 4; settling++) {
			await this.poll();
			await this.agenda.pass(MINUTE);
		}
		if (this.settings.runs === 'onePerLead') await this.endRuns();
		this.ledger.close(this.host.rows);
		return this.ledger.promised;
	}

	private async endRuns(): Promise<void> {
		const { rows } = this.host;
		const end = this.service.now + LONGEST_END_MS;
		const isDone = () =>
			rows.every(isOver) &&
			this.service.leads.every(
				({ name }) => runsOf(name, rows).length > 0 || this.ledger.mayLoseBarred(name, rows),
			);
		for (let quietMs = 0; quietMs <= LONGEST_PAUSE_MS; quietMs += 4 * MINUTE) {
			if (this.service.now > end) throw new Error('It does not end');
			const before = this.asked;
			await this.poll();
			await this.agenda.pass(4 * MINUTE);
			if (!isDone() || this.asked !== before) quietMs = 0;
		}
		// What has ended is not asked for again, not even by a process that comes after a stop.
		await this.stop();
		const { asked } = this;
		for (let polls = 0; polls < 2; polls++) {
			await this.poll();
			await this.agenda.pass(MINUTE);
		}
		if (this.asked !== asked) throw new Error(`Asked for again: ${this.asked - asked}`);
	}

	/** How many times n8n was asked for a run that it began or refused. */
	private get asked(): number {
		return this.host.rows.length + this.host.refused;
	}

	private async poll(trouble: Trouble = NO_TROUBLE): Promise<void> {
		if (!this.host.isPublished) return await this.publish(trouble);
		await this.work(trouble, false, async () => await this.host.poll());
	}

	private async publish(trouble: Trouble): Promise<void> {
		this.ledger.reload();
		await this.work(trouble, true, async () => await this.host.publish());
	}

	private async work(
		trouble: Trouble,
		isActivation: boolean,
		begin: () => ReturnType<ModelHost['poll']>,
	): Promise<void> {
		this.service.beginPoll(trouble);
		const noteEnd = this.ledger.begin(isActivation);
		const work = begin();
		if (this.settings.runs === 'onePerPoll') {
			await this.agenda.until(work);
			noteEnd(await work);
		} else {
			await this.agenda.pass(0);
			// A poll may go on for as long as its runs.
			noteEnd({ names: [], isStored: false });
		}
		this.service.beginPoll(NO_TROUBLE);
	}

	private async stop(): Promise<void> {
		const stopped = this.host.stop();
		await this.agenda.pass(SHUTDOWN_MS);
		await stopped;
		const wasBusy = this.host.kill();
		// Between polls with durable cursors, nothing stores what has ended.
		if (wasBusy !== undefined) this.noteEnd(wasBusy || this.host.kind.isDurable);
	}

	private noteEnd(isKill: boolean): void {
		this.ledger.ends++;
		if (isKill) this.ledger.kills++;
		this.ledger.reload();
	}

	private takeFault(kinds: Fault[]): Fault | undefined {
		const index = this.faults.findIndex((fault) => kinds.includes(fault));
		const [fault] = index < 0 ? [] : this.faults.splice(index, 1);
		if (fault) this.ledger.faults.add(fault);
		return fault;
	}
}
