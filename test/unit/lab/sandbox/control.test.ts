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
	it('has a page for people', async () => {
		const reply = await control('GET', '');

		expect(reply.headers.get('content-type')).toContain('text/html');
		expect(reply.text).toContain(sandbox.leadsUrl);
		expect(reply.text).toContain('<a href="/_sandbox/counts">counts</a>');
		expect(reply.text).not.toContain(sandbox.leadsClient.clientSecret);
	});

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

		expect(one).toEqual({ ids: [expect.any(String)] });

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
		expect((await control('GET', '')).text).toContain('<h2>Wild mode</h2>\n<p>Off.');

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
		expect((await control('GET', '')).text).toContain(`<tr><th>${id}</th>`);

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

	it('refuses what it does not understand', async () => {
		expect((await control('GET', 'nothing')).status).toBe(404);
		for (const [name, input] of [
			['leads', { kind: 'other' }],
			['leads', { kind: 'applicant', count: 'many' }],
			['faults', { kind: 'other' }],
			['faults', { kind: 'status' }],
			['wild', { strength: 'mild' }],
			['wild', { rate: 2 }],
			['wild', { seed: 'x' }],
			['wild', { only: ['nothing'] }],
			['wild', { only: 'drip' }],
			['wild', { other: 1 }],
			['clock', {}],
			['property', { id: 'unknown' }],
			['property', { changes: 1 }],
			['property', { agencyRef: 1 }],
			['property', { lag: { rows: 1 } }],
			['property', { lag: { records: { ms: 'long' } } }],
			['clock', []],
			['revoke-tokens', { clientId: 'nobody' }],
		] as const) {
			expect((await control('POST', name, input)).status).toBe(400);
		}
	});
});
