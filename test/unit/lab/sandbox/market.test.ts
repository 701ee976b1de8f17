import { expect, it } from '@jest/globals';

import { AGENCY_REFS, Inventory } from '../../../lab/sandbox/inventory';
import { Market } from '../../../lab/sandbox/market';

const [AGENCY] = AGENCY_REFS;

function marketOf(count: number) {
	const inventory = new Inventory(1, () => Date.parse('2026-03-02T09:00:00Z'));
	inventory.fill(AGENCY, count);
	return { inventory, market: new Market(inventory) };
}

it('lowers a price, moves a status on and brings a new property, in turn', () => {
	const { inventory, market } = marketOf(100);
	const before = new Map(inventory.of(AGENCY).map((each) => [each.id, { ...each }]));

	const [cheaper, moved, created] = [market.step(), market.step(), market.step()];

	const was = before.get(cheaper.id);
	expect(cheaper).toMatchObject({ recordType: 'Sale', inventoryStatus: 'Available' });
	expect(cheaper.price).toBeLessThan(was?.price ?? 0);
	expect(cheaper.price % 1000).toBe(0);
	expect(moved.inventoryStatus).not.toBe(before.get(moved.id)?.inventoryStatus);
	expect(before.has(created.id)).toBe(false);
	expect(inventory.of(AGENCY)).toContain(created);
});

it('goes on for as long as it is asked to, even where nothing is left to change', () => {
	const { inventory, market } = marketOf(0);

	for (let steps = 0; steps < 300; steps++) market.step();

	expect(inventory.of(AGENCY).length).toBeGreaterThanOrEqual(100);
	expect(inventory.of(AGENCY).every(({ price }) => price > 0)).toBe(true);
});
