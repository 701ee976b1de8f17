import { describe, expect, it } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { filter } from '../../lab/reference/inventory';
import { listWeekly } from '../../lab/reference/products';
import { inventoryToken, leadsToken } from '../../lab/reference/tokens';
import type { Api } from '../../lab/engine/wire';
import { isToken, PAIR } from '../../lab/engine/wire';
import { useWire } from '../../lab/engine/useBench';

// Requests that once differed from what the contract says.

const wire = useWire();

describe('Get Many of weekly featured properties by date', () => {
	it.each([
		['a start', { createdFrom: '2026-03-02T15:45:00' }],
		['both ends', { createdFrom: '2026-03-02T15:45:00', createdTo: '2026-03-20T00:00:00' }],
	])('sends of %s the day alone', async (_, filters) => {
		const resource = 'weeklyFeaturedProperty';
		const sent = await wire.ofNode('products', { resource, operation: 'getAll', filters });
		const right = listWeekly(wire.door('products'), { date_from: '2026-03-02' });

		expect(sent).toEqual(await wire.ofReference(right));
	});

	it('sends nothing for an end alone', async () => {
		const parameters = { operation: 'getAll', filters: { createdTo: '2026-03-20T00:00:00' } };
		const resource = 'weeklyFeaturedProperty';
		const sent = await wire.ofNode('products', { resource, ...parameters });

		expect(sent).toEqual(await wire.ofReference(listWeekly(wire.door('products'))));
	});
});

it('the days of an instruction are sent as the moments at which they begin and end', async () => {
	const filters = {
		instructedFrom: '2026-03-28T10:00:00',
		instructedTo: '2026-03-29T10:00:00',
	};
	const parameters = { operation: 'getAll', limit: 5, filters };
	const sent = await wire.ofNode('inventory', parameters, { timezone: 'Europe/London' });
	const right = filter(wire.door('inventory'), {
		'instruction-date-from': new Date('2026-03-28T00:00:00Z'),
		// The clocks go forward on this day.
		'instruction-date-to': new Date('2026-03-29T22:59:59Z'),
		'max-results': 5,
	});

	expect(sent).toEqual(await wire.ofReference(right));
});

describe('an address is used as it was entered', () => {
	async function tokensOf(api: Api, changes: ICredentialDataDecryptedObject) {
		const parameters = api === 'inventory' ? { operation: 'getAll', limit: 1 } : {};
		const sent = await wire.ofRun(api, parameters, changes);
		return sent.filter(({ path }) => isToken(path.replace(/\/$/, '')));
	}

	it.each(['/', '?tenant=a%20b&v=2'])('the Token URL, with %j at its end', async (end) => {
		const tokenUrl = wire.tokenUrl + end;
		const right = inventoryToken(tokenUrl, PAIR);

		expect(await tokensOf('inventory', { tokenUrl })).toEqual(await wire.ofReference(right));
	});

	it('the Leads URL as audience, with a slash at its end', async () => {
		const leadsUrl = `${wire.baseUrl('leads')}/`;
		const right = leadsToken(wire.authUrl, PAIR, leadsUrl);

		expect(await tokensOf('leads', { leadsUrl })).toEqual(await wire.ofReference(right));
	});
});
