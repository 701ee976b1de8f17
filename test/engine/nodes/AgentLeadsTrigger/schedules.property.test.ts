import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../../../../service/basics/values';
import type { RunResult, StoredRun } from '../../../lab/engine/executions';
import { History, TIMES, playHistories, stepsOf } from '../../../lab/engine/history';
import { LeadsBench } from '../../../lab/engine/leads';
import type { HostOptions } from '../../../lab/engine/poll';
import { PollHost } from '../../../lab/engine/poll';
import { TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { renewClient } from '../../../lab/engine/wild';
import { DAY, HOUR, MINUTE, SECOND } from '../../../lab/times';

/** What rounding, time on the wire and the last seconds of a poll come to. */
const SLACK = 30 * SECOND;

/** A poll that takes longer than this may leave something to the next one. */
const PROMPT = 15 * SECOND;

/** What comes in this time before an activation may have come after somebody asked for it. */
const CLICK = MINUTE;

/** How long until n8n is asked again to start a run, at most. */
const LONGEST_PAUSE = 20 * MINUTE;

/** Short, so that what is stored too far ahead loses a lead. */
const LOOK_BACK = 10 * MINUTE;
const BRANCHES = ['101', '102'];

interface Submission {
	kind: 'applicant' | 'appraisal';
	branchId: string;
	/** How much later the service shows it, in milliseconds. */
	lag: number;
	isInMinutes: boolean;
}

interface LeadPlan {
	runAgain: number;
	startFrom: 'activation' | 'last24Hours' | 'last30Days';
	byBranch: boolean;
	results: Array<RunResult | undefined>;
	steps: Parameters<History<Submission>['play']>[0];
}

const submission: fc.Arbitrary<Submission> = fc.record({
	kind: fc.constantFrom('applicant', 'applicant', 'appraisal'),
	branchId: fc.constantFrom(...BRANCHES),
	lag: fc.constantFrom(0, 0, MINUTE, 5 * MINUTE, LOOK_BACK),
	isInMinutes: fc.boolean(),
});

const SKEW = 3 * HOUR;

const leadPlan: fc.Arbitrary<LeadPlan> = fc.record({
	runAgain: fc.constantFrom(0, 0, 1, 2),
	startFrom: fc.constantFrom('activation', 'activation', 'last24Hours', 'last30Days'),
	byBranch: fc.boolean(),
	results: fc.array(fc.constantFrom('success', 'success', 'error', 'stopped', undefined), {
		minLength: 1,
		maxLength: 6,
	}),
	steps: stepsOf(submission, {
		pauses: [SECOND, MINUTE, MINUTE, 5 * MINUTE, 2 * HOUR, 2 * DAY, 25 * DAY],
		furthestSkew: SKEW,
		storeFaults: ['isLocked', 'isUntold', 'isBarred'],
	}),
});

/** A lead as the service has it. */
interface Lead {
	id: string;
	kind: string;
	branchId: string;
	/** Its own time, and when the service shows it (epoch ms). */
	created: number;
	/** The latest moment that its own time may stand for. */
	claim: number;
	shownFrom: number;
}

/** Plays leads: each that is promised is delivered once, and none from before the start. */
class LeadHistory extends History<Submission> {
	private readonly leads: Lead[] = [];

	/** What was delivered, by the lead; without One per Lead a run is over at once. */
	private readonly runs = new Map<string, StoredRun[]>();

	/** When the workflow was published first, and when the first sound poll began and ended that n8n has stored or the process knows. */
	private born = Infinity;
	private since = Infinity;
	private settled = Infinity;
	private hasBaseline = false;
	private isStored = false;

	/** When polls began after which nothing that was shown by then may be missing. */
	private readonly complete: number[] = [];

	private wasSound = false;

	/** How far the clocks were apart at most. */
	private skew = 0;

	private readonly targets: number;

	constructor(
		private readonly leadsBench: LeadsBench,
		private readonly plan: LeadPlan,
		private readonly perLead: boolean,
		private readonly options: HostOptions,
	) {
		const { startFrom, runAgain, byBranch, results } = plan;
		const parameters = {
			...{ startFrom, runs: perLead ? 'onePerLead' : 'onePerPoll' },
			...(byBranch && { filterBy: 'branch', filterId: BRANCHES.join(',') }),
			options: {
				lookBack: LOOK_BACK / MINUTE,
				maxTries: 2,
				maxWait: 2,
				...(perLead && { runAgain }),
			},
		};
		super(leadsBench, (more) => new PollHost(leadsBench, parameters, more), options, results);
		this.targets = byBranch ? 2 * BRANCHES.length : 2;
		leadsBench.sandbox.leads.clear();
		renewClient(leadsBench, { integration: 'leads', branches: byBranch ? BRANCHES : [] });
	}

	protected happen({ kind, branchId, lag, isInMinutes }: Submission): void {
		const unit = isInMinutes ? MINUTE : SECOND;
		const created = Math.floor(this.now / unit) * unit;
		const text = new Date(created).toISOString().slice(0, isInMinutes ? 16 : 19);
		const id = `lead-${this.leads.length}`;
		const shownFrom = this.now + lag;
		const options = { receivedAt: shownFrom, branchId };
		this.leadsBench.sandbox.addLead(kind, { id, createdAt: `${text}Z` }, options);
		const claim = created + (created % MINUTE === 0 ? MINUTE : 0);
		this.leads.push({ id, kind, branchId, created, claim, shownFrom });
	}

	protected override skewed(ms: number): void {
		this.skew = Math.max(this.skew, Math.abs(ms));
		this.wasSound = false;
		if (this.settled === Infinity) this.hasBaseline = false;
	}

	protected override forget(): void {
		this.wasSound = false;
		if (this.isStored) return;
		Object.assign(this, { since: Infinity, settled: Infinity, hasBaseline: false });
		this.complete.splice(0);
	}

	protected override polling(isActivation: boolean): (isOver: boolean) => void {
		const start = this.now;
		this.born = Math.min(this.born, start);
		return (isOver) => {
			const { requests, faults } = this.leadsBench.sandbox;
			const answered = requests.filter(
				({ path, status }) => path.endsWith('-leads') && status === 200,
			);
			const asked = new Set(
				answered.map(({ path, query }) => `${path} ${query['branch-id']?.[0]}`),
			);
			const isUntroubled = faults.rules.every(({ fired }) => fired === 0);
			const isSound =
				isOver && isUntroubled && asked.size === this.targets && this.now - start < PROMPT;
			if (this.settled === Infinity && isSound) {
				this.hasBaseline =
					isActivation && this.born === start && this.plan.startFrom === 'activation';
				Object.assign(this, { since: start, settled: this.now });
			}
			// A run that n8n did not store is asked for again by then, and later for as long as the service keeps the lead.
			const isStorable = start - this.storeFaultAt > LONGEST_PAUSE;
			if (isSound && this.wasSound && isStorable) this.complete.push(start);
			this.wasSound = isSound;
			this.isStored ||= isSound && isActivation && this.options.isDurable !== true;
		};
	}

	protected delivered(items: IDataObject[]): void {
		for (const json of items) this.started({ json, result: 'success', process: 'poll' });
		this.isStored ||= items.length > 0 && this.settled < Infinity;
	}

	/** @throws if the lead is from before the start, has had its run, or has one */
	protected override started(run: StoredRun): void {
		const id = textOf(run.json.id);
		const lead = this.leads.find((each) => each.id === id);
		const before = this.runs.get(id) ?? [];
		const { runAgain } = this.plan;
		const fail = (what: string) => {
			throw new Error(
				`${id} ${what}: ${JSON.stringify(lead)} ${shown([...before, run])} ${this.now}`,
			);
		};
		if (!lead) return fail('is none');
		if (this.isFromBefore(lead)) fail('is from before the start');
		if (before.length > (this.perLead ? runAgain : 0)) fail('runs too often');
		for (const { isUntold, process, result, endedAt = 0, isEndStored } of before) {
			if (isUntold) continue;
			const isOfThis = process === run.process;
			const isGood = result === 'success' || result === 'stopped';
			if (isGood && (isOfThis || isEndStored)) fail('runs again after its end');
			if (isOfThis && !result) fail('runs twice at a time');
			// A clock that is set back must not make a pause hours: the run is repeated at once.
			const isSoon = this.now - endedAt < MINUTE * 2 ** (before.length - 1) - SECOND;
			if (isOfThis && isSoon && this.skew === 0) fail('runs again too soon');
		}
		this.runs.set(id, [...before, run]);
	}

	protected close(): void {
		for (const lead of this.leads) {
			const runs = this.runs.get(lead.id) ?? [];
			if (runs.length > 0) this.checkEnd(lead, runs);
			else if (this.isPromised(lead) && !this.mayBeBarred(lead)) {
				const { born, since, settled, hasBaseline } = this;
				const life = JSON.stringify({ born, since, settled, hasBaseline });
				throw new Error(`${lead.id} was not delivered: ${JSON.stringify(lead)} ${life}`);
			}
		}
	}

	/** How many leads were delivered. */
	get count(): number {
		return this.runs.size;
	}

	/** With durable cursors nothing stores between the last poll and a stop that a run was not begun. */
	private mayBeBarred({ kind, id }: Lead): boolean {
		const { rows } = this.host.executions;
		const isBarred = rows.some(({ key, json }) => key?.endsWith(`${kind}:${id}`) && !json.id);
		return isBarred && this.ends > 0;
	}

	/** A failed lead is given up neither early nor in silence. */
	private checkEnd({ id }: Lead, runs: StoredRun[]): void {
		const { runAgain } = this.plan;
		// That n8n cannot start a run is reported as long as it cannot.
		const isOfThis = (text: string) => / failed .+ lead /.test(text) && text.includes(` ${id},`);
		const reports = this.reported.filter(({ message }) => isOfThis(message));
		const fail = (what: string) => {
			throw new Error(`${id} ${what}: ${shown(runs)}`);
		};
		if (reports.length > 1 + this.kills) fail(`was reported ${reports.length} times`);
		const isGood = runs.some(({ result }) => result === 'success' || result === 'stopped');
		if (runAgain === 0 || isGood || this.ends > 1 || runs.some(({ isUntold }) => isUntold)) return;
		if (runs.length <= runAgain) fail('was given up early');
		if (reports.length === 0) fail('was given up, and nobody was told');
	}

	private isFromBefore({ created, claim, shownFrom }: Lead): boolean {
		const { born, hasBaseline, skew } = this;
		const { startFrom } = this.plan;
		if (startFrom === 'last30Days' || shownFrom >= born) return false;
		if (hasBaseline) return Math.max(shownFrom, claim) <= born - CLICK - SLACK;
		const reach = startFrom === 'last24Hours' ? DAY : 1.5 * LOOK_BACK;
		return created < born - reach - 2 * skew - MINUTE - SLACK;
	}

	private isPromised(lead: Lead): boolean {
		const { shownFrom, created } = lead;
		const { startFrom } = this.plan;
		const polled = this.complete.find(
			(start) => start >= shownFrom + SLACK && start > this.settled,
		);
		if (polled === undefined || created < polled - 30 * DAY + HOUR) return false;
		const { since, settled, hasBaseline, born, skew } = this;
		const doubt = born === since ? 0 : 2 * skew;
		if (startFrom === 'last30Days') return created >= since - 30 * DAY + doubt + HOUR;
		if (startFrom === 'last24Hours') return created >= since - DAY + doubt + SLACK;
		if (shownFrom > settled) return hasBaseline || created >= since + doubt;
		return hasBaseline && created >= born - CLICK + SLACK;
	}
}

function shown(runs: StoredRun[]): string {
	const fields = ['key', 'process', 'result', 'endedAt', 'isEndStored', 'isUntold'];
	return JSON.stringify(runs.map((run) => pick(run, fields)));
}

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const bench = useBenchInVirtualTime(LeadsBench);

describe.each(TRIGGER_HOSTS)('on %s, each lead is delivered once', (host, options) => {
	it.each([
		['One per Poll', false],
		['One per Lead', true],
	] as const)(
		'%s: in any history',
		async (runs, perLead) => {
			let delivered = 0;
			await playHistories(`${runs} on ${host}`, leadPlan, 12, bench, async (plan) => {
				const history = new LeadHistory(bench, plan, perLead, options);
				await history.play(plan.steps);
				delivered += history.count;
			});

			expect(delivered).toBeGreaterThan(12 * TIMES);
		},
		600_000 * TIMES,
	);
});
