import { beforeEach, describe, expect, it } from '@jest/globals';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { NodeRun } from '../../../lab/engine/engine';
import { AGENCY, InventoryBench, OTHER_AGENCY } from '../../../lab/engine/inventory';
import type { Asked, Change } from '../../../lab/engine/relay';
import { useBench, useRelay } from '../../../lab/engine/useBench';
import { json } from '../../../lab/sandbox/http';
import type { Answer } from '../../../lab/sandbox/types';

/** For what the service may answer and the sandbox never does. */

const page: Answer = {
	status: 404,
	headers: { 'content-type': 'text/html' },
	body: '<html><body>404</body></html>',
};
const answering =
	(which: (asked: Asked) => boolean, answer: Answer): Change =>
	async (asked, pass) =>
		which(asked) ? answer : await pass();

const get: INodeParameters = {
	operation: 'get',
	propertyId: '={{ $json.id }}',
	options: { agencyRef: '={{ $json.agency }}' },
};

/** Two agencies with properties, and a relay that may change what the service answers. */
function useAgencies() {
	const bench = useBench(InventoryBench);
	const relay = useRelay(bench);
	beforeEach(() => {
		bench.fill(200);
		bench.fill(200, OTHER_AGENCY);
	});
	return {
		bench,
		relay,
		ids: (agencyRef = AGENCY) => bench.sandbox.inventory.of(agencyRef).map(({ id }) => id),
		/** Gets what the items name; a failed one becomes an item too. */
		getAllOf: async (input: INodeExecutionData[]) =>
			await bench.run(get, { input, onError: 'continueRegularOutput' }),
	};
}

function wantedItems(wanted: unknown[], agency = AGENCY): INodeExecutionData[] {
	return wanted.map((id) => ({ json: { id: id as string, agency } }));
}

/** By item: the ID of its property, or what went wrong. */
function outcomesOf(run: NodeRun): unknown[] {
	return run.items.map(({ json: item }) => item.id ?? item.error);
}

const { bench, relay, ids, getAllOf } = useAgencies();

describe('one agency', () => {
	const both = () => [
		...wantedItems(ids(AGENCY).slice(0, 3), AGENCY),
		...wantedItems(ids(OTHER_AGENCY).slice(0, 3), OTHER_AGENCY),
	];
	const ofOther = ({ headers }: Asked) => headers.agencyref === OTHER_AGENCY;

	it.each([
		['a strange answer', json(200, { branches: [] }), /without a list of properties/],
		['a list', json(200, []), /cannot read/],
		['a web page', { ...page, status: 200 }, /web page instead of data/],
		['a refusal', json(403, { title: 'no' }), /refused the AgencyRef/],
	])('with %s does not fail the items of another one', async (_, answer, message) => {
		relay.answer(answering(ofOther, answer));

		const run = await getAllOf(both());

		expect(outcomesOf(run).slice(0, 3)).toEqual(ids(AGENCY).slice(0, 3));
		expect(outcomesOf(run).slice(3)).toEqual(Array(3).fill(expect.stringMatching(message)));
	});

	it('that fails the node ends the requests to another one that hangs', async () => {
		const hanging = new Promise<void>((resolve) => {
			relay.answer(async (asked) => {
				if (ofOther(asked)) {
					await hanging;
					return json(403, {});
				}
				resolve();
				return await new Promise<never>(() => {});
			});
		});
		const options = { agencyRef: '={{ $json.agency }}' };

		const { error } = await bench.run({ operation: 'getAll', options }, { input: both() });

		expect(error?.message).toContain('refused the AgencyRef');
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
