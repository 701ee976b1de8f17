import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import contract from '../../../lab/contract/inventory.json';
import { Sandbox } from '../../../lab/sandbox';
import { AGENCY_REFS } from '../../../lab/sandbox/inventory';
import { bearer, body, inventorySchema, request, type Reply } from './helpers';

const [AGENCY, OTHER_AGENCY] = AGENCY_REFS;

interface Page {
	meta: { nextToken?: string | null; previousToken?: string | null };
	items: Record<string, unknown>[];
}

let sandbox: Sandbox;
let token: Record<string, string>;
beforeAll(async () => {
	sandbox = await Sandbox.start();
	token = await bearer(sandbox, sandbox.inventoryClient);
});
afterAll(() => sandbox.stop());

function ask(path: string, agencyRef: string | null = AGENCY): Promise<Reply> {
	const headers = { ...token, ...(agencyRef === null ? {} : { AgencyRef: agencyRef }) };
	return request(`${sandbox.inventoryUrl}${path}`, { headers });
}

async function refusal(path: string, agencyRef?: string | null): Promise<number> {
	const reply = await ask(path, agencyRef);
	expect(body(reply)).toEqual({
		type: expect.any(String),
		title: expect.any(String),
		status: reply.status,
		detail: expect.any(String),
		instance: expect.any(String),
	});
	expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
	return reply.status;
}

async function page(path: string): Promise<Page> {
	const reply = await ask(path);
	expect(reply.status).toBe(200);
	return body<Page>(reply);
}

async function allPages(path: string, parameter: string, joint = '?'): Promise<Page[]> {
	const pages = [await page(path)];
	for (;;) {
		const next = pages.at(-1)?.meta.nextToken;
		if (next === undefined || next === null) return pages;
		pages.push(await page(`${path}${joint}${parameter}=${encodeURIComponent(next)}`));
	}
}

const properties = () => sandbox.inventory.of(AGENCY);
const first = () => {
	const [property] = properties();
	if (property === undefined) throw new Error('no property');
	return property;
};

const instructed = () => {
	const property = properties().find(({ instructionDate }) => instructionDate !== null);
	if (property === undefined) throw new Error('no property with an instruction');
	return property;
};

describe('AgencyRef', () => {
	it.each([
		'/inventory',
		'/inventory/items?inventory-id=x',
		'/inventory/search?query=x',
		'/inventory/filter',
		'/inventory/x',
	])('is needed for %s, and has to be one of the client’s', async (path) => {
		expect(await refusal(path, null)).toBe(400);
		expect(await refusal(path, 'AG9999')).toBe(403);
	});

	it('decides whose properties they are', async () => {
		const [one, other] = [await ask('/inventory'), await ask('/inventory', OTHER_AGENCY)];

		expect(one.text).not.toBe(other.text);
	});
});

describe.each([
	['/inventory', 'maxResults', 'nextToken', 'max-results', 'next-token'],
	['/inventory/filter', 'max-results', 'next-token', 'maxResults', 'nextToken'],
])('pages of %s', (path, size, next, wrongSize, wrongNext) => {
	it('hold 50 rows unless told otherwise, and 250 at most', async () => {
		expect((await page(path)).items).toHaveLength(50);
		expect((await page(`${path}?${size}=250`)).items).toHaveLength(250);
		for (const wrong of ['0', '251', '-1', '1.5', 'ten', '']) {
			expect(await refusal(`${path}?${size}=${wrong}`)).toBe(400);
		}
	});

	it('give every property once, in the end without a token', async () => {
		const pages = await allPages(`${path}?${size}=250`, next, '&');

		const ids = pages.flatMap(({ items }) => items.map((item) => item.id ?? item.inventoryId));

		expect(pages).toHaveLength(5);
		expect(ids).toEqual(properties().map((property) => property.id));
	});

	it('refuse the other spelling', async () => {
		expect(await refusal(`${path}?${wrongSize}=10`)).toBe(400);
		expect(await refusal(`${path}?${wrongNext}=x`)).toBe(400);
	});

	it('refuse a token of another question', async () => {
		const { meta } = await page(`${path}?${size}=10`);
		const value = meta.nextToken ?? '';

		expect((await ask(`${path}?${size}=10&${next}=${value}`)).status).toBe(200);
		expect(await refusal(`${path}?${size}=20&${next}=${value}`)).toBe(400);
		expect(await refusal(`${path}?${size}=10&recordType=Sale&${next}=${value}`)).toBe(400);
		expect(await refusal(`${path}?${size}=10&${next}=${value}`, OTHER_AGENCY)).toBe(400);
		expect(await refusal(`${path}?${size}=10&${next}=50`)).toBe(400);
		expect(await refusal(`${path}?${size}=10&${next}=${value}&${next}=${value}`)).toBe(400);
	});
});

describe('the list', () => {
	it('has rows of id and address, null at the last page, and a way back', async () => {
		const { items } = await page('/inventory');

		expect(items[0]).toEqual({ id: first().id, address: first().address });

		const pages = await allPages('/inventory?maxResults=250', 'nextToken', '&');

		expect(pages.at(-1)?.meta.nextToken).toBeNull();
		expect(pages[0]?.meta.previousToken).toBeNull();

		const back = pages[1]?.meta.previousToken ?? '';
		expect((await page(`/inventory?maxResults=250&nextToken=${back}`)).items).toEqual(
			pages[0]?.items,
		);
	});

	it('filters by address, category, record type and archive', async () => {
		const { address } = first();
		const asked = new URLSearchParams({
			address: `${address.nameNo} ${address.street.toUpperCase()}, ${address.town}`,
		});

		const { items } = await page(`/inventory?${asked.toString()}`);

		expect(items.map((item) => item.id)).toContain(first().id);
		expect(items.length).toBeLessThan(50);

		const expected = properties().filter((property) => {
			const { category, recordType, archived } = property;
			return category === 'Commercial' && recordType === 'Rent' && !archived;
		});

		const found = await page(
			'/inventory?category=Commercial&recordType=Rent&archived=false&maxResults=250',
		);

		expect(found.items.map((item) => item.id)).toEqual(expected.map((property) => property.id));
	});

	it('refuses what it does not know', async () => {
		for (const wrong of [
			'category=House',
			'recordType=sale',
			'archived=1',
			'query=x',
			'address=',
			'recordType=Sale&recordType=Rent',
		]) {
			expect(await refusal(`/inventory?${wrong}`)).toBe(400);
		}
	});
});

describe('one property', () => {
	it('has the fields of the contract, each with a value that it allows', async () => {
		const isItem = inventorySchema('Item');

		const reply = await ask(`/inventory/${first().id}`);

		expect(reply.status).toBe(200);
		expect(body(reply)).toEqual(first());
		expect(Object.keys(first()).sort()).toEqual(
			Object.keys(contract.components.schemas.Item.properties).sort(),
		);
		for (const property of properties()) {
			isItem(property);
			expect(isItem.errors ?? []).toEqual([]);
		}
	});

	it('is not found when it is unknown, or another agency’s', async () => {
		expect(await refusal('/inventory/unknown')).toBe(404);

		const others = new Set(sandbox.inventory.of(OTHER_AGENCY).map(({ id }) => id));
		const ours = properties().find(({ id }) => !others.has(id))?.id;
		expect((await ask(`/inventory/${ours}`)).status).toBe(200);
		expect(await refusal(`/inventory/${ours}`, OTHER_AGENCY)).toBe(404);
		expect(await refusal('/inventory/%E0%A4%A')).toBe(400);
	});
});

describe('items', () => {
	const query = (ids: string[]) =>
		`/inventory/items?${ids.map((id) => `inventory-id=${id}`).join('&')}`;

	it('are full properties; an unknown id is simply absent', async () => {
		const ids = properties()
			.slice(3, 6)
			.map((property) => property.id);

		const reply = body<{ totalCount: number; items: unknown[] }>(
			await ask(query([...ids, 'unknown'])),
		);

		expect(reply).toEqual({ totalCount: 3, items: properties().slice(3, 6) });
	});

	it('are repeated ids, not a list of them', async () => {
		const ids = properties()
			.slice(0, 2)
			.map((property) => property.id);

		expect(body(await ask(query([ids.join(',')])))).toEqual({ totalCount: 0, items: [] });
	});

	it('are 1 to 100', async () => {
		const ids = properties()
			.slice(0, 101)
			.map((property) => property.id);

		expect((await ask(query(ids.slice(0, 100)))).status).toBe(200);
		expect(await refusal(query(ids))).toBe(400);
		expect(await refusal('/inventory/items')).toBe(400);
		expect(await refusal('/inventory/items?inventory-id=')).toBe(400);
		expect(await refusal('/inventory/items?inventoryId=x')).toBe(400);
	});
});

describe('search', () => {
	it('needs a query', async () => {
		expect(await refusal('/inventory/search')).toBe(400);
		expect(await refusal('/inventory/search?query=')).toBe(400);
	});

	it('finds by postcode and by contact name, in rows of its own; the last page has no token', async () => {
		const { address, owners } = first();
		const asked = new URLSearchParams({
			query: `${owners[0]?.name.surname} ${address.postcode}`,
			'max-results': '250',
		});

		const { meta, items } = await page(`/inventory/search?${asked.toString()}`);

		expect(meta).toEqual({});
		expect(Object.keys(items[0] ?? {})).toEqual([
			'inventoryId',
			'branchId',
			'createdAt',
			'modifiedAt',
			'categoryType',
			'recordType',
			'archived',
			'status',
			'address',
			'managementType',
			'maintenanceType',
			'instructionDate',
		]);
		expect(items.map((item) => item.inventoryId)).toContain(first().id);
	});

	it('takes repeated branches, and dates', async () => {
		const asked =
			'/inventory/search?query=a&max-results=250&branchIds=11&branchIds=12&created-from=2024-03-01T00:00:00Z&created-to=2024-05-31T00:00:00Z';

		const { items } = await page(asked);

		expect(items.length).toBeGreaterThan(0);
		for (const item of items) {
			expect(['11', '12']).toContain(item.branchId);
			expect(String(item.createdAt) >= '2024-03-01' && String(item.createdAt) < '2024-05-31').toBe(
				true,
			);
		}
		expect(await refusal('/inventory/search?query=a&branchIds=11,12')).toBe(400);
		expect(await refusal('/inventory/search?query=a&created-from=yesterday')).toBe(400);
		expect(await refusal('/inventory/search?query=a&inventory-status=Let')).toBe(400);
	});
});

describe('filter', () => {
	it.each([
		['categoryType', 'Residential', 'category'],
		['recordType', 'Rent', 'recordType'],
		['managementType', 'Managed', 'managementType'],
		['maintenance-type', 'MaintainedByLandlord', 'maintenanceType'],
		['inventory-status', 'LetAgreed', 'inventoryStatus'],
	] as const)('takes %s', async (parameter, value, field) => {
		const pages = await allPages(
			`/inventory/filter?${parameter}=${value}&max-results=250`,
			'next-token',
			'&',
		);

		const found = pages.flatMap((each) => each.items);

		expect(found.length).toBe(properties().filter((property) => property[field] === value).length);
		expect(found.length).toBeGreaterThan(0);
	});

	it('takes the owner, and dates of three kinds', async () => {
		const ownerId = first().owners[0]?.ownerId ?? '';

		const { items } = await page(`/inventory/filter?owner-id=${ownerId}&max-results=250`);

		expect(items).toHaveLength(
			properties().filter(({ owners }) => owners[0]?.ownerId === ownerId).length,
		);

		const { id, instructionDate, modifiedDate } = instructed();
		const dates = `instruction-date-from=${instructionDate}&instruction-date-to=${instructionDate}&modified-from=${modifiedDate}&modified-to=${modifiedDate}`;

		const byDate = await page(`/inventory/filter?${dates}`);

		expect(byDate.items.map((item) => item.inventoryId)).toContain(id);
	});

	it('reads a day alone as its midnight: as an end it loses that day', async () => {
		sandbox.witness?.overlook(/^request: query instruction-date-(from|to): .+ format/);
		const { id, instructionDate } = instructed();
		const day = instructionDate?.slice(0, 10);
		const own = await Sandbox.start({ contract: 'unchecked' });
		const headers = { ...(await bearer(own, own.inventoryClient)), AgencyRef: AGENCY };
		const found = async (to: string) => {
			const query = `instruction-date-from=${day}&instruction-date-to=${to}&max-results=250`;
			const reply = await request(`${own.inventoryUrl}/inventory/filter?${query}`, { headers });
			return body<Page>(reply).items.map((item) => item.inventoryId);
		};

		expect(await found(`${day}T23:59:59Z`)).toContain(id);
		expect(await found(day ?? '')).not.toContain(id);

		await own.stop();
	});

	it('leaves lettings only, by how they are managed, unless sales are asked for', async () => {
		const count = async (query: string) =>
			(await allPages(`/inventory/filter?${query}&max-results=250`, 'next-token', '&')).flatMap(
				({ items }) => items,
			).length;
		const sales = properties().filter(({ recordType }) => recordType === 'Sale').length;

		expect(await count('managementType=LetOnly&recordType=Sale')).toBe(sales);
		expect(await count('maintenance-type=Unspecified')).toBe(properties().length);
	});

	it('refuses what it does not know', async () => {
		for (const wrong of [
			'category=Residential',
			'status=Let',
			'inventory-status=let',
			'maintenance-type=Landlord',
			'owner-id=owner-42',
			'query=x',
		]) {
			expect(await refusal(`/inventory/filter?${wrong}`)).toBe(400);
		}
	});
});

it('takes GET only, and keeps the same data for the same seed', async () => {
	const twin = await Sandbox.start();

	expect(twin.inventory.of(AGENCY)).toEqual(properties());
	expect(properties()).toHaveLength(1200);

	await twin.stop();
	const headers = { ...token, AgencyRef: AGENCY };

	const posted = await request(`${sandbox.inventoryUrl}/inventory`, { method: 'POST', headers });

	expect(posted.status).toBe(405);

	sandbox.inventory.fill(OTHER_AGENCY, 3);
	expect(body<Page>(await ask('/inventory', OTHER_AGENCY)).items).toHaveLength(3);
});
