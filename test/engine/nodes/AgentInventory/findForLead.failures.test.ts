import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { AGENCY, inputOf } from '../../../lab/engine/inventory';
import type { NodeRun } from '../../../lab/engine/engine';
import { visibleText } from '../../../lab/engine/leads';
import { json } from '../../../lab/engine/relay';
import type { FaultRule } from '../../../lab/sandbox/faults';
import type { Property } from '../../../lab/sandbox/propertyData';
import { answering, changing, isBatch, isList, isOfOneId, useAgencies } from './strangeAnswers';

const { bench, relay } = useAgencies();

let house: Property;
let flat: Property;

beforeEach(() => {
	const [first, second] = bench.sandbox.inventory.of(AGENCY);
	if (!first || !second) throw new Error('no properties');
	house = first;
	flat = second;
	Object.assign(house, { uprn: '990000000001' });
	Object.assign(house.address, { nameNo: '14', street: 'Mill Lane', postcode: 'ZZ1 2CD' });
	Object.assign(flat, { uprn: '990000000002' });
	Object.assign(flat.address, { ...house.address, subDwelling: 'Flat 2' });
});

const HOUSE = { uprn: 990000000001, propertyAddress: '14 Mill Lane, ZZ1 2CD' };

/** At an address that is spelled in another way, so that only its UPRN finds it. */
const FLAT = { uprn: 990000000002, propertyAddress: 'Apartment 2, 14 Mill Lane, ZZ1 2CD' };

async function find(leads: IDataObject[], maxTries = 1): Promise<NodeRun> {
	return await bench.run(
		{ operation: 'findForLead', simplify: true, options: { maxTries } },
		{ input: inputOf(leads), onError: 'continueRegularOutput' },
	);
}

const outcomes = ({ items }: NodeRun) => items.map((item) => item.json.error ?? item.json.id);

const FAULTS: Array<[string, FaultRule, RegExp]> = [
	['401', { kind: 'status', status: 401 }, /refused the access token/],
	['403', { kind: 'status', status: 403 }, /refused the AgencyRef/],
	['429', { kind: 'status', status: 429 }, /busy/],
	['500', { kind: 'status', status: 500 }, /cannot answer just now/],
	['a reset connection', { kind: 'reset' }, /connection/],
	['a web page', { kind: 'html' }, /web page instead of data/],
	['a body that is cut short', { kind: 'truncate' }, /connection|cut short|incomplete/],
];

describe.each(FAULTS)('%s', (_, fault, message) => {
	it.each(['/inventory/search', '/inventory/items'])(
		'at %s is the error of the item',
		async (path) => {
			bench.sandbox.faults.add({ ...fault, path, times: Infinity });

			const run = await find([
				HOUSE,
				{ ...HOUSE, uprn: null, propertyAddress: null, listingReference: null },
			]);

			expect(outcomes(run)).toEqual([expect.stringMatching(message), null]);
			for (const secret of [bench.stored.clientSecret, bench.stored.accessToken]) {
				expect(visibleText(run)).not.toContain(secret);
			}
		},
	);
});

describe('what fails for a while', () => {
	it.each(['/inventory/search', '/inventory/items'])('at %s is asked for again', async (path) => {
		bench.sandbox.faults.add({ kind: 'status', status: 500, path });

		expect(outcomes(await find([HOUSE, FLAT], 2))).toEqual([house.id, flat.id]);
	});

	it('in every try is not asked for with each lead again', async () => {
		bench.sandbox.faults.add({
			...{ kind: 'status', status: 503 },
			path: '/inventory/search',
			times: Infinity,
		});
		const leads = Array.from({ length: 30 }, (_, index) => ({
			propertyAddress: `1 Mill Lane, ZZ${index} 2CD`,
		}));

		const run = await find(leads);

		expect(outcomes(run)).toEqual(leads.map(() => expect.stringMatching(/cannot answer/)));
		expect(bench.dataRequests.length).toBeLessThanOrEqual(16);
	});
});

describe('a search', () => {
	it('that fails for one postcode fails no other lead', async () => {
		relay.answer(
			answering(({ query }) => query.get('query') === 'YY1 2CD', json(400, { title: 'no' })),
		);

		const run = await find([HOUSE, { propertyAddress: '1 Low Row, YY1 2CD' }, FLAT]);

		expect(outcomes(run)).toEqual([house.id, expect.stringMatching(/refused|not accept/), flat.id]);
	});

	it.each([
		['{}', {}],
		[
			'rows without IDs',
			{ items: [{ address: { nameNo: '14', street: 'Mill Lane', postcode: 'ZZ1 2CD' } }] },
		],
		[
			'rows without addresses',
			{ items: [{ inventoryId: '1' }, { inventoryId: '2', address: null }] },
		],
	])('that brings %s finds nothing', async (_, body) => {
		relay.answer(answering(isList, json(200, body)));

		expect(outcomes(await find([HOUSE, { ...HOUSE, uprn: null }]))).toEqual([null, null]);
	});

	it('that brings a page token is not followed beyond the rows that are looked at', async () => {
		relay.answer(
			changing(isList, () => ({
				meta: { nextToken: 'more' },
				items: Array.from({ length: 250 }, (_, index) => ({
					inventoryId: `${90_000 + index}`,
					address: { nameNo: `${index + 100}`, street: 'Mill Lane', postcode: 'ZZ1 2CD' },
				})),
			})),
		);

		expect(outcomes(await find([{ ...HOUSE, uprn: null }]))).toEqual([null]);
		expect(relay.asked.filter(isList)).toHaveLength(1);
	});
});

describe('a record', () => {
	it('that is gone meanwhile is none', async () => {
		relay.answer(changing(isBatch, () => ({ totalCount: 0, items: [] })));

		expect(outcomes(await find([HOUSE]))).toEqual([null]);
	});

	it('with another UPRN than the lead is not its property', async () => {
		house.uprn = '990000000009';

		expect(outcomes(await find([HOUSE]))).toEqual([null]);
	});
});

describe('a reference', () => {
	const referred = { listingReference: '1', uprn: null, propertyAddress: null };

	it('that the inventory does not know is no failure', async () => {
		expect(outcomes(await find([{ ...HOUSE, listingReference: '1' }, referred]))).toEqual([
			house.id,
			null,
		]);
	});

	it('that the service refuses is no failure, and takes no other lead with it', async () => {
		relay.answer(
			answering(
				(asked) => isBatch(asked) && asked.query.getAll('inventory-id').includes('1'),
				json(400, { title: 'not an ID' }),
			),
		);

		expect(outcomes(await find([referred, HOUSE, FLAT]))).toEqual([null, house.id, flat.id]);
	});

	it('about which the service cannot answer is a failure', async () => {
		relay.answer(changing(isBatch, () => ({})));
		relay.answer(answering(isOfOneId, json(500, {})));

		expect(outcomes(await find([referred]))).toEqual([expect.stringMatching(/cannot answer/)]);
	});
});

it('a Stop ends the run, and nothing more is asked', async () => {
	const leads = Array.from({ length: 12 }, (_, index) => ({
		propertyAddress: `1 Low Row, ZZ${index} 2CD`,
	}));
	const run = bench.start(
		{ operation: 'findForLead' },
		{ input: inputOf(leads), onError: 'continueRegularOutput' },
	);
	relay.answer(async (_, pass) => {
		run.cancel();
		return await pass();
	});

	const { items } = await run.run;

	expect(items.filter(({ json: item }) => 'error' in item || 'matchedBy' in item)).toEqual([]);
	expect(relay.asked.length).toBeLessThanOrEqual(4);
});
