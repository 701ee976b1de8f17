import { describe, expect, it, jest } from '@jest/globals';

import { DAY, HOUR } from '../../../lab/engine/leads';
import {
	copyOf,
	ids,
	MINUTE,
	TRIGGER_HOSTS,
	useTriggerBench,
} from '../../../lab/engine/triggerBench';

const world = useTriggerBench();
const { host, submit, pass, windows, branches } = world;

/** The credential gets another pair. */
const replaceClient = () => {
	const other = world.bench.sandbox.addClient({
		integration: 'leads',
		clientId: 'other-client',
		clientSecret: 'another secret',
	});
	Object.assign(world.bench.stored, { clientId: other.clientId, clientSecret: other.clientSecret });
};

describe.each(TRIGGER_HOSTS)('on %s', (_, options) => {
	const hostOn = (parameters = {}) => host(parameters, options);

	it('delivers what comes after activation, each lead once, oldest first', async () => {
		const trigger = hostOn();
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

	it.each([
		['last24Hours' as const, ['23 hours']],
		['last30Days' as const, ['29 days', '25 hours', '23 hours']],
	])('from %s begins with the leads of that time', async (startFrom, expected) => {
		submit('29 days', 29 * DAY);
		submit('25 hours', 25 * HOUR);
		submit('23 hours', 23 * HOUR);
		const trigger = hostOn({ startFrom });
		const warn = jest.spyOn(trigger.logger, 'warn');
		const delivered = [...(await trigger.activate())];
		pass(MINUTE);
		delivered.push(...(await trigger.tick()));
		pass(MINUTE);

		delivered.push(...(await trigger.tick()));

		expect(ids(delivered)).toEqual(expected);
		expect(warn).not.toHaveBeenCalled();
	});

	it('delivers a lead that a new target shares with a known one, whichever answers first', async () => {
		world.bench.sandbox.updateClient(world.bench.clientId, { groups: ['1', '2'] });
		const trigger = hostOn({ filterBy: 'group', filterId: '1', leadTypes: ['applicant'] });
		await trigger.activate();
		pass(MINUTE);
		await trigger.tick();
		pass(30_000);
		submit('shared', 5_000, 'applicant', { groupId: '1' });
		submit('shared', 5_000, 'applicant', { groupId: '2' });
		trigger.parameters.filterId = '1,2';
		world.bench.sandbox.faults.add({ kind: 'status', status: 500, path: /leads$/, times: 1 });
		const delivered = await trigger.activate('update');

		for (let minute = 0; minute < 2; minute++) {
			pass(MINUTE);
			delivered.push(...(await trigger.tick()));
		}

		expect(ids(delivered)).toEqual(['shared']);
	});

	it('takes odd IDs of leads and filters for what they are', async () => {
		const odd = ['__proto__', 'constructor', 'x'.repeat(500), 'a\nb', ' ', '#abc', '\u0000'];
		const trigger = hostOn({ leadTypes: ['applicant'], ...branches('__proto__', 'constructor') });
		await trigger.activate();
		pass(MINUTE);
		for (const id of odd) submit(id, 0, 'applicant', { branchId: '__proto__' });
		submit('other', 0, 'applicant', { branchId: 'constructor' });

		// In a simplified lead each text is one line, without blanks at its ends.
		const shown = ['__proto__', 'constructor', 'x'.repeat(500), 'a b', null, '#abc', null, 'other'];
		expect(ids(await trigger.tick()).sort()).toEqual(shown.sort());

		trigger.state = copyOf(trigger.state);
		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('starts a target over, and just that one, when the filter changes', async () => {
		const trigger = hostOn(branches('1', '2'));
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
		expect(Object.keys(trigger.state.targets ?? {})).toEqual([
			'applicant · branch 1',
			'applicant · branch 2',
		]);
	});

	it('goes on with another client, with what the first one was not given', async () => {
		const trigger = hostOn({ leadTypes: ['applicant'] });
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

	it('catches up after an outage, oldest first and in windows that fit', async () => {
		const trigger = hostOn({ leadTypes: ['applicant'] });
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
			['2026-06-30T11:01:00Z', '2026-07-01T12:01:30Z'],
			['2026-07-01T12:01:30Z', '2026-07-03T12:01:30Z'],
		]);

		pass(MINUTE);
		expect(await trigger.tick()).toEqual([]);
	});

	it('says once what the service no longer keeps', async () => {
		const trigger = hostOn();
		await trigger.activate();
		pass(MINUTE);
		submit('the first');
		await trigger.tick();
		pass(40 * DAY);
		const warn = jest.spyOn(trigger.logger, 'warn');
		submit('gone', 35 * DAY);
		submit('kept', 29 * DAY);
		submit('kept too', DAY);

		expect(ids(await trigger.tick())).toEqual(['kept', 'kept too']);
		await trigger.tick();

		const lines = warn.mock.calls.map(([line]) => line);
		expect(lines.filter((line) => line.includes('missing'))).toEqual([
			expect.stringContaining(
				'between 2026-06-30T12:01:30Z and 2026-07-10T12:01:30Z may be missing',
			),
		]);
	});
});
