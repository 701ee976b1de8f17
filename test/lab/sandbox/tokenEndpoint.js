// @ts-check
const { Refusal, isType, json } = require('./http');
const { tokenError } = require('./errors');

/** @typedef {import('./types').Answer} Answer */
/** @typedef {import('./types').Call} Call */
/** @typedef {import('./types').Client} Client */
/** @typedef {import('./types').Integration} Integration */

/**
 * The three request forms: how the client says who it is, and the fields of the form, no more and no fewer.
 *
 * @type {Record<Integration, { basic: boolean, fields: string[] }>}
 */
const FORMS = {
	products: { basic: true, fields: ['grant_type', 'scope'] },
	leads: { basic: false, fields: ['grant_type', 'client_id', 'client_secret', 'audience'] },
	inventory: { basic: true, fields: ['grant_type'] },
};

/**
 * @typedef {object} Attempt
 * @property {URLSearchParams} form
 * @property {Buffer | undefined} basic the decoded Basic credentials
 * @property {boolean} authorized whether there is an Authorization header at all
 */

/** A token endpoint: it knows the clients of some integrations and no others. */
class TokenEndpoint {
	/**
	 * @param {Integration[]} integrations
	 * @param {object} service
	 * @param {import('./clients').Clients} service.clients
	 * @param {import('./tokens').Tokens} service.tokens
	 * @param {(clientId: string) => void} service.issued
	 */
	constructor(integrations, service) {
		this.integrations = integrations;
		this.service = service;
	}

	/**
	 * @param {Call} call
	 * @returns {Answer}
	 */
	handle(call) {
		requireForm(call);
		const attempt = readAttempt(call);
		const client = this.#authenticate(attempt);
		requireGrant(attempt.form);
		requireFields(attempt.form, FORMS[client.integration].fields);
		requireTarget(attempt.form, client);
		return this.#issue(client);
	}

	/**
	 * @param {Attempt} attempt
	 * @returns {Client}
	 */
	#authenticate(attempt) {
		const id = namedClient(attempt);
		const client = id === null ? undefined : this.service.clients.find(id);
		if (client === undefined || !this.integrations.includes(client.integration)) {
			throw refusal(401, 'invalid_client', 'no such client');
		}
		const proved = FORMS[client.integration].basic
			? provedByBasic(attempt, client)
			: provedByForm(attempt, client);
		if (!proved || client.revoked) throw refusal(401, 'invalid_client', 'client is not recognised');
		return client;
	}

	/**
	 * @param {Client} client
	 * @returns {Answer}
	 */
	#issue(client) {
		const token = this.service.tokens.issue(client);
		this.service.issued(client.clientId);
		const expiresIn = 'expiresIn' in client ? client.expiresIn : client.tokenLifetime;
		const body = { access_token: token.value, expires_in: expiresIn, token_type: 'Bearer' };
		const answer = json(200, body, { 'Cache-Control': 'no-store' });
		return { ...answer, tokenIndex: token.index, isOdd: 'expiresIn' in client };
	}
}

/**
 * @param {number} status
 * @param {string} error
 * @param {string} description
 */
function refusal(status, error, description) {
	return new Refusal(tokenError(status, error, description));
}

/** @param {Call} call */
function requireForm(call) {
	if (call.method !== 'POST') throw refusal(405, 'invalid_request', 'use POST');
	if (call.search !== '') {
		throw refusal(400, 'invalid_request', 'parameters belong in the body');
	}
	if (!isType(call.headers['content-type'], 'application/x-www-form-urlencoded')) {
		throw refusal(400, 'invalid_request', 'content type must be application/x-www-form-urlencoded');
	}
	if (call.bodyTooLarge || !isUrlEncoded(call.body)) {
		throw refusal(400, 'invalid_request', 'body is not a form');
	}
}

/**
 * Stricter than URLSearchParams, which lets a bare % through and so hides that a secret was not encoded.
 *
 * @param {string} body
 */
function isUrlEncoded(body) {
	return /^(?:[!-$&-~]|%[0-9A-Fa-f]{2})*$/.test(body);
}

/**
 * @param {Call} call
 * @returns {Attempt}
 */
function readAttempt(call) {
	return {
		form: new URLSearchParams(call.body),
		basic: decodeBasic(call.headers.authorization),
		authorized: call.headers.authorization !== undefined,
	};
}

/**
 * @param {string | undefined} authorization
 * @returns {Buffer | undefined}
 */
function decodeBasic(authorization) {
	const match = /^Basic ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i.exec(
		authorization ?? '',
	);
	return match?.[1] === undefined ? undefined : Buffer.from(match[1], 'base64');
}

/**
 * @param {Attempt} attempt
 * @returns {string | null}
 */
function namedClient({ form, basic }) {
	if (basic === undefined) return form.get('client_id');
	const text = basic.toString('utf8');
	const colon = text.indexOf(':');
	return colon < 0 ? null : text.slice(0, colon);
}

/**
 * Compares bytes: a secret in another encoding, or percent-encoded first, is another secret.
 *
 * @param {Attempt} attempt
 * @param {Client} client
 */
function provedByBasic({ basic }, client) {
	const pair = Buffer.from(`${client.clientId}:${client.clientSecret}`, 'utf8');
	return basic !== undefined && basic.equals(pair);
}

/**
 * @param {Attempt} attempt
 * @param {Client} client
 */
function provedByForm({ form, authorized }, client) {
	if (authorized && form.has('client_secret')) {
		throw refusal(400, 'invalid_request', 'more than one way of client authentication');
	}
	return form.get('client_secret') === client.clientSecret;
}

/** @param {URLSearchParams} form */
function requireGrant(form) {
	const grant = form.get('grant_type');
	if (!grant) throw refusal(400, 'invalid_request', 'missing grant_type');
	if (grant !== 'client_credentials') {
		throw refusal(400, 'unsupported_grant_type', 'only client_credentials');
	}
}

/**
 * @param {URLSearchParams} form
 * @param {string[]} fields
 */
function requireFields(form, fields) {
	const names = [...form.keys()];
	if (new Set(names).size !== names.length) {
		throw refusal(400, 'invalid_request', 'repeated field');
	}
	const missing = fields.find((field) => !form.get(field));
	if (missing !== undefined) throw refusal(400, 'invalid_request', `missing ${missing}`);
	const extra = names.find((name) => !fields.includes(name));
	if (extra !== undefined) throw refusal(400, 'invalid_request', `unexpected ${extra}`);
}

/**
 * @param {URLSearchParams} form
 * @param {Client} client
 */
function requireTarget(form, client) {
	if (form.has('scope') && form.get('scope') !== client.scope) {
		throw refusal(400, 'invalid_scope', 'scope is not allowed for this client');
	}
	if (form.has('audience') && form.get('audience') !== client.audience) {
		throw refusal(403, 'access_denied', 'audience is not allowed for this client');
	}
}

/**
 * @param {Call} call
 * @returns {string | null} the client that a token request names
 */
function clientNamedBy(call) {
	return namedClient(readAttempt(call));
}

module.exports = { TokenEndpoint, clientNamedBy };
