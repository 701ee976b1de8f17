import { describe, expect, jest } from '@jest/globals';
import fc from 'fast-check';
import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import type { WildStep } from '../../../lab/sandbox/wild';
import { HOUR, LeadsBench } from '../../../lab/engine/leads';
import { PollHost } from '../../../lab/engine/poll';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import {
	Books,
	itHolds,
	listIn,
	passTime,
	renewClient,
	textOf,
	wildSteps,
} from '../../../lab/engine/wild';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const MINUTE = 60_000;
const BRANCHES = ['101', '102'];
const LISTS = ['applicants', 'appraisals'];

/** Of properties and products alone. */
const OTHERS = [
	'nullItems',
	'emptyAs404',
	'arrayOfOne',
	'statusErrors',
	'otherRedirect',
	'mediaTypes',
	'nulls',
	// Without an ID a lead is told by its content, which other wildness changes: see `isUnnamed`.
	'noId',
];

/** What may happen to a lead that is told by its content: nothing that changes the content. */
const CHANGING = [
	'missingFields',
	'unknownFields',
	'unknownValues',
	'timeForms',
	'unsetTimes',
	'emptyTexts',
	'oddTexts',
	'emptyLists',
	'oddNumbers',
];

interface Submission {
	kind: 'applicant' | 'appraisal';
	branch: string;
	/** How much later than it was submitted the service shows it, in minutes. */
	lag: number;
	form: 'seconds' | 'minutes';
}

interface Round {
	/** How many minutes pass before the poll. */
	pass: number;
	leads: Submission[];
	steps: WildStep[];
}

interface Plan {
	isDurable: boolean;
	startFrom: 'activation' | 'last24Hours';
	byBranch: boolean;
	isUnnamed: boolean;
	activation: WildStep[];
	rounds: Round[];
}

const submission: fc.Arbitrary<Submission> = fc.record({
	kind: fc.constantFrom('applicant', 'appraisal'),
	branch: fc.constantFrom(...BRANCHES),
	lag: fc.constantFrom(0, 0, 1, 20, 50),
	form: fc.constantFrom('seconds', 'minutes'),
});

const steps = wildSteps(OTHERS);

const plan: fc.Arbitrary<Plan> = fc.record({
	isDurable: fc.boolean(),
	startFrom: fc.constantFrom('activation', 'last24Hours'),
	byBranch: fc.boolean(),
	isUnnamed: fc.constantFrom(false, false, true),
	activation: steps,
	rounds: fc.array(
		fc.record({
			pass: fc.constantFrom(1, 1, 5, 20),
			leads: fc.array(submission, { maxLength: 3 }),
			steps,
		}),
		{ minLength: 1, maxLength: 4 },
	),
});

const bench = useBenchInVirtualTime(LeadsBench);

/** A lead that is submitted now. */
function submit(each: Plan, { kind, branch, lag, form }: Submission): IDataObject {
	const { sandbox } = bench;
	const now = sandbox.now();
	const iso = new Date(now).toISOString();
	const createdAt = form === 'seconds' ? `${iso.slice(0, 19)}Z` : `${iso.slice(0, 16)}Z`;
	const changes = { createdAt, ...(each.isUnnamed && { id: '' }) };
	return sandbox.addLead(kind, changes, { receivedAt: now + lag * MINUTE, branchId: branch });
}

/** What happened in one schedule. */
class LeadBooks extends Books<PollHost> {
	readonly submitted: IDataObject[] = [];

	/** What was there before the trigger was. */
	readonly before: IDataObject[] = [];

	constructor(
		private readonly each: Plan,
		host: PollHost,
	) {
		super(bench, host);
	}

	close(): void {
		const { delivered, submitted } = this;
		const keys = delivered.map(keyOf);
		expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
		expect(submitted.map(keyOf).filter((key) => !keys.includes(key))).toEqual([]);
		const early = this.before.map(keyOf).filter((key) => keys.includes(key));
		if (this.each.startFrom === 'activation') expect(early).toEqual([]);
		this.expectTold();
		this.expectNoFailure();
	}

	/** Every item is a lead as it was told. */
	private expectTold(): void {
		const told = this.told
			.flatMap(({ value }) => LISTS.flatMap((list) => listIn(value, list)))
			.map((lead) => canonical(lead));
		for (const item of this.delivered) {
			expect(told.includes(canonical(omit(item, ['leadType', 'gap'])))).toBe(true);
		}
	}
}

function keyOf(lead: IDataObject): string {
	// Two people may have the same invented address.
	return textOf(lead.id || canonical(lead.contact));
}

function canonical(value: unknown): string {
	return JSON.stringify(value, (_, each: unknown) =>
		typeof each === 'object' && each !== null && !Array.isArray(each)
			? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
			: each,
	);
}

function begin(each: Plan): PollHost {
	const { sandbox } = bench;
	sandbox.leads.clear();
	renewClient(bench, { integration: 'leads', branches: each.byBranch ? BRANCHES : [] });
	return new PollHost(
		bench,
		{
			startFrom: each.startFrom,
			simplify: false,
			...(each.byBranch && { filterBy: 'branch', filterId: BRANCHES.join(',') }),
			options: { maxTries: 2, maxWait: 2 },
		},
		{ isDurable: each.isDurable },
	);
}

async function live(each: Plan): Promise<void> {
	const host = begin(each);
	const books = new LeadBooks(each, host);
	const steps = (planned: WildStep[]) =>
		planned.filter(({ name }) => !each.isUnnamed || !CHANGING.includes(name));
	const age = each.startFrom === 'activation' ? 3 * HOUR : 30 * HOUR;
	for (const kind of ['applicant', 'appraisal'] as const) {
		const at = bench.sandbox.now() - age;
		books.before.push(
			...bench.sandbox.addLeads(kind, 2, { from: at, to: at + MINUTE, branchId: BRANCHES }),
		);
	}
	await books.activate(steps(each.activation));
	passTime(bench, MINUTE);
	for (const round of each.rounds) {
		for (const lead of round.leads) books.submitted.push(submit(each, lead));
		await books.poll(round.pass, steps(round.steps));
	}
	for (const minutes of [61, 1, 16, 1]) await books.poll(minutes);
	books.close();
}

describe('the trigger', () => {
	itHolds('delivers each lead once, whatever the service says on the way', () => ({
		name: 'Agent Leads Trigger',
		bench,
		plan,
		play: live,
	}));
});
