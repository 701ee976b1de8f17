import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { answerProblems } from '../../../lab/conformance/problems';
import { CONTRACTS } from '../../../lab/conformance/schemas';
import { Sandbox } from '../../../lab/sandbox';
import type { WildStep } from '../../../lab/sandbox/wild';
import { Wild } from '../../../lab/sandbox/wild';
import { bodyOf } from '../../../lab/sandbox/wildness/reply';
import type { Reply } from './helpers';
import { bearer, body, DAY, HOUR, request, seconds, tokenRequest } from './helpers';

type Integration = 'leads' | 'inventory' | 'products';

interface Example {
	integration: Integration;
	method: string;
	path: string;
	template: string;
	status: number;
	value: unknown;
}

const VARIANTS = 4_000;

/** The example of a contract, by name. */
function exampleOf(integration: Integration, name: string): unknown {
	const { examples } = CONTRACTS[integration].components as {
		examples: Record<string, { value: unknown }>;
	};
	if (!examples[name]) throw new Error(`No example ${name}`);
	return examples[name].value;
}

const { applicant } = exampleOf('leads', 'ApplicantPush') as { applicant: object };
const { appraisal } = exampleOf('leads', 'AppraisalPush') as { appraisal: object };
const premium = exampleOf('products', 'PremiumActivation');
const [updated] = exampleOf('products', 'HighlightsAnswer') as unknown[];
const weekly = exampleOf('products', 'WeeklyActivation');
const item = exampleOf('inventory', 'Item');
const id = '0b6a2d54-93c1-4e7f-8a15-d2f4c6e8a010';

const answer = (
	integration: Integration,
	path: string,
	value: unknown,
	more: Partial<Example> = {},
): Example => ({ integration, method: 'GET', path, template: path, status: 200, value, ...more });

/** What the service says when it is tame: the contract’s own examples, whole and empty. */
const EXAMPLES: Example[] = [
	answer('leads', '/applicant-leads', { applicants: [applicant, { ...applicant, id: 'two' }] }),
	answer('leads', '/applicant-leads', { applicants: [] }),
	answer('leads', '/appraisal-leads', { appraisals: [appraisal] }),
	answer('leads', '/appraisal-leads', exampleOf('leads', 'Errors'), { status: 400 }),
	answer('inventory', '/inventory', exampleOf('inventory', 'Hits')),
	answer('inventory', '/inventory', { meta: {}, items: [] }),
	answer('inventory', '/inventory/7', item, { template: '/inventory/{id}' }),
	answer('inventory', '/inventory/items', { totalCount: 2, items: [item, item] }),
	answer('inventory', '/inventory/search', exampleOf('inventory', 'Rows')),
	answer('inventory', '/inventory/filter', exampleOf('inventory', 'Rows')),
	answer('inventory', '/inventory/filter', exampleOf('inventory', 'Problem'), { status: 400 }),
	answer('products', '/products/premium-listings', [premium, premium]),
	answer('products', '/products/premium-listings', premium, { method: 'POST', status: 202 }),
	answer('products', '/products/premium-listings', premium, { method: 'POST', status: 303 }),
	answer('products', `/products/premium-listings/${id}`, updated, {
		template: '/products/premium-listings/{uuid}',
		method: 'PATCH',
		status: 202,
	}),
	answer('products', '/products/weekly-featured-properties', [weekly]),
	answer('products', `/products/weekly-featured-properties/${id}`, weekly, {
		template: '/products/weekly-featured-properties/{uuid}',
	}),
];

let sandbox: Sandbox;

beforeEach(async () => {
	sandbox = await Sandbox.start();
});

afterEach(async () => {
	await sandbox.stop();
});

/** One answer of the service, made wild. */
function grown(wild: Wild, { integration, method, path, template, status, value }: Example) {
	const call = {
		method,
		path,
		search: '',
		query: new URLSearchParams(),
		headers: {},
		body: '',
		bodyTooLarge: false,
	};
	const course = wild.course({
		integration,
		method,
		path,
		template,
		call,
		clientId: sandbox.leadsClient.clientId,
	});
	const headers = {
		'Content-Type': 'application/json',
		...(status === 303 && { Location: `https://products.example.com/products/x/${id}` }),
	};
	const tame = { status, headers, body: JSON.stringify(value) };
	const instead = course.before();
	const reply = instead ?? course.after(tame);
	course.close(reply, instead === undefined ? tame : undefined);
	return reply;
}

const namesOf = (strength: string) =>
	Wild.catalogue()
		.filter((each) => each.strength === strength)
		.map(({ name }) => name);

describe('what is allowed', () => {
	it('starts from answers that the contract has', () => {
		for (const { integration, method, path, status, value } of EXAMPLES) {
			const headers = { 'content-type': 'application/json' };
			const whole = { status, headers, body: JSON.stringify(value) };
			expect(answerProblems(integration, { method, path }, whole, 'open')).toEqual([]);
		}
	});

	it(`stays valid by the contract, in each of ${VARIANTS} variants, and all of it occurs`, () => {
		const { wild } = sandbox;
		wild.start({ seed: 7, strength: 'allowed', rate: 1 });
		const bodies = new Set<string>();

		for (let variant = 0; variant < VARIANTS; variant++) {
			const example = EXAMPLES[variant % EXAMPLES.length] as Example;
			const { integration, method, path } = example;
			const reply = grown(wild, example);
			const sent = { status: reply.status, headers: reply.headers, body: bodyOf(reply) };
			const problems = answerProblems(integration, { method, path }, sent, 'open');
			if (problems.length > 0) {
				throw new Error(`${path} ${wild.told.at(-1)?.wildness.join(' ')}: ${problems.join('; ')}`);
			}
			bodies.add(sent.body);
		}

		expect(Object.keys(wild.counts).sort()).toEqual(namesOf('allowed').sort());
		expect(bodies.size).toBeGreaterThan(VARIANTS / 2);
	});

	it('leaves out what is beyond the contract', () => {
		expect(namesOf('allowed').filter((name) => namesOf('misbehaving').includes(name))).toEqual([]);
		expect(namesOf('misbehaving').length).toBeGreaterThan(15);
	});
});

/** Asks for everything that some wildness fits. */
async function askEverything(): Promise<Reply[]> {
	const leads = await bearer(sandbox, sandbox.leadsClient);
	const inventory = {
		...(await bearer(sandbox, sandbox.inventoryClient)),
		AgencyRef: sandbox.inventoryClient.agencyRefs[0] ?? '',
	};
	const products = await bearer(sandbox, sandbox.productsClient);
	const [first, second] = sandbox.inventory.of(inventory.AgencyRef);
	const { productsUrl, inventoryUrl, leadsUrl } = sandbox;
	const json = { ...products, 'Content-Type': 'application/json' };
	const activation = sandbox.products.activate(
		'premium-listings',
		{ listingId: 5 },
		'products-client',
	);
	sandbox.products.settle(activation.id);
	const ask = async (url: string, headers: Record<string, string>, init: RequestInit = {}) => {
		const [outcome] = await Promise.allSettled([request(url, { headers, ...init })]);
		return outcome.status === 'fulfilled' ? [outcome.value] : [];
	};
	const replies = [
		await ask(`${leadsUrl}/applicant-leads`, leads),
		await ask(`${leadsUrl}/appraisal-leads`, leads),
		await ask(`${inventoryUrl}/inventory?address=nowhere+at+all`, inventory),
		await ask(
			`${inventoryUrl}/inventory/items?inventory-id=${first?.id}&inventory-id=${second?.id}`,
			inventory,
		),
		await ask(`${productsUrl}/products/premium-listings`, json, {
			method: 'POST',
			body: '{"listingId":5}',
		}),
		await ask(`${productsUrl}/products/premium-listings`, json, {
			method: 'POST',
			body: '{"listingId":6}',
		}),
		await ask(`${productsUrl}/products/premium-listings/${activation.id}`, json, {
			method: 'PATCH',
			body: '{"highlights":[{"id":1}]}',
		}),
	];
	return replies.flat();
}

async function leadsRequest(): Promise<Reply | 'lost'> {
	const { leadsClient, leadsUrl } = sandbox;
	const token = sandbox.tokens.issue(leadsClient).value;
	const headers = { Authorization: `Bearer ${token}` };
	const [outcome] = await Promise.allSettled([request(`${leadsUrl}/applicant-leads`, { headers })]);
	return outcome.status === 'fulfilled' ? outcome.value : 'lost';
}

describe('each misbehaviour', () => {
	const step = (name: string, more: Partial<WildStep> = {}): WildStep => ({
		name,
		seed: 3,
		...more,
	});

	beforeEach(() => {
		sandbox.inventory.of(sandbox.inventoryClient.agencyRefs[0] ?? '');
		const now = sandbox.now();
		sandbox.addLeads('applicant', 4, { from: now - 20 * HOUR, to: now - HOUR });
		sandbox.addLeads('applicant', 4, { from: now - 5 * DAY, to: now - 3 * DAY });
	});

	it.each(
		namesOf('misbehaving').filter((name) => !['tokenForms', 'noToken', 'otherCase'].includes(name)),
	)('%s can be planned alone, and happens as often as planned', async (name) => {
		sandbox.wild.plan([step(name, { on: 'data', times: 2 })]);
		await askEverything();

		await askEverything();

		expect(sandbox.wild.counts).toEqual({ [name]: 2 });
	});

	it.each(['tokenForms', 'noToken'])(
		'%s changes what a token request is answered',
		async (name) => {
			sandbox.wild.plan([step(name)]);

			const reply = await tokenRequest(sandbox, sandbox.inventoryClient);

			expect(sandbox.wild.counts).toEqual({ [name]: 1 });
			expect(body<object>(reply)).not.toEqual({
				access_token: expect.stringMatching(/^\S+$/),
				expires_in: 3600,
				token_type: 'Bearer',
			});
		},
	);

	it('otherCase writes ids that have letters in the other case', () => {
		sandbox.wild.plan([step('otherCase', { seed: 1 })]);
		const rows = (inventoryId: string) => ({ items: [{ inventoryId }] });

		const reply = grown(sandbox.wild, answer('inventory', '/inventory/filter', rows('Ab12')));

		expect([rows('AB12'), rows('ab12')]).toContainEqual(reply.value);
	});

	it('waits for its turn', async () => {
		sandbox.wild.plan([step('resetAfter', { after: 1 })]);

		expect(await leadsRequest()).not.toBe('lost');
		expect(await leadsRequest()).toBe('lost');
		expect(await leadsRequest()).not.toBe('lost');
	});

	it('drips the whole body, and ends', async () => {
		sandbox.wild.plan([step('drip')]);
		const reply = await leadsRequest();

		if (reply === 'lost') throw new Error('There was no answer');

		expect(body<{ applicants: unknown[] }>(reply).applicants).toHaveLength(4);
	});

	it('brings up leads of another time beside those of the window', async () => {
		sandbox.wild.plan([step('outsideWindow')]);
		const reply = await leadsRequest();

		if (reply === 'lost') throw new Error('There was no answer');

		expect(body<{ applicants: unknown[] }>(reply).applicants.length).toBeGreaterThan(4);
	});
});

describe('the ledger', () => {
	beforeEach(() => {
		const now = sandbox.now();
		sandbox.addLeads('applicant', 3, { from: now - 20 * HOUR, to: now - HOUR });
	});

	const planned = async (name: string) => {
		sandbox.wild.plan([{ name, seed: 1 }]);
		await leadsRequest();
		return sandbox.wild.told[0];
	};

	it('holds what was told', async () => {
		const told = await planned('unknownFields');

		expect(told).toMatchObject({ kind: 'data', status: 200, isDone: true, isReadable: true });
		expect((told?.value as { applicants: unknown[] }).applicants).toHaveLength(3);
	});

	it.each(['cutJson', 'truncated', 'resetAfter', 'webPageAfter', 'strangeShape', 'failedAfter'])(
		'knows that %s tells nothing, although the work was done',
		async (name) => {
			expect(await planned(name)).toMatchObject({
				isDone: true,
				isReadable: false,
				value: undefined,
			});
		},
	);

	it.each(['busy', 'failed', 'resetBefore', 'webPageBefore', 'tokenRevoked', 'foreignErrors'])(
		'knows that with %s no work is done',
		async (name) => {
			expect(await planned(name)).toMatchObject({ isDone: false, isReadable: false });
		},
	);

	it('knows that there is no answer in a reset', async () => {
		expect(await planned('resetAfter')).toMatchObject({ status: 0 });
	});
});

describe('by chance', () => {
	it('does the same for the same seed and the same requests', async () => {
		const now = Date.now();

		const runs = await Promise.all([11, 11, 12].map(async (seed) => await wildAnswers(seed, now)));

		expect(runs[0]).toEqual(runs[1]);
		expect(runs[0]).not.toEqual(runs[2]);
	});

	it('leaves out what is not wanted', async () => {
		sandbox.wild.start({ rate: 1, only: ['twice', 'drip'], without: ['twice'] });
		sandbox.addLead('applicant');

		for (let count = 0; count < 10; count++) await leadsRequest();

		expect(Object.keys(sandbox.wild.counts)).toEqual(['drip']);
	});

	it('refuses as strictly as ever', async () => {
		sandbox.wild.start({ rate: 1, only: ['unknownFields', 'oddTexts', 'refusalBodies'] });
		const { leadsClient, leadsUrl } = sandbox;

		const headers = { Authorization: `Bearer ${sandbox.tokens.issue(leadsClient).value}` };

		for (const query of ['?from-time=yesterday', '?unknown=1', '?from-time=2026-01-01']) {
			expect((await request(`${leadsUrl}/applicant-leads${query}`, { headers })).status).toBe(400);
		}
		expect((await request(`${leadsUrl}/applicant-leads`)).status).toBe(401);
	});

	it('knows no other names', () => {
		expect(() => sandbox.wild.start({ only: ['nothing'] })).toThrow('nothing');
		expect(() => sandbox.wild.plan([{ name: 'nothing', seed: 1 }])).toThrow('nothing');
	});

	it('is tame until it is switched on, and again when it is switched off', async () => {
		sandbox.wild.start({ rate: 1 });
		sandbox.wild.stop();

		expect((await leadsRequest()) as Reply).toMatchObject({ status: 200 });
		expect(sandbox.wild.counts).toEqual({});
	});
});

/** It repeats a token, and no two tokens are the same. */
const RANDOM = ['echoedSecret'];

/** The wildness and the answers of thirty requests, resets as such. */
async function wildAnswers(seed: number, now: number): Promise<unknown> {
	const other = await Sandbox.start({ wild: { seed, rate: 0.8, without: RANDOM } });
	try {
		other.addLeads('applicant', 5, { from: now - 2 * DAY, to: now - HOUR });
		const from = seconds(now - 3 * DAY);
		const to = seconds(now - 1_000);
		const answers: string[] = [];
		for (let count = 0; count < 30; count++) {
			const headers = { Authorization: `Bearer ${other.tokens.issue(other.leadsClient).value}` };
			const url = `${other.leadsUrl}/applicant-leads?from-time=${from}&to-time=${to}`;
			const [outcome] = await Promise.allSettled([request(url, { headers })]);
			answers.push(outcome.status === 'fulfilled' ? outcome.value.text : 'lost');
		}
		return { answers, wildness: other.wild.told.map(({ wildness }) => wildness) };
	} finally {
		await other.stop();
	}
}
