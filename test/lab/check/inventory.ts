import { randomUUID } from 'node:crypto';

import type { WireRequest } from '../reference/http';
import type { AgencyDoor, FilterQuestion } from '../reference/inventory';
import {
	filter,
	findByAddress,
	getBranch,
	getItem,
	getItems,
	getNegotiator,
	listBranches,
	listNegotiators,
	search,
	whoAmI,
} from '../reference/inventory';
import { inventoryToken } from '../reference/tokens';
import type { Area } from './area';
import type { Reply } from './asker';
import type { Outcome } from './findings';
import { differs, expected, notTried } from './findings';
import { answered, departure, recordsAsExpected, refusal, told } from './judge';
import { isRecord } from './records';

type Row = Record<string, unknown>;

/** The filters of enums, and where a row has what they ask for; a row may lack it. */
const FILTERED = {
	recordType: 'recordType',
	categoryType: 'categoryType',
	archived: 'archived',
	'inventory-status': 'status',
	managementType: 'managementType',
	'maintenance-type': 'maintenanceType',
} as const satisfies { [name in keyof FilterQuestion]: string };

type Filtered = keyof typeof FILTERED;

const SMALL_PAGE = 2;
const NO_SUCH_ID = '999999999';
const NO_SUCH_WORDS = 'zzqx no such place zzqx';

export async function checkInventory(area: Area): Promise<void> {
	const { settings } = area;
	await area.obtainToken('C', inventoryToken(settings.get('TOKEN_URL'), await area.pair()));
	await new Inventory(area).check();
	await area.judgeTokenKept();
}

/** The rules of one agency's inventory. */
class Inventory {
	private hits: Row[] = [];

	private rows: Row[] = [];

	private branchId = '';

	private negotiatorId = '';

	constructor(private readonly area: Area) {}

	async check(): Promise<void> {
		const rule: Area['rule'] = async (name, judge) => await this.area.rule(name, judge);
		await rule('by address: maxResults and nextToken', async () => await this.addressPages());
		await rule('by filter: max-results and next-token', async () => await this.filterPages());
		await rule('by text', async () => await this.text());
		await rule('one whole property', async () => await this.one());
		await rule('several whole properties', async () => await this.several());
		await rule('no property by address', async () => await this.noAddress());
		await rule('no property by text', async () => await this.noText());
		await rule('no property by id', async () => await this.noItem());
		await rule('one of several ids does not exist', async () => await this.oneMissing());
		await rule('filters of enums and of times', async () => await this.filters());
		await rule('a day of instruction as two times', async () => await this.instructed());
		await rule('a filter of the wrong type is refused', async () => await this.wrongType());
		await rule('an AgencyRef that does not exist is refused', async () => await this.noAgency());
		await rule('an invalid token is refused', async () => await this.noToken());
		await rule('branches', async () => await this.branches());
		await rule('one branch', async () => await this.oneBranch());
		await rule('negotiators', async () => await this.negotiators());
		await rule('one negotiator', async () => await this.oneNegotiator());
		await rule('the integration', async () => await this.integration());
	}

	private get door(): AgencyDoor {
		const { settings, token } = this.area;
		const [baseUrl, agencyRef] = [settings.get('URL'), settings.get('AGENCY_REF')];
		return { baseUrl, token, agencyRef };
	}

	private async ask(request: WireRequest): Promise<Reply> {
		return await this.area.read(request);
	}

	private async addressPages(): Promise<Outcome> {
		return await this.pages('/inventory', 'Hit', (nextToken) =>
			findByAddress(this.door, { maxResults: SMALL_PAGE, nextToken }),
		);
	}

	private async filterPages(): Promise<Outcome> {
		return await this.pages('/inventory/filter', 'Row', (token) =>
			filter(this.door, { 'max-results': SMALL_PAGE, 'next-token': token }),
		);
	}

	/** The first page, the second by its token, and no row twice. */
	private async pages(
		path: string,
		schema: 'Hit' | 'Row',
		page: (token?: string) => WireRequest,
	): Promise<Outcome> {
		const first = await this.ask(page());
		const rows = itemsOf(first);
		this.keep(schema, rows);
		const departs = departure('inventory', path, first, [200]) ?? this.tooMany(rows);
		if (departs) return departs;
		const names = recordsAsExpected('inventory', schema, rows);
		const token = tokenOf(first);
		if (names.verdict !== 'as expected' || token === undefined) return names;
		const second = await this.ask(page(token));
		const next = itemsOf(second);
		const ids = new Set(rows.map(idOf));
		if (next.some((row) => ids.has(idOf(row)))) return differs('the second page repeats rows');
		const outcome = departure('inventory', path, second, [200]) ?? this.tooMany(next);
		return outcome ?? expected(`two pages; ${names.why}`);
	}

	private keep(schema: 'Hit' | 'Row', rows: Row[]): void {
		if (schema === 'Hit') this.hits = rows;
		else this.rows = rows;
	}

	private tooMany({ length }: Row[]): Outcome | undefined {
		if (length <= SMALL_PAGE) return undefined;
		return differs(`${length} rows on a page of ${SMALL_PAGE}: the size is ignored`);
	}

	private async text(): Promise<Outcome> {
		const town = this.hits.map(townOf).find((each) => each !== '');
		if (town === undefined) return notTried('no property with a town to look for');
		const reply = await this.ask(search(this.door, { query: town, 'max-results': SMALL_PAGE }));
		const rows = itemsOf(reply);
		return (
			departure('inventory', '/inventory/search', reply, [200]) ??
			this.tooMany(rows) ??
			(rows.length === 0
				? differs('nothing was found for the town of a property')
				: recordsAsExpected('inventory', 'Row', rows))
		);
	}

	private async one(): Promise<Outcome> {
		const [id] = this.ids;
		if (id === undefined) return notTried('no property');
		const reply = await this.ask(getItem(this.door, id));
		const departs = departure('inventory', `/inventory/${encodeURIComponent(id)}`, reply, [200]);
		if (departs) return departs;
		if (!isRecord(reply.body) || idOf(reply.body) !== id)
			return differs('200, but not the property asked for');
		return recordsAsExpected('inventory', 'Item', [reply.body]);
	}

	private async several(): Promise<Outcome> {
		if (this.ids.length < 2) return notTried('fewer than two properties');
		const reply = await this.ask(getItems(this.door, this.ids));
		const departs = departure('inventory', '/inventory/items', reply, [200]);
		if (departs) return departs;
		const found = itemsOf(reply);
		const total = isRecord(reply.body) ? reply.body.totalCount : undefined;
		if (found.length !== this.ids.length || (total !== undefined && total !== found.length))
			return differs(
				`${this.ids.length} asked for, ${found.length} came, totalCount says otherwise`,
			);
		if (this.ids.some((id) => !found.some((each) => idOf(each) === id)))
			return differs('other properties came than those asked for');
		return recordsAsExpected('inventory', 'Item', found);
	}

	private async noAddress(): Promise<Outcome> {
		const reply = await this.ask(findByAddress(this.door, { address: NO_SUCH_WORDS }));
		return this.nothing('/inventory', reply, [200, 404]);
	}

	private async noText(): Promise<Outcome> {
		const reply = await this.ask(search(this.door, { query: NO_SUCH_WORDS }));
		return this.nothing('/inventory/search', reply, [200]);
	}

	private nothing(path: string, reply: Reply, statuses: number[]): Outcome {
		const { length } = itemsOf(reply);
		if (length > 0) return differs(`${length} rows for words that nothing can hold`);
		const departs = departure('inventory', path, reply, statuses);
		return departs ?? expected(reply.status === 200 ? '200, no rows' : answered(reply));
	}

	private async noItem(): Promise<Outcome> {
		const reply = await this.ask(getItem(this.door, NO_SUCH_ID));
		return refusal('inventory', reply, [404]);
	}

	private async oneMissing(): Promise<Outcome> {
		const [id] = this.ids;
		if (id === undefined) return notTried('no property');
		const reply = await this.ask(getItems(this.door, [id, NO_SUCH_ID]));
		if (reply.status === 404) return refusal('inventory', reply, [404]);
		const departs = departure('inventory', '/inventory/items', reply, [200]);
		const found = itemsOf(reply);
		const isOne = found.length === 1 && found.every((each) => idOf(each) === id);
		return (
			departs ?? (isOne ? expected('200 with the other one') : differs('the other one is lost'))
		);
	}

	private async filters(): Promise<Outcome> {
		return await this.filtered({
			recordType: 'Rent',
			categoryType: 'Residential',
			archived: false,
			'inventory-status': 'Available',
			managementType: 'FullyManaged',
			'maintenance-type': 'MaintainedByUs',
			'created-from': new Date('2000-01-01T00:00:00Z'),
			'modified-from': new Date('2000-01-01T00:00:00Z'),
		});
	}

	private async instructed(): Promise<Outcome> {
		const row = this.rows.find(({ instructionDate }) => typeof instructionDate === 'string');
		const day = String(row?.instructionDate).slice(0, 10);
		if (row === undefined || Number.isNaN(Date.parse(day)))
			return notTried('no property with an instruction among the first');
		const from = new Date(`${day}T00:00:00Z`);
		const to = new Date(`${day}T23:59:59Z`);
		const reply = await this.ask(
			filter(this.door, { 'instruction-date-from': from, 'instruction-date-to': to }),
		);
		const departs = departure('inventory', '/inventory/filter', reply, [200]);
		const isThere = itemsOf(reply).some((each) => idOf(each) === idOf(row));
		if (departs || isThere) return departs ?? expected('the property of that day came');
		return differs('a property of that day did not come');
	}

	private async filtered(question: FilterQuestion): Promise<Outcome> {
		const reply = await this.ask(filter(this.door, { ...question, 'max-results': SMALL_PAGE }));
		const departs = departure('inventory', '/inventory/filter', reply, [200]);
		const ignored = Object.entries(FILTERED).filter(([name, field]) =>
			itemsOf(reply).some(
				(row) => (row[field] ?? question[name as Filtered]) !== question[name as Filtered],
			),
		);
		if (departs || ignored.length === 0)
			return departs ?? expected(`${itemsOf(reply).length} rows`);
		return differs(`rows came that do not pass ${told(ignored.map(([name]) => name))}`);
	}

	private async wrongType(): Promise<Outcome> {
		const request = filter(this.door, { 'owner-id': 1 });
		const url = request.url.replace('owner-id=1', 'owner-id=not-a-number');
		return refusal('inventory', await this.ask({ ...request, url }), [400]);
	}

	private async noAgency(): Promise<Outcome> {
		const door = { ...this.door, agencyRef: randomUUID() };
		const reply = await this.area.readStrangely(findByAddress(door, { maxResults: 1 }));
		return refusal('inventory', reply, [403]);
	}

	private async noToken(): Promise<Outcome> {
		const door = { ...this.door, token: 'not-a-token' };
		const reply = await this.area.readStrangely(findByAddress(door, { maxResults: 1 }));
		return refusal('inventory', reply, [401, 403]);
	}

	private async branches(): Promise<Outcome> {
		const reply = await this.ask(listBranches(this.door, { 'max-results': SMALL_PAGE }));
		this.branchId = stringOf(itemsOf(reply)[0]?.branchId);
		return this.listed('/branches', 'Branch', reply);
	}

	private async negotiators(): Promise<Outcome> {
		const reply = await this.ask(listNegotiators(this.door, { 'max-results': SMALL_PAGE }));
		this.negotiatorId = stringOf(itemsOf(reply)[0]?.id);
		return this.listed('/negotiators', 'Negotiator', reply);
	}

	private listed(path: string, schema: string, reply: Reply): Outcome {
		const rows = itemsOf(reply);
		const departs = departure('inventory', path, reply, [200]) ?? this.tooMany(rows);
		return departs ?? recordsAsExpected('inventory', schema, rows);
	}

	private async oneBranch(): Promise<Outcome> {
		const id = this.branchId;
		if (id === '') return notTried('no branch');
		const reply = await this.ask(getBranch(this.door, id));
		const departs = departure('inventory', `/branches/${encodeURIComponent(id)}`, reply, [200]);
		const isSame = isRecord(reply.body) && reply.body.branchId === id;
		return departs ?? this.sameOne(isSame, 'Branch', reply);
	}

	private async oneNegotiator(): Promise<Outcome> {
		const id = this.negotiatorId;
		if (!/^\d+$/.test(id)) return notTried('no negotiator whose id is a number');
		const reply = await this.ask(getNegotiator(this.door, Number(id)));
		const departs = departure('inventory', `/negotiators/${id}`, reply, [200]);
		const isSame = isRecord(reply.body) && reply.body.id === id;
		return departs ?? this.sameOne(isSame, 'Negotiator', reply);
	}

	private sameOne(isSame: boolean, schema: string, { body }: Reply): Outcome {
		if (!isSame) return differs('200, but not the one asked for');
		return recordsAsExpected('inventory', schema, [body]);
	}

	private async integration(): Promise<Outcome> {
		const reply = await this.ask(whoAmI(this.door));
		const departs = departure('inventory', '/partners/integration', reply, [200, 404]);
		if (departs) return departs;
		if (reply.status === 404) return expected('404: not switched on for this agency');
		return recordsAsExpected('inventory', 'Integration', [reply.body]);
	}

	private get ids(): string[] {
		return [...this.hits, ...this.rows]
			.map(idOf)
			.filter((id, index, all) => id !== '' && all.indexOf(id) === index)
			.slice(0, SMALL_PAGE);
	}
}

/** Nothing is required, and null is possible. */
function itemsOf({ body }: Reply): Row[] {
	const items = isRecord(body) ? body.items : undefined;
	return Array.isArray(items) ? items.filter(isRecord) : [];
}

function tokenOf({ body }: Reply): string | undefined {
	const meta = isRecord(body) ? body.meta : undefined;
	const token = isRecord(meta) ? meta.nextToken : undefined;
	return typeof token === 'string' && token !== '' ? token : undefined;
}

/** Rows and records name it in two ways. */
function idOf({ inventoryId, id }: Row): string {
	return stringOf(inventoryId ?? id);
}

function stringOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function townOf({ address }: Row): string {
	return isRecord(address) && typeof address.town === 'string' ? address.town : '';
}
