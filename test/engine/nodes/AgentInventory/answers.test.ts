import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { textOf } from '../../../../service/basics/values';
import { shortenBackoff } from '../../../lab/engine/bench';
import type { NodeRun } from '../../../lab/engine/engine';
import type { Answer, Asked, Change } from '../../../lab/engine/front';
import { empty, Front, json } from '../../../lab/engine/front';
import { AGENCY, InventoryBench, OTHER_AGENCY } from '../../../lab/engine/inventory';

/** What the service may answer and the sandbox never does. */

let bench: InventoryBench;
let front: Front;

beforeEach(async () => {
	shortenBackoff();
	bench = await InventoryBench.start();
	front = await Front.start(bench.sandbox);
	bench.stored.inventoryUrl = front.inventoryUrl;
	bench.sandbox.inventory.fill(AGENCY, 200);
	bench.sandbox.inventory.fill(OTHER_AGENCY, 200);
});

afterEach(async () => {
	jest.restoreAllMocks();
	await front.stop();
	await bench.stop();
});

const problem = json(404, {
	type: null,
	title: 'Not found',
	status: 404,
	detail: null,
	instance: null,
});
const page: Answer = {
	status: 404,
	headers: { 'content-type': 'text/html' },
	body: '<html><body>404</body></html>',
};
const gateway = json(404, { message: 'no Route matched with those values' });
const text: Answer = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'not found' };

const isList = ({ path }: Asked) => /\/inventory(\/search|\/filter)?$/.test(path);
const isBatch = ({ path }: Asked) => path.endsWith('/inventory/items');
const isOfOneId = ({ path }: Asked) => /\/inventory\/\d+$/i.test(path);

const answering =
	(which: (asked: Asked) => boolean, answer: Answer): Change =>
	async (asked, pass) =>
		which(asked) ? answer : await pass();

/** Changes the body of the answers to some requests. */
const changing =
	(which: (asked: Asked) => boolean, change: (body: IDataObject) => unknown): Change =>
	async (asked, pass) => {
		const answer = await pass();
		if (answer === 'lost' || !which(asked) || answer.status !== 200) return answer;
		return { ...answer, body: JSON.stringify(change(JSON.parse(answer.body) as IDataObject)) };
	};

const search = (searchBy: string): INodeParameters => ({
	operation: 'search',
	searchBy,
	query: 'a',
});
const getMany: INodeParameters = { operation: 'getAll' };
const get: INodeParameters = {
	operation: 'get',
	propertyId: '={{ $json.id }}',
	options: { agencyRef: '={{ $json.agency }}' },
};

const ids = (agencyRef = AGENCY) => bench.sandbox.inventory.of(agencyRef).map(({ id }) => id);
const inputOf = (wanted: unknown[], agency?: string): INodeExecutionData[] =>
	wanted.map((id) => ({ json: { id: id as string, ...(agency && { agency }) } }));
const getAllOf = async (input: INodeExecutionData[]) =>
	await bench.run(get, { input, onError: 'continueRegularOutput' });
const idsOf = (run: NodeRun) => run.items.map(({ json: item }) => item.id ?? item.error);
const batches = () => front.asked.filter(isBatch).length;

const MISSING = 'The service found no such property (404)';
const WRONG_ADDRESS = 'The service found nothing at this address (404)';

describe('a 404 to a list', () => {
	it.each([
		['the service’s problem', problem, search('address')],
		['the service’s problem', problem, search('text')],
		['the service’s problem', problem, getMany],
		['no body', empty(404), search('address')],
		['an empty object', json(404, {}), search('address')],
	])('with %s means that there are no rows', async (_, answer, parameters) => {
		front.answer(answering(isList, answer));
		const run = await bench.run(parameters);
		expect(run.error).toBeUndefined();
		expect(run.items).toEqual([]);
	});

	it.each([
		['a web page', page, search('address')],
		['a gateway’s words', gateway, search('address')],
		['text', text, search('address')],
		['a web page', page, getMany],
		['no body, where none is documented', empty(404), getMany],
		['no body, where none is documented', empty(404), search('text')],
	])('with %s is about the address', async (_, answer, parameters) => {
		front.answer(answering(isList, answer));
		expect((await bench.run(parameters)).error?.message).toBe(WRONG_ADDRESS);
	});

	it('in the middle of its pages is no end of it', async () => {
		bench.sandbox.inventory.fill(AGENCY, 600);
		front.answer(answering((asked) => isList(asked) && asked.query.has('next-token'), problem));
		const { error } = await bench.run({ ...getMany, returnAll: true });
		expect(error?.message).toBe(
			'The service’s list broke off: it does not know its own next page (404)',
		);
		expect(error?.failure).toMatchObject({ cause: 'temporarily-unavailable' });
	});
});

describe('a 404 to properties by their IDs', () => {
	it.each([
		['the service’s problem', problem],
		['no body', empty(404)],
		['other words', gateway],
		['text', text],
	])('with %s means that there is no such property', async (_, answer) => {
		front.answer(answering(isOfOneId, answer));
		expect(idsOf(await getAllOf(inputOf(['5001'])))).toEqual([MISSING]);
	});

	it('with a web page is about the address, and nothing is halved', async () => {
		front.answer(answering(({ path }) => path.includes('/inventory/'), page));
		expect(idsOf(await getAllOf(inputOf(['5001'])))).toEqual([WRONG_ADDRESS]);
		expect(idsOf(await getAllOf(inputOf(['1', '2', '3', '4'])))).toEqual(
			Array(4).fill(WRONG_ADDRESS),
		);
		expect(batches()).toBe(1);
	});

	it.each([
		['the service’s problem', problem],
		['no body', empty(404)],
	])('with %s for a batch is the error of the one that is not there', async (_, answer) => {
		const wanted = ids().slice(0, 20);
		front.answer(
			answering(
				(asked) => isBatch(asked) && asked.query.getAll('inventory-id').includes('1'),
				answer,
			),
		);
		const run = await getAllOf(inputOf([...wanted.slice(0, 7), '1', ...wanted.slice(7)]));
		expect(idsOf(run)).toEqual([...wanted.slice(0, 7), MISSING, ...wanted.slice(7)]);
		expect(batches()).toBeLessThan(12);
	});
});

describe('an answer where a record is expected', () => {
	it.each([
		['{ status }', { status: 'ok' }, 'The service answered without the record of a property'],
		[
			'a list',
			{ items: [{ id: '5001' }] },
			'The service answered without the record of a property',
		],
		['{}', {}, 'The service left open whether there is this property'],
	])('%s is no property', async (_, body, message) => {
		front.answer(answering(isOfOneId, json(200, body)));
		expect(idsOf(await getAllOf(inputOf(['5001'])))).toEqual([message]);
	});

	it('may lack most of its fields, its ID too', async () => {
		front.answer(answering(isOfOneId, json(200, { category: null, price: 1 })));
		const run = await getAllOf(inputOf(['5001']));
		expect(run.items.map(({ json: item }) => item)).toEqual([{ category: null, price: 1 }]);
	});
});

describe('an answer where a list is expected', () => {
	it.each([
		['{}', {}],
		['items: null', { items: null, meta: { nextToken: null } }],
		['no items', { meta: {} }],
		['items: []', { items: [] }],
	])('%s is an empty list', async (_, body) => {
		front.answer(answering(isList, json(200, body)));
		for (const parameters of [search('address'), search('text'), getMany]) {
			const run = await bench.run(parameters);
			expect(run.error).toBeUndefined();
			expect(run.items).toEqual([]);
		}
	});

	it.each([
		['[]', []],
		['null', null],
		['{ branches }', { branches: [] }],
		['{ message }', { message: 'hello' }],
		['items: {}', { items: {} }],
		['items: [null]', { items: [null] }],
		['items: "none"', { items: 'none' }],
	])('%s is an error', async (_, body) => {
		front.answer(answering(isList, json(200, body)));
		expect((await bench.run(getMany)).error?.message).toMatch(
			/without a list of properties|unknown shape/,
		);
	});

	it.each(['application/json', 'text/json', 'text/plain', 'text/plain; charset=utf-8'])(
		'may come as %s',
		async (type) => {
			front.answer(async (_, pass) => {
				const answer = await pass();
				return answer === 'lost'
					? answer
					: { ...answer, headers: { ...answer.headers, 'content-type': type } };
			});
			for (const parameters of [search('address'), search('text'), getMany]) {
				expect((await bench.run({ ...parameters, limit: 3 })).items).toHaveLength(3);
			}
		},
	);

	it('as text/plain may say what was refused', async () => {
		const body = JSON.stringify({ title: 'Not accepted', status: 400, detail: 'no such branch' });
		front.answer(
			answering(isList, { status: 400, headers: { 'content-type': 'text/plain' }, body }),
		);
		expect((await bench.run(getMany)).error?.description).toContain('no such branch');
	});
});

describe('From List', () => {
	it('asks by the address alone, and offers what it finds', async () => {
		const [one] = bench.sandbox.inventory.of(AGENCY);
		const { nameNo, street, town, postcode } = one?.address ?? {};
		const found = await bench.choices(` ${nameNo} ${street} ${postcode} `);
		const choice = found.find(({ value }) => value === one?.id);
		expect(choice?.name).toContain(`${nameNo} ${street}, `);
		expect(choice?.name).toContain(`${town}, ${postcode}`);
		await bench.choices();
		expect(front.asked.map(({ query }) => [...query.keys()])).toEqual([['address'], []]);
	});

	it('offers only what can be got, and shows the ID where there is no address', async () => {
		const address = { nameNo: null, street: 'Larkmoor Road', town: null };
		const items = [
			{ id: '1', address },
			{ id: '2', address: null },
			{ id: 3, address: {} },
			{ id: null, address },
			{ address },
			{ id: '../4', address },
		];
		front.answer(answering(isList, json(200, { items })));
		expect(await bench.choices('Lark')).toEqual([
			{ name: 'Larkmoor Road', value: '1' },
			{ name: '2', value: '2' },
			{ name: '3', value: '3' },
		]);
	});

	it.each([
		['a 404', problem],
		['{}', json(200, {})],
		['items: null', json(200, { items: null })],
	])('is empty after %s', async (_, answer) => {
		front.answer(answering(isList, answer));
		expect(await bench.choices('x')).toEqual([]);
	});

	it('says what is wrong with the address or an option', async () => {
		front.answer(answering(isList, page));
		await expect(bench.choices('x')).rejects.toThrow(WRONG_ADDRESS);
		await expect(bench.choices('x', { maxTries: 0 })).rejects.toThrow('“Max Tries” must be');
	});
});

describe('one agency', () => {
	const both = () => [
		...inputOf(ids(AGENCY).slice(0, 3), AGENCY),
		...inputOf(ids(OTHER_AGENCY).slice(0, 3), OTHER_AGENCY),
	];
	const ofOther = ({ headers }: Asked) => headers.agencyref === OTHER_AGENCY;

	it.each([
		['a strange answer', json(200, { branches: [] }), /without a list of properties/],
		['a list', json(200, []), /unknown shape/],
		['a web page', { ...page, status: 200 }, /web page instead of data/],
		['a refusal', json(403, { title: 'no' }), /refused the AgencyRef/],
	])('with %s does not fail the items of another one', async (_, answer, message) => {
		front.answer(answering(ofOther, answer));
		const run = await getAllOf(both());
		expect(idsOf(run).slice(0, 3)).toEqual(ids(AGENCY).slice(0, 3));
		expect(idsOf(run).slice(3)).toEqual(Array(3).fill(expect.stringMatching(message)));
	});

	it('that n8n itself does not let through fails its own items alone', async () => {
		const authenticate = bench.credentials.authenticate.bind(bench.credentials);
		jest.spyOn(bench.credentials, 'authenticate').mockImplementation(async (...call) => {
			const { headers } = call[2];
			if (headers?.AgencyRef === OTHER_AGENCY) throw new UserError('The rules of n8n forbid it');
			return await authenticate(...call);
		});
		const run = await getAllOf(both());
		expect(idsOf(run).slice(0, 3)).toEqual(ids(AGENCY).slice(0, 3));
		expect(idsOf(run).slice(3)).toEqual(Array(3).fill('The rules of n8n forbid it'));
		expect(run.items.map(({ pairedItem }) => pairedItem)).toEqual(
			both().map((_, item) => ({ item })),
		);
	});

	it('and a Stop ends all of them', async () => {
		const input = Array.from({ length: 8 }, (_, agency) =>
			inputOf(['1', '2'], `A${agency}`),
		).flat();
		const run = bench.start(get, { input, onError: 'continueRegularOutput' });
		front.answer(async (_, pass) => {
			run.cancel();
			return await pass();
		});
		const { items } = await run.run;
		expect(items.filter(({ json: item }) => 'error' in item)).toEqual([]);
		expect(front.asked.length).toBeLessThanOrEqual(4);
	});

	it('with an expression that fails for one item fails this item alone', async () => {
		const [one, two] = ids();
		const propertyId = '={{ $json.id === "bad" ? $("Nowhere").item.json.id : $json.id }}';
		const run = await bench.run(
			{ operation: 'get', propertyId },
			{ input: inputOf([one, 'bad', two]), onError: 'continueRegularOutput' },
		);
		expect(idsOf(run)).toEqual([one, expect.stringMatching(/node/), two]);
		expect(run.items[1]?.pairedItem).toEqual({ item: 1 });
	});
});

describe('a batch', () => {
	const wanted = () => ids().slice(0, 12);

	it.each([
		['is cut short', (body: IDataObject) => ({ ...body, items: rows(body).slice(0, 5) })],
		['is {}', () => ({})],
		['is empty but counts', (body: IDataObject) => ({ ...body, items: [] })],
		['has no count and is cut short', (body: IDataObject) => ({ items: rows(body).slice(0, 5) })],
		[
			'holds no IDs',
			(body: IDataObject) => ({ ...body, items: rows(body).map((row) => ({ ...row, id: null })) }),
		],
		[
			'holds each property twice',
			(body: IDataObject) => ({
				...body,
				items: rows(body)
					.slice(0, 6)
					.flatMap((row) => [row, row]),
			}),
		],
		[
			'counts nothing and is cut short',
			(body: IDataObject) => ({ totalCount: 0, items: rows(body).slice(0, 5) }),
		],
		[
			'counts only what it could name',
			(body: IDataObject) => ({
				totalCount: 6,
				items: rows(body).map((row, index) => (index < 6 ? row : { ...row, id: null })),
			}),
		],
		[
			'names its IDs as numbers',
			(body: IDataObject) => ({
				...body,
				items: rows(body).map((row) => ({ ...row, id: Number(row.id) })),
			}),
		],
	])('that %s hides no property', async (_, change) => {
		front.answer(changing(isBatch, change));
		const run = await getAllOf(inputOf([...wanted(), '1']));
		expect(idsOf(run).map(String)).toEqual([...wanted(), MISSING]);
		expect(front.asked.length).toBeLessThanOrEqual(16);
	});

	it('that counts right costs nothing more for an ID that is not there', async () => {
		await getAllOf(inputOf([...wanted(), '1']));
		expect(front.asked).toHaveLength(1);
	});

	it('that leaves a property open, even alone, is not taken for “no such property”', async () => {
		front.answer(
			changing(
				(asked) => isBatch(asked) || isOfOneId(asked),
				() => ({}),
			),
		);
		const run = await getAllOf(inputOf(wanted().slice(0, 2)));
		expect(idsOf(run)).toEqual(
			Array(2).fill('The service left open whether there is this property'),
		);
	});

	it('that leaves properties open tells why one could not be asked for again', async () => {
		front.answer(changing(isBatch, () => ({})));
		front.answer(answering(isOfOneId, json(403, {})));
		const run = await getAllOf(inputOf(wanted().slice(0, 2)));
		expect(idsOf(run)).toEqual(Array(2).fill(expect.stringMatching(/refused the AgencyRef/)));
	});

	it('may spell IDs in another case', async () => {
		bench.sandbox.inventory.of(AGENCY).forEach((property, index) => {
			property.id = `ab-${index}`;
		});
		const upper = (body: IDataObject) => ({
			...body,
			items: rows(body).map((row) => ({ ...row, id: textOf(row.id).toUpperCase() })),
		});
		front.answer(changing(isBatch, upper));
		const run = await getAllOf(inputOf(['ab-3', 'ab-1', 'ab-3']));
		expect(idsOf(run)).toEqual(['AB-3', 'AB-1', 'AB-3']);
		expect(front.asked).toHaveLength(1);
	});

	it('may hold once what is asked for in two spellings', async () => {
		const [one] = bench.sandbox.inventory.of(AGENCY);
		if (!one) throw new Error('no properties');
		one.id = 'AB-1';
		front.answer(changing(isBatch, (body) => ({ totalCount: 1, items: rows(body).slice(0, 1) })));
		front.answer(async (asked, pass) =>
			asked.path.endsWith('/ab-1') ? json(200, { ...one }) : await pass(),
		);
		expect(idsOf(await getAllOf(inputOf(['AB-1', 'ab-1'])))).toEqual(['AB-1', 'AB-1']);
	});

	it('that leaves properties open is not asked about further while the service is down', async () => {
		front.answer(changing(isBatch, () => ({})));
		front.answer(answering(isOfOneId, empty(503)));
		const run = await bench.run(
			{ ...get, options: { maxTries: 2 } },
			{ input: inputOf(wanted()), onError: 'continueRegularOutput' },
		);
		expect(idsOf(run)).toEqual(Array(12).fill('The service cannot answer just now (503)'));
		expect(
			front.asked.map(({ path }) => path).filter((path) => !path.endsWith('/items')),
		).toHaveLength(2);
	});

	it('that spells an ID in two ways does not decide which is meant', async () => {
		const [one] = bench.sandbox.inventory.of(AGENCY);
		if (!one) throw new Error('no properties');
		one.id = 'ab-1';
		const twice = (body: IDataObject) => ({
			totalCount: 2,
			items: rows(body).flatMap((row) => [
				{ ...row, id: 'AB-1' },
				{ ...row, id: 'Ab-1' },
			]),
		});
		front.answer(changing(isBatch, twice));
		expect(idsOf(await getAllOf(inputOf(['ab-1', '1'])))).toEqual(['ab-1', MISSING]);
	});

	it('tells IDs that differ in case alone apart', async () => {
		const [one, two] = bench.sandbox.inventory.of(AGENCY);
		if (!one || !two) throw new Error('no properties');
		Object.assign(one, { id: 'x1' });
		Object.assign(two, { id: 'X1' });
		const run = await getAllOf(inputOf(['X1', 'x1']));
		expect(run.items.map(({ json: item }) => item.displayAddress)).toEqual([
			two.displayAddress,
			one.displayAddress,
		]);
	});
});

describe('an ID that two agencies share', () => {
	it('is the property of the agency that was asked', async () => {
		const shared = ids(AGENCY).find((id) => ids(OTHER_AGENCY).includes(id));
		expect(shared).toBeDefined();
		const run = await getAllOf([
			...inputOf([shared, ids(AGENCY)[0]], AGENCY),
			...inputOf([shared, ids(OTHER_AGENCY)[0]], OTHER_AGENCY),
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

function rows(body: IDataObject): IDataObject[] {
	return body.items as IDataObject[];
}
