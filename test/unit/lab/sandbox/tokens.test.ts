import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Sandbox } from '../../../lab/sandbox';
import { AGENCY_REFS } from '../../../lab/sandbox/inventory';
import { bearer, body, request, tokenRequest } from './helpers';

const [AGENCY] = AGENCY_REFS;

describe('a token', () => {
	let own: Sandbox;
	beforeEach(async () => {
		own = await Sandbox.start();
	});
	afterEach(() => own.stop());

	const leads = (headers: Record<string, string>) =>
		request(`${own.leadsUrl}/applicant-leads`, { headers });
	const properties = (headers: Record<string, string>) =>
		request(`${own.inventoryUrl}/inventory`, { headers: { AgencyRef: AGENCY, ...headers } });
	const activations = (headers: Record<string, string>) =>
		request(`${own.productsUrl}/products/premium-listings`, { headers });

	it('is wanted by every API, in the scheme Bearer, and refused in its own error shape', async () => {
		const { Authorization = '' } = await bearer(own, own.leadsClient);
		const scheme = Authorization.replace('Bearer ', '');

		const wrong: Record<string, string>[] = [
			{},
			{ Authorization: 'Bearer unknown' },
			{ Authorization: scheme },
		];

		for (const headers of wrong) {
			const [lead, property, activation] = [
				await leads(headers),
				await properties(headers),
				await activations(headers),
			];
			expect([lead.status, property.status, activation.status]).toEqual([401, 401, 401]);
			expect(body(lead)).toEqual({
				errors: [{ message: expect.any(String), code: expect.any(Number), links: [] }],
			});
			expect(body(property)).toEqual({
				type: expect.any(String),
				title: 'Unauthorized',
				status: 401,
				detail: expect.any(String),
				instance: expect.any(String),
			});
			const { errors } = body<{ errors: { reason: string; code: number }[] }>(activation);
			expect(errors[0]?.code.toString()).toMatch(/^\d{7}$/);
			expect(Object.keys(errors[0] ?? {}).sort()).toEqual(['code', 'reason']);
		}
	});

	it('of one integration is refused by the others', async () => {
		const [ofLeads, ofProducts, ofInventory] = [
			await bearer(own, own.leadsClient),
			await bearer(own, own.productsClient),
			await bearer(own, own.inventoryClient),
		];

		expect((await leads(ofLeads)).status).toBe(200);
		expect((await activations(ofProducts)).status).toBe(200);
		expect((await properties(ofInventory)).status).toBe(200);
		expect((await leads(ofProducts)).status).toBe(401);
		expect((await activations(ofInventory)).status).toBe(401);
		expect((await properties(ofLeads)).status).toBe(401);
	});

	it('expires by the clock of the service, at its lifetime and not before', async () => {
		own.updateClient('leads-client', { tokenLifetime: 600 });

		const reply = await tokenRequest(own, own.leadsClient);

		expect(body<{ expires_in: number }>(reply).expires_in).toBe(600);

		const { access_token: value } = body<{ access_token: string }>(reply);
		const headers = { Authorization: `Bearer ${value}` };
		own.advance(590_000);
		expect((await leads(headers)).status).toBe(200);

		own.advance(10_000);
		expect((await leads(headers)).status).toBe(401);
	});

	it('is refused once it is revoked, and a new one is good', async () => {
		const old = await bearer(own, own.leadsClient);
		own.revokeTokens('leads-client');

		expect((await leads(old)).status).toBe(401);
		expect((await leads(await bearer(own, own.leadsClient))).status).toBe(200);
	});

	it('ends with its pair, which then gets no other', async () => {
		const old = await bearer(own, own.productsClient);
		own.revokeClient('products-client');

		expect((await activations(old)).status).toBe(401);

		const reply = await tokenRequest(own, own.productsClient);

		expect([reply.status, body<{ error: string }>(reply).error]).toEqual([401, 'invalid_client']);
	});

	it('can be refused with 403, by client and by sandbox', async () => {
		own.updateClient('leads-client', { rejectTokenWith: 403 });
		const headers = await bearer(own, own.leadsClient);
		own.revokeTokens('leads-client');

		expect((await leads(headers)).status).toBe(403);
		expect((await leads({ Authorization: 'Bearer unknown' })).status).toBe(401);

		own.rejectTokenWith = 403;
		expect((await leads({ Authorization: 'Bearer unknown' })).status).toBe(403);
	});

	it('does not help a client without permission', async () => {
		own.updateClient('leads-client', { permitted: false });
		own.updateClient('products-client', { permitted: false });
		own.updateClient('inventory-client', { permitted: false });

		expect((await leads(await bearer(own, own.leadsClient))).status).toBe(403);
		expect((await activations(await bearer(own, own.productsClient))).status).toBe(403);
		expect((await properties(await bearer(own, own.inventoryClient))).status).toBe(403);
	});

	it('comes with whatever expires_in was asked for', async () => {
		for (const expiresIn of ['abc', -1, null, 0, 1.5]) {
			own.updateClient('leads-client', { expiresIn });
			const reply = await tokenRequest(own, own.leadsClient);
			expect(body<{ expires_in: unknown }>(reply).expires_in).toEqual(expiresIn);
		}

		own.updateClient('leads-client', { expiresIn: undefined });
		expect(body(await tokenRequest(own, own.leadsClient))).not.toHaveProperty('expires_in');
	});
});
