import { describe, expect, it } from '@jest/globals';

import { HOUR } from '../../../lab/engine/leads';
import { ids, MINUTE, TRIGGER_HOSTS, useTriggerBench } from '../../../lab/engine/triggerBench';

const world = useTriggerBench();
const { host, submit, pass, branches } = world;

describe.each(TRIGGER_HOSTS)('on %s', (_, options) => {
	const hostOn = (parameters = {}) => host(parameters, options);

	it('lets a busy service not keep the workflow from being activated, and loses nothing', async () => {
		const trigger = hostOn({ options: { maxTries: 2 } });
		submit('before', 30 * MINUTE);
		const fault = world.bench.sandbox.faults.add({
			kind: 'status',
			status: 429,
			retryAfter: 1,
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

	it('delivers what came since it was published, however late the service answers for a branch', async () => {
		const parameters = {
			...branches('1', '2'),
			leadTypes: ['applicant'],
			options: { maxTries: 1 },
		};
		const trigger = hostOn(parameters);
		const busy = { kind: 'status', status: 503, path: /leads$/, times: Infinity } as const;
		const fault = world.bench.sandbox.faults.add(busy);
		await trigger.activate();
		pass(HOUR);
		submit('long ago', 0, 'applicant', { branchId: '2' });
		pass(3 * HOUR);
		await trigger.failure(trigger.tick());
		fault.remove();
		world.bench.sandbox.faults.add({ ...busy, after: 1, times: 1 });

		const delivered = await trigger.tick();
		pass(MINUTE);
		delivered.push(...(await trigger.tick()));

		expect(ids(delivered)).toEqual(['long ago']);
	});

	it('takes a web page for a passing failure, unless it is just being set up', async () => {
		const trigger = hostOn({ leadTypes: ['applicant'] });
		world.bench.sandbox.faults.add({ kind: 'html', path: '/applicant-leads' });

		const first = await trigger.failure(trigger.activate());

		expect(first.failure).toEqual({ cause: 'configuration-invalid' });

		await trigger.activate();
		pass(MINUTE);
		world.bench.sandbox.faults.add({ kind: 'html', path: '/applicant-leads' });

		const later = await trigger.failure(trigger.tick());

		expect(later.message).toBe('The service answered with a web page instead of data');
		expect(later.failure).toEqual({ cause: 'temporarily-unavailable' });

		world.bench.sandbox.faults.add({ kind: 'html', path: '/applicant-leads' });
		expect(await trigger.activate('update')).toEqual([]);
	});

	it('does not activate with a filter ID that the service refuses', async () => {
		const trigger = hostOn({ ...branches('1', '2'), filterId: '1, 3' });

		const error = await trigger.failure(trigger.activate());

		expect(error.message).toMatch(
			/^Applicant leads of branch 3: The service refused the request \(400\)\. The workflow is off until you publish it, even if it was published before\. The service says: “.+Check the branch ID 3:/,
		);
		expect(error.failure).toEqual({ cause: 'configuration-invalid' });
	});

	it.each([
		['activate', true],
		['update', true],
		['init', false],
	] as const)(
		'that n8n cannot activate (%s) says whether it is off until it is published',
		async (mode, isOff) => {
			const trigger = hostOn({ ...branches('1', '2'), filterId: '3' });

			const { message } = await trigger.failure(trigger.activate(mode));

			expect(message.includes('The workflow is off until you publish it')).toBe(isOff);
		},
	);

	it('has begun nothing when it could not be activated', async () => {
		const trigger = hostOn({ ...branches('1', '2'), filterId: '1,3', leadTypes: ['applicant'] });

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

	it('leaves a type alone for as long as the service asks, while the other one goes on', async () => {
		const trigger = hostOn();
		await trigger.activate();
		pass(MINUTE);
		world.bench.sandbox.faults.add({
			kind: 'status',
			status: 429,
			retryAfter: 600,
			path: '/applicant-leads',
		});
		const asked = () =>
			world.bench.dataRequests.filter(({ path }) => path.endsWith('/applicant-leads'));
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

	it('asks at once when the workflow is published again, however long a wait the service asked for', async () => {
		const trigger = hostOn({ leadTypes: ['applicant'], options: { maxTries: 1 } });
		await trigger.activate();
		pass(MINUTE);
		const busy = { kind: 'status', status: 429, retryAfter: 60_000_000 } as const;
		world.bench.sandbox.faults.add({ ...busy, path: '/applicant-leads' });
		await trigger.failure(trigger.tick());
		submit('one');
		pass(MINUTE);

		expect(ids(await trigger.activate())).toEqual(['one']);
	});

	it('asks at once after a redirect, whose wait is not meant for it', async () => {
		const trigger = hostOn({ leadTypes: ['applicant'] });
		await trigger.activate();
		pass(MINUTE);
		world.bench.sandbox.faults.add({
			kind: 'status',
			status: 302,
			retryAfter: 3_600,
			path: '/applicant-leads',
			times: Infinity,
		});
		await trigger.failure(trigger.tick());
		world.bench.sandbox.faults.clear();
		submit('while it was wrong');
		pass(MINUTE);

		expect(ids(await trigger.tick())).toEqual(['while it was wrong']);
	});
});

describe('a poll', () => {
	it.each([
		['is refused', 'credential-invalid', 'revokeClient'],
		['cannot be had', 'temporarily-unavailable', 'revokeTokens'],
	] as const)('stops asking when the token %s', async (_, cause, revoke) => {
		const { sandbox, clientId } = world.bench;
		const forty = branches(...Array.from({ length: 20 }, (__, index) => `${index}`));
		const trigger = host({ ...forty, options: { maxTries: 2 } });
		await trigger.activate();
		sandbox[revoke](clientId);
		const fault = { kind: 'status', status: 500, path: '/oauth2/token', times: Infinity } as const;
		if (revoke === 'revokeTokens') sandbox.faults.add(fault);
		pass(MINUTE);
		const [tokens, data] = [world.bench.tokenRequests.length, world.bench.dataRequests.length];

		const error = await trigger.failure(trigger.tick());

		expect(error.failure).toEqual({ cause });
		expect(world.bench.tokenRequests.length - tokens).toBeLessThanOrEqual(4);
		// As many as are sent at once.
		expect(world.bench.dataRequests.length - data).toBeLessThanOrEqual(16);
	});
});
