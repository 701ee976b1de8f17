import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DateTime } from 'luxon';

import { DAY, HOUR, LeadsBench, shortenBackoff } from '../../../lab/engine/leads';
import { PollHost } from '../../../lab/engine/poll';

const MINUTE = 60_000;
const START = Date.parse('2026-06-30T12:00:30Z');

let bench: LeadsBench;

beforeEach(async () => {
	bench = await LeadsBench.start();
	shortenBackoff();
	bench.setClock(START);
});

afterEach(async () => {
	jest.useRealTimers();
	jest.restoreAllMocks();
	await bench.stop();
});

type Kind = 'applicant' | 'appraisal';

/** Submits a lead `agoMs` ago, received then unless said otherwise. */
const submit = (id: string, agoMs = 0, kind: Kind = 'applicant', owner = {}) => {
	const receivedAt = bench.sandbox.now() - agoMs;
	return bench.sandbox.addLead(kind, { id }, { receivedAt, ...owner });
};

/** Submits a lead that has a time of its own. */
const submitDated = (id: string, createdAt: string) =>
	bench.sandbox.addLead('applicant', { id, createdAt });

const pass = (ms: number) => {
	bench.setClock(Date.now() + ms);
};

const ids = (items: Array<{ id?: unknown }>) => items.map(({ id }) => id);

const windows = () =>
	bench.dataRequests.map(({ query }) => [query['from-time']?.[0], query['to-time']?.[0]]);

const requestsOf = async (poll: () => Promise<unknown>) => {
	const before = bench.dataRequests.length;
	await poll();
	return bench.dataRequests.length - before;
};

const branches = (...branchIds: string[]) => {
	bench.sandbox.updateClient(bench.clientId, { branches: branchIds });
	return { filterBy: 'branch', filterId: branchIds.join(',') };
};

const copyOf = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Submits a lead before each poll, and holds what was submitted against what was delivered. */
const ledgerOf = (trigger: PollHost, clockOffset = 0) => {
	const submitted: string[] = [];
	const delivered: unknown[] = [];
	return {
		step: async (ms: number) => {
			pass(ms);
			bench.sandbox.advance(clockOffset);
			const id = `lead ${submitted.length}`;
			submit(id, 20_000);
			submitted.push(id);
			delivered.push(...ids(await trigger.tick()));
		},
		expectOnce: () => {
			expect(delivered).toEqual(submitted);
		},
	};
};

describe.each([
	['that keeps state in the workflow', { isDurable: false }],
	['with durable cursors', { isDurable: true }],
])('on a host %s', (_, options) => {
	const host = (parameters = {}) => new PollHost(bench, parameters, options);

	it('delivers what comes after activation, each lead once, oldest first', async () => {
		const trigger = host();
		submit('before', 5 * MINUTE);
		expect(await trigger.activate()).toEqual([]);
		pass(20_000);
		submit('between', 5_000, 'appraisal');
		submit('and the second one', 3_000);
		pass(40_000);
		expect(ids(await trigger.tick())).toEqual(['between', 'and the second one']);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
		pass(MINUTE);
		submit('later');
		expect(ids(await trigger.tick())).toEqual(['later']);
	});

	it('delivers leads of one second, at both edges of a window and beyond them, once', async () => {
		const trigger = host();
		await trigger.activate();
		pass(MINUTE);
		submit('one');
		expect(ids(await trigger.tick())).toEqual(['one']);
		submit('two, in the second of the poll');
		pass(MINUTE);
		expect(ids(await trigger.tick())).toEqual(['two, in the second of the poll']);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('delivers what appears late within the look-back', async () => {
		const trigger = host();
		await trigger.activate();
		pass(2 * HOUR);
		await trigger.tick();
		submitDated('an hour late', new Date(Date.now() - 59 * MINUTE).toISOString());
		pass(MINUTE);
		expect(ids(await trigger.tick())).toEqual(['an hour late']);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('is not moved by leads dated in the future or not at all', async () => {
		const trigger = host();
		submitDated('known, unset', '0001-01-01T00:00Z');
		submitDated('known, in the future', '2031-01-01T00:00:00Z');
		pass(2 * MINUTE);
		await trigger.activate();
		pass(MINUTE);
		submitDated('unset', '0001-01-01T00:00Z');
		submitDated('in the future', '2031-01-01T00:00:00Z');
		expect(ids(await trigger.tick()).sort()).toEqual(['in the future', 'unset']);
		for (let minute = 0; minute < 90; minute += 15) {
			pass(15 * MINUTE);
			submit(`at ${minute}`);
			expect(ids(await trigger.tick())).toEqual([`at ${minute}`]);
		}
	});

	it('tells leads without an ID apart by their content', async () => {
		const trigger = host();
		await trigger.activate();
		pass(MINUTE);
		bench.sandbox.addLead('applicant', { id: undefined, message: 'one' });
		bench.sandbox.addLead('applicant', { id: undefined, message: 'two' });
		expect(await trigger.tick()).toHaveLength(2);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it.each([
		['last24Hours' as const, ['23 hours']],
		['last30Days' as const, ['29 days', '25 hours', '23 hours']],
	])('from %s begins with the leads of that time', async (startFrom, expected) => {
		submit('29 days', 29 * DAY);
		submit('25 hours', 25 * HOUR);
		submit('23 hours', 23 * HOUR);
		const trigger = host({ startFrom });
		const delivered = [...(await trigger.activate())];
		pass(MINUTE);
		delivered.push(...(await trigger.tick()));
		pass(MINUTE);
		delivered.push(...(await trigger.tick()));
		expect(ids(delivered)).toEqual(expected);
	});

	it('goes on where it was when the workflow is active again', async () => {
		const trigger = host();
		await trigger.activate();
		pass(MINUTE);
		submit('while active');
		expect(ids(await trigger.tick())).toEqual(['while active']);
		pass(30 * HOUR);
		submit('meanwhile', 20 * HOUR);
		const delivered = await trigger.activate();
		pass(MINUTE);
		expect(ids([...delivered, ...(await trigger.tick())])).toEqual(['meanwhile']);
	});

	it('lets a busy service not keep the workflow from being activated, and loses nothing', async () => {
		const trigger = host();
		submit('before', 30 * MINUTE);
		const fault = bench.sandbox.faults.add({
			kind: 'status',
			status: 429,
			path: /leads$/,
			times: Infinity,
		});
		expect(await trigger.activate()).toEqual([]);
		fault.remove();
		pass(30_000);
		submit('between');
		pass(30_000);
		expect(ids(await trigger.tick())).toEqual(['between']);
	});

	it('takes the time of its activation from a service that has no time for more', async () => {
		const trigger = host();
		submit('before', 2 * MINUTE);
		bench.sandbox.faults.add({ kind: 'status', status: 500, path: /leads$/, times: 10 });
		expect(await trigger.activate()).toEqual([]);
		bench.sandbox.faults.clear();
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('takes a web page for a passing failure, unless it is just being set up', async () => {
		const trigger = host({ leadTypes: ['applicant'] });
		bench.sandbox.faults.add({ kind: 'html', path: '/applicant-leads' });
		const first = await trigger.failure(trigger.activate());
		expect(first.failure).toEqual({ cause: 'configuration-invalid' });
		await trigger.activate();
		pass(MINUTE);
		bench.sandbox.faults.add({ kind: 'html', path: '/applicant-leads' });
		const later = await trigger.failure(trigger.tick());
		expect(later.message).toBe('The service answered with a web page instead of data');
		expect(later.failure).toEqual({ cause: 'temporarily-unavailable' });
		bench.sandbox.faults.add({ kind: 'html', path: '/applicant-leads' });
		expect(await trigger.activate('update')).toEqual([]);
	});

	it('does not activate with a refused credential', async () => {
		const trigger = host();
		bench.stored.clientSecret = 'wrong';
		const error = await trigger.failure(trigger.activate());
		expect(error.message).toMatch(/refused the client ID and client secret/);
		expect(error.failure).toEqual({ cause: 'credential-invalid' });
	});

	it('does not activate with a filter ID that the service refuses', async () => {
		const trigger = host({ ...branches('1', '2'), filterId: '1, 3' });
		const error = await trigger.failure(trigger.activate());
		expect(error.message).toMatch(
			/^Applicant leads of branch 3: The service refused the request \(400\)\. The service says: “.+Check the branch ID 3:/,
		);
		expect(error.failure).toEqual({ cause: 'configuration-invalid' });
	});

	it('lets one type go out while the other one fails, and catches up on that', async () => {
		const trigger = host();
		await trigger.activate();
		pass(MINUTE);
		submit('applicant');
		submit('appraisal', 0, 'appraisal');
		const fault = bench.sandbox.faults.add({
			kind: 'status',
			status: 500,
			path: '/applicant-leads',
			times: Infinity,
		});
		expect(ids(await trigger.tick())).toEqual(['appraisal']);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
		fault.remove();
		pass(MINUTE);
		expect(ids(await trigger.tick())).toEqual(['applicant']);
	});

	it('has begun nothing when it could not be activated', async () => {
		const trigger = host({ ...branches('1', '2'), filterId: '1,3', leadTypes: ['applicant'] });
		for (let attempt = 0; attempt < 2; attempt++) {
			const error = await trigger.failure(trigger.activate());
			expect(error.message).toMatch(/^Applicant leads of branch 3: /);
			pass(6 * HOUR);
			trigger.state = {};
		}
		submit('long before', 3 * HOUR, 'applicant', { branchId: '1' });
		trigger.parameters.filterId = '1,2';
		expect(await trigger.activate()).toEqual([]);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('delivers a lead that a new target shares with a known one, whichever answers first', async () => {
		bench.sandbox.updateClient(bench.clientId, { groups: ['1', '2'] });
		const trigger = host({ filterBy: 'group', filterId: '1', leadTypes: ['applicant'] });
		await trigger.activate();
		pass(MINUTE);
		await trigger.tick();
		pass(30_000);
		submit('shared', 5_000, 'applicant', { groupId: '1' });
		submit('shared', 5_000, 'applicant', { groupId: '2' });
		trigger.parameters.filterId = '1,2';
		bench.sandbox.faults.add({ kind: 'status', status: 500, path: /leads$/, times: 1 });
		const delivered = await trigger.activate('update');
		for (let minute = 0; minute < 2; minute++) {
			pass(MINUTE);
			delivered.push(...(await trigger.tick()));
		}
		expect(ids(delivered)).toEqual(['shared']);
	});

	it('takes odd IDs of leads and filters for what they are', async () => {
		const odd = ['__proto__', 'constructor', 'x'.repeat(500), 'a\nb', ' ', '#abc', '\u0000'];
		const trigger = host({ leadTypes: ['applicant'], ...branches('__proto__', 'constructor') });
		await trigger.activate();
		pass(MINUTE);
		for (const id of odd) submit(id, 0, 'applicant', { branchId: '__proto__' });
		submit('other', 0, 'applicant', { branchId: 'constructor' });
		expect(ids(await trigger.tick()).sort()).toEqual([...odd, 'other'].sort());
		trigger.state = copyOf(trigger.state);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it.each([-400 * DAY, -2 * HOUR, 2 * HOUR, 40 * DAY])(
		'is not misled by the Date of a proxy’s page that is %d ms off',
		async (offset) => {
			const trigger = host({ leadTypes: ['applicant'] });
			submit('long ago', 5 * DAY);
			await trigger.activate();
			const ledger = ledgerOf(trigger);
			for (let poll = 0; poll < 30; poll++) await ledger.step(5 * MINUTE);
			const fault = bench.sandbox.faults.add({
				kind: 'html',
				status: 502,
				path: /leads$/,
				times: Infinity,
			});
			bench.sandbox.advance(offset);
			await trigger.failure(trigger.tick());
			fault.remove();
			bench.sandbox.advance(-offset);
			for (let poll = 0; poll < 5; poll++) await ledger.step(5 * MINUTE);
			ledger.expectOnce();
		},
	);

	it.each([-3 * HOUR, 2 * HOUR])(
		'is not misled by good answers whose Date is %d ms off for a while',
		async (offset) => {
			const trigger = host({ leadTypes: ['applicant'] });
			await trigger.activate();
			const ledger = ledgerOf(trigger);
			for (let poll = 0; poll < 20; poll++) await ledger.step(10 * MINUTE);
			const fromHTTP = DateTime.fromHTTP.bind(DateTime);
			const spy = jest
				.spyOn(DateTime, 'fromHTTP')
				.mockImplementation((text) => fromHTTP(text).plus(offset));
			for (let poll = 0; poll < 3; poll++) await ledger.step(MINUTE);
			spy.mockRestore();
			for (let poll = 0; poll < 5; poll++) await ledger.step(MINUTE);
			ledger.expectOnce();
		},
	);

	it('loses nothing when it begins with a busy service and a host’s clock that is far ahead', async () => {
		const offset = -20 * MINUTE;
		bench.sandbox.advance(offset);
		const trigger = host({ leadTypes: ['applicant'] });
		const fault = bench.sandbox.faults.add({
			kind: 'status',
			status: 429,
			path: /leads$/,
			times: Infinity,
		});
		await trigger.activate();
		fault.remove();
		const ledger = ledgerOf(trigger, offset);
		for (let poll = 0; poll < 15; poll++) await ledger.step(MINUTE);
		ledger.expectOnce();
		expect(await requestsOf(async () => await ledger.step(MINUTE))).toBe(1);
	});

	it('leaves a type alone for as long as the service asks, while the other one goes on', async () => {
		const trigger = host();
		await trigger.activate();
		pass(MINUTE);
		bench.sandbox.faults.add({
			kind: 'status',
			status: 429,
			retryAfter: 600,
			path: '/applicant-leads',
		});
		const asked = () => bench.dataRequests.filter(({ path }) => path.endsWith('/applicant-leads'));
		await trigger.tick();
		const before = asked().length;
		pass(9 * MINUTE);
		submit('appraisal', 0, 'appraisal');
		submit('applicant');
		expect(ids(await trigger.tick())).toEqual(['appraisal']);
		expect(asked().length).toBe(before);
		pass(2 * MINUTE);
		expect(ids(await trigger.tick())).toEqual(['applicant']);
	});

	it('declares the longest wait that it was asked for', async () => {
		const trigger = host();
		await trigger.activate();
		pass(MINUTE);
		for (const [path, retryAfter] of Object.entries({
			'/applicant-leads': 60,
			'/appraisal-leads': 900,
		})) {
			bench.sandbox.faults.add({ kind: 'status', status: 429, retryAfter, path });
		}
		const error = await trigger.failure(trigger.tick());
		expect(error.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 900_000 });
	});

	it('changes nothing when a poll fails, and says whether waiting helps', async () => {
		const trigger = host();
		await trigger.activate();
		pass(MINUTE);
		submit('one');
		await trigger.tick();
		const before = JSON.stringify(trigger.state);
		pass(MINUTE);
		submit('two');
		bench.sandbox.faults.add({
			kind: 'status',
			status: 429,
			retryAfter: 120,
			path: /leads$/,
			times: 2,
		});
		const error = await trigger.failure(trigger.tick());
		expect(error.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 120_000 });
		expect(error.description).toMatch(/leads that come meanwhile are delivered/);
		expect(JSON.stringify(trigger.state)).toBe(before);
		pass(2 * MINUTE);
		expect(ids(await trigger.tick())).toEqual(['two']);
	});

	it('starts a target over, and just that one, when the filter changes', async () => {
		const trigger = host(branches('1', '2'));
		Object.assign(trigger.parameters, { filterId: '1', leadTypes: ['applicant'] });
		await trigger.activate();
		pass(MINUTE);
		submit('one', 0, 'applicant', { branchId: '1' });
		submit('not asked for', 0, 'applicant', { branchId: '2' });
		expect(ids(await trigger.tick())).toEqual(['one']);
		pass(2 * MINUTE);
		submit('of the one that stays', 0, 'applicant', { branchId: '1' });
		trigger.parameters.filterId = '1,2';
		const delivered = await trigger.activate('update');
		pass(MINUTE);
		submit('of the new one', 0, 'applicant', { branchId: '2' });
		delivered.push(...(await trigger.tick()));
		expect(ids(delivered)).toEqual(['of the one that stays', 'of the new one']);
		expect(Object.keys(trigger.state.scopes ?? {})).toEqual([
			'applicant · branch 1',
			'applicant · branch 2',
		]);
	});

	const replaceClient = () => {
		const other = bench.sandbox.addClient({
			integration: 'leads',
			clientId: 'other-client',
			clientSecret: 'another secret',
		});
		Object.assign(bench.stored, { clientId: other.clientId, clientSecret: other.clientSecret });
	};

	it('goes on with another client, with what the first one was not given', async () => {
		const trigger = host({ leadTypes: ['applicant'] });
		await trigger.activate();
		pass(MINUTE);
		submit('by the first client');
		expect(ids(await trigger.tick())).toEqual(['by the first client']);
		pass(MINUTE);
		replaceClient();
		submit('after the change');
		pass(MINUTE);
		expect(ids(await trigger.tick())).toEqual(['after the change']);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('delivers a lead that appears late after the client was replaced', async () => {
		const trigger = host({ leadTypes: ['applicant'] });
		await trigger.activate();
		pass(2 * HOUR);
		submit('by the first client');
		await trigger.tick();
		submitDated('late', new Date(Date.now() - 30 * MINUTE).toISOString());
		replaceClient();
		pass(MINUTE);
		expect(ids(await trigger.tick())).toEqual(['late']);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it.each(['last24Hours', 'last30Days'])(
		'begins anew with another client from %s, without what was delivered',
		async (startFrom) => {
			const trigger = host({ leadTypes: ['applicant'], startFrom });
			await trigger.activate();
			pass(MINUTE);
			submit('by the first client');
			expect(ids(await trigger.tick())).toEqual(['by the first client']);
			pass(5 * HOUR);
			replaceClient();
			submit('before the change', 3 * HOUR);
			expect(ids(await trigger.tick())).toEqual(['before the change']);
		},
	);

	it('catches up after an outage, oldest first and in slices', async () => {
		const trigger = host({ leadTypes: ['applicant'] });
		await trigger.activate();
		pass(MINUTE);
		await trigger.tick();
		const before = windows().length;
		pass(3 * DAY);
		for (const hours of [71, 50, 26, 25, 2, 0.5]) submit(`${hours} hours ago`, hours * HOUR);
		expect(ids(await trigger.tick())).toEqual(
			[71, 50, 26, 25, 2, 0.5].map((hours) => `${hours} hours ago`),
		);
		expect(windows().slice(before)).toEqual([
			['2026-06-30T11:01:30Z', '2026-07-01T00:00:00Z'],
			['2026-07-01T00:00:00Z', '2026-07-02T00:00:00Z'],
			['2026-07-02T00:00:00Z', '2026-07-03T00:00:00Z'],
			['2026-07-03T00:00:00Z', '2026-07-03T11:01:30Z'],
			['2026-07-03T11:01:30Z', '2026-07-03T12:01:30Z'],
		]);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('says once what the service no longer keeps', async () => {
		const trigger = host({ leadTypes: ['applicant'] });
		await trigger.activate();
		pass(MINUTE);
		submit('the first');
		await trigger.tick();
		pass(40 * DAY);
		submit('gone', 35 * DAY);
		submit('kept', 29 * DAY);
		submit('kept too', DAY);
		const items = await trigger.tick();
		expect(ids(items)).toEqual(['kept', 'kept too']);
		expect(items.map(({ gap }) => gap)).toEqual([
			expect.objectContaining({ from: '2026-06-30T12:01:30Z', to: '2026-07-10T12:01:30Z' }),
			undefined,
		]);
		pass(MINUTE);
		submit('the next');
		expect((await trigger.tick()).map(({ gap }) => gap)).toEqual([undefined]);
	});

	it.each([-7 * MINUTE, 7 * MINUTE])(
		'loses and doubles nothing while the clocks differ by %d ms',
		async (offset) => {
			bench.sandbox.advance(offset);
			const later = (ms: number) => {
				pass(ms);
				bench.sandbox.advance(offset);
			};
			const trigger = host({ leadTypes: ['applicant'] });
			submit('before', 100_000);
			expect(await trigger.activate()).toEqual([]);
			const submitted: string[] = [];
			const delivered: unknown[] = [];
			for (let minute = 1; minute <= 12; minute++) {
				later(40_000);
				submit(`minute ${minute}`);
				submitted.push(`minute ${minute}`);
				later(20_000);
				delivered.push(...ids(await trigger.tick()));
			}
			later(MINUTE);
			delivered.push(...ids(await trigger.tick()));
			expect(delivered).toEqual(submitted);
			const { watermark } = trigger.scope('applicant') as { watermark: string };
			expect(bench.sandbox.now() - Date.parse(watermark)).toBeGreaterThanOrEqual(0);
			expect(bench.sandbox.now() - Date.parse(watermark)).toBeLessThan(10_000);
		},
	);
});

describe('a poll', () => {
	it('asks once for each type and filter ID, behind the watermark by the look-back', async () => {
		const trigger = new PollHost(bench, { ...branches('1', '2'), options: { lookBack: 30 } });
		await trigger.activate();
		pass(MINUTE);
		const before = windows().length;
		expect(await requestsOf(async () => await trigger.tick())).toBe(4);
		expect(windows().slice(before)).toEqual(
			Array.from({ length: 4 }, () => ['2026-06-30T11:29:30Z', '2026-06-30T12:01:30Z']),
		);
	});

	it('gives way to one that is under way', async () => {
		const trigger = new PollHost(bench);
		await trigger.activate();
		pass(MINUTE);
		submit('one');
		bench.sandbox.faults.add({ kind: 'latency', ms: 300, path: /leads$/, times: 2 });
		const before = bench.dataRequests.length;
		const [first, second] = await Promise.all([trigger.tick(), trigger.tick()]);
		expect(ids(first)).toEqual(['one']);
		expect(second).toEqual([]);
		expect(bench.dataRequests.length - before).toBe(2);
	});

	it('does not go on from progress that n8n has yet to replace', async () => {
		const trigger = new PollHost(bench, {}, { isDurable: true });
		await trigger.activate();
		pass(MINUTE);
		await trigger.tick();
		const before = copyOf(trigger.state);
		submit('one');
		expect(ids(await trigger.tick())).toEqual(['one']);
		trigger.state = before;
		expect(await requestsOf(async () => await trigger.tick())).toBe(0);
		trigger.state = before;
		pass(15_000);
		expect(ids(await trigger.tick())).toEqual(['one']);
	});

	it('keeps progress that the host does not store while nothing comes', async () => {
		const trigger = new PollHost(bench, { leadTypes: ['applicant'] }, { isDurable: true });
		await trigger.activate();
		for (let hour = 0; hour < 30; hour++) {
			const before = copyOf(trigger.state);
			pass(HOUR);
			expect(await requestsOf(async () => await trigger.tick())).toBe(1);
			trigger.state = before;
		}
		submit('one');
		expect(ids(await trigger.tick())).toEqual(['one']);
	});

	it('after a crash between activation and the first poll reaches back rather than lose a lead', async () => {
		const trigger = new PollHost(bench, {}, { isDurable: true });
		submit('before', 2 * HOUR);
		submit('perhaps before', 10 * MINUTE);
		expect(ids(await trigger.tick())).toEqual(['perhaps before']);
	});

	it('delivers a lead that two branches share once', async () => {
		const trigger = new PollHost(bench, {
			filterBy: 'group',
			filterId: '1,2',
			leadTypes: ['applicant'],
		});
		bench.sandbox.updateClient(bench.clientId, { groups: ['1', '2'] });
		await trigger.activate();
		pass(MINUTE);
		submit('shared', 0, 'applicant', { groupId: '1' });
		submit('shared', 0, 'applicant', { groupId: '2' });
		expect(ids(await trigger.tick())).toEqual(['shared']);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('stops asking when the token is refused, and asks for it once', async () => {
		const trigger = new PollHost(bench, branches('1', '2', '3', '4', '5', '6'));
		await trigger.activate();
		bench.sandbox.revokeClient(bench.clientId);
		pass(MINUTE);
		const before = bench.tokenRequests.length;
		const error = await trigger.failure(trigger.tick());
		expect(error.failure).toEqual({ cause: 'credential-invalid' });
		expect(bench.tokenRequests.length - before).toBeLessThanOrEqual(2);
	});

	it('reports a target that is refused for good, once, while the others go on', async () => {
		const trigger = new PollHost(bench, branches('1', '2'));
		await trigger.activate();
		bench.sandbox.updateClient(bench.clientId, { branches: ['1', '9'] });
		for (let minute = 0; minute < 3; minute++) {
			pass(MINUTE);
			submit(`at ${minute}`, 0, 'applicant', { branchId: '1' });
			expect(ids(await trigger.tick())).toEqual([`at ${minute}`]);
		}
		expect(trigger.reported.map(({ message }) => message)).toEqual([
			'Applicant leads of branch 2 and 1 more: The service refused the request (400)',
		]);
	});

	it('spreads a large backlog over several polls', async () => {
		bench.sandbox.addLeads('applicant', 24_000);
		const trigger = new PollHost(bench, { startFrom: 'last30Days', leadTypes: ['applicant'] });
		const polls = [await trigger.activate()];
		while ((polls.at(-1)?.length ?? 0) > 0) {
			pass(MINUTE);
			polls.push(await trigger.tick());
		}
		const delivered = polls.flat();
		expect(polls.length).toBeGreaterThan(3);
		expect(Math.max(...polls.map((items) => items.length))).toBeLessThan(12_000);
		expect(new Set(ids(delivered)).size).toBe(24_000);
		expect(delivered).toHaveLength(24_000);
	}, 30_000);

	it('ends within the budget of the host while one type hangs', async () => {
		jest.useRealTimers();
		bench.sandbox.advance(Date.now() - bench.sandbox.now());
		const trigger = new PollHost(bench, {}, { isDurable: true, budgetMs: 1_500 });
		await trigger.activate();
		submit('appraisal', 0, 'appraisal');
		bench.sandbox.faults.add({ kind: 'hang', path: '/applicant-leads', times: Infinity });
		expect(ids(await trigger.tick())).toEqual(['appraisal']);
	});

	it('asks once for each target, however slow the answers are', async () => {
		jest.useRealTimers();
		bench.sandbox.advance(Date.now() - bench.sandbox.now());
		const twenty = Array.from({ length: 20 }, (_, index) => String(index + 1));
		const trigger = new PollHost(bench, branches(...twenty), { isDurable: true });
		await trigger.activate();
		bench.sandbox.faults.add({ kind: 'latency', ms: 600, path: /leads$/, times: Infinity });
		expect(await requestsOf(async () => await trigger.tick())).toBe(40);
	}, 30_000);

	it('does not let one type that hangs for all branches keep the other one waiting', async () => {
		jest.useRealTimers();
		bench.sandbox.advance(Date.now() - bench.sandbox.now());
		const trigger = new PollHost(bench, branches('1', '2', '3', '4'), {
			isDurable: true,
			budgetMs: 1_500,
		});
		await trigger.activate();
		for (const branchId of ['1', '2', '3', '4']) {
			submit(`appraisal ${branchId}`, 0, 'appraisal', { branchId });
		}
		bench.sandbox.faults.add({ kind: 'hang', path: '/applicant-leads', times: Infinity });
		expect(ids(await trigger.tick()).sort()).toEqual([1, 2, 3, 4].map((id) => `appraisal ${id}`));
	});

	it('does not let one type that is days behind keep the other one waiting', async () => {
		jest.useRealTimers();
		bench.sandbox.advance(Date.now() - bench.sandbox.now());
		const trigger = new PollHost(bench, {}, { isDurable: true, budgetMs: 1_500 });
		await trigger.activate();
		await trigger.tick();
		const watermark = new Date(Date.now() - 9 * DAY).toISOString();
		Object.assign(trigger.scope('applicant'), { watermark, seenFrom: watermark });
		submit('new', 0, 'appraisal');
		bench.sandbox.faults.add({ kind: 'latency', ms: 400, path: /leads$/, times: Infinity });
		expect(ids(await trigger.tick())).toEqual(['new']);
	});

	it('asks only for new targets when it is activated with progress that is not stored yet', async () => {
		const trigger = new PollHost(bench, { ...branches('1', '2'), leadTypes: ['applicant'] });
		trigger.parameters.filterId = '1';
		await trigger.activate();
		pass(MINUTE);
		submit('one', 0, 'applicant', { branchId: '1' });
		const before = copyOf(trigger.state);
		expect(ids(await trigger.tick())).toEqual(['one']);
		const after = trigger.state;
		submit('old of the new target', 30 * MINUTE, 'applicant', { branchId: '2' });
		trigger.state = before;
		trigger.parameters.filterId = '1,2';
		pass(2_000);
		expect(await trigger.activate('update')).toEqual([]);
		trigger.state = after;
		pass(MINUTE);
		submit('new', 0, 'applicant', { branchId: '2' });
		expect(ids(await trigger.tick())).toContain('new');
		expect(ids(await trigger.tick())).toEqual([]);
	});

	it('under a new name starts over, even just after a lead', async () => {
		const trigger = new PollHost(bench, { leadTypes: ['applicant'] });
		await trigger.activate();
		pass(MINUTE);
		submit('one');
		expect(ids(await trigger.tick())).toEqual(['one']);
		pass(3_000);
		trigger.state = {};
		expect(await trigger.activate('update')).toEqual([]);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('under a new name delivers what n8n dropped of a poll that was under way', async () => {
		const trigger = new PollHost(bench, { leadTypes: ['applicant'], startFrom: 'last24Hours' });
		await trigger.activate();
		pass(MINUTE);
		submit('one');
		bench.sandbox.faults.add({ kind: 'latency', ms: 300, path: /leads$/, times: 1 });
		const dropped = trigger.tick();
		trigger.state = {};
		const activation = trigger.activate('update');
		expect(ids(await dropped)).toEqual(['one']);
		const delivered = ids(await activation);
		for (let minute = 0; minute < 3; minute++) {
			pass(MINUTE);
			delivered.push(...ids(await trigger.tick()));
		}
		expect(delivered).toEqual(['one']);
	});

	it('reports a type that goes on failing once an hour, and not one that recovers', async () => {
		const trigger = new PollHost(bench);
		await trigger.activate();
		const fail = () =>
			bench.sandbox.faults.add({
				kind: 'status',
				status: 500,
				path: '/applicant-leads',
				times: Infinity,
			});
		const pollFor = async (minutes: number) => {
			for (let minute = 0; minute < minutes; minute += 5) {
				pass(5 * MINUTE);
				await trigger.tick();
			}
		};
		const first = fail();
		await pollFor(10);
		first.remove();
		await pollFor(5);
		const second = fail();
		await pollFor(10);
		expect(trigger.reported).toEqual([]);
		await pollFor(60);
		expect(trigger.reported.map(({ message }) => message)).toEqual([
			'Applicant leads: The service cannot answer just now (500)',
		]);
		await pollFor(60);
		expect(trigger.reported).toHaveLength(2);
		second.remove();
	});

	it('declares what waiting helps with, where something else failed for good', async () => {
		const trigger = new PollHost(bench);
		await trigger.activate();
		pass(MINUTE);
		const statuses = { '/applicant-leads': 400, '/appraisal-leads': 429 };
		for (const [path, status] of Object.entries(statuses)) {
			bench.sandbox.faults.add({ kind: 'status', status, path, times: Infinity });
		}
		const error = await trigger.failure(trigger.tick());
		expect(error.message).toBe('Appraisal leads: The service is busy and asks to wait (429)');
		expect(error.failure).toEqual({ cause: 'rate-limited' });
	});

	it('does not ask for a token again for each target', async () => {
		const trigger = new PollHost(bench, {
			...branches('1', '2', '3', '4', '5', '6'),
			options: { maxTries: 2 },
		});
		await trigger.activate();
		bench.sandbox.revokeTokens(bench.clientId);
		bench.sandbox.faults.add({
			kind: 'status',
			status: 500,
			path: '/oauth2/token',
			times: Infinity,
		});
		pass(MINUTE);
		const before = bench.tokenRequests.length;
		const error = await trigger.failure(trigger.tick());
		expect(error.failure).toEqual({ cause: 'temporarily-unavailable' });
		expect(bench.tokenRequests.length - before).toBeLessThanOrEqual(4);
	});

	it('can be activated again while one of two branches is refused, but not with a refused pair', async () => {
		const trigger = new PollHost(bench, branches('1', '2'));
		await trigger.activate();
		bench.sandbox.updateClient(bench.clientId, { branches: ['1', '9'] });
		pass(MINUTE);
		expect(await trigger.activate('update')).toEqual([]);
		bench.sandbox.revokeClient(bench.clientId);
		const error = await trigger.failure(trigger.activate('update'));
		expect(error.failure).toEqual({ cause: 'credential-invalid' });
	});

	it('delivers an applicant and an appraisal with the same ID, and an answer’s double once', async () => {
		const trigger = new PollHost(bench);
		await trigger.activate();
		pass(MINUTE);
		submit('same');
		submit('same');
		submit('same', 0, 'appraisal');
		expect((await trigger.tick()).map(({ leadType }) => leadType).sort()).toEqual([
			'applicant',
			'appraisal',
		]);
	});

	it('delivers nothing again when the look-back is made longer', async () => {
		const trigger = new PollHost(bench, { leadTypes: ['applicant'], options: { lookBack: 5 } });
		await trigger.activate();
		const ledger = ledgerOf(trigger);
		for (let poll = 0; poll < 6; poll++) await ledger.step(10 * MINUTE);
		trigger.parameters.options = { lookBack: 60 };
		for (let poll = 0; poll < 6; poll++) await ledger.step(10 * MINUTE);
		ledger.expectOnce();
	});

	it('keeps what it missed until there is an item to say it on', async () => {
		const trigger = new PollHost(bench, { leadTypes: ['applicant'] });
		await trigger.activate();
		pass(40 * DAY);
		for (let poll = 0; poll < 3; poll++) {
			pass(MINUTE);
			expect(await trigger.tick()).toEqual([]);
		}
		submit('one');
		const [item] = await trigger.tick();
		expect(item?.gap).toMatchObject({ from: '2026-06-30T11:59:30Z' });
	});

	it('works on hosts that name no budget', async () => {
		const trigger = new PollHost(bench, {}, { budgetMs: null });
		await trigger.activate();
		pass(MINUTE);
		submit('one');
		expect(ids(await trigger.tick())).toEqual(['one']);
	});

	it('refuses progress of a later version rather than to start over', async () => {
		const trigger = new PollHost(bench);
		trigger.state = { version: 2 };
		const error = await trigger.failure(trigger.activate());
		expect(error.message).toBe('The stored progress has version 2');
		expect(error.failure).toEqual({ cause: 'configuration-invalid' });
		expect(bench.dataRequests).toEqual([]);
	});

	it.each([
		[{ leadTypes: [] }, '“Trigger On” is empty'],
		[{ leadTypes: ['tenant'] }, '“Trigger On” has an unknown value'],
		[{ startFrom: 'yesterday' }, '“Start From” has an unknown value'],
		[
			{ options: { lookBack: 0 } },
			'“Look Back” must be a whole number of at least 1 and at most 43200',
		],
		[{ filterBy: 'branch', filterId: '1,,2' }, '“Filter IDs” holds an empty ID'],
		[{ filterBy: 'branch', filterId: '={{ [] }}' }, '“Filter IDs” holds an empty ID'],
		[{ options: { maxTries: 0 } }, '“Max Tries” must be a whole number of at least 1'],
	])('with %j asks for nothing and says: %s', async (parameters, message) => {
		const trigger = new PollHost(bench, parameters);
		const error = await trigger.failure(trigger.activate());
		expect(error.message).toBe(message);
		expect(error.failure).toEqual({ cause: 'configuration-invalid' });
		expect(bench.sandbox.requests).toEqual([]);
	});
});

describe('progress', () => {
	it('is legible', async () => {
		const trigger = new PollHost(bench, {
			...branches('10234', '10235'),
			leadTypes: ['applicant'],
			filterId: '10234',
		});
		await trigger.activate();
		pass(MINUTE);
		submit('a-lead', 0, 'applicant', { branchId: '10234' });
		await trigger.tick();
		expect(trigger.state).toEqual({
			version: 1,
			polls: 2,
			scopes: {
				'applicant · branch 10234': {
					client: expect.stringMatching(/^[\w-]{12}$/),
					watermark: '2026-06-30T12:01:30Z',
					start: '2026-06-30T11:59:30Z',
					seenFrom: '2026-06-30T11:01:30Z',
					seen: { '2026-06-30T12:01Z': ['a-lead'] },
				},
			},
			delivered: { marks: { '2026-06-30': expect.stringMatching(/^[\w-]{8}$/) } },
		});
	});

	it('stays small, however many leads there were', async () => {
		const trigger = new PollHost(bench, { leadTypes: ['applicant'] });
		await trigger.activate();
		const sizes: number[] = [];
		for (let hour = 0; hour < 8; hour++) {
			const from = bench.sandbox.now();
			pass(HOUR);
			bench.sandbox.addLeads('applicant', 400, { from, to: bench.sandbox.now() });
			expect(await trigger.tick()).toHaveLength(400);
			sizes.push(JSON.stringify(trigger.state).length);
		}
		// What is kept of a lead beyond the look-back is its mark.
		const marks = 6 * 400 * 8;
		expect(sizes[7]).toBeLessThan((sizes[1] ?? 0) * 1.2 + marks);
	});
});

describe('a manual test', () => {
	it('shows the newest few leads, oldest first, and touches no state', async () => {
		for (let hour = 20; hour > 0; hour--) {
			submit(`${hour} hours ago`, hour * HOUR, hour % 2 ? 'applicant' : 'appraisal');
		}
		const trigger = new PollHost(bench);
		expect(ids(await trigger.test())).toEqual([5, 4, 3, 2, 1].map((hour) => `${hour} hours ago`));
		expect(trigger.state).toEqual({});
	});

	it('keeps to the filter and reaches further back when the last day is empty', async () => {
		const trigger = new PollHost(bench, { ...branches('1', '2'), filterId: '2' });
		submit('other', HOUR, 'applicant', { branchId: '1' });
		submit('old', 20 * DAY, 'applicant', { branchId: '2' });
		expect(ids(await trigger.test())).toEqual(['old']);
	});

	it('looks at a week before it looks at a month', async () => {
		submit('three days ago', 3 * DAY);
		submit('a fortnight ago', 14 * DAY);
		const trigger = new PollHost(bench, { leadTypes: ['applicant'] });
		expect(ids(await trigger.test())).toEqual(['three days ago']);
		expect(bench.dataRequests).toHaveLength(2);
	});

	it('says which branch is refused', async () => {
		const trigger = new PollHost(bench, { ...branches('1', '2'), filterId: '1,3' });
		const error = await trigger.failure(trigger.test());
		expect(error.message).toMatch(/^Applicant leads of branch 3: The service refused the request/);
	});

	it('says so when there is no lead at all', async () => {
		const trigger = new PollHost(bench);
		const error = await trigger.failure(trigger.test());
		expect(error.message).toBe('There is no lead to show');
		expect(error.description).toMatch(/no lead of the last 30 days/);
	});

	it('shows raw leads with their type', async () => {
		submit('one', HOUR, 'appraisal');
		const [lead] = await new PollHost(bench, { simplify: false }).test();
		expect(lead).toMatchObject({ id: 'one', leadType: 'appraisal', contact: {} });
	});
});
