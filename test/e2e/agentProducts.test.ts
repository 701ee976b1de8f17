import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Schedule } from '../lab/productSchedules';
import { creditsByListing, furnish, schedule } from '../lab/productSchedules';
import { chain, manualTrigger, until } from '../lab/n8n';
import {
	agentProducts,
	errorText,
	httpRequest,
	PREMIUM_PATH,
	PRODUCTS,
	START_DEADLINE_MS,
	type Fault,
} from '../lab/n8n/stage';
import { isLookOf, ProductsAccounts } from '../lab/n8n/stage/productsAccounts';
import { seedOf } from '../lab/seeds';
import { useStage } from '../lab/n8n/stage/useStage';

/** Our node waits this long for an answer. */
const TIMEOUT_MS = 60_000;

/** Each of them takes about a second here; the tests in n8n's engine run 200. */
const SCHEDULES = 15;

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });
const products = new ProductsAccounts(stage);

afterEach(() => {
	stage.sandbox.faults.clear();
	stage.sandbox.products.clear();
});

describe('in the editor', () => {
	it('the node is offered, and not to an AI agent', async () => {
		const types = await stage.n8n.nodeTypes();

		const names = types.map(({ name }) => name);

		expect(names).toContain('n8n-nodes-agent-integration.agentProducts');
		expect(names).not.toContain('n8n-nodes-agent-integration.agentProductsTool');
	});

	it('the credential is offered, to the HTTP Request node as well, with its secrets hidden', async () => {
		const types = await stage.n8n.credentialTypes();

		const type = types.find(({ name }) => name === 'agentProductsApi');

		expect(type).toMatchObject({
			displayName: 'Agent Products API',
			supportedNodes: ['n8n-nodes-agent-integration.agentProducts'],
		});
		expect(type).toHaveProperty('authenticate');

		const field = (name: string) => type?.properties.find((property) => property.name === name);

		expect(field('clientSecret')?.typeOptions).toMatchObject({ password: true });
		expect(field('scope')).toMatchObject({ default: 'api/api_access' });
	});

	it('the credential test tells a good pair from a wrong one, and spends nothing', async () => {
		const here = await products.account();
		stage.secrets.push('wr+ong/secret');

		const good = await stage.n8n.testCredential(here.credential.id, {});
		const wrong = await stage.n8n.testCredential(here.credential.id, {
			clientSecret: 'wr+ong/secret',
		});

		const scope = await stage.n8n.testCredential(here.credential.id, { scope: 'other/scope' });

		expect(good.status).toBe('OK');
		expect(wrong.message).toMatch(/refused the client ID and client secret/);
		expect(scope.message).toMatch(/refused the scope/);
		expect(products.exchanges(here)).toEqual(['GET 200']);
		expect(stage.leaks([good, wrong, scope].map(({ message }) => message).join())).toEqual([]);
	});

	it('the HTTP Request node reads activations with the credential, with one token', async () => {
		const here = await products.account();
		const url = `${stage.sandbox.productsUrl}/products/premium-listings?listingId=1`;

		const workflow = await stage.webhookWorkflow([
			httpRequest(here.credential, url, 'agentProductsApi'),
		]);

		for (let run = 0; run < 3; run++) expect((await stage.run(workflow)).status).toBe(200);

		expect(stage.tokensIssued(here.client)).toBe(1);
	});
});

describe('one activation for each listing', () => {
	it.each<[string, Fault | undefined, string[]]>([
		['nothing fails', undefined, ['GET 200', 'POST 202', 'GET id 200', 'GET id 200']],
		[
			'429',
			{ kind: 'status', status: 429, retryAfter: 1 },
			['GET 200', 'POST 429', 'GET 200', 'POST 202', 'GET id 200', 'GET id 200'],
		],
		[
			'a reset after the service took it',
			{ kind: 'reset', when: 'after' },
			['GET 200', 'POST 0', 'GET 200', 'GET id 200', 'GET id 200'],
		],
		[
			'500 after',
			{ kind: 'status', status: 500, when: 'after' },
			['GET 200', 'POST 500', 'GET 200', 'GET id 200', 'GET id 200'],
		],
		[
			'a proxy’s page after',
			{ kind: 'html', when: 'after' },
			['GET 200', 'POST 200', 'GET 200', 'GET id 200', 'GET id 200'],
		],
		[
			'an answer cut short',
			{ kind: 'truncate' },
			['GET 200', 'POST 202', 'GET 200', 'GET id 200', 'GET id 200'],
		],
		[
			'an expired token',
			{ kind: 'status', status: 401 },
			['GET 200', 'POST 401', 'POST 202', 'GET id 200', 'GET id 200'],
		],
	])('%s', async (_, fault, expected) => {
		const here = await products.account();
		const listing = products.newListing();
		const workflow = await products.activating(here);
		if (fault) {
			const { clientId } = here.client;
			stage.sandbox.faults.add({ method: 'POST', path: PREMIUM_PATH, clientId, ...fault });
		}

		const run = await stage.run(workflow, { listings: [listing] });

		expect(run.items()).toMatchObject([{ listingId: listing, outcome: 'activated' }]);
		expect(products.exchanges(here)).toEqual(expected);
		expect(products.credits(listing)).toEqual([1]);
	});

	it.each<[string, Fault, string]>([
		['a reset before the service took it', { kind: 'reset' }, 'POST 0'],
		['500 before', { kind: 'status', status: 500 }, 'POST 500'],
	])('%s: in doubt, so that it is not sent again in this execution', async (_, fault, post) => {
		const here = await products.account();
		const listing = products.newListing();
		const workflow = await products.activating(here, {}, { retryOnFail: true, maxTries: 2 });
		const { clientId } = here.client;
		stage.sandbox.faults.add({ method: 'POST', path: PREMIUM_PATH, clientId, ...fault });

		const execution = await stage.execute(workflow, { listings: [listing] });

		const text = errorText(execution, PRODUCTS);

		expect(text).toMatch(/It is not known whether it was activated/);
		expect(text).toMatch(/A credit may have been spent/);
		// The last look is that of “Retry On Fail”.
		expect(products.exchanges(here)).toEqual(['GET 200', post, 'GET 200', 'GET 200']);
		expect(products.credits(listing)).toEqual([0]);
	});

	it(
		'no answer in time, before and after the service took it',
		async () => {
			const [before, after] = [await products.account(), await products.account()];
			const listings = [products.newListing(), products.newListing()];
			for (const [{ client }, when] of [
				[before, 'before'],
				[after, 'after'],
			] as const) {
				const { clientId } = client;
				stage.sandbox.faults.add({
					kind: 'hang',
					when,
					method: 'POST',
					path: PREMIUM_PATH,
					clientId,
				});
			}

			const [inDoubt, found] = await Promise.all(
				[before, after].map(async (each, index) => {
					const workflow = await products.activating(
						each,
						{},
						{ onError: 'continueRegularOutput' },
					);
					return await stage.run(workflow, { listings: [listings[index]] });
				}),
			);

			expect(inDoubt?.items()).toMatchObject([
				{ error: expect.stringMatching(/It is not known whether it was activated/) },
			]);
			expect(found?.items()).toMatchObject([{ listingId: listings[1], outcome: 'activated' }]);
			expect(products.exchanges(before)).toEqual(['GET 200', 'POST 0', 'GET 200']);
			expect(products.exchanges(after).slice(0, 4)).toEqual([
				'GET 200',
				'POST 0',
				'GET 200',
				'GET id 200',
			]);
			expect(products.credits(...listings)).toEqual([0, 1]);
		},
		3 * TIMEOUT_MS,
	);

	it.each([
		['ACTIVATED', 'alreadyActive'],
		['SCHEDULED', 'alreadyScheduled'],
	] as const)(
		'what is there as %s is found before anything is ordered',
		async (result, outcome) => {
			const here = await products.account();
			const listing = products.newListing();
			const workflow = await products.activating(here);
			stage.sandbox.products.configure({ result });
			const [first] = (await stage.run(workflow, { listings: [listing] })).items();

			const again = await stage.run(workflow, { listings: [listing] });

			expect(again.items()).toMatchObject([{ id: first?.id, outcome }]);
			expect(
				products.exchanges(here).filter((exchange) => exchange.startsWith('POST')),
			).toHaveLength(1);
			expect(products.credits(listing)).toEqual([1]);
		},
	);

	it('20 executions at once for the same listing: one credit, one token', async () => {
		const here = await products.account();
		const listing = products.newListing();
		const workflow = await products.activating(here);

		const runs = await Promise.all(
			Array.from({ length: 20 }, () => stage.run(workflow, { listings: [listing] })),
		);

		const outcomes = runs.flatMap((run) => run.items()).map(({ outcome }) => outcome);

		expect(outcomes.filter((outcome) => outcome === 'activated')).toHaveLength(1);
		expect(outcomes).toHaveLength(20);
		expect(products.credits(listing)).toEqual([1]);
		expect(stage.tokensIssued(here.client)).toBe(1);
	});

	it('the same listing in several items: once, and each says so', async () => {
		const here = await products.account();
		const [one, other] = [products.newListing(), products.newListing()];

		const run = await stage.run(await products.activating(here), {
			listings: [one, String(one), other, one],
		});

		expect(run.items().map(({ listingId, outcome }) => [listingId, outcome])).toEqual([
			[one, 'activated'],
			[one, 'activated'],
			[other, 'activated'],
			[one, 'activated'],
		]);
		expect(products.credits(one, other)).toEqual([1, 1]);
	});
});

describe('an order that fails', () => {
	const missingImages = () =>
		stage.sandbox.products.configure({
			result: 'ERROR',
			errors: [{ reason: 'Not enough images', code: 1_021_004 }],
		});

	it('tells the reason and what to do, and “Retry On Fail” does not pay again', async () => {
		const here = await products.account();
		const listing = products.newListing();
		missingImages();
		const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };

		const execution = await stage.execute(await products.activating(here, {}, retry), {
			listings: [listing],
		});

		const text = errorText(execution, PRODUCTS);

		expect(text).toMatch(/was ordered, but not activated: the listing has too few images/);
		expect(text).toMatch(
			/It is not known whether a credit was spent: .*“Not enough images” \(code 1021004\)\. .* add images/,
		);
		expect(products.credits(listing)).toEqual([1]);
	});

	it('goes to the error output with its input, beside the good ones', async () => {
		const here = await products.account();
		const [good, other] = [products.newListing(), products.newListing()];
		const workflow = await products.activating(here, {}, { onError: 'continueErrorOutput' });

		const execution = await stage.execute(workflow, { listings: [good, 'X1', other] });

		expect(execution.json(PRODUCTS).map(({ listingId }) => listingId)).toEqual([good, other]);
		expect(execution.json(PRODUCTS, 1)).toMatchObject([
			{
				listing: 'X1',
				error: expect.stringMatching(/“Listing ID” must be a whole number of at least 1/),
			},
		]);
		expect(products.credits(good, other)).toEqual([1, 1]);
	});
});

describe('a run that ends early', () => {
	it(
		'by n8n being killed while it waits for the result: the next run finds it',
		async () => {
			const here = await products.account();
			const listing = products.newListing();
			const workflow = await products.activating(here);
			stage.sandbox.products.configure({ settleAfterGets: null });
			const look = stage.sandbox.waitForRequest(isLookOf(here), { timeoutMs: 20_000 });
			const cut = stage.run(workflow, { listings: [listing] }).catch(() => undefined);
			await look;
			await stage.n8n.kill9();
			await cut;
			await stage.n8n.restart();

			const next = await stage.run(workflow, { listings: [listing] });

			expect(next.items()).toMatchObject([{ listingId: listing, outcome: 'alreadyPending' }]);
			expect(products.credits(listing)).toEqual([1]);
			expect(stage.tokensIssued(here.client)).toBe(1);
		},
		START_DEADLINE_MS,
	);

	it('by Stop while it waits: at once, and nothing is paid twice', async () => {
		const here = await products.account();
		const listing = products.newListing();
		const name = `Stopped ${listing}`;
		const node = { ...agentProducts(here.credential, { listingId: listing }), name };
		const workflow = await stage.save(chain(name, manualTrigger(), node));
		stage.sandbox.products.configure({ settleAfterGets: null });
		const id = await stage.n8n.startManually(workflow);
		await stage.sandbox.waitForRequest(isLookOf(here), { timeoutMs: 20_000 });

		await stage.n8n.stopExecution(id);

		expect((await stage.n8n.waitForExecution(workflow, id)).status).toBe('canceled');

		// n8n calls an execution canceled while its node still runs; this line comes when that has ended.
		await until('the node to end', 20_000, async () =>
			Promise.resolve(
				stage.n8n.logs().includes(`Running node "${name}" finished`) ? true : undefined,
			),
		);

		const next = await stage.run(await products.activating(here), { listings: [listing] });

		expect(next.items()).toMatchObject([{ outcome: 'alreadyPending' }]);
		expect(products.credits(listing)).toEqual([1]);
	});
});

describe(`${SCHEDULES} random schedules of faults`, () => {
	const seed = seedOf('PRODUCT');
	// Requests without an answer take a minute each: a test of their own has them.
	const isQuick = ({ faults, takenAfterMs }: Schedule) =>
		takenAfterMs === undefined && faults.every(({ kind }) => kind !== 'hang');
	const schedules = fc.sample(schedule.filter(isQuick), { seed, numRuns: SCHEDULES });

	it.each(schedules.map((plan, index) => [seed, index, plan] as const))(
		'seed %d, schedule %d',
		async (_, __, plan) => {
			const here = await products.account();
			const { resource, waitForResult, maxTries } = plan;
			const listings = new Map([1, 2, 3, 4].map((listing) => [listing, products.newListing()]));
			const listingIds = (numbers: number[]) => numbers.map((each) => listings.get(each) ?? 0);
			const mine = {
				...plan,
				listings: listingIds(plan.listings),
				activeBefore: listingIds(plan.activeBefore),
			};
			const workflow = await products.activating(
				here,
				{ resource, waitForResult, options: { maxTries, maxWait: 2, waitTimeout: 2 } },
				{ onError: 'continueRegularOutput' },
			);
			furnish(stage.sandbox, here.client.clientId, mine);
			const spent = () => {
				const credits = creditsByListing(stage.sandbox);
				const all = new Set([...mine.listings, ...mine.activeBefore]);
				return [...all].map((listing) => credits[String(listing)] ?? 0);
			};

			await stage.run(workflow, { listings: mine.listings });

			for (const count of spent()) expect(count).toBeLessThanOrEqual(1);

			stage.sandbox.faults.clear();
			if (plan.result === 'ERROR') return;

			const clean = await stage.run(workflow, { listings: mine.listings });

			for (const count of spent()) expect(count).toBeLessThanOrEqual(1);
			// Within seconds after an order in doubt, the service may not list it yet.
			const others = clean.items().filter((item) => !('outcome' in item));
			for (const { error } of others) expect(error).toMatch(/It is not known whether/);
			if (others.length === 0) expect(new Set(spent())).toEqual(new Set([1]));
		},
		// The node waits before it looks for an order without an answer.
		4 * TIMEOUT_MS,
	);
});

describe('what n8n shows and keeps', () => {
	it('nothing that n8n has kept or printed in all these tests holds a secret or a token', async () => {
		expect(stage.n8n.logs()).toMatch(/debug/);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});
