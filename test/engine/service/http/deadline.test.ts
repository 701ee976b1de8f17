import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Clocks } from '../../../lab/clocks';
import { shortenBackoff } from '../../../lab/engine/bench';
import { LeadsBench } from '../../../lab/engine/leads';
import { PollHost } from '../../../lab/engine/poll';
import { useBench } from '../../../lab/engine/useBench';

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

const bench = useBench(LeadsBench);

beforeEach(() => {
	bench.sandbox.addLead('applicant', { id: 'lead-1' });
});

/** The service never answers what is asked at such a path. */
const hang = (path: RegExp, times = 1) => bench.sandbox.faults.add({ kind: 'hang', path, times });

/** Waits until so many requests to such a path are not answered. */
const isOpen = async (path: RegExp, count = 1) =>
	await bench.sandbox.waitForRequest(
		() =>
			bench.sandbox.requests.filter((each) => path.test(each.path) && each.status === null)
				.length === count,
	);

const isClosed = async (path: RegExp) =>
	await bench.sandbox.waitForRequest((each) => path.test(each.path) && each.status === 0);

it.each([
	['data', LEADS, DATA_MS],
	['a token', TOKEN, TOKEN_MS],
])(
	'a request for %s that is not answered in time ends, its connection too',
	async (_, path, ms) => {
		hang(path);
		const run = bench.run(ONCE);
		await isOpen(path);
		await clocks.pass(ms);

		const { error } = await run;

		expect(error?.message).toBe(LATE);
		expect(error?.failure).toEqual({ cause: 'temporarily-unavailable' });

		await isClosed(path);
	},
);

it.each([
	['data', LEADS],
	['a token', TOKEN],
])('a cancelled execution ends at once during a request for %s', async (_, path) => {
	hang(path);
	const { run, cancel } = bench.start();
	await isOpen(path);
	cancel();

	expect((await run).status).toBe('canceled');

	// Others may wait for the token: it has its own time.
	if (path === TOKEN) await clocks.pass(TOKEN_MS);
	await isClosed(path);
});

describe('a test of the credential ends', () => {
	it.each([
		['data', LEADS, TEST_MS],
		['a token', TOKEN, TOKEN_MS],
	])('if there is no %s', async (_, path, ms) => {
		hang(path, 3);
		const test = bench.testCredential();
		for (let tries = 1; tries <= 3; tries++) {
			await isOpen(path, tries);
			await clocks.pass(ms);
		}

		const { status, message } = await test;

		expect(status).toBe('Error');
		expect(message).toContain(LATE);
	});
});

it('a poll ends with its time, its request too', async () => {
	const host = new PollHost(bench, { leadTypes: ['applicant'], startFrom: 'last24Hours' });
	hang(LEADS);
	const poll = host.activate();
	await isOpen(LEADS);
	await clocks.pass((ms) => ms < TOKEN_MS);

	// A service that is slow does not keep anybody from publishing.
	expect(await poll).toEqual([]);

	await isClosed(LEADS);
});
