import { describe, expect, jest } from '@jest/globals';
import fc from 'fast-check';
import groupBy from 'lodash/groupBy';
import isObject from 'lodash/isObject';
import omit from 'lodash/omit';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { WildStep } from '../../../lab/sandbox/wild';
import type { NodeRun } from '../../../lab/engine/engine';
import { DAY, HOUR, LeadsBench } from '../../../lab/engine/leads';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import {
	expectNamed,
	hasMet,
	itHolds,
	listIn,
	renewClient,
	textOf,
	toldTo,
	wildSteps,
} from '../../../lab/engine/wild';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

type Kind = 'applicant' | 'appraisal';

interface Plan {
	period: keyof typeof PERIODS;
	branches: string[];
	limit?: number;
	simplify: boolean;
	maxTries: number;
	steps: WildStep[];
}

/** How far back each reaches, and how it is asked for. */
const PERIODS = {
	last24Hours: { days: 1, parameters: () => ({}) },
	recent: { days: 3, parameters: () => ({ recentAmount: 3, recentUnit: 'days' }) },
	range: {
		days: 5,
		parameters: (now: number) => ({ from: new Date(now - 5 * DAY).toISOString(), to: '' }),
	},
} satisfies Record<string, { days: number; parameters: (now: number) => INodeParameters }>;

const BRANCHES = ['101', '102', '103'];
const LISTS = { applicant: 'applicants', appraisal: 'appraisals' };

const plan: fc.Arbitrary<Plan> = fc.record(
	{
		period: fc.constantFrom('last24Hours', 'recent', 'range'),
		branches: fc.subarray(BRANCHES, { maxLength: 2 }),
		limit: fc.constantFrom(1, 3, 50),
		simplify: fc.boolean(),
		maxTries: fc.integer({ min: 1, max: 4 }),
		steps: wildSteps(),
	},
	{ requiredKeys: ['period', 'branches', 'simplify', 'maxTries', 'steps'] },
);

const bench = useBenchInVirtualTime(LeadsBench);

/** Leads of all ages, none of them close to where a period or a day of it ends. */
function furnish({ branches, steps }: Plan): void {
	const { sandbox } = bench;
	const now = sandbox.now();
	sandbox.leads.clear();
	for (const kind of ['applicant', 'appraisal'] as const) {
		for (const [from, to] of [
			[20, 2],
			[66, 50],
			[140, 125],
		] as const) {
			const span = { from: now - from * HOUR, to: now - to * HOUR };
			sandbox.addLeads(kind, 4, { ...span, branchId: BRANCHES });
		}
		const unset = { createdAt: '0001-01-01T00:00Z' };
		sandbox.addLead(kind, unset, { receivedAt: now - 5 * HOUR, branchId: '101' });
	}
	renewClient(bench, { integration: 'leads', branches: branches.length > 0 ? BRANCHES : [] });
	sandbox.wild.plan(steps);
}

async function run(kind: Kind, { period, branches, limit, simplify, maxTries }: Plan) {
	return await bench.run({
		resource: `${kind}Lead`,
		period,
		...PERIODS[period].parameters(bench.sandbox.now()),
		...(branches.length > 0
			? { filterBy: 'branch', filterId: branches.join(',') }
			: { filterBy: 'none' }),
		returnAll: limit === undefined,
		limit: limit ?? 1,
		simplify,
		options: { maxTries, maxWait: 60 },
	});
}

/** What the service has of the period. */
function kept(kind: Kind, { period, branches }: Plan): string[] {
	const now = bench.sandbox.now();
	return bench.sandbox.leads
		.between(kind, now - PERIODS[period].days * DAY, now)
		.filter(({ owner }) => branches.length === 0 || branches.includes(owner.branchId ?? ''))
		.map(({ text }) => (JSON.parse(text) as { id: string }).id);
}

function timeOf({ createdAt }: IDataObject): number {
	const time = Date.parse(textOf(createdAt));
	return time > 0 ? time : -Infinity;
}

const keyOf = (lead: IDataObject) => textOf(lead.id || Object.entries(lead).sort());

/** Every item is a lead that was told, each once, newest first, and none is missing. */
function expectRight(kind: Kind, each: Plan, { items }: NodeRun): void {
	const told = groupBy(
		toldTo(bench).flatMap(({ value }) => listIn(value, LISTS[kind])),
		keyOf,
	);
	const from = bench.sandbox.now() - PERIODS[each.period].days * DAY - 60_000;
	const isAsked = (lead: IDataObject) =>
		each.period === 'last24Hours' || timeOf(lead) >= from || timeOf(lead) === -Infinity;
	const wanted = Object.values(told).filter((versions) => versions.some(isAsked));
	expect(items.length).toBe(Math.min(wanted.length, each.limit ?? Infinity));
	const times = items.map(({ json }) => timeOf(json));
	expect(times).toEqual([...times].sort((one, other) => (one === other ? 0 : other - one)));
	if (hasMet(bench, 'noId') && each.simplify) return;
	const shown = items.map(({ json }) => keyOf(withoutType(json)));
	expect(new Set(shown).size).toBe(shown.length);
	for (const { json } of items) {
		expect(json.leadType).toBe(kind);
		const versions = told[keyOf(withoutType(json))] ?? [];
		expect(versions.length).toBeGreaterThan(0);
		// Told twice in one answer, perhaps not in the same words.
		if (!each.simplify) expect(versions).toContainEqual(withoutType(json));
	}
	if (!hasMet(bench, 'noId') && each.limit === undefined) {
		expect(shown.sort()).toEqual(kept(kind, each).sort());
	}
}

/** Simplified leads are flat, and have the same columns in the same order. */
function expectColumns({ items }: NodeRun): void {
	const [first = {}, ...others] = items.map(({ json }) => json);
	for (const json of others) expect(Object.keys(json)).toEqual(Object.keys(first));
	expect(items.flatMap(({ json }) => Object.values(json)).filter(isObject)).toEqual([]);
}

function withoutType(lead: IDataObject): IDataObject {
	return omit(lead, 'leadType');
}

describe.each(['applicant', 'appraisal'] as const)('Get Many of %s leads', (kind) => {
	itHolds('gives what the service has', () => ({
		name: `Agent Leads, ${kind}`,
		bench,
		plan,
		play: async (each) => {
			furnish(each);
			const result = await run(kind, each);
			expect(expectNamed(result)).toEqual([]);
			expectRight(kind, each, result);
			if (each.simplify) expectColumns(result);
		},
	}));
});
