import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject, ICredentialTestFunction } from 'n8n-workflow';

import { AgentInventory } from '../../../../nodes/AgentInventory/AgentInventory.node';
import { AgentLeads } from '../../../../nodes/AgentLeads/AgentLeads.node';
import { AgentProducts } from '../../../../nodes/AgentProducts/AgentProducts.node';
import { Gpg } from '../../../lab/gpg';
import type { WireRequest } from '../../../lab/reference/http';
import { findByAddress } from '../../../lab/reference/inventory';
import { listLeads } from '../../../lab/reference/leads';
import { listPremium } from '../../../lab/reference/products';
import { inventoryToken, leadsToken, productsToken } from '../../../lab/reference/tokens';
import type { Api } from '../../../lab/engine/wire';
import { isToken, PAIR } from '../../../lab/engine/wire';
import { useWire } from '../../../lab/engine/useBench';

const wire = useWire();

const APIS: Api[] = ['leads', 'inventory', 'products'];

/** The right request for a token, with the pair that the operator gave. */
function tokenRequest(api: Api, pair = PAIR): WireRequest {
	switch (api) {
		case 'leads':
			return leadsToken(wire.authUrl, pair, wire.baseUrl(api));
		case 'inventory':
			return inventoryToken(wire.tokenUrl, pair);
		case 'products':
			return productsToken(wire.authUrl, pair);
	}
}

const READS = {
	leads: {},
	inventory: { operation: 'getAll', limit: 1 },
	products: { operation: 'getAll' },
};

async function tokensOfRun(api: Api, changes: ICredentialDataDecryptedObject = {}) {
	const sent = await wire.ofRun(api, READS[api], changes);
	return sent.filter(({ path }) => isToken(path));
}

describe.each(APIS)('the token request of %s', (api) => {
	it('is the one of the reference client', async () => {
		expect(await tokensOfRun(api)).toEqual(await wire.ofReference(tokenRequest(api)));
	});

	it('holds the ID and the secret as they are, whatever signs are in them', async () => {
		const pair = { clientId: 'a+b@c.example%20', clientSecret: '&= %2B+:€\\"' };
		const right = await wire.ofReference(tokenRequest(api, pair));

		expect(await tokensOfRun(api, pair)).toEqual(right);
	});
});

it('of products asks for another scope if there is one', async () => {
	const right = productsToken(wire.authUrl, PAIR, 'api/other');

	expect(await tokensOfRun('products', { scope: 'api/other' })).toEqual(
		await wire.ofReference(right),
	);
});

it('of leads asks for another audience if there is one', async () => {
	const audience = 'https://leads.example.com/v1/';
	const right = leadsToken(wire.authUrl, PAIR, audience);

	expect(await tokensOfRun('leads', { audience })).toEqual(await wire.ofReference(right));
});

it('of inventory goes to the Token URL with its query', async () => {
	const tokenUrl = `${wire.tokenUrl}?tenant=one%2Ftwo&x=`;

	expect(await tokensOfRun('inventory', { tokenUrl })).toEqual(
		await wire.ofReference(inventoryToken(tokenUrl, PAIR)),
	);
});

describe('a secret that came encrypted', () => {
	const passphrase = 'three little words';
	let gpg: Gpg;
	let privateKey: string;
	let message: string;

	beforeAll(async () => {
		gpg = await Gpg.create();
		const key = await gpg.makeKey('agency@example.com', passphrase, 'rsa2048', {
			usage: 'sign,encrypt',
		});
		privateKey = await gpg.exportPrivate([key], passphrase);
		message = await gpg.encrypt(`${PAIR.clientSecret}\n`, 'agency@example.com');
	}, 60_000);

	afterAll(async () => {
		await gpg.remove();
	});

	it.each(APIS)(
		'is sent to %s as the operator encrypted it',
		async (api) => {
			const right = await wire.ofReference(tokenRequest(api));

			const sent = await tokensOfRun(api, {
				secretFormat: 'pgp',
				clientSecret: '',
				encryptedSecret: message,
				privateKey,
				passphrase,
			});

			expect(sent).toEqual(right);
		},
		60_000,
	);
});

describe('the test of a credential', () => {
	const LONG_AGO = new Date('2000-01-01T00:00:00Z');
	const TESTS: Record<Api, () => ICredentialTestFunction> = {
		leads: () => new AgentLeads().methods.credentialTest.agentLeadsApiTest,
		inventory: () => new AgentInventory().methods.credentialTest.agentInventoryApiTest,
		products: () => new AgentProducts().methods.credentialTest.agentProductsApiTest,
	};

	async function sentBy(api: Api) {
		const data = wire.credential(api);
		const credentials = { id: 'credential', name: '', type: '', data };
		const result = await TESTS[api]().call(new CredentialTestContext(), credentials);
		expect(result).toMatchObject({ status: 'OK' });
		return wire.take();
	}

	it.each<[Api, () => WireRequest]>([
		['leads', () => listLeads(wire.door('leads'), 'appraisal')],
		['inventory', () => findByAddress(wire.door('inventory'), { maxResults: 1 })],
		[
			'products',
			() => listPremium(wire.door('products'), { date_from: LONG_AGO, date_to: LONG_AGO }),
		],
	])('of %s asks for a token and for little data', async (api, probe) => {
		expect(await sentBy(api)).toEqual(await wire.ofReference(tokenRequest(api), probe()));
	});
});
