import { inventoryError } from './errors';
import { Refusal, json } from './http';
import type { InventoryApi } from './inventoryApi';
import { readAgencyRef } from './inventoryApi';
import type { Answer, Call, Client } from './types';

const INTEGRATION = '/partners/integration';
const USUAL_PAGE = 50;
const NAMES = ['North', 'South', 'East', 'West'];
const STAFF = ['Kim Harlow', 'Lee Orchard', 'Robin Tarn'];

const branchIdOf = (index: number) => 11 + index;

function addressOf(index: number) {
	return {
		subDwelling: null,
		nameNumber: String(index + 1),
		street: 'Market Place',
		locality: null,
		town: 'Exampleton',
		county: null,
	};
}

const BRANCHES = NAMES.map((name, index) => ({
	branchId: String(branchIdOf(index)),
	createdAt: '2020-01-06T09:00:00Z',
	modifiedAt: null,
	name,
	address: { ...addressOf(index), postcode: 'AB1 2CE', countryCode: 'GB', uprn: null },
	status: index === 3 ? 'Inactive' : 'Active',
	defaultMarket: index === 1 ? 'Sale' : 'Rent',
}));

const NEGOTIATORS = STAFF.map((name, index) => {
	const login = `${name.toLowerCase().replace(' ', '.')}@example.com`;
	return {
		id: String(41 + index),
		title: index === 0 ? 'Ms' : null,
		name,
		email: login,
		loginName: login,
		phoneNumber: `07700 90032${index}`,
		role: 'Negotiator',
		authorisedSignatory: index === 0,
	};
});

/** What the inventory API has besides properties: the agency's branches, its staff, and the integration itself. */
export class AgencyApi {
	private readonly lists: Record<string, (call: Call) => Answer> = {
		'/branches': (call) => page(call, BRANCHES.filter(isWanted(call))),
		'/negotiators': (call) => page(call, NEGOTIATORS),
		[INTEGRATION]: () => json(200, integration()),
	};

	/** @param inventory takes all other requests */
	constructor(private readonly inventory: InventoryApi) {}

	/** @param path below the base address */
	template(path: string): string | undefined {
		if (path in this.lists) return path;
		const [, list] = /^\/(branches|negotiators)\/[^/]+$/.exec(path) ?? [];
		return list === undefined ? this.inventory.template(path) : `/${list}/{id}`;
	}

	/** @param path below the base address */
	handle(path: string, call: Call, client: Client): Answer {
		const [, list, id] = /^\/(branches|negotiators)\/([^/]+)$/.exec(path) ?? [];
		const answer = list === undefined ? this.lists[path] : () => one(path, list, id ?? '');
		if (answer === undefined) return this.inventory.handle(path, call, client);
		if (call.method !== 'GET') throw new Refusal(inventoryError(405, 'use GET', path));
		readAgencyRef(call, client);
		return answer(call);
	}
}

function isWanted({ query }: Call) {
	return ({ status }: { status: string }) =>
		query.get('activeOnly') !== 'true' || status === 'Active';
}

/** The contract does not say which page parameters are refused here, so none is. */
function page({ query }: Call, all: object[]): Answer {
	const start = Number(query.get('next-token') ?? 0);
	const end = start + Number(query.get('max-results') ?? USUAL_PAGE);
	const nextToken = end < all.length ? String(end) : null;
	return json(200, { meta: { nextToken, previousToken: null }, items: all.slice(start, end) });
}

function one(path: string, list: string, id: string): Answer {
	const found =
		list === 'branches'
			? BRANCHES.find(({ branchId }) => branchId === id)
			: NEGOTIATORS.find((negotiator) => negotiator.id === id);
	if (found === undefined) throw new Refusal(inventoryError(404, 'there is none', path));
	return json(200, found);
}

function integration() {
	return {
		integrationId: '3d5b7f91-20c4-4e68-b1a3-5f7092c4e6d8',
		integrationName: 'Example workflows',
		agencyName: 'Example Agents',
		requestedBy: STAFF[0],
		agencyIntegrationData: null,
		branches: NAMES.map((branchName, index) => ({
			branchRef: branchName.toUpperCase(),
			branchId: branchIdOf(index),
			branchName,
			branchAddress: { ...addressOf(index), postCode: 'AB1 2CE' },
			overridesAgencyIntegrationData: false,
			integrationData: null,
		})),
	};
}
