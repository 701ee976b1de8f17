import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { EVERYTHING_BUT_DATE } from '../../../lab/engine/bench';
import { HostedTrigger, HOSTS, targetOf } from '../../../lab/polling/hostedTrigger';
import type { Setup } from '../../../lab/polling/leadsLedger';
import type { Arrival, Manner, Mishap, Trouble } from '../../../lab/polling/leadsModel';
import {
	DAY,
	HOUR,
	MINUTE,
	ModelService,
	NO_TROUBLE,
	SECOND,
} from '../../../lab/polling/leadsModel';

const A_LEAD: Arrival = {
	leadType: 'applicant',
	branches: ['101'],
	form: 'seconds',
	identity: 'text',
	lagMs: 0,
	inMs: 0,
	isCut: false,
	count: 1,
};

const APPLICANTS = [targetOf('applicant')];
const BOTH_TYPES = [targetOf('applicant'), targetOf('appraisal')];
const BOTH_BRANCHES = [targetOf('applicant', '101'), targetOf('applicant', '102')];

/** The service refuses these requests of a poll, by their number. */
const refuses = (requests: number[], mishap: Mishap = 429, retryAfter?: number): Trouble => ({
	...NO_TROUBLE,
	mishaps: requests.map((request) => ({ request, mishap, retryAfter })),
});

const everything = Array.from({ length: 50 }, (_, request) => request);

beforeEach(() => {
	jest.useFakeTimers({ doNotFake: [...EVERYTHING_BUT_DATE] });
});

afterEach(() => {
	jest.useRealTimers();
});

describe.each(HOSTS)('the trigger in a host that $name', ({ kind }) => {
	interface World {
		manner?: Manner;
		targets?: Setup['targets'];
		startFrom?: Setup['startFrom'];
		hasDate?: boolean;
		skew?: number;
	}

	const world = async (given: World = {}) => {
		const { targets = APPLICANTS, startFrom = 'activation' } = given;
		const setup: Setup = { targets, lookBackMs: HOUR, startFrom };
		const service = new ModelService(given.hasDate ?? true, given.skew ?? 0, 1, given.manner);
		const trigger = new HostedTrigger(service, kind);
		await trigger.restart();
		const poll = async (isTick: boolean, trouble: Trouble) => {
			service.beginPoll(trouble);
			const { names } = await (isTick ? trigger.tick(setup) : trigger.activate(setup));
			return names;
		};
		const tick = async (trouble = NO_TROUBLE) => await poll(true, trouble);
		const activate = async (trouble = NO_TROUBLE) => await poll(false, trouble);
		const arrive = (more: Partial<Arrival> = {}) => {
			service.arrive({ ...A_LEAD, ...more });
			return service.leads.at(-1)?.name;
		};
		/** Polls for a while, and says which leads came. */
		const pollFor = async (ms: number, everyMs = MINUTE, trouble = NO_TROUBLE) => {
			const names: string[] = [];
			for (let passed = 0; passed < ms; passed += everyMs) {
				service.pass(everyMs);
				names.push(...((await tick(trouble)) ?? []));
			}
			return names;
		};
		return { service, trigger, setup, tick, activate, arrive, pollFor };
	};

	describe('and two main processes that take turns', () => {
		it.each([1, 2, 3, 4, 20])(
			'delivers once what came to the other one after %d quiet polls of this one',
			async (quiet) => {
				const { service, trigger, setup, activate, arrive, pollFor } = await world();
				const other = new HostedTrigger(service, kind);
				await activate();
				await pollFor(quiet * MINUTE);
				other.stored = trigger.stored;
				await other.activate(setup);
				service.pass(MINUTE);
				const lead = arrive();
				service.pass(MINUTE);
				service.beginPoll(NO_TROUBLE);
				expect(await other.tick(setup)).toMatchObject({ names: [lead] });
				service.pass(MINUTE);
				trigger.stored = other.stored;
				expect(await activate()).toEqual([]);
				expect(await pollFor(3 * MINUTE)).toEqual([]);
				const next = arrive();
				expect(await pollFor(3 * MINUTE)).toEqual([next]);
			},
		);
	});

	describe('and a busy service', () => {
		it('leaves it alone for as long as it asks, if it is too busy for every target', async () => {
			const { service, activate, tick, arrive } = await world({ targets: BOTH_TYPES });
			await activate();
			const lead = arrive();
			service.pass(MINUTE);
			expect(await tick(refuses(everything, 429, 1_800))).toBeUndefined();
			for (let minute = 1; minute < 30; minute++) {
				service.pass(MINUTE);
				expect(await tick()).toEqual([]);
				expect(service.requests).toBe(0);
			}
			service.pass(MINUTE);
			expect(await tick()).toEqual([lead]);
		});

		it('is never silent while it waits: a line in the log each time, a report after 15 minutes', async () => {
			const { trigger, activate, tick, pollFor } = await world({ targets: BOTH_TYPES });
			await activate();
			await tick(refuses(everything, 429, 3_600));
			await pollFor(14 * MINUTE);
			expect(trigger.log).toHaveLength(14);
			expect(trigger.log[0]).toMatch(
				/^Applicant leads and 1 more: The service is busy and asks to wait \(429\)\. It is not asked/,
			);
			expect(trigger.reports).toEqual([]);
			await pollFor(MINUTE);
			expect(trigger.reports).toEqual([
				'Applicant leads and 1 more: The service is busy and asks to wait (429)',
			]);
			await pollFor(40 * MINUTE);
			expect(trigger.reports).toHaveLength(1);
		});

		it('reports a target that waits while the others go on', async () => {
			const { trigger, activate, tick, pollFor } = await world({ targets: BOTH_TYPES });
			await activate();
			await tick(refuses([0], 429, 3_600));
			await pollFor(20 * MINUTE);
			expect(trigger.reports).toEqual([
				'Applicant leads: The service is busy and asks to wait (429)',
			]);
		});

		it.each([3_601, 1_800_000_000, 60_000_000])(
			'waits for an hour at most, if it asks for %d seconds',
			async (seconds) => {
				const { service, activate, tick, arrive } = await world();
				await activate();
				await tick(refuses([0], 429, seconds));
				const lead = arrive();
				service.pass(61 * MINUTE);
				expect(await tick()).toEqual([lead]);
			},
		);

		it('asks at once when the workflow is published again, and after a restart', async () => {
			const { service, trigger, activate, tick } = await world();
			await activate();
			await tick(refuses([0], 429, 3_600));
			service.pass(MINUTE);
			await activate();
			expect(service.requests).toBe(1);
			await tick(refuses([0], 429, 3_600));
			service.pass(MINUTE);
			await tick();
			expect(service.requests).toBe(0);
			await trigger.restart();
			await activate(refuses([0], 429, 3_600));
			expect(service.requests).toBe(1);
			service.pass(MINUTE);
			await tick();
			expect(service.requests).toBe(0);
		});

		it('does not wait for more than it asks for, without a Retry-After', async () => {
			const { service, activate, tick } = await world();
			await activate();
			service.pass(MINUTE);
			expect(await tick(refuses([0]))).toBeUndefined();
			service.pass(MINUTE);
			await tick();
			expect(service.requests).toBe(1);
		});
	});

	describe('and a service that ignores the times', () => {
		const history = (arrive: (more: Partial<Arrival>) => unknown) => {
			for (const form of ['seconds', 'minutes', 'unset'] as const) arrive({ form, count: 20 });
		};

		it('delivers nothing of its history, and each new lead once, for weeks', async () => {
			const { service, activate, arrive, pollFor } = await world({ manner: 'ignoring' });
			history(arrive);
			service.pass(5 * DAY);
			history(arrive);
			service.pass(5 * MINUTE);
			expect(await activate()).toEqual([]);
			service.pass(MINUTE);
			const fresh = [arrive(), arrive({ form: 'unset' }), arrive({ form: 'minutes' })];
			expect((await pollFor(40 * DAY, 7 * HOUR)).sort()).toEqual(fresh);
			expect(await pollFor(3 * HOUR, MINUTE)).toEqual([]);
		});

		it.each(['activation', 'last24Hours', 'last30Days'] as const)(
			'from %s delivers what was submitted since then, once',
			async (startFrom) => {
				const { service, activate, arrive, pollFor } = await world({
					manner: 'ignoring',
					startFrom,
				});
				const month = arrive();
				service.pass(20 * DAY);
				const day = arrive();
				service.pass(20 * HOUR);
				const delivered = (await activate()) ?? [];
				delivered.push(...(await pollFor(2 * DAY, HOUR)));
				const expected = { activation: [], last24Hours: [day], last30Days: [month, day] };
				expect(delivered).toEqual(expected[startFrom]);
			},
		);

		it('says so once an hour, as soon as there are many leads from outside of the window', async () => {
			const { service, trigger, activate, arrive, pollFor } = await world({ manner: 'ignoring' });
			arrive({ count: 4 });
			service.pass(2 * DAY);
			await activate();
			await pollFor(HOUR);
			expect(trigger.log).toEqual([]);
			arrive();
			await pollFor(DAY, 30 * MINUTE);
			expect(trigger.log.length).toBeGreaterThan(20);
			expect(trigger.log.length).toBeLessThanOrEqual(24);
			expect(trigger.log[0]).toMatch(
				/^Applicant leads: 5 of 5 leads are not from the time that was asked for, \S+Z to \S+Z\. .*From Time Parameter Name and To Time Parameter Name/,
			);
		});

		it('keeps state no longer than the service brings its leads up', async () => {
			const { service, trigger, activate, arrive, pollFor, tick } = await world({
				manner: 'ignoring',
			});
			arrive({ count: 200 });
			await activate();
			await pollFor(5 * DAY, 5 * HOUR);
			arrive();
			await pollFor(35 * DAY, 5 * HOUR);
			arrive();
			service.pass(MINUTE);
			await tick();
			expect(JSON.stringify(trigger.stored.scopes).length).toBeLessThan(400);
		});
	});

	it('does not take late leads for a service that ignores the times', async () => {
		const { trigger, activate, arrive, pollFor } = await world({ manner: 'arrival' });
		await activate();
		arrive({ lagMs: 5 * DAY, count: 4 });
		expect(await pollFor(HOUR)).toHaveLength(4);
		expect(trigger.log).toEqual([]);
	});

	it('delivers a lead that comes weeks after it was submitted, if the service goes by arrival', async () => {
		const { activate, arrive, pollFor } = await world({ manner: 'arrival' });
		await activate();
		const late = arrive({ lagMs: 20 * DAY });
		expect(await pollFor(3 * DAY, 10 * MINUTE)).toEqual([late]);
	});

	it('delivers leads once that come again from outside of the window now and then', async () => {
		const { activate, arrive, pollFor } = await world({ manner: 'straying' });
		await activate();
		const leads = Array.from({ length: 30 }, () => arrive({ form: 'seconds' }));
		expect((await pollFor(12 * DAY, 3 * HOUR)).sort()).toEqual(leads.sort());
	});

	describe('and a lead that two IDs share', () => {
		const shared = { branches: ['101', '102'] };

		it('delivers it once, though one of them is asked only days later', async () => {
			const { activate, arrive, pollFor, tick, service } = await world({ targets: BOTH_BRANCHES });
			await activate();
			const lead = arrive(shared);
			service.pass(MINUTE);
			expect(await tick(refuses([1], 500))).toEqual([lead]);
			expect(await pollFor(3 * DAY, HOUR, refuses([1], 500))).toEqual([]);
			const other = arrive({ branches: ['102'] });
			expect(await pollFor(3 * HOUR)).toEqual([other]);
		});

		it.each(['last24Hours', 'last30Days'] as const)(
			'delivers it once, though one of them is added later and starts from %s',
			async (startFrom) => {
				const { setup, service, activate, arrive, pollFor } = await world({
					targets: BOTH_BRANCHES.slice(0, 1),
					startFrom,
				});
				await activate();
				const lead = arrive(shared);
				const other = arrive({ branches: ['102'] });
				expect(await pollFor(20 * HOUR, 10 * MINUTE)).toEqual([lead]);
				setup.targets = BOTH_BRANCHES;
				const delivered = (await activate()) ?? [];
				service.pass(MINUTE);
				delivered.push(...(await pollFor(2 * HOUR, 10 * MINUTE)));
				expect(delivered).toEqual([other]);
			},
		);

		it('delivers it even if the ID that knew it from before never did', async () => {
			const { setup, service, activate, arrive, pollFor } = await world({
				targets: BOTH_BRANCHES.slice(0, 1),
			});
			const lead = arrive(shared);
			service.pass(10 * MINUTE);
			await activate();
			expect(await pollFor(HOUR)).toEqual([]);
			Object.assign(setup, { targets: BOTH_BRANCHES, startFrom: 'last24Hours' });
			const delivered = (await activate()) ?? [];
			delivered.push(...(await pollFor(HOUR)));
			expect(delivered).toEqual([lead]);
		});
	});

	it.each<Manner>(['tame', 'arrival', 'ignoring'])(
		'delivers what comes between the click and the first poll, and nothing older (%s)',
		async (manner) => {
			const { service, activate, arrive, pollFor } = await world({ manner });
			arrive({ form: 'seconds', count: 3 });
			arrive({ form: 'minutes' });
			arrive({ form: 'unset' });
			arrive({ lagMs: 30 * MINUTE });
			service.pass(125 * SECOND);
			const between = [arrive({ form: 'minutes', isCut: true }), arrive()];
			service.pass(1_700);
			const delivered = (await activate()) ?? [];
			delivered.push(...(await pollFor(2 * HOUR)));
			expect(delivered.sort()).toEqual(between.sort());
		},
	);

	it('delivers what comes between the last poll and publishing again, though all was quiet', async () => {
		const { activate, arrive, pollFor, service } = await world();
		await activate();
		expect(await pollFor(3 * HOUR, HOUR)).toEqual([]);
		const lead = arrive();
		service.pass(50 * MINUTE);
		const delivered = (await activate()) ?? [];
		delivered.push(...(await pollFor(2 * HOUR, HOUR)));
		expect(delivered).toEqual([lead]);
	});

	it('delivers what comes without a time between the click and the first poll', async () => {
		const { service, activate, arrive, pollFor } = await world();
		service.pass(HOUR);
		const between = arrive({ form: 'unset' });
		service.pass(1_700);
		await activate();
		expect(await pollFor(2 * HOUR)).toEqual([between]);
	});

	describe('and clocks that differ', () => {
		it.each([20 * MINUTE, 3 * HOUR, 3 * DAY, 20 * DAY])(
			'loses nothing while the host is %d ms ahead, nor when it is put right',
			async (skew) => {
				const { service, activate, arrive, pollFor } = await world({ skew });
				arrive();
				service.pass(10 * MINUTE);
				expect(await activate()).toEqual([]);
				const leads = [arrive()];
				expect(await pollFor(3 * HOUR)).toEqual(leads);
				service.setSkew(0);
				const next = arrive();
				expect(await pollFor(3 * HOUR)).toEqual([next]);
			},
		);

		it.each([20 * MINUTE, 3 * HOUR, 3 * DAY, 20 * DAY])(
			'loses nothing while the host is %d ms behind, nor when it is put right',
			async (ms) => {
				const { service, activate, arrive, pollFor } = await world({ skew: -ms });
				arrive();
				service.pass(10 * MINUTE);
				expect(await activate()).toEqual([]);
				const lead = arrive();
				expect(await pollFor(3 * HOUR)).toEqual([lead]);
				service.setSkew(0);
				const next = arrive();
				expect(await pollFor(3 * HOUR)).toEqual([next]);
			},
		);

		it.each([3 * HOUR, 3 * DAY, 29 * DAY])(
			'loses nothing when it starts %d ms ahead, two days after its last poll',
			async (skew) => {
				const { service, trigger, activate, arrive, tick, pollFor } = await world();
				await activate();
				const first = arrive();
				service.pass(MINUTE);
				expect(await tick()).toEqual([first]);
				const away = [arrive({ inMs: HOUR }), arrive({ inMs: 30 * HOUR })];
				service.pass(2 * DAY);
				service.setSkew(skew);
				await trigger.restart();
				const delivered = (await activate()) ?? [];
				delivered.push(...(await pollFor(10 * MINUTE)));
				expect(delivered).toEqual(away);
			},
		);

		it.each(['last24Hours', 'last30Days'] as const)(
			'starts from %s by the clock of the service',
			async (startFrom) => {
				const { service, activate, arrive, pollFor } = await world({ startFrom, skew: 3 * DAY });
				const leads = [arrive()];
				service.pass(23 * HOUR);
				leads.push(arrive());
				service.pass(10 * MINUTE);
				const delivered = (await activate()) ?? [];
				delivered.push(...(await pollFor(10 * MINUTE)));
				expect(delivered).toEqual(leads);
			},
		);

		it.each([20 * HOUR, 3 * DAY, -20 * HOUR])(
			'starts from the last 24 hours of the service, though it was busy at first and the host is off by %d ms',
			async (skew) => {
				const given = { startFrom: 'last24Hours' as const, targets: BOTH_TYPES, skew };
				const { service, activate, arrive, pollFor } = await world(given);
				const leads = [arrive(), arrive({ leadType: 'appraisal' })];
				service.pass(12 * HOUR);
				leads.push(arrive());
				const delivered = (await activate(refuses(everything))) ?? [];
				delivered.push(...(await pollFor(10 * MINUTE)));
				expect(delivered.sort()).toEqual(leads.sort());
			},
		);

		it.each([
			['without a Date', false, 5 * HOUR],
			['without a Date', false, 3 * DAY],
			['beyond belief', true, 40 * DAY],
		])(
			'delivers all of a time in which the host was ahead, %s, once it is put right',
			async (_name, hasDate, skew) => {
				const { service, activate, arrive, pollFor } = await world({ hasDate });
				await activate();
				const before = arrive();
				expect(await pollFor(HOUR)).toEqual([before]);
				service.setSkew(skew);
				const meanwhile: unknown[] = [];
				const delivered: string[] = [];
				for (let hour = 0; hour < 4; hour++) {
					meanwhile.push(arrive());
					delivered.push(...(await pollFor(HOUR)));
				}
				service.setSkew(0);
				delivered.push(...(await pollFor(3 * HOUR)));
				expect(delivered).toEqual(meanwhile);
			},
		);

		it('delivers all since an activation on a host that was days ahead, without a Date', async () => {
			const { service, activate, arrive, pollFor } = await world({ hasDate: false, skew: 3 * DAY });
			service.pass(2 * DAY);
			await activate();
			const lead = arrive();
			await pollFor(5 * HOUR);
			service.setSkew(0);
			expect(await pollFor(HOUR)).toEqual([lead]);
		});

		it.each([
			[16 * MINUTE, '16 minutes ahead of'],
			[-3 * DAY, '4320 minutes behind'],
			[40 * DAY, '57600 minutes ahead of'],
		])('says in the log once an hour that they do: %d ms', async (skew, words) => {
			const { trigger, activate, pollFor } = await world({ skew });
			await activate();
			await pollFor(59 * MINUTE);
			expect(trigger.log).toEqual([
				`The clock of the machine that n8n runs on is ${words} the service’s. Set it right: one of the two is wrong.`,
			]);
			await pollFor(2 * MINUTE);
			expect(trigger.log).toHaveLength(2);
		});

		it('says nothing of minutes', async () => {
			const { trigger, activate, pollFor } = await world({ skew: 14 * MINUTE });
			await activate();
			await pollFor(HOUR);
			expect(trigger.log).toEqual([]);
		});
	});

	it('goes on from progress that an earlier version stored, without a lead lost or doubled', async () => {
		const { service, trigger, setup, activate, arrive, pollFor } = await world({
			targets: BOTH_BRANCHES.slice(0, 1),
			startFrom: 'last30Days',
		});
		const shared = { branches: ['101', '102'] };
		arrive(shared);
		const iso = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`;
		const minute = (time: number) => `${new Date(time).toISOString().slice(0, 16)}Z`;
		trigger.stored = {
			version: 1,
			polls: 3,
			scopes: {
				'applicant · branch 101': {
					client: 'VwTeGPxgReTQ',
					watermark: iso(service.now),
					seenFrom: iso(service.now - HOUR),
					seen: { [minute(service.now)]: ['id-0'] },
				},
			},
		};
		await trigger.restart();
		const late = arrive({ lagMs: 20 * MINUTE });
		setup.targets = BOTH_BRANCHES;
		const other = arrive({ branches: ['102'] });
		const delivered = (await activate()) ?? [];
		delivered.push(...(await pollFor(5 * HOUR, 10 * MINUTE)));
		expect(delivered.sort()).toEqual([late, other].sort());
	});
});
