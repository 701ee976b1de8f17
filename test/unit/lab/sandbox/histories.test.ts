import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { Sandbox } from '../../../lab/sandbox';
import { AGENCY_REFS } from '../../../lab/sandbox/inventory';
import { lastChangeOf } from '../../../lab/sandbox/propertyData';
import { MINUTE, bearer, body, inventorySchema, request, seconds } from './helpers';

const [AGENCY] = AGENCY_REFS;

interface Row {
	inventoryId: string;
	modifiedAt: string;
	status: string;
	archived: boolean;
}

interface Page {
	meta: { nextToken?: string };
	items: Row[];
}

let sandbox: Sandbox;
let headers: Record<string, string>;
beforeEach(async () => {
	sandbox = await Sandbox.start();
	sandbox.standStill();
	sandbox.inventory.fill(AGENCY, 5);
	headers = { ...(await bearer(sandbox, sandbox.inventoryClient)), AgencyRef: AGENCY };
});
afterEach(() => sandbox.stop());

async function ask(path: string) {
	return await request(`${sandbox.inventoryUrl}${path}`, { headers });
}

async function filter(query: Record<string, string> = {}): Promise<Page> {
	return body<Page>(await ask(`/inventory/filter?${new URLSearchParams(query).toString()}`));
}

async function rowIds(query?: Record<string, string>): Promise<string[]> {
	return (await filter(query)).items.map(({ inventoryId }) => inventoryId);
}

async function record(id: string): Promise<Record<string, unknown> | undefined> {
	const reply = await ask(`/inventory/${id}`);
	return reply.status === 404 ? undefined : body(reply);
}

const now = () => seconds(sandbox.now());
const ids = () => sandbox.inventory.of(AGENCY).map(({ id }) => id);
const idAt = (index: number) => ids()[index] ?? '';

describe('a property of the sandbox', () => {
	it('is created now, on the market, and found by its times', async () => {
		const created = sandbox.inventory.create(AGENCY, {
			price: 250_000,
			address: { town: 'Elsewhere' },
		});

		expect(inventorySchema('Item')(await record(created.id))).toBe(true);
		expect(ids()).toHaveLength(6);
		expect(new Set(ids()).size).toBe(6);
		expect(created).toMatchObject({
			price: 250_000,
			address: { town: 'Elsewhere', countryCode: 'GB' },
			archived: false,
			isAtActiveStatus: true,
			createdDate: now(),
			modifiedDate: null,
		});
		expect(await rowIds({ 'created-from': now() })).toEqual([created.id]);
		expect(await rowIds({ 'modified-from': now() })).toEqual([]);

		sandbox.advance(MINUTE);
		expect(await rowIds({ 'created-from': now() })).toEqual([]);
		sandbox.inventory.change(AGENCY, created.id, { price: 240_000 });
		expect(await rowIds({ 'modified-from': now() })).toEqual([created.id]);
	});

	it('is other data for each that is created, and the same for the same seed', async () => {
		const twin = await Sandbox.start();
		twin.inventory.fill(AGENCY, 5);
		const made = (service: Sandbox) => {
			const { uprn, address } = service.inventory.create(AGENCY);
			return { uprn, address };
		};

		const both = [made(sandbox), made(sandbox)];

		expect(both[0]).not.toEqual(both[1]);
		expect([made(twin), made(twin)]).toEqual(both);
		await twin.stop();
	});

	it('changes: its row follows its record, and its modified time the clock', async () => {
		const id = idAt(2);
		sandbox.advance(MINUTE);

		const changed = sandbox.inventory.change(AGENCY, id, { inventoryStatus: 'UnderOffer' });

		expect(sandbox.inventory.of(AGENCY)[2]).toBe(changed);
		expect(await record(id)).toMatchObject({
			inventoryStatus: 'UnderOffer',
			status: 'Under Offer',
			isAtActiveStatus: true,
			modifiedDate: now(),
		});
		const { items } = await filter({ 'modified-from': now() });
		expect(items).toMatchObject([{ inventoryId: id, status: 'UnderOffer', modifiedAt: now() }]);

		sandbox.inventory.change(AGENCY, id, { archived: true });
		expect(await rowIds({ 'modified-from': now(), archived: 'true' })).toEqual([id]);
		expect(await rowIds({ 'modified-from': now(), archived: 'false' })).toEqual([]);
		expect(() => sandbox.inventory.change(AGENCY, 'unknown', {})).toThrow('no property unknown');
	});

	it('has the modified time that a test names, in the form it wants', async () => {
		const id = idAt(0);
		sandbox.inventory.timeText = (ms) => new Date(ms).toISOString();
		sandbox.advance(1);

		expect(sandbox.inventory.change(AGENCY, id, { price: 1 }).modifiedDate).toBe(
			new Date(sandbox.now()).toISOString(),
		);

		const modifiedDate = '2026-03-02T09:16:02.25+00:00';
		sandbox.inventory.change(AGENCY, id, { modifiedDate });
		expect((await filter()).items[0]?.modifiedAt).toBe(modifiedDate);
	});

	it('disappears', async () => {
		const id = idAt(1);

		sandbox.inventory.remove(AGENCY, id);

		expect(await record(id)).toBeUndefined();
		expect(await rowIds()).not.toContain(id);
	});
});

describe('what lags', () => {
	it('is a record, for a number of reads', async () => {
		const { id, price } = sandbox.inventory.find(AGENCY, idAt(0));
		const lag = { records: { reads: 2 } };

		sandbox.inventory.change(AGENCY, id, { price: price + 1 }, lag);

		expect(await rowIds({ 'modified-from': now() })).toEqual([id]);
		expect((await record(id))?.price).toBe(price);
		expect(body(await ask(`/inventory/items?inventory-id=${id}`))).toMatchObject({
			items: [{ price }],
		});
		expect((await record(id))?.price).toBe(price + 1);
	});

	it('is a record, for a time; what changes meanwhile shows later as well', async () => {
		const { id, price } = sandbox.inventory.find(AGENCY, idAt(0));
		const lag = { records: { ms: MINUTE } };
		sandbox.inventory.change(AGENCY, id, { price: price + 1 }, lag);
		sandbox.advance(MINUTE / 2);

		sandbox.inventory.change(AGENCY, id, { price: price + 2 }, lag);

		sandbox.advance(MINUTE / 2);
		expect((await record(id))?.price).toBe(price);
		sandbox.advance(MINUTE / 2);
		expect((await record(id))?.price).toBe(price + 2);
	});

	it('is a row: it is found late, by a modified time that has passed', async () => {
		const id = idAt(0);
		const before = now();

		sandbox.inventory.change(AGENCY, id, { price: 1 }, { rows: { ms: MINUTE } });

		expect((await record(id))?.price).toBe(1);
		expect(await rowIds({ 'modified-from': before })).toEqual([]);
		sandbox.advance(MINUTE);
		expect((await filter({ 'modified-from': before })).items[0]?.modifiedAt).toBe(before);
	});

	it('is a new property: it is in the list and cannot be read yet', async () => {
		const { id } = sandbox.inventory.create(AGENCY, {}, { records: { reads: 1 } });

		expect(await rowIds()).toContain(id);
		expect(await record(id)).toBeUndefined();
		expect(await record(id)).toMatchObject({ id });
	});
});

describe('pages of a list that changes while it is read', () => {
	async function pages(betweenFirstAndSecond: () => void, query: Record<string, string> = {}) {
		const asked = { 'max-results': '2', ...query };
		const first = await filter(asked);
		betweenFirstAndSecond();
		const found = [first];
		for (;;) {
			const next = found.at(-1)?.meta.nextToken;
			if (next === undefined)
				return found.flatMap(({ items }) => items.map((each) => each.inventoryId));
			found.push(await filter({ ...asked, 'next-token': next }));
		}
	}

	const changeFirst = () => {
		sandbox.advance(MINUTE);
		sandbox.inventory.change(AGENCY, oldestFirst()[0] ?? '', { price: 1 });
	};
	const oldestFirst = () =>
		[...sandbox.inventory.of(AGENCY)]
			.sort((one, other) => lastChangeOf(one) - lastChangeOf(other))
			.map(({ id }) => id);

	it('lose a row where tokens are offsets and the list is by time', async () => {
		sandbox.inventory.paging.order = 'oldestModified';
		const [first, second, third, ...rest] = oldestFirst();

		expect(await pages(changeFirst)).toEqual([first, second, ...rest, first]);
		expect(rest).not.toContain(third);
	});

	it('show a row twice where the newest come first', async () => {
		sandbox.inventory.paging.order = 'newestModified';
		const [first, second, ...rest] = oldestFirst().reverse();

		expect(await pages(changeFirst)).toEqual([first, second, second, ...rest.slice(0, -1)]);
	});

	it('lose none where tokens are cursors', async () => {
		Object.assign(sandbox.inventory.paging, { order: 'oldestModified', tokens: 'cursor' });
		const all = oldestFirst();

		expect(await pages(changeFirst)).toEqual([...all, all[0]]);
	});

	it('lose one that leaves the question, unless tokens are cursors', async () => {
		const listed = sandbox.inventory.of(AGENCY);
		for (const property of listed) property.archived = false;
		const archiveFirst = () => void sandbox.inventory.change(AGENCY, idAt(0), { archived: true });
		const [first, second, third, fourth, fifth] = ids();

		expect(await pages(archiveFirst, { archived: 'false' })).toEqual([
			first,
			second,
			fourth,
			fifth,
		]);

		sandbox.inventory.change(AGENCY, idAt(0), { archived: false });
		sandbox.inventory.paging.tokens = 'cursor';
		expect(await pages(archiveFirst, { archived: 'false' })).toEqual([
			first,
			second,
			third,
			fourth,
			fifth,
		]);
	});

	it('let a test change the list just behind each page', async () => {
		const cut: string[][] = [];
		sandbox.inventory.paging.afterPage = ({ items }) => cut.push(items.map(({ id }) => id));

		await pages(() => undefined);

		expect(cut).toEqual([ids().slice(0, 2), ids().slice(2, 4), ids().slice(4)]);
	});

	it('end where the tokens are forgotten', async () => {
		const { meta } = await filter({ 'max-results': '2' });

		sandbox.inventory.paging.forgetTokens();

		const refused = await ask(`/inventory/filter?max-results=2&next-token=${meta.nextToken}`);
		expect(refused.status).toBe(400);
	});
});
