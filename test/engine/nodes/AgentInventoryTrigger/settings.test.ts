import { describe, expect, it } from '@jest/globals';

import { InventoryBench } from '../../../lab/engine/inventory';
import { InventoryHost } from '../../../lab/engine/inventoryPoll';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

describe('a wrong field', () => {
	it.each([
		[{ events: '={{ [] }}' }, '“Events” has nothing chosen'],
		[{ filters: { status: '={{ "Under Offer" }}' } }, '“Status” has an unknown value'],
		[{ options: { agencyRefs: '={{ [] }}' } }, '“AgencyRefs” contains an empty ID'],
		[{ options: { agencyRefs: 'a; b' } }, '“AgencyRefs” contains a semicolon or a line break'],
		[{ runs: 'onePerChange', options: { lookBack: 0.5 } }, '“Look Back” must be a whole number'],
	])('with %j asks for nothing and says: %s', async (parameters, message) => {
		const trigger = new InventoryHost(bench, parameters, { startsTriggers: true });

		const error = await trigger.failure(trigger.activate());

		expect(error.message).toContain(message);
		expect(error.failure).toEqual({ cause: 'configuration-invalid' });
		expect(bench.sandbox.requests).toEqual([]);
	});
});
