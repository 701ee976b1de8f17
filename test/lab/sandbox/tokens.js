// @ts-check
const { randomBytes } = require('node:crypto');

/** @typedef {import('./types').Client} Client */

/**
 * @typedef {object} Token
 * @property {string} value
 * @property {string} clientId
 * @property {number} index the how-manieth of its client, from 1
 * @property {number} expiresAt epoch milliseconds
 * @property {boolean} revoked
 */

/** The tokens that were given out; a dead one is remembered, so that the log can say whose it was. */
class Tokens {
	/** @param {() => number} now epoch milliseconds */
	constructor(now) {
		this.now = now;
		/** @type {Map<string, Token>} */
		this.byValue = new Map();
		/** @type {Map<string, number>} */
		this.issued = new Map();
	}

	/**
	 * @param {Client} client
	 * @returns {Token}
	 */
	issue(client) {
		const index = (this.issued.get(client.clientId) ?? 0) + 1;
		this.issued.set(client.clientId, index);
		const token = {
			value: randomBytes(24).toString('base64url'),
			clientId: client.clientId,
			index,
			expiresAt: this.now() + client.tokenLifetime * 1000,
			revoked: false,
		};
		this.byValue.set(token.value, token);
		return token;
	}

	/**
	 * @param {string | undefined} authorization the header
	 * @returns {Token | undefined} the token that it carries, good or dead
	 */
	named(authorization) {
		const match = /^Bearer ([\w-]+)$/.exec(authorization ?? '');
		return match?.[1] === undefined ? undefined : this.byValue.get(match[1]);
	}

	/** @param {Token} token */
	isAlive(token) {
		return !token.revoked && this.now() < token.expiresAt;
	}

	/** @param {string} clientId */
	revokeAll(clientId) {
		for (const token of this.byValue.values()) {
			if (token.clientId === clientId) token.revoked = true;
		}
	}
}

module.exports = { Tokens };
