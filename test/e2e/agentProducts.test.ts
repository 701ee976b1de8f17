import { afterEach, describe, expect, it } from '@jest/globals';

import { chain, manualTrigger, until } from '../lab/n8n';
import {
	agentProducts,
	EACH_ENTRY,
	errorText,
	PREMIUM_PATH,
	PRODUCTS,
	type Client,
	type LoggedRequest,
} from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });
let newest = 1_000;

afterEach(() => {
	stage.sandbox.faults.clear();
	stage.sandbox.products.clear();
});

/** A client, a listing that no test has had yet, and a workflow that activates each listing of the body's list. */
async function shop(settings: { onError?: 'continueErrorOutput'; retryOnFail?: boolean } = {}) {
	const client = stage.addClient({ integration: 'products' });
	const credential = await stage.saveCredential(client);
	const node = agentProducts(credential, { listingId: '={{ $json.entry }}' });
	const workflow = await stage.webhookWorkflow(EACH_ENTRY, {
		...node,
		maxTries: 2,
		waitBetweenTries: 10,
		...settings,
	});
	return { client, credential, workflow, listing: ++newest };
}

/** Credits spent on these listings, in their order. */
function credits(...listings: number[]): number[] {
	const spent = stage.sandbox.counts.creditsBy['premium-listings'] ?? {};
	return listings.map((listing) => spent[String(listing)] ?? 0);
}

/** What a client's node did: “POST 202”, “GET id 200”. */
function exchanges(client: Client): string[] {
	return stage
		.requestsOf(client, 'products')
		.map(({ method, path, status }) =>
			[method, ...(path === PREMIUM_PATH ? [] : ['id']), status].join(' '),
		);
}

/** Waits until a client's node looks at what it has ordered. */
async function looks({ clientId }: Client): Promise<void> {
	const isLook = (request: LoggedRequest) =>
		request.clientId === clientId && request.method === 'GET' && request.path !== PREMIUM_PATH;
	await stage.sandbox.waitForRequest(isLook, { timeoutMs: 20_000 });
}

describe('one activation for each listing', () => {
	it.each([
		[
			'found after a reset',
			'after',
			['GET 200', 'POST 0', 'GET 200', 'GET id 200', 'GET id 200'],
			1,
		],
		// The last look is that of “Retry On Fail”.
		['in doubt before it', 'before', ['GET 200', 'POST 0', 'GET 200', 'GET 200'], 0],
	] as const)(
		'an order without an answer is sent once in an execution: %s',
		async (_, when, expected, spent) => {
			const { client, workflow, listing } = await shop({ retryOnFail: true });
			const { clientId } = client;
			const fault = { kind: 'reset', when, method: 'POST', path: PREMIUM_PATH } as const;
			stage.sandbox.faults.add({ ...fault, clientId });

			const execution = await stage.n8n.execute(workflow, { entries: [listing] });

			expect(exchanges(client)).toEqual(expected);
			expect(credits(listing)).toEqual([spent]);
			if (spent === 1) expect(execution.json(PRODUCTS)).toMatchObject([{ outcome: 'activated' }]);
			else
				expect(errorText(execution, PRODUCTS)).toMatch(
					/It is not known whether it was activated.*A credit may have been spent/s,
				);
		},
	);

	it('20 executions at once for the same listing: one credit, one token', async () => {
		const { client, workflow, listing } = await shop();

		const runs = await stage.runTogether(workflow, 20, { entries: [listing] });

		const outcomes = runs.flatMap((run) => run.items()).map(({ outcome }) => outcome);
		expect(outcomes.filter((outcome) => outcome === 'activated')).toHaveLength(1);
		expect(outcomes).toHaveLength(20);
		expect(credits(listing)).toEqual([1]);
		expect(stage.tokensIssued(client)).toBe(1);
	});
});

it('an order that fails is not paid again by “Retry On Fail”', async () => {
	const { workflow, listing } = await shop({ retryOnFail: true });
	const errors = [{ reason: 'Not enough images', code: 1_021_004 }];
	stage.sandbox.products.configure({ result: 'ERROR', errors });

	const execution = await stage.n8n.execute(workflow, { entries: [listing] });

	expect(errorText(execution, PRODUCTS)).toMatch(/was ordered, but not activated: .* images/);
	expect(credits(listing)).toEqual([1]);
});

it('an item that fails goes to the error output with its input, beside the good ones', async () => {
	const { workflow, listing } = await shop({ onError: 'continueErrorOutput' });
	const other = ++newest;

	const execution = await stage.n8n.execute(workflow, { entries: [listing, 'X1', other] });

	expect(execution.json(PRODUCTS).map(({ listingId }) => listingId)).toEqual([listing, other]);
	expect(execution.json(PRODUCTS, 1)).toMatchObject([
		{ entry: 'X1', error: expect.stringMatching(/“Listing ID” must be a whole number/) },
	]);
	expect(credits(listing, other)).toEqual([1, 1]);
});

describe('a run that ends early, while it waits for the result', () => {
	it('by n8n being killed: the next run finds the order', async () => {
		const { client, workflow, listing } = await shop();
		stage.sandbox.products.configure({ settleAfterGets: null });
		const cut = stage.run(workflow, { entries: [listing] }).catch(() => undefined);
		await looks(client);
		await stage.n8n.kill9();
		await cut;
		await stage.n8n.restart();

		const next = await stage.run(workflow, { entries: [listing] });

		expect(next.items()).toMatchObject([{ listingId: listing, outcome: 'alreadyPending' }]);
		expect(credits(listing)).toEqual([1]);
		expect(stage.tokensIssued(client)).toBe(1);
	});

	it('by Stop: at once, and nothing is paid twice', async () => {
		const { client, credential, workflow, listing } = await shop();
		const name = `Stopped ${listing}`;
		const node = { ...agentProducts(credential, { listingId: listing }), name };
		const stopped = await stage.save(chain(name, manualTrigger(), node));
		stage.sandbox.products.configure({ settleAfterGets: null });
		const id = await stage.n8n.startManually(stopped);
		await looks(client);

		await stage.n8n.stopExecution(id);

		expect((await stage.n8n.waitForExecution(id)).status).toBe('canceled');

		// n8n calls an execution canceled while its node still runs; this line comes when that has ended.
		await until('the node to end', 20_000, () =>
			stage.n8n.logs().includes(`Running node "${name}" finished`),
		);
		const next = await stage.run(workflow, { entries: [listing] });

		expect(next.items()).toMatchObject([{ outcome: 'alreadyPending' }]);
		expect(credits(listing)).toEqual([1]);
	});
});

it('nothing that n8n has kept or printed in all these tests holds a secret or a token', async () => {
	expect(stage.n8n.logs()).toMatch(/debug/);
	expect(await stage.leaksInAll()).toEqual([]);
});
