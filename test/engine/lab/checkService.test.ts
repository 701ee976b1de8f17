import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Gpg } from '../../lab/gpg';
import { MANNERS } from '../../lab/check/asker';
import { checkService } from '../../lab/check/main';
import type { Api, Environment } from '../../lab/check/settings';
import { Sandbox } from '../../lab/sandbox';
import { HOUR } from '../../lab/engine/bench';
import type { Answer, Change } from '../../lab/engine/front';
import { empty, Front, json } from '../../lab/engine/front';
import { root } from '../../lab/paths';

/** In a hurry, since the service here is ours. */
const HURRIED = { ...MANNERS, between: 0, busy: 1, failed: 1, deadline: 5_000 };

const APIS: Api[] = ['leads', 'inventory', 'products'];

let sandbox: Sandbox;
let front: Front;
/** Everything that was written in a test. */
let written: string;

beforeEach(async () => {
	written = '';
	sandbox = await Sandbox.start();
	front = await Front.start(sandbox);
	for (const kind of ['applicant', 'appraisal'] as const) {
		for (const hours of [1, 5, 9, 20, 30, 40]) addLead(kind, hours);
		sandbox.addLead(kind, { createdAt: '0001-01-01T00:00Z' });
	}
	const { clientId } = sandbox.productsClient;
	for (const product of ['premium-listings', 'weekly-featured-properties'] as const) {
		sandbox.products.activate(product, { listingId: 80000001 }, clientId);
	}
});

afterEach(async () => {
	const secrets = secretsOf(environment());
	await front.stop();
	await sandbox.stop();
	for (const secret of secrets) expect(written).not.toContain(secret);
	expect(written).not.toMatch(/@example\.com|07700/);
});

function addLead(kind: 'applicant' | 'appraisal', hoursAgo: number, more: object = {}) {
	const createdAt = new Date(sandbox.now() - hoursAgo * HOUR).toISOString().slice(0, 19);
	return sandbox.addLead(kind, { createdAt: `${createdAt}Z`, ...more });
}

/** The variables for the sandbox behind the front. */
function environment(...apis: Api[]): Environment {
	const { leadsClient, inventoryClient, productsClient } = sandbox;
	const at = (url: string) => url.replace(sandbox.url, new URL(front.productsUrl).origin);
	const all: Record<Api, Environment> = {
		leads: {
			AGENT_LEADS_AUTH_URL: at(sandbox.authUrl),
			AGENT_LEADS_URL: at(sandbox.leadsUrl),
			AGENT_LEADS_AUDIENCE: sandbox.leadsUrl,
			AGENT_LEADS_CLIENT_ID: leadsClient.clientId,
			AGENT_LEADS_CLIENT_SECRET: leadsClient.clientSecret,
		},
		inventory: {
			AGENT_INVENTORY_TOKEN_URL: at(sandbox.tokenUrl),
			AGENT_INVENTORY_URL: at(sandbox.inventoryUrl),
			AGENT_INVENTORY_AGENCY_REF: inventoryClient.agencyRefs[0],
			AGENT_INVENTORY_CLIENT_ID: inventoryClient.clientId,
			AGENT_INVENTORY_CLIENT_SECRET: inventoryClient.clientSecret,
		},
		products: {
			AGENT_PRODUCTS_AUTH_URL: at(sandbox.authUrl),
			AGENT_PRODUCTS_URL: at(sandbox.productsUrl),
			AGENT_PRODUCTS_CLIENT_ID: productsClient.clientId,
			AGENT_PRODUCTS_CLIENT_SECRET: productsClient.clientSecret,
		},
	};
	return Object.assign(
		{},
		...(apis.length > 0 ? apis : APIS).map((api) => all[api]),
	) as Environment;
}

/** The values and what they become on the wire; addresses in part as well. */
function secretsOf(variables: Environment): string[] {
	const values = Object.values(variables).filter((value) => value !== undefined);
	return [...values, ...values.map(encodeURIComponent), new URL(front.productsUrl).host];
}

async function check(variables: Environment, manners = HURRIED) {
	const lines: string[] = [];
	const code = await checkService(variables, (line) => lines.push(line), manners);
	written += lines.join('\n');
	const ofVerdict = (verdict: string) => lines.filter((line) => line.startsWith(verdict));
	return { code, text: lines.join('\n'), differs: ofVerdict('differs'), tried: lines };
}

/** Changes what one path answers. */
function at(end: string, change: (answer: Answer) => Answer): void {
	const changed: Change = async ({ path }, pass) => {
		const answer = await pass();
		return path.endsWith(end) && answer !== 'lost' ? change(answer) : answer;
	};
	front.answer(changed);
}

type Row = Record<string, unknown>;

/** Changes the JSON of what one path answers with 200. */
function bodyAt(end: string, change: (body: Row) => unknown): void {
	at(end, (answer) =>
		answer.status === 200 ? json(200, change(JSON.parse(answer.body) as Row)) : answer,
	);
}

/** Changes what is asked for by its ID and is there. */
function one(change: (body: Row) => Row): void {
	front.answer(async ({ path }, pass) => {
		const answer = await pass();
		const isOne = /\/(\d{4}|[0-9a-f-]{36})$/.test(path);
		if (!isOne || answer === 'lost' || answer.status !== 200) return answer;
		return json(200, change(JSON.parse(answer.body) as Row));
	});
}

/** Changes every applicant that the service shows. */
function eachApplicant(change: (lead: Row) => Row): void {
	bodyAt('/applicant-leads', ({ applicants }) => ({
		applicants: (applicants as Row[]).map(change),
	}));
}

describe('the check of a service that is as the contract has it', () => {
	it('finds everything as expected, and only reads', async () => {
		const { code, differs, text: all } = await check(environment());
		expect(differs).toEqual([]);
		expect(code).toBe(0);
		expect(all).toMatch(/\n\d+ as expected, 0 differs, 4 not tried; \d+ requests\.$/);
		const writes = sandbox.requests.filter(({ method }) => method !== 'GET');
		expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'POST /auth/oauth2/token',
			'POST /identity/connect/token',
			'POST /auth/oauth2/token',
		]);
		expect(sandbox.counts.credits).toBe(2);
	});

	it('tries the IDs of a client that has to name one', async () => {
		sandbox.updateClient(sandbox.leadsClient.clientId, { branches: ['11', '12'] });
		sandbox.addLead('applicant', {}, { branchId: '11' });
		const { code, text: all } = await check({
			...environment('leads'),
			AGENT_LEADS_FILTER_BY: 'branch',
			AGENT_LEADS_FILTER_IDS: '11, 12',
		});
		expect(code).toBe(0);
		expect(all).toContain('without an ID it is refused: 400');
		expect(all).toContain('each given ID by itself: 2 answered 200');
		expect(all).toContain('two IDs in one request are refused: 400');
	});

	it('says what is wrong with the IDs of a client that has to name one', async () => {
		sandbox.updateClient(sandbox.leadsClient.clientId, { branches: ['11', '12'] });
		at('/applicant-leads', (answer) => (answer.status === 400 ? json(200, {}) : answer));
		const { differs, text: all } = await check({
			...environment('leads'),
			AGENT_LEADS_FILTER_BY: 'branch',
			AGENT_LEADS_FILTER_IDS: '11, 12, 13',
		});
		expect(differs).toEqual([
			'differs      leads: applicant leads, a time that is none is refused: 200 with JSON of another shape, not 400',
			'differs      leads: applicant leads, two IDs in one request are refused: 200 with JSON of another shape, not 400',
			'differs      leads: appraisal leads, each given ID by itself: one of them: 400 with errors that have a message, not 200',
		]);
		const { text: without } = await check(environment('leads'));
		expect(without).toContain('this client has to name an ID: set AGENT_LEADS_FILTER_BY');
		expect(all).not.toContain('this client has to name an ID');
	});

	it('opens a secret that came encrypted', async () => {
		const gpg = await Gpg.create();
		const folder = await mkdtemp(join(tmpdir(), 'check-'));
		const passphrase = 'three little words';
		const key = await gpg.makeKey('agency@example.com', passphrase, 'default');
		const files = { message: join(folder, 'secret.asc'), key: join(folder, 'key.asc') };
		const { clientSecret } = sandbox.productsClient;
		await writeFile(files.message, await gpg.encrypt(`${clientSecret}\n`, 'agency@example.com'));
		await writeFile(files.key, await gpg.exportPrivate([key], passphrase));
		const variables = {
			...environment('products'),
			AGENT_PRODUCTS_CLIENT_SECRET: undefined,
			AGENT_PRODUCTS_ENCRYPTED_SECRET_FILE: files.message,
			AGENT_PRODUCTS_PRIVATE_KEY_FILE: files.key,
			AGENT_PRODUCTS_PASSPHRASE: passphrase,
		};
		expect((await check(variables)).code).toBe(0);
		const wrong = await check({ ...variables, AGENT_PRODUCTS_PASSPHRASE: 'others words' });
		expect(wrong.code).toBe(2);
		expect(wrong.text).toContain('the secret cannot be opened: AGENT_PRODUCTS_ENCRYPTED_SECRET');
		await gpg.remove();
		await rm(folder, { recursive: true });
		for (const hidden of [passphrase, 'others words', folder])
			expect(written).not.toContain(hidden);
	}, 60_000);
});

describe('the check names what differs:', () => {
	const applicants = 'leads: applicant leads, ';
	const outside = 'lie outside by createdAt';
	const allLeads = (): Row[] => [1, 5, 40, 60].map((hours) => ({ ...addLead('applicant', hours) }));

	it.each<[string, Api, () => void, string]>([
		[
			'a lifetime that is text',
			'leads',
			() => sandbox.updateClient(sandbox.leadsClient.clientId, { expiresIn: '3600' }),
			'a token by form B: expires_in is a string, not a number',
		],
		[
			'a token of another type',
			'inventory',
			() => bodyAt('/token', (body) => ({ ...body, token_type: 'mac' })),
			'a token by form C: token_type is not Bearer',
		],
		[
			'times that are ignored',
			'leads',
			() => {
				const leads = allLeads();
				bodyAt('/applicant-leads', () => ({ applicants: leads }));
			},
			`${applicants}with times: what lies between them: 1 of 4 leads ${outside}`,
		],
		[
			'an end that is ignored',
			'leads',
			() => {
				const leads = allLeads().slice(0, 3);
				bodyAt('/applicant-leads', () => ({ applicants: leads }));
			},
			`${applicants}the end of a window is kept: `,
		],
		[
			'an end that does not belong to the window',
			'leads',
			() =>
				bodyAt('/applicant-leads', ({ applicants: leads }) => ({
					applicants: (leads as Row[]).length > 1 ? leads : [],
				})),
			`${applicants}both ends of a window belong to it: a lead did not come for its own second`,
		],
		[
			'a field without a name in the contract',
			'leads',
			() => eachApplicant((lead) => ({ ...lead, nickname: 'Robin A.' })),
			`${applicants}the names and types of the fields: fields that the contract does not have: nickname`,
		],
		[
			'a field that has another type',
			'leads',
			() => eachApplicant((lead) => ({ ...lead, isOverseas: 'Robin A.' })),
			`${applicants}the names and types of the fields: /isOverseas must be boolean`,
		],
		[
			'a time in another form',
			'leads',
			() => eachApplicant((lead) => ({ ...lead, createdAt: '2 March 2026' })),
			`${applicants}the forms of createdAt: `,
		],
		[
			'an id that comes twice',
			'leads',
			() => eachApplicant((lead) => ({ ...lead, id: 'the same' })),
			`${applicants}every lead has an id of its own: `,
		],
		[
			'a filter that is ignored',
			'leads',
			() => {
				const [lead] = allLeads();
				at('/applicant-leads', (answer) =>
					answer.status === 400 ? json(200, { applicants: [lead] }) : answer,
				);
			},
			`${applicants}an ID that does not exist brings no leads: the filter is ignored: 1 leads`,
		],
		[
			'a refusal in another shape',
			'leads',
			() =>
				at('/applicant-leads', ({ status, ...rest }) =>
					status === 400 ? json(400, { error: 'bad_request' }) : { status, ...rest },
				),
			`${applicants}a time that is none is refused: 400 with an error of OAuth 2.0`,
		],
		[
			'a list without its name',
			'inventory',
			() => bodyAt('/inventory/filter', ({ items }) => items),
			'by filter: max-results and next-token: body: value must be object',
		],
		[
			'a page that is too large',
			'inventory',
			() =>
				bodyAt('/inventory', ({ meta, items }) => ({
					meta,
					items: [...(items as Row[]), ...(items as Row[])],
				})),
			'by address: maxResults and nextToken: 4 rows on a page of 2: the size is ignored',
		],
		[
			'a page that comes twice',
			'inventory',
			() => {
				let first: unknown;
				bodyAt('/inventory/filter', (body) => (first ??= body));
			},
			'by filter: max-results and next-token: the second page repeats rows',
		],
		[
			'a property that does not exist and is one',
			'inventory',
			() => at('/999999999', () => json(200, { id: '999999999' })),
			'no property by id: 200 with JSON of another shape, not 404',
		],
		[
			'an AgencyRef that means nothing',
			'inventory',
			() =>
				at('/inventory', (answer) => (answer.status === 403 ? json(200, { items: [] }) : answer)),
			'an AgencyRef that does not exist is refused: 200 with JSON of another shape, not 403',
		],
		[
			'activations in an object',
			'products',
			() =>
				at('/premium-listings', ({ status, ...rest }) =>
					status === 200 ? json(200, { items: [] }) : { status, ...rest },
				),
			'premium, the list of 30 days is a bare array: body: value must be array',
		],
		[
			'an empty list for an unknown listing',
			'products',
			() =>
				at('/weekly-featured-properties', (answer) =>
					answer.status === 400 ? json(200, []) : answer,
				),
			'weekly, a customerListingId that matches nothing is refused: 200 with JSON of another',
		],
		[
			'a web page',
			'products',
			() =>
				at('/premium-listings', () => ({
					status: 503,
					headers: { 'content-type': 'text/html' },
					body: '<html>Please wait</html>',
				})),
			'premium, the list of 30 days is a bare array: 503 with a web page, not 200',
		],
		[
			'a token that serves once',
			'products',
			() => {
				let asked = 0;
				at('/premium-listings', (answer) => (++asked > 1 ? empty(401) : answer));
			},
			'products: one token serves all requests: refused (401) for',
		],
		[
			'leads of another day',
			'leads',
			() => {
				const leads = allLeads();
				bodyAt('/applicant-leads', () => ({ applicants: leads }));
			},
			`${applicants}without times: the last 24 hours: 2 of 4 leads ${outside}`,
		],
		[
			'a token that nobody looks at',
			'leads',
			() => at('/appraisal-leads', (answer) => (answer.status === 401 ? json(200, {}) : answer)),
			'appraisal leads, a token that is none is refused: 200 with JSON of another shape, not 401',
		],
		[
			'words that find nothing',
			'inventory',
			() => bodyAt('/inventory/search', ({ meta }) => ({ meta, items: [] })),
			'by text: nothing was found for the town of a property',
		],
		[
			'another property than the one asked for',
			'inventory',
			() => one((body) => ({ ...body, id: 'another' })),
			'one whole property: 200, but not the property asked for',
		],
		[
			'a property with a field of another type',
			'inventory',
			() => one((body) => ({ ...body, price: 'on request' })),
			'one whole property: body: /price must be number,null',
		],
		[
			'a batch that is too short',
			'inventory',
			() => bodyAt('/inventory/items', (body) => ({ ...body, items: [] })),
			'several whole properties: 2 asked for, 0 came',
		],
		[
			'a batch that is lost with one wrong ID',
			'inventory',
			() => bodyAt('/inventory/items', (body) => ({ ...body, items: [] })),
			'one of several ids does not exist: the other one is lost',
		],
		[
			'rows for words that nothing can hold',
			'inventory',
			() => bodyAt('/inventory', ({ meta }) => ({ meta, items: [{ id: '1' }] })),
			'no property by address: 1 rows for words that nothing can hold',
		],
		[
			'a 404 where the contract has none',
			'inventory',
			() => at('/inventory/search', () => empty(404)),
			'no property by text: 404 with an empty body, not 200',
		],
		[
			'filters that are ignored',
			'inventory',
			() =>
				bodyAt('/inventory/filter', (body) => ({
					...body,
					items: (body.items as Row[]).map((row) => ({ ...row, recordType: 'Sale' })),
				})),
			'filters of enums and of times: rows came that do not pass recordType',
		],
		[
			'filters that are ignored, of other names',
			'inventory',
			() =>
				bodyAt('/inventory/filter', (body) => ({
					...body,
					items: (body.items as Row[]).map((row) => ({ ...row, archived: true, status: 'Let' })),
				})),
			'filters of enums and of times: rows came that do not pass archived; inventory-status',
		],
		[
			'other properties in a batch',
			'inventory',
			() =>
				bodyAt('/inventory/items', (body) => ({
					...body,
					items: (body.items as Row[]).map((row) => ({ ...row, id: '4711' })),
				})),
			'several whole properties: other properties came than those asked for',
		],
		[
			'days of instruction that find nothing',
			'inventory',
			() => {
				let asked = 0;
				bodyAt('/inventory/filter', (body) => (++asked > 2 ? { ...body, items: [] } : body));
			},
			'a day of instruction as two times: a property of that day did not come',
		],
		[
			'a filter of a wrong type that is taken',
			'inventory',
			() => at('/inventory/filter', (answer) => (answer.status === 400 ? json(200, {}) : answer)),
			'a filter of the wrong type is refused: 200 with JSON of another shape, not 400',
		],
		[
			'an inventory without a token',
			'inventory',
			() => at('/inventory', (answer) => (answer.status === 401 ? json(200, {}) : answer)),
			'inventory: a token that is none is refused: 200 with JSON of another shape, not 401',
		],
		[
			'branches with another name for the ID',
			'inventory',
			() => bodyAt('/branches', () => ({ items: [{ id: '11' }] })),
			'branches: fields that the contract does not have: id',
		],
		[
			'negotiators with an ID of another type',
			'inventory',
			() => bodyAt('/negotiators', () => ({ items: [{ id: 41 }] })),
			'negotiators: /id must be string,null',
		],
		[
			'a branch that is in the list and nowhere else',
			'inventory',
			() => at('/branches/11', () => empty(404)),
			'one branch: 404 with an empty body, not 200',
		],
		[
			'another negotiator than the one asked for',
			'inventory',
			() => bodyAt('/negotiators/41', (body) => ({ ...body, id: '42' })),
			'one negotiator: 200, but not the one asked for',
		],
		[
			'a fraction of a second that breaks the service',
			'leads',
			() =>
				at('/appraisal-leads', (answer) =>
					answer.body.includes('whole seconds') ? json(418, {}) : answer,
				),
			'appraisal leads, a time with a fraction of a second: 418 with JSON of another shape',
		],
		[
			'an integration that is not there',
			'inventory',
			() => at('/partners/integration', () => empty(500)),
			'the integration: 500 with an empty body, not 200 or 404',
		],
		[
			'another activation than the one asked for',
			'products',
			() => one((body) => ({ ...body, id: '0b6a2d54-93c1-4e7f-8a15-d2f4c6e8a010' })),
			'premium, one by its id: 200, but not the one asked for',
		],
		[
			'an activation that does not exist and is one',
			'products',
			() =>
				front.answer(async ({ isOfOne }, pass) => {
					const answer = await pass();
					return isOfOne && answer !== 'lost' && answer.status === 404 ? json(200, {}) : answer;
				}),
			'weekly, an id that does not exist: 200 with JSON of another shape, not 404',
		],
		[
			'a listing that is ignored',
			'products',
			() =>
				at('/premium-listings', (answer) =>
					answer.body === '[]' ? json(200, [{ listingId: 2 }]) : answer,
				),
			'premium, a listing that has none: an empty list: the filter is ignored: 1 came',
		],
		[
			'activations that are older than asked for',
			'products',
			() =>
				at('/weekly-featured-properties', (answer) =>
					json(200, [{ listingId: 2, createdAt: '2020-01-01T00:00:00Z' }], answer.headers),
				),
			'weekly, the list of 30 days is a bare array: 1 of 1 activations are older',
		],
		[
			'a time where a day belongs',
			'products',
			() =>
				at('/weekly-featured-properties', (answer) =>
					answer.status === 400 ? json(200, []) : answer,
				),
			'weekly, a time in place of the day is refused: 200 with JSON of another shape, not 400',
		],
		[
			'two ids at once',
			'products',
			() => at('/premium-listings', (answer) => (answer.status === 400 ? json(200, []) : answer)),
			'premium, both ids in one request are refused: 200 with JSON of another shape, not 400',
		],
		[
			'activations for nobody',
			'products',
			() => at('/premium-listings', (answer) => (answer.status === 401 ? json(200, []) : answer)),
			'premium, a token that is none is refused: 200 with JSON of another shape, not 401',
		],
	])('%s', async (_, api, change, line) => {
		change();
		const { code, differs } = await check(environment(api));
		expect(differs.join('\n')).toContain(line);
		expect(code).toBe(1);
		expect(written).not.toContain('Robin A.');
	});

	it('an unlisted value by its prefix alone, which is no fault', async () => {
		eachApplicant((lead) => ({ ...lead, enquiryType: 'ENQUIRY_TYPE_ROBIN_ASHDOWN' }));
		const { code, text: all } = await check(environment('leads'));
		expect(all).toContain('values that are not listed, which may be: enquiryType (ENQUIRY_TYPE_');
		expect(all).not.toContain('ASHDOWN');
		expect(code).toBe(0);
	});

	it('what no record has come for, as not tried', async () => {
		at('/inventory', ({ status, ...rest }) =>
			status === 200 ? json(200, { meta: {}, items: [] }) : { status, ...rest },
		);
		const { code, text: all } = await check(environment('inventory'));
		expect(all).toContain(
			'not tried    inventory: by address: maxResults and nextToken: no records',
		);
		expect(code).toBe(0);
	});

	it('a field, but not a key that may be data or a secret', async () => {
		const { clientId } = sandbox.leadsClient;
		eachApplicant((lead) => ({ ...lead, 'robin@example.com': 1, [clientId]: 2 }));
		const { differs } = await check(environment('leads'));
		expect(differs.join()).toContain('(a key that may be data); …');
		expect(written).not.toContain('robin');
	});
});

describe('the check could not run:', () => {
	it.each<[string, () => Environment, string]>([
		[
			'a wrong pair',
			() => ({ ...environment('leads'), AGENT_LEADS_CLIENT_SECRET: 'wrong' }),
			'no token: 401 with an error of OAuth 2.0; the service does not know this pair',
		],
		[
			'an audience of another environment',
			() => ({ ...environment('leads'), AGENT_LEADS_AUDIENCE: 'https://other.example.com' }),
			'no token: 403 with an error of OAuth 2.0; an audience, a scope or a pair of another',
		],
		[
			'an address that is a web page',
			() => {
				at('/token', () => ({ status: 200, headers: {}, body: ' <!doctype html>' }));
				return environment('inventory');
			},
			'no token: 200 with a web page; is the address right?',
		],
		[
			'nobody at the address',
			() => ({ ...environment('products'), AGENT_PRODUCTS_AUTH_URL: 'http://127.0.0.1:9/auth' }),
			'no answer: nobody listens at the address',
		],
		[
			'something that is no address',
			() => ({ ...environment('products'), AGENT_PRODUCTS_URL: 'products.example.com' }),
			'AGENT_PRODUCTS_URL is not a web address',
		],
		[
			'variables that are missing',
			() => ({
				...environment('inventory'),
				AGENT_INVENTORY_AGENCY_REF: '',
				AGENT_INVENTORY_CLIENT_ID: undefined,
			}),
			'not set: AGENT_INVENTORY_AGENCY_REF, AGENT_INVENTORY_CLIENT_ID',
		],
		[
			'no secret',
			() => ({ ...environment('leads'), AGENT_LEADS_CLIENT_SECRET: undefined }),
			'not set: AGENT_LEADS_CLIENT_SECRET, or AGENT_LEADS_ENCRYPTED_SECRET_FILE, ',
		],
		[
			'a file that is not there',
			() => ({
				...environment('leads'),
				AGENT_LEADS_CLIENT_SECRET: undefined,
				AGENT_LEADS_ENCRYPTED_SECRET_FILE: '/no/such/file',
				AGENT_LEADS_PRIVATE_KEY_FILE: '/no/such/key',
			}),
			'the file of AGENT_LEADS_ENCRYPTED_SECRET_FILE cannot be read',
		],
		[
			'half a filter',
			() => ({ ...environment('leads'), AGENT_LEADS_FILTER_IDS: '11' }),
			'AGENT_LEADS_FILTER_BY takes branch, brand, company or group',
		],
	])('%s', async (_, prepare, why) => {
		const { code, text: all } = await check(prepare());
		expect(all).toContain(why);
		expect(all).toContain('Something that was asked for could not be tried.');
		expect(code).toBe(2);
		expect(written).not.toContain('/no/such');
	});

	it('nothing is set', async () => {
		const { code, text: all } = await check({});
		expect(code).toBe(2);
		expect(all).toContain('Nothing to check: no variable is set.');
		expect(all).toContain('AGENT_LEADS_CLIENT_SECRET');
	});
});

describe('a service that is busy', () => {
	it('is asked again after the time that it names', async () => {
		sandbox.faults.add({ path: '/applicant-leads', kind: 'status', status: 429, retryAfter: 0 });
		expect((await check(environment('leads'))).code).toBe(0);
	});

	it('is left alone if it names a long time', async () => {
		at('/applicant-leads', () => empty(429, { 'retry-after': '86400' }));
		const { text: all } = await check(environment('leads'));
		expect(all).toContain('the service is busy (429) and asks for a wait that is too long');
	});

	it('is not asked for ever', async () => {
		at('/applicant-leads', () => empty(429));
		const { text: all } = await check(environment('leads'));
		expect(all).toContain('the service was busy (429) 3 times');
	});

	it('is asked again where it fails, is cut off or does not know its own token for once', async () => {
		const { clientId } = sandbox.leadsClient;
		const path = '/applicant-leads';
		sandbox.faults.add({ path, kind: 'status', status: 503 });
		sandbox.faults.add({ path, kind: 'reset' });
		front.answer(async ({ path: asked }, pass) => {
			const answer = await pass();
			if (!asked.endsWith(path)) return answer;
			sandbox.revokeTokens(clientId);
			front.clear();
			return answer;
		});
		const { code, differs } = await check(environment('leads'));
		expect(differs.join('\n')).toMatch(
			/^differs.*one token serves all requests: refused \(401\) for 1 of/,
		);
		expect(code).toBe(1);
		expect(sandbox.counts.tokens[clientId]).toBe(2);
	});

	it('is not waited for if it never answers', async () => {
		front.answer(async ({ path }, pass) =>
			path.endsWith('/applicant-leads') ? await new Promise(() => undefined) : await pass(),
		);
		const { text: all } = await check(environment('leads'), { ...HURRIED, deadline: 50 });
		expect(all).toContain('no answer: it took too long');
	});
});

describe('a wild service', () => {
	it.each(['allowed', 'misbehaving'] as const)(
		'that is %s never breaks the check, and is only read',
		async (strength) => {
			const start = Number(process.env.WILD_SEED ?? randomInt(2 ** 31));
			process.stdout.write(`check of a wild service, ${strength}: seed ${start}\n`);
			for (let seed = start; seed < start + 5; seed++) {
				sandbox.wild.start({ seed, strength, rate: 0.5 });
				const { code, text: all } = await check(environment(), { ...HURRIED, longestWait: 5 });
				expect([0, 1, 2]).toContain(code);
				expect(all).not.toContain('the check itself failed');
				expect(all).toMatch(/\n\d+ as expected, \d+ differs, \d+ not tried; \d+ requests\./);
			}
			const writes = sandbox.requests.filter(({ method }) => method !== 'GET');
			expect(writes.filter(({ path }) => !path.endsWith('/token'))).toEqual([]);
			expect(sandbox.counts.credits).toBe(2);
		},
		60_000,
	);
});

describe('npm run check:service', () => {
	async function run(args: string[], variables: Environment) {
		const { PATH } = process.env;
		const child = spawn(process.execPath, ['scripts/check-service.mjs', ...args], {
			cwd: root,
			env: { PATH, ...variables },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const [out, err] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			once(child, 'close'),
		]);
		written += out + err;
		return { code: child.exitCode, out, err };
	}

	it('runs it in plain Node, and shows no secret', async () => {
		const { code, out, err } = await run([], {
			...environment('products'),
			AGENT_PRODUCTS_CLIENT_SECRET: 'not this one',
		});
		expect(err).toBe('');
		expect(out).toContain('not tried    leads: all rules: no variable of it is set');
		expect(out).toContain('products: the area can be tried: no token: 401');
		expect(out).not.toContain('not this one');
		expect(code).toBe(2);
	});

	it('says what it takes, and repeats nothing that it does not', async () => {
		const { code, out } = await run(['--help'], environment());
		expect(code).toBe(0);
		expect(out).toContain('* AGENT_INVENTORY_TOKEN_URL');
		const wrong = await run(['--secret', 'of somebody'], environment());
		expect(wrong.code).toBe(2);
		expect(wrong.err).toContain('takes --help only');
		expect(wrong.err).not.toContain('somebody');
	});
});
