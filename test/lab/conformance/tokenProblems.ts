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
	const problems: string[] = [];
	if (request.method !== 'POST')
		problems.push(`method ${request.method}: a token is asked for with POST`);
	if ([...request.query].length > 0) problems.push('query: the form is the body');
	if (mediaType(header(request.headers, 'content-type')) !== FORM_TYPE)
		problems.push(`content-type: not ${FORM_TYPE}`);
	problems.push(...authorizationProblems(basic, header(request.headers, 'authorization')));
	const sent = new URLSearchParams(request.body);
	problems.push(...fieldProblems(fields, sent), ...valueProblems(api, sent));
	return problems.map((problem) => `form ${form}: ${problem}`);
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

function authorizationProblems(basic: boolean, authorization: string | undefined): string[] {
	if (!basic)
		return authorization === undefined ? [] : ['authorization: id and secret are in the form'];
	const encoded = /^Basic ([A-Za-z0-9+/]+={0,2})$/.exec(authorization ?? '')?.[1];
	const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8');
	return /^[^:]+:./s.test(pair) ? [] : ['authorization: not Basic with id and secret'];
}

function fieldProblems(fields: string[], sent: URLSearchParams): string[] {
	const names = new Set(sent.keys());
	return [
		...fields.filter((name) => !sent.get(name)).map((name) => `field ${name}: missing`),
		...[...names].filter((name) => !fields.includes(name)).map((name) => `field ${name}: unknown`),
		...[...names]
			.filter((name) => sent.getAll(name).length > 1)
			.map((name) => `field ${name}: more than once`),
	];
}

function valueProblems(api: Api, sent: URLSearchParams): string[] {
	const problems: string[] = [];
	if (sent.get('grant_type') !== 'client_credentials')
		problems.push('field grant_type: not client_credentials');
	const scope = sent.get('scope');
	if (scope !== null && !scopesOf(api).includes(scope)) problems.push('field scope: not declared');
	return problems;
}

function scopesOf(api: Api): string[] {
	const { components } = CONTRACTS[api];
	const scopes = ['securitySchemes', 'token', 'flows', 'clientCredentials', 'scopes'].reduce(
		(part, name) => (isRecord(part) ? part[name] : undefined),
		components,
	);
	return isRecord(scopes) ? Object.keys(scopes) : [];
}
