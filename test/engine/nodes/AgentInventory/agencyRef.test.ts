import { describe, expect, it } from '@jest/globals';

import { AGENCY, inputOf, InventoryBench } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

const get = { operation: 'get', propertyId: '={{ $json.id }}' };

describe('the AgencyRef', () => {
	it('is taken without what nobody sees around it, and with the hyphens of a word processor', async () => {
		bench.fill(1);
		bench.stored.agencyRef = `\u200b${AGENCY.replaceAll('-', '\u2011')}\n`;

		expect((await bench.run({ operation: 'getAll' })).error).toBeUndefined();
	});

	it.each(['', '  ', null, undefined])(
		'of an item whose expression gives %j is an error of this item alone, and not the credential’s',
		async (agency) => {
			const [ours] = bench.fill(2);

			const run = await bench.run(
				{ ...get, options: { agencyRef: '={{ $json.agency }}' } },
				{
					input: inputOf([
						{ id: ours?.id, agency },
						{ id: ours?.id, agency: AGENCY },
					]),
					onError: 'continueRegularOutput',
				},
			);

			expect(run.items.map(({ json }) => json.error ?? json.id)).toEqual([
				'“AgencyRef” is empty',
				ours?.id,
			]);
			expect(bench.dataRequests).toHaveLength(1);
		},
	);
});
