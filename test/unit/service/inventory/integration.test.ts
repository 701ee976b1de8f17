import { describe, expect, it } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { INVENTORY_INTEGRATION } from '../../../../service/inventory/integration';

const CREDENTIAL: ICredentialDataDecryptedObject = {
	clientId: 'client',
	clientSecret: 'secret',
	tokenUrl: 'https://auth.example.com/connect/token/',
	inventoryUrl: 'https://inventory.example.com',
	agencyRef: '6f1d2c3b-4a59-4e87-9c60-112233445566',
};

const addressOf = (inventoryUrl: string) =>
	INVENTORY_INTEGRATION.grant({ ...CREDENTIAL, inventoryUrl }).address;

describe('the address of the inventory API', () => {
	it.each([
		['as it is', 'https://inventory.example.com'],
		['without a slash at its end', 'https://inventory.example.com/'],
		['without the path of a search', 'https://inventory.example.com/inventory/search'],
		['without the path of a filter', 'https://inventory.example.com/inventory/filter/'],
		['without the path of whole records', 'https://inventory.example.com/inventory/items'],
		['without the path of the list', 'https://inventory.example.com/inventory'],
	])('is taken %s', (_, inventoryUrl) => {
		expect(addressOf(inventoryUrl)).toBe('https://inventory.example.com');
	});

	it.each([
		'https://inventory.example.com/inventory/search/v2',
		'https://inventory.example.com/inventory/other',
	])('keeps a path that may be its own: %s', (inventoryUrl) => {
		expect(addressOf(inventoryUrl)).toBe(inventoryUrl);
	});

	it('is missed by its name', () => {
		expect(() => addressOf('')).toThrow(/“Inventory URL”/);
	});
});

describe('a token for the inventory API', () => {
	it('is the same for all agencies of a client', () => {
		const { fingerprint } = INVENTORY_INTEGRATION.grant({ ...CREDENTIAL, agencyRef: 'other' });

		expect(fingerprint).toBe(INVENTORY_INTEGRATION.grant(CREDENTIAL).fingerprint);
	});
});

describe('the test of the inventory credential', () => {
	const probe = () => INVENTORY_INTEGRATION.probe(CREDENTIAL);

	it.each([
		[{ items: [] }, true],
		[{ items: [{ id: '1' }] }, true],
		[{}, true],
		[{ items: 'none' }, false],
		[{ leads: [] }, false],
		['', false],
		[null, false],
	])('takes %j for a list of properties: %s', (body, isOne) => {
		expect(probe().isShape(body)).toBe(isOne);
	});

	it.each([
		['the service’s own 404: there is no property yet', 404, { title: 'Not Found' }, true],
		['a 404 without a word', 404, {}, false],
		['a 404 of something else', 404, { message: 'no route' }, false],
		['a web page', 404, '<html>Not Found</html>', false],
		['another refusal in the service’s own form', 403, { title: 'Forbidden' }, false],
	])('passes with %s, or does not: %d %j %s', (_, statusCode, body, isPassed) => {
		expect(probe().isGoodEnough?.({ statusCode, headers: {}, body })).toBe(isPassed);
	});

	it('needs an AgencyRef', () => {
		expect(() => INVENTORY_INTEGRATION.probe({ ...CREDENTIAL, agencyRef: '' })).toThrow(
			'“AgencyRef” is empty in the credential',
		);
	});
});
