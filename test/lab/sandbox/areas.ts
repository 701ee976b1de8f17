import type { Access } from './access';
import { AgencyApi } from './agencyApi';
import type { Clients } from './clients';
import type { Clock } from './clock';
import { leadsError, productsError, inventoryError, tokenError } from './errors';
import { htmlPage } from './http';
import type { Inventory } from './inventory';
import { InventoryApi } from './inventoryApi';
import type { Journal } from './journal';
import type { Leads } from './leads';
import type { LeadParameters } from './leadsApi';
import { LeadsApi } from './leadsApi';
import type { Products } from './products';
import { BASES } from './paths';
import { ProductsApi } from './productsApi';
import { TokenEndpoint, clientNamedBy } from './tokenEndpoint';
import type { Tokens } from './tokens';
import type { Answer, Area, Call, Client, Integration } from './types';

interface Api {
	template: (path: string) => string | undefined;
	handle: (path: string, call: Call, client: Client) => Answer;
}

interface Parts {
	seed: number;
	clock: Clock;
	clients: Clients;
	tokens: Tokens;
	access: Access;
	journal: Journal;
	leads: Leads;
	leadParameters: LeadParameters;
	inventory: Inventory;
	products: Products;
}

/** @returns the areas, in the order in which they are tried; the last one takes what no other takes */
export function createAreas(parts: Parts): Area[] {
	const { leads, clock, seed, leadParameters, inventory, products } = parts;
	const leadsApi = new LeadsApi({ leads, clock, seed, parameters: leadParameters });
	const productsApi = new ProductsApi(products, BASES.products);
	return [
		tokenArea(parts, BASES.auth, '/auth/oauth2/token', ['leads', 'products']),
		tokenArea(parts, BASES.token, BASES.token, ['inventory']),
		dataArea(parts, 'leads', leadsApi, leadsError),
		dataArea(parts, 'inventory', new AgencyApi(new InventoryApi(inventory)), inventoryError),
		dataArea(parts, 'products', productsApi, productsError),
		nowhere(parts),
	];
}

/** @param path the whole path of the endpoint */
function tokenArea(
	{ clients, tokens, journal }: Parts,
	base: string,
	path: string,
	integrations: Integration[],
): Area {
	const issued = (clientId: string) => journal.tokenIssued(clientId);
	const endpoint = new TokenEndpoint(integrations, { clients, tokens, issued });
	return {
		base,
		counts: 'token',
		api: (call) => clients.find(clientNamedBy(call) ?? '')?.integration,
		integration: 'token',
		template: (asked) => (asked === path ? path : undefined),
		identify: (call) => ({ clientId: clientNamedBy(call), tokenIndex: null }),
		handle: (call) => endpoint.handle(call),
		refuse: (status, message) => tokenError(status, errorWord(status), message),
	};
}

function errorWord(status: number) {
	if (status === 401) return 'invalid_client';
	if (status === 403) return 'access_denied';
	return status < 500 ? 'invalid_request' : 'server_error';
}

function dataArea(
	{ access }: Parts,
	integration: Integration,
	api: Api,
	refuse: (status: number, message: string) => Answer,
): Area {
	const base = BASES[integration];
	const below = (path: string) => path.slice(base.length);
	return {
		base: `${base}/`,
		counts: 'data',
		api: () => integration,
		integration,
		template: (path) => {
			const template = api.template(below(path));
			return template === undefined ? undefined : base + template;
		},
		identify: (call) => access.identify(call),
		handle: (call) => {
			const client = access.authorize(call, integration, refuse);
			return api.handle(below(call.path), call, client);
		},
		refuse: (status, message) => refuse(status, message),
	};
}

function nowhere({ access }: Parts): Area {
	return {
		base: '/',
		counts: 'data',
		api: () => undefined,
		template: () => undefined,
		identify: (call) => access.identify(call),
		handle: () => htmlPage(404, 'Not Found'),
		refuse: (status, message) => htmlPage(status, `${status} ${message}`),
	};
}
