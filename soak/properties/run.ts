import { EventEmitter, once } from 'node:events';

import { MINUTE_MS, SECOND_MS } from '../../service/basics/times';
import { HOSTS, refusedRunsIn, type Host } from '../../test/lab/n8n';
import { withN8n, type Both } from '../../test/lab/n8n/withN8n';
import type { Sandbox } from '../../test/lab/sandbox';
import { Course } from '../lib/course';
import { Disturber } from '../lib/disturber';
import { interruptedBy } from '../lib/ledger';
import { faults } from '../lib/plan';
import { firedIn, handOversIn } from '../lib/traces';
import { createFlow, TRIGGER, type Flow } from './flows';
import { Agencies } from './history';
import { deliveriesOf, reckon, type Finding, type Ledger } from './ledger';
import { planOf } from './plan';

export interface Settings {
	host: Host;
	seed: number;
	durationMs: number;
	/** Ends the run early, with an error. */
	signal: AbortSignal;
}

export interface FlowFigures {
	runs: Flow['runs'];
	ledger: Ledger;
	/** What n8n itself may lose or double: it was killed before it had stored what a poll had handed it. */
	inHostsGap: Finding[];
}

export interface Figures {
	host: Host;
	properties: number;
	changes: number;
	kills: number;
	refusedRuns: number;
	faultsFired: Record<string, number>;
	flows: FlowFigures[];
}

const INVENTORY_PATH = /\/inventory\/(filter|items)$/;
const TOKEN_PATH = '/identity/connect/token';
/** In which the baseline is read: what changes before is no change to the trigger. */
const BASELINE_MS = 20 * SECOND_MS;
const QUIET_DEADLINE_MS = 4 * MINUTE_MS;
const LOOK_EVERY_MS = 5 * SECOND_MS;
/** In which something that should not be delivered would be. */
const QUIET_MS = 20 * SECOND_MS;

/** One run: a real n8n in one of its host modes, properties that change, a service full of faults, and kills. */
export async function runOn(settings: Settings): Promise<Figures> {
	const { host, seed, signal } = settings;
	const env = { ...HOSTS[host], N8N_LOG_LEVEL: 'debug', N8N_LOG_FORMAT: 'json' };
	const work = async (both: Both) => {
		try {
			return await Promise.race([new Run(settings, both).figures(), aborted(signal)]);
		} finally {
			// What it still has under way is of no interest.
			await both.n8n.kill9();
		}
	};
	return await withN8n(work, { n8n: { env }, sandbox: { seed } });
}

async function aborted(signal: AbortSignal): Promise<never> {
	await once(signal, 'abort');
	throw signal.reason;
}

class Run {
	private readonly course: Course;
	private readonly agencies: Agencies;
	private readonly disturber: Disturber;
	private readonly flows: Flow[] = [];

	constructor(
		private readonly settings: Settings,
		private readonly both: Both,
	) {
		this.course = new Course(settings.host, settings.signal);
		this.agencies = new Agencies(both.sandbox);
		this.disturber = new Disturber(this.course, both.n8n, newsOf(both.sandbox));
	}

	async figures(): Promise<Figures> {
		const { seed, durationMs } = this.settings;
		const plan = planOf(seed, durationMs);
		const { sandbox, n8n } = this.both;
		Object.assign(sandbox.inventory.paging, plan.paging);
		sandbox.inventory.mostOnPage = plan.mostOnPage;
		await this.activateAll();
		for (const rule of faults([INVENTORY_PATH, TOKEN_PATH])) sandbox.faults.add(rule);
		const workflows = this.flows.map(({ workflow }) => workflow);
		await Promise.all([
			this.changeAll(plan.deeds),
			this.disturber.disturbAll(plan.disturbances, workflows),
		]);
		const faultsFired = firedIn(sandbox);
		sandbox.faults.clear();
		await this.quiet();
		return {
			host: this.settings.host,
			properties: this.agencies.histories.size,
			changes: plan.deeds.length,
			kills: this.disturber.kills.length,
			refusedRuns: refusedRunsIn(n8n.logs()),
			faultsFired,
			flows: await Promise.all(this.flows.map((flow) => this.flowFigures(flow))),
		};
	}

	private async activateAll(): Promise<void> {
		for (const runs of ['onePerPoll', 'onePerChange'] as const)
			this.flows.push(await createFlow(this.both, runs));
		for (const { workflow } of this.flows) await this.both.n8n.activate(workflow);
		await this.course.pause(BASELINE_MS);
		this.course.begin();
	}

	private async changeAll(deeds: ReturnType<typeof planOf>['deeds']): Promise<void> {
		for (const deed of deeds) {
			await this.course.waitUntil(deed.at);
			this.agencies.do(deed);
		}
		this.course.say('all changed');
	}

	/** Waits until the last state of each property was delivered, and for what should not come any more. */
	private async quiet(): Promise<void> {
		const deadline = Date.now() + QUIET_DEADLINE_MS;
		while (Date.now() < deadline && !(await this.isComplete()))
			await this.course.pause(LOOK_EVERY_MS);
		await this.course.pause(QUIET_MS);
	}

	private async isComplete(): Promise<boolean> {
		const ledgers = await Promise.all(this.flows.map((flow) => this.ledgerOf(flow)));
		return ledgers.every(({ findings }) => findings.every(({ before }) => before !== Infinity));
	}

	private async ledgerOf({ workflow }: Flow): Promise<Ledger> {
		const executions = await this.both.n8n.executions(workflow);
		const histories = [...this.agencies.histories.values()];
		return reckon(histories, deliveriesOf(executions, TRIGGER), this.disturber.absences);
	}

	private async flowFigures(flow: Flow): Promise<FlowFigures> {
		const ledger = await this.ledgerOf(flow);
		const handOvers = handOversIn(this.both.n8n.logs(), flow.workflow.name);
		const hasGap = this.settings.host === 'default' && flow.runs === 'onePerPoll';
		const fatal = this.disturber.kills.filter((kill) => interruptedBy(kill, handOvers).length > 0);
		const isInGap = ({ after, before }: Finding) =>
			hasGap && fatal.some((kill) => after <= kill && kill <= before);
		return {
			runs: flow.runs,
			ledger: { ...ledger, findings: ledger.findings.filter((each) => !isInGap(each)) },
			inHostsGap: ledger.findings.filter(isInGap),
		};
	}
}

/** Tells when whole records were answered. */
function newsOf({ exchange }: Sandbox): EventEmitter {
	const news = new EventEmitter();
	const handle = exchange.handle.bind(exchange);
	exchange.handle = async (call, response) => {
		if (call.path.endsWith('/items')) response.once('finish', () => news.emit('news'));
		return await handle(call, response);
	};
	return news;
}
