import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { FILTER_KINDS } from '../../../../service/leads/leads';
import type { LeadKind, LeadQuestion } from '../../../lab/reference/leads';
import { listLeads } from '../../../lab/reference/leads';
import { EVERYTHING_BUT_DATE } from '../../../lab/engine/bench';
import { LeadsBench } from '../../../lab/engine/leads';
import { PollHost } from '../../../lab/engine/poll';
import type { Recorded } from '../../../lab/engine/wire';
import { parameterOf, withoutTokens } from '../../../lab/engine/wire';
import { useBench, useWire } from '../../../lab/engine/useBench';

const NOW = new Date('2026-03-29T12:00:00.789Z');
const NOW_S = Date.parse('2026-03-29T12:00:00Z');
const MINUTE_MS = 60_000;

const wire = useWire();

beforeEach(() => {
	jest.useFakeTimers({ now: NOW, doNotFake: [...EVERYTHING_BUT_DATE] });
});

afterEach(() => {
	jest.useRealTimers();
});

const ask = (kind: LeadKind, question: LeadQuestion = {}) =>
	listLeads(wire.door('leads'), kind, question);

describe('Agent Leads sends for', () => {
	it.each([
		['applicantLead', 'applicant'],
		['appraisalLead', 'appraisal'],
	] as const)('%s the list of these leads, without times', async (resource, kind) => {
		const sent = await wire.ofNode('leads', { resource });

		expect(sent).toEqual(await wire.ofReference(ask(kind)));
	});

	it.each([
		['30 minutes', { recentAmount: 30, recentUnit: 'minutes' }, '2026-03-29T11:30:00Z'],
		['6 hours', { recentAmount: 6, recentUnit: 'hours' }, '2026-03-29T06:00:00Z'],
		['1 day', { recentAmount: 1, recentUnit: 'days' }, '2026-03-28T12:00:00Z'],
	])('the last %s both ends, in whole seconds', async (_, recent, from) => {
		const sent = await wire.ofNode('leads', { period: 'recent', ...recent });
		const question = { 'from-time': new Date(from), 'to-time': new Date('2026-03-29T12:00:00Z') };

		expect(sent).toEqual(await wire.ofReference(ask('applicant', question)));
	});

	it.each([
		['the time zone of the workflow', '2026-03-29T09:30:00', '2026-03-29T10:15:30'],
		['an offset of its own', '2026-03-29T08:30:00Z', '2026-03-29T11:15:30+02:00'],
	])('a range in %s the same moments in UTC', async (_, from, to) => {
		const parameters = { period: 'range', from, to };
		const sent = await wire.ofNode('leads', parameters, { timezone: 'Europe/London' });
		const question = {
			'from-time': new Date('2026-03-29T08:30:00Z'),
			'to-time': new Date('2026-03-29T09:15:30Z'),
		};

		expect(sent).toEqual(await wire.ofReference(ask('applicant', question)));
	});

	it.each(FILTER_KINDS)('a %s its ID', async (filterBy) => {
		const sent = await wire.ofNode('leads', { filterBy, filterId: 'A1&b=2+3' });
		const question = { [`${filterBy}-id`]: 'A1&b=2+3' };

		expect(sent).toEqual(await wire.ofReference(ask('applicant', question)));
	});

	it('several IDs one request each', async () => {
		const sent = await wire.ofNode('leads', { filterBy: 'branch', filterId: '11, 12' });
		const requests = ['11', '12'].map((id) => ask('applicant', { 'branch-id': id }));

		const right = await wire.ofReference(...requests);

		expect(sent).toHaveLength(2);
		expect(sent).toEqual(expect.arrayContaining(right));
	});

	it('several days windows that leave no second out', async () => {
		const from = new Date('2026-03-26T10:00:00Z');
		const to = new Date('2026-03-29T11:00:00Z');
		const sent = await wire.ofNode('leads', {
			...{ period: 'range', from: from.toISOString(), to: to.toISOString() },
			returnAll: true,
		});

		await expectRight(sent);
		expectCovered(sent, from.getTime(), to.getTime());
	});

	it('other names these', async () => {
		const sent = await wire.ofNode('leads', {
			...{ period: 'recent', recentAmount: 1, recentUnit: 'hours' },
			...{ filterBy: 'branch', filterId: '11' },
			options: { fromTimeParameter: 'since', toTimeParameter: 'until', filterParameter: 'office' },
		});
		const [usual] = await wire.ofReference(
			ask('applicant', {
				'from-time': new Date('2026-03-29T11:00:00Z'),
				'to-time': new Date('2026-03-29T12:00:00Z'),
				'branch-id': '11',
			}),
		);

		const query = [
			['office', '11'],
			['since', '2026-03-29T11:00:00Z'],
			['until', '2026-03-29T12:00:00Z'],
		];

		expect(sent).toEqual([{ ...usual, query }]);
	});
});

describe('a poll of Agent Leads Trigger', () => {
	const bench = useBench(LeadsBench);

	beforeEach(() => {
		Object.assign(bench.stored, wire.credential('leads'));
	});

	async function pollsOf(parameters: INodeParameters) {
		const host = new PollHost(bench, parameters);
		await host.activate();
		const first = withoutTokens(wire.take());
		jest.setSystemTime(NOW.getTime() + 5 * MINUTE_MS);
		await host.tick();
		return { first, second: withoutTokens(wire.take()) };
	}

	it('asks for both kinds: at first without times, then back beyond the first poll', async () => {
		const { first, second } = await pollsOf({ startFrom: 'last24Hours' });

		expect(first.slice(0, 2)).toEqual(
			await wire.ofReference(ask('applicant', {}), ask('appraisal', {})),
		);
		await expectRight([...first.slice(2), ...second]);
		for (const path of ['/leads-api/applicant-leads', '/leads-api/appraisal-leads']) {
			const ofPath = second.filter((each) => each.path === path);
			expectCovered(ofPath, NOW_S - 60 * MINUTE_MS, NOW_S + 5 * MINUTE_MS);
		}
	});

	it('asks for each ID by itself', async () => {
		const { second } = await pollsOf({
			leadTypes: ['appraisal'],
			filterBy: 'company',
			filterId: '301,302',
		});

		await expectRight(second);
		expect(second.map((each) => parameterOf(each, 'company-id')).sort()).toEqual(['301', '302']);
		expect(new Set(second.map(({ path }) => path))).toEqual(
			new Set(['/leads-api/appraisal-leads']),
		);
	});
});

function windowOf(recorded: Recorded): { from: number; to: number } {
	const [from = NaN, to = NaN] = ['from-time', 'to-time'].map((name) =>
		Date.parse(parameterOf(recorded, name)),
	);
	return { from, to };
}

/** The windows leave no second of this time out. */
function expectCovered(sent: Recorded[], from: number, to: number): void {
	let covered = from - 1_000;
	for (const window of sent.map(windowOf).sort((a, b) => a.from - b.from)) {
		expect(window.from).toBeLessThanOrEqual(covered + 1_000);
		covered = Math.max(covered, window.to);
	}
	expect(covered).toBeGreaterThanOrEqual(to);
}

/** Each is what the reference client sends for the window and the ID that it names. */
async function expectRight(sent: Recorded[]): Promise<void> {
	expect(sent.length).toBeGreaterThan(0);
	const right = sent.map((each) => {
		const { from, to } = windowOf(each);
		const company = parameterOf(each, 'company-id');
		return ask(each.path.endsWith('/applicant-leads') ? 'applicant' : 'appraisal', {
			'from-time': new Date(from),
			'to-time': new Date(to),
			...(company !== '' && { 'company-id': company }),
		});
	});
	expect(sent).toEqual(await wire.ofReference(...right));
}
