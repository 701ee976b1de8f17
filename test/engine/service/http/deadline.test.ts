import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Clocks } from '../../../lab/clocks';
import { shortenBackoff } from '../../../lab/engine/bench';
import { LeadsBench } from '../../../lab/engine/leads';
import { PollHost } from '../../../lab/engine/poll';
import { useBench, useRelay } from '../../../lab/engine/useBench';

const DATA_MS = 60_000;
const TOKEN_MS = 30_000;
const TEST_MS = 20_000;

const ONCE = { options: { maxTries: 1 } };
const LATE = 'The service did not answer in time';
const LEADS = /-leads/;
const TOKEN = /token$/;

let clocks: Clocks;

beforeEach(() => {
	shortenBackoff();
	clocks = new Clocks();
});

afterEach(() => {
	jest.restoreAllMocks();
});

describe('Agent Leads', () => {
	const bench = useBench(LeadsBench);
	const relay = useRelay(bench);

	beforeEach(() => {
		bench.sandbox.addLead('applicant', { id: 'lead-1' });
		const { authUrl, leadsUrl } = bench.sandbox;
		Object.assign(bench.stored, { authUrl: relay.urlOf(authUrl), audience: leadsUrl });
	});

	it.each(['nothing', 'headers', 'body'] as const)(
		'ends a request for data of which %s comes in drips, its connection too',
		async (drip) => {
			relay.drip(LEADS, drip);
			const run = bench.run(ONCE);
			const { closed } = await relay.nextDrip();
			await clocks.pass(DATA_MS);

			const { error } = await run;

			expect(error?.message).toBe(LATE);
			expect(error?.failure).toEqual({ cause: 'temporarily-unavailable' });

			await closed;
		},
	);

	it.each(['nothing', 'headers', 'body'] as const)(
		'ends a request for a token of which %s comes in drips, its connection too',
		async (drip) => {
			relay.drip(TOKEN, drip);
			const run = bench.run(ONCE);

			const { closed } = await relay.nextDrip();

			expect(timesOfRequests()).toEqual([TOKEN_MS]);

			await clocks.pass(TOKEN_MS);
			expect((await run).error?.message).toBe(LATE);

			await closed;

			expect(relay.asked).toHaveLength(1);
		},
	);

	it.each([
		['data', LEADS, 'body'],
		['data', LEADS, 'headers'],
		['a token', TOKEN, 'body'],
	] as const)(
		'a cancelled execution ends at once during a request for %s',
		async (_, path, drip) => {
			relay.drip(path, drip);
			const { run, cancel } = bench.start();
			const { closed } = await relay.nextDrip();
			cancel();

			expect((await run).status).toBe('canceled');

			// Others may wait for the token: it has its own time.
			if (path === TOKEN) await clocks.pass(TOKEN_MS);
			await closed;
		},
	);

	it.each(['data', 'token'] as const)('a test of the credential ends: %s', async (step) => {
		relay.drip(step === 'data' ? LEADS : TOKEN, 'body', 3);
		const test = bench.testCredential();
		for (let tries = 0; tries < 3; tries++) {
			await relay.nextDrip();
			await clocks.pass(step === 'data' ? TEST_MS : TOKEN_MS);
		}

		const { status, message } = await test;

		expect(status).toBe('Error');
		expect(message).toContain(LATE);
	});

	it('a poll ends with its time, its request too', async () => {
		const host = new PollHost(bench, { leadTypes: ['applicant'], startFrom: 'last24Hours' });
		relay.drip(LEADS, 'body');
		const poll = host.activate();
		const { closed } = await relay.nextDrip();
		await clocks.pass((ms) => ms < TOKEN_MS);

		// A service that is slow does not keep anybody from publishing.
		expect(await poll).toEqual([]);

		await closed;
	});
});

/** How long each single request may take, beside the bound on all tries for a token. */
function timesOfRequests(): number[] {
	return clocks.started.filter((ms) => ms === TOKEN_MS || ms === DATA_MS);
}
