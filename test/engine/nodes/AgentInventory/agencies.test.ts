import { describe, expect, it, jest } from '@jest/globals';
import { UserError } from 'n8n-workflow';

import type { Asked } from '../../../lab/engine/relay';
import { json } from '../../../lab/engine/relay';
import { AGENCY, OTHER_AGENCY } from '../../../lab/engine/inventory';
import { answering, get, outcomesOf, page, useAgencies, wantedItems } from './strangeAnswers';

const { bench, relay, ids, getAllOf } = useAgencies();

describe('one agency', () => {
	const both = () => [
		...wantedItems(ids(AGENCY).slice(0, 3), AGENCY),
		...wantedItems(ids(OTHER_AGENCY).slice(0, 3), OTHER_AGENCY),
	];
	const ofOther = ({ headers }: Asked) => headers.agencyref === OTHER_AGENCY;

	it.each([
		['a strange answer', json(200, { branches: [] }), /without a list of properties/],
		['a list', json(200, []), /unknown shape/],
		['a web page', { ...page, status: 200 }, /web page instead of data/],
		['a refusal', json(403, { title: 'no' }), /refused the AgencyRef/],
	])('with %s does not fail the items of another one', async (_, answer, message) => {
		relay.answer(answering(ofOther, answer));

		const run = await getAllOf(both());

		expect(outcomesOf(run).slice(0, 3)).toEqual(ids(AGENCY).slice(0, 3));
		expect(outcomesOf(run).slice(3)).toEqual(Array(3).fill(expect.stringMatching(message)));
	});

	it('that n8n itself does not let through fails its own items alone', async () => {
		const authenticate = bench.credentials.authenticate.bind(bench.credentials);
		jest.spyOn(bench.credentials, 'authenticate').mockImplementation(async (...call) => {
			const { headers } = call[2];
			if (headers?.AgencyRef === OTHER_AGENCY) throw new UserError('The rules of n8n forbid it');
			return await authenticate(...call);
		});

		const run = await getAllOf(both());

		expect(outcomesOf(run).slice(0, 3)).toEqual(ids(AGENCY).slice(0, 3));
		expect(outcomesOf(run).slice(3)).toEqual(Array(3).fill('The rules of n8n forbid it'));
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			both().map((_, item) => ({ item })),
		);
	});

	it('and a Stop ends all of them', async () => {
		const input = Array.from({ length: 8 }, (_, agency) =>
			wantedItems(['1', '2'], `A${agency}`),
		).flat();
		const run = bench.start(get, { input, onError: 'continueRegularOutput' });
		relay.answer(async (_, pass) => {
			run.cancel();
			return await pass();
		});

		const { items } = await run.run;

		expect(items.filter(({ json: item }) => 'error' in item)).toEqual([]);
		expect(relay.asked.length).toBeLessThanOrEqual(4);
	});

	it('with an expression that fails for one item fails this item alone', async () => {
		const [one, two] = ids();
		const propertyId = '={{ $json.id === "bad" ? $("Nowhere").item.json.id : $json.id }}';

		const run = await bench.run(
			{ operation: 'get', propertyId },
			{ input: wantedItems([one, 'bad', two]), onError: 'continueRegularOutput' },
		);

		expect(outcomesOf(run)).toEqual([one, expect.stringMatching(/node/), two]);
		expect(run.items[1]?.pairedItem).toEqual({ item: 1 });
	});
});

describe('an ID that two agencies share', () => {
	it('is the property of the agency that was asked', async () => {
		const shared = ids(AGENCY).find((id) => ids(OTHER_AGENCY).includes(id));

		expect(shared).toBeDefined();

		const run = await getAllOf([
			...wantedItems([shared, ids(AGENCY)[0]], AGENCY),
			...wantedItems([shared, ids(OTHER_AGENCY)[0]], OTHER_AGENCY),
		]);

		const recordOf = (agency: string) =>
			bench.sandbox.inventory.of(agency).find(({ id }) => id === shared);

		expect([run.items[0]?.json, run.items[2]?.json]).toEqual([
			recordOf(AGENCY),
			recordOf(OTHER_AGENCY),
		]);
		expect(recordOf(AGENCY)).not.toEqual(recordOf(OTHER_AGENCY));
	});
});
