import { describe, expect, it } from '@jest/globals';

import { inWords } from '../../../../nodes/common/inventory/statuses';
import { AGENCY, InventoryBench } from '../../../lab/engine/inventory';
import { useBench, useRelay } from '../../../lab/engine/useBench';
import { json } from '../../../lab/sandbox/http';

const bench = useBench(InventoryBench);
const relay = useRelay(bench);

describe('From List', () => {
	it('asks for what was typed, and offers what it finds with its status', async () => {
		const [one] = bench.sandbox.inventory.of(AGENCY);
		const { nameNo, street, town, postcode } = one?.address ?? {};
		const found = await bench.choices(` ${nameNo} ${street} ${postcode} `);

		const choice = found.find(({ value }) => value === one?.id);

		expect(choice?.name).toContain(`${nameNo} ${street}, `);
		expect(choice?.name).toContain(`${town}, ${postcode} – ${inWords(one?.inventoryStatus ?? '')}`);

		await bench.choices();

		expect(relay.asked.map(({ path, query }) => [path, [...query.keys()]])).toEqual([
			[expect.stringMatching(/search$/), ['query', 'max-results']],
			[expect.stringMatching(/filter$/), ['max-results']],
		]);
	});

	it('offers only what can be got, and shows the ID where there is no address', async () => {
		const address = { nameNo: null, street: 'Larkmoor Road', town: null };
		const items = [
			{ inventoryId: '1', address, status: 'UnderOfferMarketing' },
			{ inventoryId: '2', address: null, status: 'Unspecified' },
			{ id: 3, address: {} },
			{ id: null, address },
			{ address },
			{ id: '../4', address },
		];
		relay.answer(() => json(200, { items }));

		expect(await bench.choices('Lark')).toEqual([
			{ name: 'Larkmoor Road – Under Offer, Marketing', value: '1' },
			{ name: '2 – Unspecified', value: '2' },
			{ name: '3', value: '3' },
		]);
	});

	it('offers the branches of the agency, and marks those that are not active', async () => {
		expect(await bench.branches()).toEqual([
			{ name: 'North', value: '11' },
			{ name: 'South', value: '12' },
			{ name: 'East', value: '13' },
			{ name: 'West (inactive)', value: '14' },
		]);
	});

	it('offers a branch without a name by its ID, and none without an ID', async () => {
		const items = [{ branchId: '11', name: null }, { branchId: null, name: 'North' }, {}];
		relay.answer(() => json(200, { items }));

		expect(await bench.branches()).toEqual([{ name: '11', value: '11' }]);
	});

	it.each(['', ' ', null])(
		'are those of the credential while its option is %j',
		async (agencyRef) => {
			expect(await bench.branches({ agencyRef })).toEqual(await bench.branches());
		},
	);

	it('says what is wrong with the address or an option', async () => {
		const headers = { 'content-type': 'text/html' };
		relay.answer(() => ({ status: 404, headers, body: '<html><body>404</body></html>' }));

		await expect(bench.choices('x')).rejects.toThrow(
			'The service found nothing at this address (404)',
		);
		await expect(bench.choices('x', { maxTries: 0 })).rejects.toThrow('“Max Tries” must be');
	});
});
