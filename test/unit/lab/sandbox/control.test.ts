import { request as httpRequest } from 'node:http';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Sandbox } from '../../../lab/sandbox';
import { AGENCY_REFS } from '../../../lab/sandbox/inventory';
import { bearer, body, request, tokenRequest, type Reply } from './helpers';

const [AGENCY, OTHER_AGENCY] = AGENCY_REFS;

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await Sandbox.start();
});
afterEach(() => sandbox.stop());

function control(method: string, name: string, input?: unknown): Promise<Reply> {
	return request(`${sandbox.url}/_sandbox/${name}`, {
		method,
		body: input === undefined ? undefined : JSON.stringify(input),
	});
}

async function done(method: string, name: string, input?: unknown): Promise<unknown> {
	const reply = await control(method, name, input);
	expect(reply.status).toBe(200);
	return body(reply);
}

describe('the control surface', () => {
	it('says where everything is', async () => {
		expect(await done('GET', 'addresses')).toEqual(JSON.parse(JSON.stringify(sandbox.addresses())));
	});

	it('gives and resets the counts, and is no part of them', async () => {
		await tokenRequest(sandbox, sandbox.leadsClient);

		expect(await done('GET', 'counts')).toMatchObject({ tokens: { 'leads-client': 1 } });
		expect(await done('GET', 'requests')).toHaveLength(1);

		await done('POST', 'reset-counts');
		expect(await done('GET', 'requests')).toEqual([]);
	});

	it('adds leads and takes them away', async () => {
		const overrides = { message: 'Hello' };

		const one = await done('POST', 'leads', { kind: 'applicant', overrides });

		expect(one).toMatchObject({ ids: [expect.any(String)], lead: overrides });

		const many = { kind: 'appraisal', count: 5, from: sandbox.now() - 60_000, branchId: ['b1'] };

		await done('POST', 'leads', many);

		expect([sandbox.leads.count('applicant'), sandbox.leads.count('appraisal')]).toEqual([1, 5]);

		const headers = await bearer(sandbox, sandbox.leadsClient);

		const served = await request(`${sandbox.leadsUrl}/applicant-leads`, { headers });

		expect(body(served)).toMatchObject({ applicants: [{ message: 'Hello' }] });

		await done('DELETE', 'leads');

		expect(sandbox.leads.count('appraisal')).toBe(0);
	});

	it('arms faults and disarms them', async () => {
		const rule = { kind: 'status', status: 503, pathPattern: 'oauth2', times: 'Infinity' };

		await done('POST', 'faults', rule);

		for (let round = 0; round < 2; round++) {
			expect((await tokenRequest(sandbox, sandbox.leadsClient)).status).toBe(503);
		}

		await done('DELETE', 'faults');
		expect((await tokenRequest(sandbox, sandbox.leadsClient)).status).toBe(200);
	});

	it('changes clients, tokens and the clock', async () => {
		await done('POST', 'clients', { integration: 'leads', clientId: 'new', clientSecret: 's' });
		await done('POST', 'clients', { clientId: 'new', branches: ['b1', 'b2'] });

		const client = sandbox.clients.get('new');

		expect(client.branches).toEqual(['b1', 'b2']);

		const headers = await bearer(sandbox, client);
		await done('POST', 'revoke-tokens', { clientId: 'new' });
		expect((await request(`${sandbox.leadsUrl}/applicant-leads`, { headers })).status).toBe(401);

		await done('POST', 'revoke-client', { clientId: 'new' });
		expect((await tokenRequest(sandbox, client)).status).toBe(401);

		const before = sandbox.now();

		await done('POST', 'clock', { advanceMs: 60_000 });

		expect(sandbox.now()).toBeGreaterThanOrEqual(before + 60_000);
	});

	it('switches the wild mode on and off, on its page too', async () => {
		expect((await control('GET', '')).text).toContain('<p class="state">Off.</p>');

		const settings = { seed: 7, strength: 'allowed', rate: 1, only: ['failed'] };
		expect(await done('POST', 'wild', settings)).toMatchObject({ isOn: true, settings });
		expect((await control('GET', '')).text).toContain('On: allowed, seed 7, 1 of all requests.');
		expect((await tokenRequest(sandbox, sandbox.leadsClient)).status).toBe(500);
		expect(await done('GET', 'wild')).toMatchObject({ counts: { failed: 1 } });

		await done('DELETE', 'wild');
		expect((await tokenRequest(sandbox, sandbox.leadsClient)).status).toBe(200);
	});

	it('settles activations, and fills agencies', async () => {
		await done('POST', 'products', { result: 'ERROR', settleAfterGets: null });
		const made = sandbox.products.activate('premium-listings', { listingId: 7 }, 'products-client');

		await done('POST', 'settle', { id: made.id });

		expect(sandbox.products.find('premium-listings', made.id)?.shown.status.result).toBe('ERROR');

		await done('DELETE', 'products');

		expect(sandbox.products.list('premium-listings')).toEqual([]);

		await done('POST', 'properties', { agencyRef: OTHER_AGENCY, count: 3 });

		expect(sandbox.inventory.of(OTHER_AGENCY)).toHaveLength(3);
	});

	it('adds, changes and takes away a property, and answers with it', async () => {
		const made = await done('POST', 'property', { changes: { price: 210_000 } });

		const { id } = sandbox.inventory.of(AGENCY).at(-1) ?? {};
		expect(made).toMatchObject({ id, price: 210_000 });

		const changes = { inventoryStatus: 'UnderOffer' };
		const changed = await done('POST', 'property', { agencyRef: AGENCY, id, changes });

		expect(changed).toMatchObject({ id, price: 210_000, status: 'Under Offer' });
		expect((await control('GET', '')).text).toContain(`<th scope="row">${id}</th>`);

		const there = sandbox.inventory.of(OTHER_AGENCY).length;
		await done('POST', 'property', { agencyRef: OTHER_AGENCY });
		expect(sandbox.inventory.of(OTHER_AGENCY)).toHaveLength(there + 1);

		await done('DELETE', 'property', { id });
		expect(sandbox.inventory.of(AGENCY).map((property) => property.id)).not.toContain(id);
	});

	it('shows a change late where it is told to', async () => {
		const { id, price } = sandbox.inventory.create(AGENCY);
		const lag = { records: { reads: 1 }, rows: { ms: 60_000 } };

		await done('POST', 'property', { id, changes: { price: price + 1 }, lag });

		const prices = [0, 1].map(() => sandbox.inventory.read(AGENCY, new Set([id]))[0]?.price);
		expect(prices).toEqual([price, price + 1]);
	});

	it('lets a property change as in life', async () => {
		const made = await done('POST', 'market', { change: 'new' });

		expect(sandbox.inventory.of(AGENCY).at(-1)).toMatchObject(made as object);
	});

	it('takes simple fields as a form sends them, which needs no quotes in any shell', async () => {
		const form = await request(`${sandbox.url}/_sandbox/leads`, {
			method: 'POST',
			body: new URLSearchParams({ kind: 'applicant' }),
		});

		expect(form.status).toBe(200);
		expect(sandbox.leads.count('applicant')).toBe(1);
	});

	it('refuses what it does not understand', async () => {
		for (const [name, input] of [
			['leads', { kind: 'applicant', count: 'many' }],
			['faults', { kind: 'status' }],
			['service', { state: 'busy', seconds: 0 }],
			['wild', { rate: 2 }],
			['wild', { seed: 'x' }],
			['wild', { only: ['nothing'] }],
			['wild', { only: 'drip' }],
			['clock', {}],
			['property', { id: 'unknown' }],
			['property', { changes: 1 }],
			['property', { agencyRef: 1 }],
			['property', { lag: { rows: 1 } }],
			['property', { lag: { records: { ms: 'long' } } }],
			['products', { errors: 'none' }],
			['products', { errors: [{ reason: 'x' }] }],
			['clock', []],
			['revoke-tokens', { clientId: 'nobody' }],
		] as const) {
			expect((await control('POST', name, input)).status).toBe(400);
		}
	});

	it.each([
		['leads', { kind: 'other' }, 'kind is one of applicant, appraisal; not "other"'],
		['leads', { kind: 'applicant', branch: 'b1' }, 'branchId, brandId'],
		['leads', 'applicant', 'unknown field "applicant"; known are kind, count'],
		['faults', { kind: 'other' }, 'status, html, reset, hang, truncate, cutJson, latency'],
		['faults', { kind: 'status', code: 500 }, 'unknown field "code"; known are kind, status'],
		[
			'faults',
			{ kind: 'reset', status: 500 },
			'of the kind reset "status"; known are kind, method',
		],
		['faults', { kind: 'reset', when: 'never' }, 'when is one of before, after; not "never"'],
		['faults', { kind: 'status', status: 500, body: 'x' }, 'one of api, empty, html, json'],
		[
			'service',
			{ state: 'slow' },
			'state is one of busy, broken, refusing access, normal; not "slow"',
		],
		['wild', { strength: 'mild' }, 'strength is one of allowed, misbehaving; not "mild"'],
		['wild', { other: 1 }, 'unknown field "other"; known are seed, strength'],
		['products', { result: 'NOPE' }, 'result is one of ACTIVATED, SCHEDULED, ERROR; not "NOPE"'],
		['products', { outcome: 'ERROR' }, 'unknown field "outcome"; known are settleAfterGets'],
		['market', { change: 'rent' }, 'change is one of price, status, new; not "rent"'],
		['property', { changes: { prise: 1 } }, 'unknown field of a property "prise"; known are id'],
		['property', { changes: { inventoryStatus: 'Sold' } }, 'Available, UnderOffer'],
		['property', { changes: { recordType: 'Lease' } }, 'Sale, Rent'],
		['property', { lag: { pages: 1 } }, 'unknown field of a lag "pages"; known are rows, records'],
		['clients', { clientId: 'new', integration: 'other' }, 'leads, products, inventory'],
		['push-addresses', { url: 'http://localhost', authentication: { by: 'x' } }, 'key, token'],
		['reset-counts', { all: true }, 'unknown field "all"; there are none'],
		['nothing', {}, 'known are GET addresses'],
	])('names the words that it knows: %s %j', async (name, input, expected) => {
		const body = typeof input === 'string' ? input : JSON.stringify(input);

		const reply = await request(`${sandbox.url}/_sandbox/${name}`, { method: 'POST', body });

		expect(reply.status).toBe(name === 'nothing' ? 404 : 400);
		expect(JSON.parse(reply.text)).toEqual({ message: expect.stringContaining(expected) });
	});
});

describe('the service, for a while', () => {
	it.each([
		['busy', 429],
		['broken', 500],
		['refusing access', 403],
	])('is %s', async (state, status) => {
		const headers = await bearer(sandbox, sandbox.leadsClient);
		const ask = async () => {
			const asked = ['/applicant-leads', '/appraisal-leads'].map(async (path) => {
				return (await request(sandbox.leadsUrl + path, { headers })).status;
			});
			return await Promise.all(asked);
		};

		sandbox.standStill();
		const until = new Date(sandbox.now() + 60_000).toISOString();
		expect(await done('POST', 'service', { state })).toEqual({ state, until });
		expect(await ask()).toEqual([status, status]);
		expect((await tokenRequest(sandbox, sandbox.leadsClient)).status).toBe(200);

		sandbox.advance(60_000);
		expect(await ask()).toEqual([200, 200]);
		expect(await done('GET', 'service')).toEqual({ state: 'normal' });
	});

	it('is one thing at a time, for as long as it is told', async () => {
		const headers = await bearer(sandbox, sandbox.productsClient);
		const ask = async () => {
			return (await request(`${sandbox.productsUrl}/products/premium-listings`, { headers }))
				.status;
		};

		await done('POST', 'service', { state: 'broken', seconds: 3_600 });
		await done('POST', 'service', { state: 'busy', seconds: 5 });

		expect(await ask()).toBe(429);
		sandbox.advance(5_000);
		expect(await ask()).toBe(200);
	});

	it('is as usual again when it is told, whatever was ordered of it', async () => {
		await done('POST', 'service', { state: 'refusing access' });
		await done('POST', 'faults', { kind: 'reset', times: 'Infinity' });
		await done('POST', 'wild', { rate: 1, only: ['failed'] });
		await done('POST', 'products', { result: 'ERROR' });

		await done('POST', 'service', { state: 'normal' });

		const headers = await bearer(sandbox, sandbox.leadsClient);
		expect((await request(`${sandbox.leadsUrl}/applicant-leads`, { headers })).status).toBe(200);
		expect(sandbox.products.behaviour.result).toBe('ACTIVATED');
	});
});

describe('another site’s page', () => {
	const write = async (headers: Record<string, string>) => {
		const input = { method: 'POST', headers, body: '{"kind":"applicant"}' };
		return (await request(`${sandbox.url}/_sandbox/leads`, input)).status;
	};

	it.each([
		[{ Origin: 'https://example.com' }],
		[{ Origin: 'null' }],
		[{ Origin: 'http://127.0.0.1:1' }],
		[{ 'Sec-Fetch-Site': 'cross-site' }],
		[{ 'Sec-Fetch-Site': 'same-site' }],
	])('cannot make it do anything: %j', async (headers: Record<string, string>) => {
		expect(await write(headers)).toBe(403);
		expect(sandbox.leads.count('applicant')).toBe(0);
	});

	it('its own page can, and so can what is no page', async () => {
		expect(await write({})).toBe(200);
		expect(await write({ Origin: sandbox.url })).toBe(200);
		expect(await write({ Origin: sandbox.url, 'Sec-Fetch-Site': 'same-origin' })).toBe(200);
	});

	it('sees nothing under a name of its own that leads to this machine', async () => {
		expect(await statusFor('example.com')).toBe(403);
		expect(await statusFor('127.0.0.1.example.com:80')).toBe(403);
		expect(await statusFor(`localhost:${sandbox.port}`)).toBe(200);
	});

	it('may link to the page, but not frame it', async () => {
		const reply = await request(`${sandbox.url}/_sandbox`, {
			headers: { 'Sec-Fetch-Site': 'cross-site' },
		});

		expect(reply.status).toBe(200);
		expect(reply.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
		expect(reply.headers.get('cross-origin-resource-policy')).toBe('same-origin');
	});

	/** fetch sets Host itself. */
	function statusFor(host: string): Promise<number | undefined> {
		return new Promise((resolve, reject) => {
			const asked = httpRequest(`${sandbox.url}/_sandbox/addresses`, { headers: { host } });
			asked.on('response', (answer) => {
				answer.resume();
				resolve(answer.statusCode);
			});
			asked.on('error', reject).end();
		});
	}
});
