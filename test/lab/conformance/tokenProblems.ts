import isEqual from 'lodash/isEqual';

import { isRecord } from '../values';
import type { Answer, Request } from './exchange';
import { header, jsonProblems, mediaType } from './exchange';
import type { Api } from './schemas';
import { CONTRACTS, schemas } from './schemas';

/**
 * The three forms of a token request, which the contracts describe in words: whether the client's ID and secret are in a
 * Basic header, and exactly which fields the form has.
 */
const FORMS: Record<Api, { form: 'A' | 'B' | 'C'; basic: boolean; fields: string[] }> = {
	products: { form: 'A', basic: true, fields: ['grant_type', 'scope'] },
	leads: {
		form: 'B',
		basic: false,
		fields: ['grant_type', 'client_id', 'client_secret', 'audience'],
	},
	inventory: { form: 'C', basic: true, fields: ['grant_type'] },
};

const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The body of an issued token and of a refusal: RFC 6749, 5.1 and 5.2. */
const TOKEN_SCHEMA = {
	type: 'object',
	required: ['access_token', 'expires_in', 'token_type'],
	properties: {
		access_token: { type: 'string', minLength: 1 },
		expires_in: { type: 'integer' },
		token_type: { type: 'string', pattern: '^[Bb]earer$' },
	},
};
const REFUSAL_SCHEMA = {
	type: 'object',
	required: ['error'],
	properties: { error: { type: 'string' }, error_description: { type: 'string' } },
};

/**
 * @param api whose endpoint, and so which of the forms A (products), B (leads), C (inventory)
 * @returns what is wrong; the values of the form are never repeated
 */
export function tokenProblems(api: Api, request: Request): string[] {
	const { form, basic, fields } = FORMS[api];
	const sent = new URLSearchParams(request.body);
	const names = [...sent.keys()].filter((name) => sent.get(name) !== '');
	const authorization = header(request.headers, 'authorization');
	const scope = sent.get('scope');
	const rules: Array<[isKept: boolean, problem: string]> = [
		[request.method === 'POST', `method ${request.method}: a token is asked for with POST`],
		[[...request.query].length === 0, 'query: the form is the body'],
		[
			mediaType(header(request.headers, 'content-type')) === FORM_TYPE,
			`content-type: not ${FORM_TYPE}`,
		],
		// URLSearchParams accepts a bare % and so hides that a secret was not encoded.
		[/^(?:[!-$&-~]|%[0-9A-Fa-f]{2})*$/.test(request.body), 'body: not a form'],
		[basic || authorization === undefined, 'authorization: id and secret are in the form'],
		[!basic || isPair(authorization), 'authorization: not Basic with id and secret'],
		[isEqual(names.sort(), [...fields].sort()), `fields: ${names.join()}; not ${fields.join()}`],
		[sent.get('grant_type') === 'client_credentials', 'grant_type: not client_credentials'],
		[scope === null || scopesOf(api).includes(scope), 'scope: not declared'],
	];
	return rules.filter(([isKept]) => !isKept).map(([, problem]) => `form ${form}: ${problem}`);
}

/** @param answer of a token endpoint */
export function tokenAnswerProblems(answer: Answer): string[] {
	const schema = answer.status === 200 ? TOKEN_SCHEMA : REFUSAL_SCHEMA;
	if (![200, 400, 401, 403].includes(answer.status))
		return [`status ${answer.status}: not documented`];
	const type = mediaType(header(answer.headers, 'content-type'));
	if (type !== 'application/json') return [`content-type: ${type}, not application/json`];
	return jsonProblems(answer.body, (value) => schemas.problems('leads', schema, value, 'open'));
}

function isPair(authorization = ''): boolean {
	const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/.exec(authorization)?.[1] ?? '';
	return /^[^:]+:./s.test(Buffer.from(encoded, 'base64').toString('utf8'));
}

function scopesOf(api: Api): string[] {
	const { components } = CONTRACTS[api];
	const scopes = ['securitySchemes', 'token', 'flows', 'clientCredentials', 'scopes'].reduce(
		(part, name) => (isRecord(part) ? part[name] : undefined),
		components,
	);
	return isRecord(scopes) ? Object.keys(scopes) : [];
}
