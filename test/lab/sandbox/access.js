// @ts-check
const { Refusal } = require('./http');

/** @typedef {import('./types').Call} Call */
/** @typedef {import('./types').Caller} Caller */
/** @typedef {import('./types').Client} Client */
/** @typedef {import('./types').Integration} Integration */

/** Decides whether a data request may pass. */
class Access {
	/**
	 * @param {import('./clients').Clients} clients
	 * @param {import('./tokens').Tokens} tokens
	 * @param {() => 401 | 403} rejectTokenWith the answer to a token that belongs to no client of the API
	 */
	constructor(clients, tokens, rejectTokenWith) {
		this.clients = clients;
		this.tokens = tokens;
		this.rejectTokenWith = rejectTokenWith;
	}

	/**
	 * @param {Call} call
	 * @returns {Caller}
	 */
	identify(call) {
		const token = this.tokens.named(call.headers.authorization);
		return { clientId: token?.clientId ?? null, tokenIndex: token?.index ?? null };
	}

	/**
	 * @param {Call} call
	 * @param {Integration} integration
	 * @param {(status: number, message: string) => import('./types').Answer} refuse
	 * @returns {Client}
	 */
	authorize(call, integration, refuse) {
		const token = this.tokens.named(call.headers.authorization);
		const client = token === undefined ? undefined : this.clients.find(token.clientId);
		if (token === undefined || client?.integration !== integration) {
			throw new Refusal(refuse(this.rejectTokenWith(), 'the token is not valid here'));
		}
		if (!this.tokens.isAlive(token)) {
			const status = client.rejectTokenWith ?? this.rejectTokenWith();
			throw new Refusal(refuse(status, 'the token is no longer valid'));
		}
		if (!client.permitted) {
			throw new Refusal(refuse(403, 'this client has no permission'));
		}
		return client;
	}
}

module.exports = { Access };
