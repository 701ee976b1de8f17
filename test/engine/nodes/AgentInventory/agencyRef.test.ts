import { describe, expect, it } from '@jest/globals';

import {
	AGENCY,
	inputOf,
	InventoryBench,
	OTHER_AGENCY,
	propertyIdsOf,
} from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

const get = { operation: 'get', propertyId: '={{ $json.id }}' };

describe('the AgencyRef', () => {
	it('is each item’s own if the option is added', async () => {
		const [ours] = bench.fill(2);
		const [theirs] = bench.fill(2, OTHER_AGENCY);

		const run = await bench.run(
			{ ...get, options: { agencyRef: '={{ $json.agency }}' } },
			{
				input: inputOf([
					{ id: ours?.id, agency: AGENCY },
					{ id: theirs?.id, agency: OTHER_AGENCY },
				]),
			},
		);

		expect(propertyIdsOf(run)).toEqual([ours?.id, theirs?.id]);
		expect(bench.dataRequests.map(({ agencyRef }) => agencyRef).sort()).toEqual([
			AGENCY,
			OTHER_AGENCY,
		]);
		expect(bench.tokens).toBe(1);
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

	it.each(['AG\r\nX-Other: 1', 'AG\n', 'Ä1', 'AG\u0000'])(
		'cannot bring another header in: %j',
		async (agencyRef) => {
			const run = await bench.run({
				operation: 'getAll',
				options: { agencyRef: `={{ ${JSON.stringify(agencyRef)} + "x\\n y" }}` },
			});

			expect(run.error?.message).toBe('“AgencyRef” contains characters that are not allowed');
			expect(bench.sandbox.requests).toEqual([]);
		},
	);

	it('that is an expression without n8n being told so is refused before any request', async () => {
		const run = await bench.run({
			operation: 'getAll',
			options: { agencyRef: '{{ $json.agencyRef }}' },
		});

		expect(run.error?.description).toContain('choose Expression beside the field');
		expect(bench.sandbox.requests).toEqual([]);
	});
});
