import { describe, expect, it, jest } from '@jest/globals';
import { DateTime } from 'luxon';

import { DAY, HOUR } from '../../../lab/engine/leads';
import { ids, MINUTE, TRIGGER_HOSTS, useTriggerBench } from '../../../lab/engine/triggerBench';

const world = useTriggerBench();
const { host, submit, pass, requestsOf } = world;

/** Submits a lead before each poll, and holds what was submitted against what was delivered. */
const ledgerOf = (trigger: ReturnType<typeof host>, clockOffset = 0) => {
	const submitted: string[] = [];
	const delivered: unknown[] = [];
	return {
		step: async (ms: number) => {
			pass(ms);
			world.bench.sandbox.advance(clockOffset);
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

describe.each(TRIGGER_HOSTS)('on %s', (_, options) => {
	const hostOn = (parameters = {}) => host(parameters, options);

	it.each([-400 * DAY, -2 * HOUR, 2 * HOUR, 40 * DAY])(
		'is not misled by the Date of a proxy’s page that is %d ms off',
		async (offset) => {
			const trigger = hostOn({ leadTypes: ['applicant'] });
			submit('long ago', 5 * DAY);
			await trigger.activate();
			const ledger = ledgerOf(trigger);
			for (let poll = 0; poll < 30; poll++) await ledger.step(5 * MINUTE);
			const fault = world.bench.sandbox.faults.add({
				kind: 'html',
				status: 502,
				path: /leads$/,
				times: Infinity,
			});
			world.bench.sandbox.advance(offset);
			await trigger.failure(trigger.tick());
			fault.remove();
			world.bench.sandbox.advance(-offset);
			for (let poll = 0; poll < 5; poll++) await ledger.step(5 * MINUTE);
			ledger.expectOnce();
		},
	);

	it.each([-3 * HOUR, 2 * HOUR])(
		'is not misled by good answers whose Date is %d ms off for a while',
		async (offset) => {
			const trigger = hostOn({ leadTypes: ['applicant'] });
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

	it('asks once in each poll, and loses nothing, if answers have no Date and the host’s clock is ahead', async () => {
		jest.spyOn(DateTime, 'fromHTTP').mockImplementation(() => DateTime.invalid('none'));
		const offset = -14 * MINUTE;
		world.bench.sandbox.advance(offset);
		const trigger = hostOn({ leadTypes: ['applicant'], options: { lookBack: 10 } });
		await trigger.activate();
		const ledger = ledgerOf(trigger, offset);
		for (let poll = 0; poll < 15; poll++) {
			expect(await requestsOf(async () => await ledger.step(MINUTE))).toBe(1);
		}
		ledger.expectOnce();
		jest.restoreAllMocks();
	});

	it('loses nothing when it begins with a busy service and a host’s clock that is far ahead', async () => {
		const offset = -20 * MINUTE;
		world.bench.sandbox.advance(offset);
		const trigger = hostOn({ leadTypes: ['applicant'], options: { maxTries: 1 } });
		const fault = world.bench.sandbox.faults.add({
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

	it.each([-7 * MINUTE, 7 * MINUTE])(
		'loses and doubles nothing while the clocks differ by %d ms',
		async (offset) => {
			world.bench.sandbox.advance(offset);
			const later = (ms: number) => {
				pass(ms);
				world.bench.sandbox.advance(offset);
			};
			const trigger = hostOn({ leadTypes: ['applicant'] });
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

			expect(world.bench.sandbox.now() - Date.parse(watermark)).toBeGreaterThanOrEqual(0);
			expect(world.bench.sandbox.now() - Date.parse(watermark)).toBeLessThan(10_000);
		},
	);
});
