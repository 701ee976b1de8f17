import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ExecuteContext } from 'n8n-core';

import { DAY, HOUR, idsOf, LeadsBench } from '../../../lab/engine/leads';

let bench: LeadsBench;

beforeEach(async () => {
	bench = await LeadsBench.start();
});

afterEach(async () => {
	jest.useRealTimers();
	jest.restoreAllMocks();
	await bench.stop();
});

/** The windows that were asked for, as they stood in the queries. */
const windows = () =>
	bench.dataRequests.map(({ query }) => [query['from-time']?.[0], query['to-time']?.[0]]);

const at = (time: string) => {
	bench.setClock(Date.parse(time));
};

const submit = (id: string, agoMs: number, kind: 'applicant' | 'appraisal' = 'applicant') =>
	bench.sandbox.addLead(kind, { id }, { receivedAt: Date.now() - agoMs });

describe('the period', () => {
	it('is by default what the service returns by itself: no times are sent', async () => {
		submit('today', 23 * HOUR);
		submit('earlier', 25 * HOUR);
		expect(idsOf(await bench.run())).toEqual(['today']);
		expect(windows()).toEqual([[undefined, undefined]]);
	});

	it.each([
		['minutes', 90, '2026-06-30T10:29:15Z'],
		['hours', 3, '2026-06-30T08:59:15Z'],
		['days', 1, '2026-06-29T11:59:15Z'],
	])('recent counts %s back from now', async (recentUnit, recentAmount, from) => {
		at('2026-06-30T11:59:15.700Z');
		await bench.run({ period: 'recent', recentAmount, recentUnit });
		expect(windows()).toEqual([[from, '2026-06-30T11:59:15Z']]);
	});

	it.each([
		['Europe/London', '2026-06-20T09:30:00', '2026-06-20T08:30:00Z'],
		['Europe/London', '2026-06-20 09:30:00', '2026-06-20T08:30:00Z'],
		['Europe/London', '2026-06-20T09:30:00+05:00', '2026-06-20T04:30:00Z'],
		['Europe/London', '2026-06-20', '2026-06-19T23:00:00Z'],
		['Asia/Kolkata', '2026-06-20T09:30:00', '2026-06-20T04:00:00Z'],
		['UTC', '2026-06-20T09:30:00.900Z', '2026-06-20T09:30:00Z'],
		['UTC', '={{ DateTime.fromISO("2026-06-20T09:30:00Z") }}', '2026-06-20T09:30:00Z'],
	])('in %s from %s is asked for from %s', async (timezone, from, expected) => {
		at('2026-06-30T12:00:00Z');
		const parameters = { period: 'range', from, to: '2026-06-20T11:00:00Z' };
		await bench.run(parameters, { timezone });
		expect(windows().at(-1)?.[0]).toBe(expected);
	});

	it('takes in both hours that the end of British Summer Time repeats', async () => {
		at('2026-11-10T12:00:00Z');
		await bench.run(
			{ period: 'range', from: '2026-10-25T01:30:00', to: '2026-10-25T01:30:00' },
			{ timezone: 'Europe/London' },
		);
		expect(windows()).toEqual([['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z']]);
	});

	it('crosses the end of British Summer Time without losing or repeating the hour', async () => {
		at('2026-10-26T12:00:00Z');
		await bench.run(
			{ period: 'range', from: '2026-10-25T00:30:00', to: '2026-10-25T02:30:00' },
			{ timezone: 'Europe/London' },
		);
		expect(windows()).toEqual([['2026-10-24T23:30:00Z', '2026-10-25T02:30:00Z']]);
	});

	it.each(['', '={{ null }}', '={{ undefined }}'])(
		'with an end of “%s” goes up to now',
		async (to) => {
			at('2026-06-30T12:00:00Z');
			await bench.run({ period: 'range', from: '2026-06-30T06:00:00Z', to });
			expect(windows()).toEqual([['2026-06-30T06:00:00Z', '2026-06-30T12:00:00Z']]);
		},
	);

	it('longer than a day goes out in slices that touch, and each lead comes once', async () => {
		at('2026-06-30T12:00:00Z');
		submit('on the edge', DAY);
		submit('inside', 36 * HOUR);
		submit('first second', 2.5 * DAY);
		const run = await bench.run({
			period: 'recent',
			recentAmount: 60,
			recentUnit: 'hours',
			returnAll: true,
		});
		expect(idsOf(run)).toEqual(['on the edge', 'inside', 'first second']);
		expect(windows().sort()).toEqual([
			['2026-06-28T00:00:00Z', '2026-06-28T12:00:00Z'],
			['2026-06-28T12:00:00Z', '2026-06-29T12:00:00Z'],
			['2026-06-29T12:00:00Z', '2026-06-30T12:00:00Z'],
		]);
	});

	it('reaching past the 30 days kept is cut to them, with a hint', async () => {
		at('2026-06-30T12:00:00Z');
		const run = await bench.run({
			period: 'recent',
			recentAmount: 40,
			recentUnit: 'days',
			returnAll: true,
		});
		expect(windows()).toHaveLength(30);
		expect(windows().flat().sort()[0]).toBe('2026-05-31T12:00:00Z');
		expect(run.hints[0]?.message).toBe(
			'The service keeps leads for 30 days: everything before 31 May 2026 at 12:00 UTC is gone, so the period starts there.',
		);
	});

	it('is cut for all items with one hint', async () => {
		const input = Array.from({ length: 3 }, () => ({ json: {} }));
		const parameters = { period: 'recent', recentAmount: 31, recentUnit: 'days' };
		expect((await bench.run(parameters, { input })).hints).toHaveLength(1);
	});

	it('that reaches into the future ends now', async () => {
		at('2026-06-30T12:00:00Z');
		await bench.run({ period: 'range', from: '2026-06-30T06:00:00', to: '2999-01-01T00:00:00' });
		expect(windows()).toEqual([['2026-06-30T06:00:00Z', '2026-06-30T12:00:00Z']]);
	});

	it('that lies wholly before the 30 days kept asks nothing and says so', async () => {
		at('2026-06-30T12:00:00Z');
		const parameters = { period: 'range', from: '2026-03-01T00:00', to: '2026-03-02T00:00' };
		const run = await bench.run(parameters);
		expect(run.items).toHaveLength(0);
		expect(bench.sandbox.requests).toHaveLength(0);
		expect(run.hints[0]?.message).toContain('the period ends before that');
	});
});

describe('a lead that the service sends', () => {
	const hour = { period: 'recent', recentAmount: 1, recentUnit: 'hours' };
	const tomorrow = '2026-07-01T12:00:00Z';
	let warnings: string[];

	beforeEach(() => {
		at('2026-06-30T12:00:00Z');
		warnings = [];
		const logger = { warn: (message: string) => warnings.push(message) };
		jest
			.spyOn(ExecuteContext.prototype, 'logger', 'get')
			.mockReturnValue(logger as unknown as ExecuteContext['logger']);
	});

	it('dated outside the period is left out, with a hint and a line in the log', async () => {
		submit('inside', HOUR / 2);
		submit('inside too', HOUR / 4);
		bench.sandbox.addLead('applicant', { id: 'outside', createdAt: tomorrow });
		const run = await bench.run(hour, { input: [{ json: {} }, { json: {} }] });
		expect(idsOf(run)).toEqual(['inside too', 'inside', 'inside too', 'inside']);
		const told = 'The service sent leads that are dated outside the period; they were left out.';
		expect(run.hints.map(({ message }) => message)).toEqual([told]);
		expect(warnings).toEqual([`Agent Leads: ${told}`]);
	});

	it('outside with most of the others points at the names of the parameters', async () => {
		submit('inside', HOUR / 2);
		for (const id of ['one', 'other']) {
			bench.sandbox.addLead('applicant', { id, createdAt: tomorrow });
		}
		const run = await bench.run(hour);
		expect(idsOf(run)).toEqual(['inside']);
		expect(run.hints[0]?.message).toContain('From Time Parameter Name');
		expect(warnings[0]).toContain('To Time Parameter Name');
	});

	it('outside counts once, however many requests of a long period bring it', async () => {
		submit('inside', HOUR / 2);
		submit('inside too', HOUR / 4);
		for (const days of [0.5, 1.5, 2.5]) {
			const receivedAt = Date.now() - days * DAY;
			bench.sandbox.addLead('applicant', { id: 'outside', createdAt: tomorrow }, { receivedAt });
		}
		const run = await bench.run({
			period: 'recent',
			recentAmount: 3,
			recentUnit: 'days',
			returnAll: true,
		});
		expect(run.items).toHaveLength(2);
		expect(run.hints[0]?.message).toMatch(/they were left out\.$/);
	});

	it('without a readable time is kept, and so is every one of the last 24 hours', async () => {
		bench.sandbox.addLead('applicant', { id: 'unset', createdAt: '0001-01-01T00:00Z' });
		const unreadable = { id: 'unreadable', createdAt: 'soon' };
		bench.sandbox.addLead('applicant', unreadable, { isOdd: true });
		expect(idsOf(await bench.run(hour)).sort()).toEqual(['unreadable', 'unset']);
		bench.sandbox.addLead('applicant', { id: 'outside', createdAt: tomorrow });
		const run = await bench.run();
		expect(idsOf(run)).toContain('outside');
		expect(run.hints).toEqual([]);
		expect(warnings).toEqual([]);
	});

	it('that is no object is skipped, and counted in the log', async () => {
		submit('inside', HOUR / 2);
		bench.sandbox.leads.stored.applicant.push(
			...['null', '"text"'].map((text) => ({
				at: bench.sandbox.now() - 60_000,
				receivedAt: 0,
				owner: {},
				text,
				isOdd: true,
			})),
		);
		bench.sandbox.leads.sorted.applicant = false;
		expect(idsOf(await bench.run(hour))).toEqual(['inside']);
		expect(warnings).toEqual([
			'2 of 3 entries in the service’s list of applicants are no leads: left out',
		]);
	});
});

describe('the filter', () => {
	beforeEach(() => {
		const branches = Array.from({ length: 10 }, (_, index) => `b${index}`);
		bench.sandbox.updateClient(bench.clientId, { branches });
		for (const branchId of branches) {
			bench.sandbox.addLead('applicant', { id: `of-${branchId}` }, { branchId });
		}
	});

	it('takes one request an id, a few at once, and merges', async () => {
		bench.sandbox.faults.add({
			path: '/applicant-leads',
			kind: 'latency',
			ms: 30,
			times: Infinity,
		});
		const run = await bench.run({ filterBy: 'branch', filterId: 'b1, b2,b3 ,b4,b5,b6,b7,b2' });
		expect(idsOf(run).sort()).toEqual(
			['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7'].map((b) => `of-${b}`),
		);
		expect(bench.dataRequests.map(({ query }) => query['branch-id'])).toHaveLength(7);
		expect(Math.max(...Object.values(bench.sandbox.counts.maxInFlight))).toBeLessThanOrEqual(4);
	});

	it('accepts a number and a list from an expression', async () => {
		bench.sandbox.updateClient(bench.clientId, { branches: ['101', '102'] });
		await bench.run({ filterBy: 'branch', filterId: '={{ 101 }}' });
		await bench.run({ filterBy: 'branch', filterId: '={{ [101, "102"] }}' });
		expect(bench.dataRequests.map(({ query }) => query['branch-id']?.[0]).sort()).toEqual([
			'101',
			'101',
			'102',
		]);
	});

	it.each(['branch', 'brand', 'company', 'group'] as const)('by %s names it', async (by) => {
		await bench.run({ filterBy: by, filterId: 'b1' });
		expect(bench.dataRequests[0]?.query).toEqual({ [`${by}-id`]: ['b1'] });
	});

	it('uses the names of the options', async () => {
		at('2026-06-30T12:00:00Z');
		await bench.run({
			period: 'recent',
			recentAmount: 1,
			recentUnit: 'hours',
			filterBy: 'branch',
			filterId: 'b1',
			options: { fromTimeParameter: 'since', toTimeParameter: 'until', filterParameter: 'office' },
		});
		expect(bench.dataRequests[0]?.query).toEqual({
			since: ['2026-06-30T11:00:00Z'],
			until: ['2026-06-30T12:00:00Z'],
			office: ['b1'],
		});
	});
});

describe('limit and order', () => {
	beforeEach(() => {
		at('2026-06-30T12:00:00Z');
		for (let day = 0; day < 10; day++) {
			submit(`day-${day}-late`, day * DAY + HOUR);
			submit(`day-${day}-early`, day * DAY + 2 * HOUR);
		}
	});

	const tenDays = { period: 'recent', recentAmount: 10, recentUnit: 'days' };

	it('returns the newest first and asks no further back than the limit needs', async () => {
		const run = await bench.run({ ...tenDays, limit: 3 });
		expect(idsOf(run)).toEqual(['day-0-late', 'day-0-early', 'day-1-late']);
		expect(bench.dataRequests.length).toBeLessThanOrEqual(5);
	});

	it('returns all where that is asked for', async () => {
		const run = await bench.run({ ...tenDays, returnAll: true });
		expect(run.items).toHaveLength(20);
		expect(idsOf(run).slice(-1)).toEqual(['day-9-early']);
		expect(bench.dataRequests).toHaveLength(10);
	});

	it('puts leads without a time last', async () => {
		bench.sandbox.addLead('applicant', { id: 'unset', createdAt: '0001-01-01T00:00Z' });
		const run = await bench.run({ returnAll: true });
		expect(idsOf(run)).toEqual(['day-0-late', 'day-0-early', 'unset']);
		expect(run.items.at(-1)?.json.createdAt).toBeNull();
	});
});

describe('the output', () => {
	it('is a flat lead with the type', async () => {
		bench.sandbox.addLead('appraisal', { id: 'a1', contact: { firstName: 'Ada' } });
		const [item] = (await bench.run({ resource: 'appraisalLead' })).items;
		expect(item?.json).toMatchObject({ leadType: 'appraisal', id: 'a1', firstName: 'Ada' });
		expect(Object.values(item?.json ?? {}).filter((value) => typeof value === 'object')).toEqual(
			Object.values(item?.json ?? {}).filter((value) => value === null),
		);
	});

	it('is simplified or not as a text says too', async () => {
		submit('one', HOUR);
		const keys = async (simplify: string) =>
			Object.keys((await bench.run({ simplify })).items[0]?.json ?? {});
		expect(await keys('={{ "true" }}')).toContain('firstName');
		expect(await keys('={{ "False" }}')).not.toContain('firstName');
		const { error } = await bench.run({ simplify: '={{ "no" }}' });
		expect(error?.message).toBe('“Simplify” is neither true nor false');
	});

	it('is everything the service sent where it is not simplified, unknown fields included', async () => {
		const lead = bench.sandbox.addLead(
			'applicant',
			{
				id: 'a1',
				enquiryType: 'ENQUIRY_TYPE_AUCTION',
				novelty: { nested: [1] },
				leadType: 'portal',
			},
			{ isOdd: true },
		);
		const [item] = (await bench.run({ simplify: false })).items;
		expect(item?.json).toEqual({ ...lead, leadType: 'applicant' });
		const [simple] = (await bench.run()).items;
		expect(simple?.json.enquiryType).toBe('ENQUIRY_TYPE_AUCTION');
	});

	it('is empty where there are no leads', async () => {
		const run = await bench.run();
		expect(run.error).toBeUndefined();
		expect(run.items).toEqual([]);
	});

	it('belongs to the input item that asked for it', async () => {
		submit('x', HOUR);
		const input = [{ json: {} }, { json: {} }];
		const run = await bench.run({}, { input });
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});
});

describe('bad input is refused before any request', () => {
	it.each([
		['an empty id', { filterBy: 'branch', filterId: '={{ "" }}' }, 'Filter IDs'],
		['a stray comma', { filterBy: 'branch', filterId: '12,,13' }, 'Filter IDs'],
		['a comma at the end', { filterBy: 'group', filterId: '12,' }, 'Filter IDs'],
		['an unknown filter', { filterBy: '={{ "office" }}', filterId: '1' }, 'Filter By'],
		[
			'from after to',
			{ period: 'range', from: '2026-06-02T00:00:00', to: '2026-06-01T00:00:00' },
			'From',
		],
		['no start', { period: 'range', from: '={{ "" }}' }, 'From'],
		['a start that is no date', { period: 'range', from: '={{ "yesterday" }}' }, 'From'],
		['a start in the future', { period: 'range', from: '2999-01-01T00:00:00' }, 'From'],
		[
			'an end that is no date',
			{ period: 'range', from: '2026-06-01T00:00:00', to: '={{ "31/31/2026" }}' },
			'To',
		],
		['a negative amount', { period: 'recent', recentAmount: -1, recentUnit: 'days' }, 'Amount'],
		['half an amount', { period: 'recent', recentAmount: 0.5, recentUnit: 'days' }, 'Amount'],
		[
			'an unknown unit',
			{ period: 'recent', recentAmount: 1, recentUnit: '={{ "weeks" }}' },
			'Unit',
		],
		['a limit of zero', { limit: 0 }, 'Limit'],
		['a limit that is text', { limit: '={{ "many" }}' }, 'Limit'],
		['no tries', { options: { maxTries: 0 } }, 'Max Tries'],
		['a negative wait', { options: { maxWait: -1 } }, 'Max Wait'],
		[
			'a query name with a space',
			{ options: { filterParameter: 'branch id' } },
			'Filter Parameter Name',
		],
		[
			'one name for two things',
			{ options: { fromTimeParameter: 'time', toTimeParameter: 'time' } },
			'Options',
		],
	])('%s', async (_, parameters, field) => {
		const { error } = await bench.run(parameters);
		expect(error?.message).toContain(`“${field}”`);
		expect(error?.description).toBeTruthy();
		expect(bench.sandbox.requests).toHaveLength(0);
	});
});
