// @ts-check

/** @typedef {import('./types').Client} Client */
/** @typedef {import('./types').ClientSettings} ClientSettings */

const SCOPE = 'api/api_access';

/** The pairs that the service knows. */
class Clients {
	/**
	 * @param {object} defaults
	 * @param {() => string} defaults.audience
	 * @param {string[]} defaults.agencyRefs
	 */
	constructor(defaults) {
		this.defaults = defaults;
		/** @type {Map<string, Client>} */
		this.byId = new Map();
	}

	/**
	 * @param {ClientSettings} settings
	 * @returns {Client}
	 */
	add(settings) {
		if (this.byId.has(settings.clientId)) throw new Error(`client ${settings.clientId} exists`);
		const client = {
			audience: this.defaults.audience(),
			scope: SCOPE,
			tokenLifetime: 3600,
			branches: [],
			brands: [],
			companies: [],
			groups: [],
			agencyRefs: this.defaults.agencyRefs,
			permitted: true,
			revoked: false,
			...settings,
		};
		this.byId.set(client.clientId, client);
		return client;
	}

	/**
	 * @param {string} clientId
	 * @returns {Client | undefined}
	 */
	find(clientId) {
		return this.byId.get(clientId);
	}

	/**
	 * @param {string} clientId
	 * @returns {Client}
	 */
	get(clientId) {
		const client = this.byId.get(clientId);
		if (client === undefined) throw new Error(`no client ${clientId}`);
		return client;
	}

	/**
	 * @param {string} clientId
	 * @param {Partial<Omit<Client, 'clientId' | 'integration'>>} patch
	 * @returns {Client}
	 */
	update(clientId, patch) {
		return Object.assign(this.get(clientId), patch);
	}
}

module.exports = { Clients, SCOPE };
