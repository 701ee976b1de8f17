import { describe, expect, it } from '@jest/globals';

import { AgentInventoryApi } from '../../../credentials/AgentInventoryApi.credentials';
import type { Bench } from '../../lab/engine/bench';
import { AGENCY, InventoryBench, OTHER_AGENCY } from '../../lab/engine/inventory';
import { useBench } from '../../lab/engine/useBench';

const bench = useBench(InventoryBench);

const test: Bench['testCredential'] = async (changes) => await bench.testCredential(changes);

describe('the test of the inventory credential', () => {
	it('is green with a good pair, and asks for one property', async () => {
		expect(await test()).toMatchObject({ status: 'OK' });
		expect(bench.dataRequests).toMatchObject([
			{ path: '/inventory-api/inventory', query: { maxResults: ['1'] }, agencyRef: AGENCY },
		]);
	});
});

describe('the HTTP Request node with the inventory credential', () => {
	const authenticate = async (headers: Record<string, string>) => {
		await bench.run({ operation: 'getAll', limit: 1 });
		const options = { url: `${bench.sandbox.inventoryUrl}/inventory`, headers };
		const { headers: sent } = await new AgentInventoryApi().authenticate(bench.stored, options);
		return sent;
	};

	it('sends the token and the AgencyRef', async () => {
		expect(await authenticate({ accept: 'application/json' })).toEqual({
			accept: 'application/json',
			AgencyRef: AGENCY,
			Authorization: `Bearer ${bench.stored.accessToken as string}`,
		});
	});

	it('leaves an AgencyRef that the request names, in whatever spelling', async () => {
		expect(await authenticate({ agencyref: OTHER_AGENCY })).toMatchObject({
			agencyref: OTHER_AGENCY,
		});
		expect(await authenticate({ agencyref: OTHER_AGENCY })).not.toHaveProperty('AgencyRef');
	});
});
