// @ts-check
const { createServer } = require('node:http');
const { Access } = require('./access');
const { BASES, createAreas } = require('./areas');
const { Clients, SCOPE } = require('./clients');
const { Clock } = require('./clock');
const { CONTROL_BASE, Control } = require('./control');
const { Exchange } = require('./exchange');
const { Faults } = require('./faults');
const { readCall } = require('./http');
const { AGENCY_REFS, Inventory } = require('./inventory');
const { Journal } = require('./journal');
const { Leads } = require('./leads');
const { LEAD_PARAMETERS } = require('./leadsApi');
const { Products } = require('./products');
const { Tokens } = require('./tokens');
const { Wild } = require('./wild');

/** @typedef {import('./types').Client} Client */
/** @typedef {import('./types').ClientSettings} ClientSettings */
/** @typedef {import('./leadBodies').LeadKind} LeadKind */

/** @typedef {import('../conformanceSchemas').Mode | 'unchecked'} Contract */

/**
 * @typedef {object} SandboxOptions
 * @property {number} [port] default 0: a free one
 * @property {number} [seed] default 1: of all data and of the faults with a probability
 * @property {number} [clockOffsetMs] how far the service's clock is off; default 0
 * @property {401 | 403} [rejectTokenWith] the answer to a token that is not valid; default 401
 * @property {import('./wild').WildSettings} [wild] answers grow wild from the start
 * @property {Partial<import('./leadsApi').LeadParameters>} [leadParameters] other names of the query parameters for leads
 * @property {Contract} [contract] whether to hold all exchanges against the contract, and how to judge the answers;
 *   the environment variable SANDBOX_CONTRACT says the default, and without it nothing is held against anything
 */

/** A stand-in for the service on 127.0.0.1 that refuses whatever the service would refuse. */
class Sandbox {
	/** @param {SandboxOptions} options */
	constructor(options) {
		const seed = options.seed ?? 1;
		const clock = new Clock(options.clockOffsetMs ?? 0);
		const now = () => clock.now();
		this.clock = clock;
		/** @type {401 | 403} */
		this.rejectTokenWith = options.rejectTokenWith ?? 401;
		this.journal = new Journal();
		this.faults = new Faults(seed);
		this.clients = new Clients({ audience: () => this.leadsUrl, agencyRefs: AGENCY_REFS });
		this.tokens = new Tokens(now);
		this.leads = new Leads(seed, now);
		this.inventory = new Inventory(seed);
		this.products = new Products(seed, now, (product, listingId) =>
			this.journal.creditSpent(product, listingId),
		);
		const leadParameters = { ...LEAD_PARAMETERS, ...options.leadParameters };
		this.witness = witnessOf(options.contract, leadParameters);
		this.wild = new Wild({ leads: this.leads, tokens: this.tokens });
		if (options.wild !== undefined) this.wild.start(options.wild);
		this.exchange = new Exchange({
			areas: createAreas({
				...this,
				seed,
				access: new Access(this.clients, this.tokens, () => this.rejectTokenWith),
				leadParameters,
			}),
			faults: this.faults,
			journal: this.journal,
			clock,
			witness: this.witness,
			wild: this.wild,
		});
		this.control = new Control(this);
		this.server = createServer((request, response) => void this.#serve(request, response));
		// A client that keeps connections must not meet one that closes just then; faults do that on demand.
		this.server.keepAliveTimeout = 0;
		this.port = 0;
	}

	/**
	 * @param {SandboxOptions} [options]
	 * @returns {Promise<Sandbox>} listening, with a client for each integration
	 */
	static async start(options = {}) {
		const sandbox = new Sandbox(options);
		await sandbox.#listen(options.port ?? 0);
		sandbox.#addUsualClients();
		return sandbox;
	}

	/**
	 * Ends what is under way, hanging requests included.
	 *
	 * @throws Error if something broke the contract, in a sandbox that looks at it
	 */
	async stop() {
		const closed = new Promise((resolve) => this.server.close(resolve));
		this.server.closeAllConnections();
		await closed;
		this.witness?.testify();
	}

	get url() {
		return `http://127.0.0.1:${this.port}`;
	}

	get authUrl() {
		return this.url + BASES.auth;
	}

	get tokenUrl() {
		return this.url + BASES.token;
	}

	get leadsUrl() {
		return this.url + BASES.leads;
	}

	get inventoryUrl() {
		return this.url + BASES.inventory;
	}

	get productsUrl() {
		return this.url + BASES.products;
	}

	get leadsClient() {
		return this.clients.get('leads-client');
	}

	get productsClient() {
		return this.clients.get('products-client');
	}

	get inventoryClient() {
		return this.clients.get('inventory-client');
	}

	/**
	 * @param {ClientSettings} settings
	 * @returns {Client}
	 */
	addClient(settings) {
		return this.clients.add(settings);
	}

	/**
	 * @param {string} clientId
	 * @param {Partial<Omit<Client, 'clientId' | 'integration'>>} patch
	 * @returns {Client}
	 */
	updateClient(clientId, patch) {
		return this.clients.update(clientId, patch);
	}

	/** @param {string} clientId */
	revokeTokens(clientId) {
		this.tokens.revokeAll(this.clients.get(clientId).clientId);
	}

	/**
	 * Ends the pair and its tokens.
	 *
	 * @param {string} clientId
	 */
	revokeClient(clientId) {
		this.clients.update(clientId, { revoked: true });
		this.tokens.revokeAll(clientId);
	}

	/**
	 * @template {LeadKind} K
	 * @param {K} kind
	 * @param {import('./leads').Overrides} [overrides]
	 * @param {import('./leads').LeadOptions} [options]
	 */
	addLead(kind, overrides, options) {
		return this.leads.add(kind, overrides, options);
	}

	/**
	 * @template {LeadKind} K
	 * @param {K} kind
	 * @param {number} count
	 * @param {import('./leads').BulkOptions} [options]
	 */
	addLeads(kind, count, options) {
		return this.leads.addMany(kind, count, options);
	}

	clearLeads() {
		this.leads.clear();
	}

	/** The counts since the start or the last reset; the object goes on counting. */
	get counts() {
		return this.journal.counts;
	}

	/** The last requests, oldest first. */
	get requests() {
		return this.journal.requests;
	}

	resetCounts() {
		this.journal.reset();
	}

	/**
	 * @param {(request: import('./journal').LoggedRequest) => boolean} predicate
	 * @param {import('./journal').WaitOptions} [options]
	 */
	waitForRequest(predicate, options) {
		return this.journal.waitForRequest(predicate, options);
	}

	/**
	 * @param {(counts: import('./journal').Counts) => number | undefined} select
	 * @param {number} atLeast
	 * @param {import('./journal').WaitOptions} [options]
	 */
	waitForCount(select, atLeast, options) {
		return this.journal.waitForCount(select, atLeast, options);
	}

	/** @param {number} ms may be negative */
	advance(ms) {
		this.clock.advance(ms);
	}

	/** @returns {number} epoch milliseconds by the service's clock */
	now() {
		return this.clock.now();
	}

	/** What another process needs to know to use the sandbox. */
	addresses() {
		const { url, authUrl, tokenUrl, leadsUrl, inventoryUrl, productsUrl } = this;
		const clients = [...this.clients.byId.values()];
		return { url, authUrl, tokenUrl, leadsUrl, inventoryUrl, productsUrl, clients };
	}

	/** @param {number} port */
	async #listen(port) {
		await new Promise((resolve, reject) => {
			this.server.once('error', reject);
			this.server.listen(port, '127.0.0.1', () => resolve(undefined));
		});
		const address = this.server.address();
		if (address === null || typeof address === 'string') throw new Error('no port');
		this.port = address.port;
	}

	/** The secrets hold what breaks when it is encoded once too often or not at all. */
	#addUsualClients() {
		this.addClient({
			integration: 'leads',
			clientId: 'leads-client',
			clientSecret: 'l+e%41a:d é&s=/?#"secret',
		});
		this.addClient({
			integration: 'products',
			clientId: 'products-client',
			clientSecret: 'p%2Br:o d+ü&ct=s~secret€',
			scope: SCOPE,
		});
		this.addClient({
			integration: 'inventory',
			clientId: 'inventory-client',
			clientSecret: 'i:n%25v+e ñ&t=o;ry-secret',
		});
	}

	/**
	 * @param {import('node:http').IncomingMessage} request
	 * @param {import('node:http').ServerResponse} response
	 */
	async #serve(request, response) {
		try {
			const call = await readCall(request);
			if (call.path.startsWith(CONTROL_BASE)) this.control.handle(call, response);
			else await this.exchange.handle(call, response);
		} catch (error) {
			// Gone clients are no failure; anything else is a defect of the sandbox and has to be seen.
			if (request.destroyed && !request.complete) return;
			if (response.headersSent) response.destroy();
			else response.writeHead(500).end(error instanceof Error ? error.stack : 'unknown failure');
		}
	}
}

/**
 * @param {Contract | undefined} contract
 * @param {import('./leadsApi').LeadParameters} parameters
 */
function witnessOf(contract = defaultContract(), parameters) {
	if (contract === 'unchecked') return undefined;
	// Only then: the published sandbox commands need no validator.
	const { ContractWitness } = require('../contractWitness');
	const names = new Map(
		Object.entries(LEAD_PARAMETERS).map(([field, name]) => [
			parameters[/** @type {keyof typeof parameters} */ (field)],
			name,
		]),
	);
	return new ContractWitness(contract, names);
}

/** @returns {Contract} */
function defaultContract() {
	const { SANDBOX_CONTRACT: wanted } = process.env;
	return wanted === 'closed' || wanted === 'open' ? wanted : 'unchecked';
}

module.exports = { Sandbox };
