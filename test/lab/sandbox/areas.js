// @ts-check
const { leadsError, productsError, inventoryError, tokenError } = require('./errors');
const { htmlPage } = require('./http');
const { AgencyApi } = require('./agencyApi');
const { InventoryApi } = require('./inventoryApi');
const { LeadsApi } = require('./leadsApi');
const { ProductsApi } = require('./productsApi');
const { TokenEndpoint, clientNamedBy } = require('./tokenEndpoint');

/** @typedef {import('./types').Area} Area */
/** @typedef {import('./types').Answer} Answer */
/** @typedef {import('./types').Call} Call */
/** @typedef {import('./types').Client} Client */
/** @typedef {import('./types').Integration} Integration */

/** Where the areas lie on the one port; the prefixes differ, so that a client that drops one is found out. */
const BASES = {
	auth: '/auth',
	token: '/identity/connect/token',
	leads: '/leads-api',
	inventory: '/inventory-api',
	products: '/products-api',
};

/**
 * @typedef {object} Api
 * @property {(path: string) => string | undefined} template
 * @property {(path: string, call: Call, client: Client) => Answer} handle
 */

/**
 * @typedef {object} Parts
 * @property {number} seed
 * @property {import('./clock').Clock} clock
 * @property {import('./clients').Clients} clients
 * @property {import('./tokens').Tokens} tokens
 * @property {import('./access').Access} access
 * @property {import('./journal').Journal} journal
 * @property {import('./leads').Leads} leads
 * @property {import('./leadsApi').LeadParameters} leadParameters
 * @property {import('./inventory').Inventory} inventory
 * @property {import('./products').Products} products
 */

/**
 * @param {Parts} parts
 * @returns {Area[]} in the order in which they are asked; the last takes what is left
 */
function createAreas(parts) {
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

/**
 * @param {Parts} parts
 * @param {string} base
 * @param {string} path the whole path of the endpoint
 * @param {Integration[]} integrations
 * @returns {Area}
 */
function tokenArea({ clients, tokens, journal }, base, path, integrations) {
	const issued = (/** @type {string} */ clientId) => journal.tokenIssued(clientId);
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

/** @param {number} status */
function errorWord(status) {
	if (status === 401) return 'invalid_client';
	if (status === 403) return 'access_denied';
	return status < 500 ? 'invalid_request' : 'server_error';
}

/**
 * @param {Parts} parts
 * @param {Integration} integration
 * @param {Api} api
 * @param {(status: number, message: string) => Answer} refuse
 * @returns {Area}
 */
function dataArea({ access }, integration, api, refuse) {
	const base = BASES[integration];
	const below = (/** @type {string} */ path) => path.slice(base.length);
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

/**
 * @param {Parts} parts
 * @returns {Area}
 */
function nowhere({ access }) {
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

module.exports = { createAreas, BASES };
