import type { Clients } from './clients';
import { tokenError } from './errors';
import { Refusal, isType, json } from './http';
import type { Tokens } from './tokens';
import type { Answer, Call, Client, Integration } from './types';

/** The three forms of a token request: whether the client's ID and secret are in a Basic header, and exactly which fields the form has. */
const FORMS: Record<Integration, { basic: boolean; fields: string[] }> = {
	products: { basic: true, fields: ['grant_type', 'scope'] },
	leads: { basic: false, fields: ['grant_type', 'client_id', 'client_secret', 'audience'] },
	inventory: { basic: true, fields: ['grant_type'] },
};

interface Attempt {
	form: URLSearchParams;
	/** The decoded Basic credentials. */
	basic: Buffer | undefined;
	/** Whether there is an Authorization header at all. */
	authorized: boolean;
}

/** A token endpoint: it knows the clients of some integrations and no others. */
export class TokenEndpoint {
	constructor(
		private readonly integrations: Integration[],
		private readonly service: {
			clients: Clients;
			tokens: Tokens;
			issued: (clientId: string) => void;
		},
	) {}

	handle(call: Call): Answer {
		requireForm(call);
		const attempt = readAttempt(call);
		const client = this.authenticate(attempt);
		requireGrant(attempt.form);
		requireFields(attempt.form, FORMS[client.integration].fields);
		requireTarget(attempt.form, client);
		return this.issue(client);
	}

	private authenticate(attempt: Attempt): Client {
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

	private issue(client: Client): Answer {
		const token = this.service.tokens.issue(client);
		this.service.issued(client.clientId);
		const expiresIn = 'expiresIn' in client ? client.expiresIn : client.tokenLifetime;
		const body = { access_token: token.value, expires_in: expiresIn, token_type: 'Bearer' };
		const answer = json(200, body, { 'Cache-Control': 'no-store' });
		return { ...answer, tokenIndex: token.index, isOdd: 'expiresIn' in client };
	}
}

function refusal(status: number, error: string, description: string): Refusal {
	return new Refusal(tokenError(status, error, description));
}

function requireForm(call: Call): void {
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

/** Stricter than URLSearchParams, which accepts a bare % and so hides that a secret was not encoded. */
function isUrlEncoded(body: string): boolean {
	return /^(?:[!-$&-~]|%[0-9A-Fa-f]{2})*$/.test(body);
}

function readAttempt(call: Call): Attempt {
	return {
		form: new URLSearchParams(call.body),
		basic: decodeBasic(call.headers.authorization),
		authorized: call.headers.authorization !== undefined,
	};
}

function decodeBasic(authorization: string | undefined): Buffer | undefined {
	const match = /^Basic ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i.exec(
		authorization ?? '',
	);
	return match?.[1] === undefined ? undefined : Buffer.from(match[1], 'base64');
}

function namedClient({ form, basic }: Attempt): string | null {
	if (basic === undefined) return form.get('client_id');
	const text = basic.toString('utf8');
	const colon = text.indexOf(':');
	return colon < 0 ? null : text.slice(0, colon);
}

/** Compares bytes: in another encoding, or percent-encoded first, a secret is not the same. */
function provedByBasic({ basic }: Attempt, client: Client): boolean {
	const pair = Buffer.from(`${client.clientId}:${client.clientSecret}`, 'utf8');
	return basic !== undefined && basic.equals(pair);
}

function provedByForm({ form, authorized }: Attempt, client: Client): boolean {
	if (authorized && form.has('client_secret')) {
		throw refusal(400, 'invalid_request', 'more than one way of client authentication');
	}
	return form.get('client_secret') === client.clientSecret;
}

function requireGrant(form: URLSearchParams): void {
	const grant = form.get('grant_type');
	if (!grant) throw refusal(400, 'invalid_request', 'missing grant_type');
	if (grant !== 'client_credentials') {
		throw refusal(400, 'unsupported_grant_type', 'only client_credentials');
	}
}

function requireFields(form: URLSearchParams, fields: string[]): void {
	const names = [...form.keys()];
	if (new Set(names).size !== names.length) {
		throw refusal(400, 'invalid_request', 'repeated field');
	}
	const missing = fields.find((field) => !form.get(field));
	if (missing !== undefined) throw refusal(400, 'invalid_request', `missing ${missing}`);
	const extra = names.find((name) => !fields.includes(name));
	if (extra !== undefined) throw refusal(400, 'invalid_request', `unexpected ${extra}`);
}

function requireTarget(form: URLSearchParams, client: Client): void {
	if (form.has('scope') && form.get('scope') !== client.scope) {
		throw refusal(400, 'invalid_scope', 'scope is not allowed for this client');
	}
	if (form.has('audience') && form.get('audience') !== client.audience) {
		throw refusal(403, 'access_denied', 'audience is not allowed for this client');
	}
}

/** @returns the client that a token request names */
export function clientNamedBy(call: Call): string | null {
	return namedClient(readAttempt(call));
}
