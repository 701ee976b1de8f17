import { describe, expect, it } from '@jest/globals';
import {
	MODES,
	answerProblems,
	operations,
	recordProblems,
	requestProblems,
	tokenAnswerProblems,
	tokenProblems,
} from '../../lab/conformance';
import type { Answer, Request } from '../../lab/conformance';
import type { Api } from '../../lab/conformanceSchemas';
import leads from '../../lab/contract/leads.json';
import inventory from '../../lab/contract/inventory.json';
import products from '../../lab/contract/products.json';

const AGENCY_REF = '6f1d2c3b-4a59-4e87-9c60-112233445566';
const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
const EXAMPLES: Record<Api, Record<string, { value: unknown }>> = {
	leads: leads.components.examples,
	products: products.components.examples,
	inventory: inventory.components.examples,
};

describe('a request for data', () => {
	it.each<[string, Api, Partial<Request>]>([
		['all leads of a day', 'leads', { path: '/applicant-leads' }],
		[
			'the leads of a branch in a window',
			'leads',
			{
				path: '/appraisal-leads',
				query: [
					['from-time', '2026-03-02T09:00:00Z'],
					['to-time', '2026-03-02T10:00:00Z'],
					['branch-id', '4001'],
				],
			},
		],
		['an order', 'products', order({ listingId: 80000001, highlights: [{ id: 3 }] })],
		['a weekly list since a day', 'products', weekly([['date_from', '2026-03-02']])],
		['two whole properties', 'inventory', items(['1', '2'])],
		['a property that is not "items"', 'inventory', { path: '/inventory/4%2F1' }],
		[
			'a filter',
			'inventory',
			filter([
				['owner-id', '17'],
				['archived', 'true'],
			]),
		],
	])('%s is right', (_name, api, parts) => {
		expect(requestProblems(api, request(parts))).toEqual([]);
	});

	it.each<[string, Api, Partial<Request>, string]>([
		['an unknown path', 'leads', { path: '/leads' }, 'no such operation'],
		['another method', 'leads', { path: '/applicant-leads', method: 'POST' }, 'no such operation'],
		['no token', 'leads', { path: '/applicant-leads', headers: {} }, 'header Authorization'],
		['an unknown parameter', 'leads', leadsOf([['page', '2']]), 'query page: unknown'],
		[
			'a repeated one',
			'leads',
			leadsOf([
				['branch-id', '1'],
				['branch-id', '2'],
			]),
			'more than once',
		],
		[
			'two that exclude each other',
			'leads',
			leadsOf([
				['branch-id', '1'],
				['group-id', '2'],
			]),
			'one of them at most',
		],
		[
			'a time with an offset',
			'leads',
			leadsOf([['from-time', '2026-03-02T09:00:00+01:00']]),
			'query from-time',
		],
		[
			'a time with a fraction',
			'leads',
			leadsOf([['to-time', '2026-03-02T09:00:00.000Z']]),
			'query to-time',
		],
		[
			'a day that does not exist',
			'leads',
			leadsOf([['to-time', '2026-02-30T09:00:00Z']]),
			'query to-time',
		],
		['a body where none is taken', 'leads', { path: '/applicant-leads', body: '{}' }, 'body: none'],
		['both ids', 'products', order({ listingId: 1, customerListingId: 'A' }), 'body: value'],
		['an id as text', 'products', order({ listingId: '1' }), 'body: /listingId'],
		['an unknown field', 'products', order({ listingId: 1, days: 7 }), 'body: value'],
		['no JSON', 'products', { ...order({}), body: '{' }, 'body: no JSON'],
		[
			'no content type',
			'products',
			{ ...order({ listingId: 1 }), headers: token() },
			'content-type',
		],
		[
			'an end of a weekly list',
			'products',
			weekly([['date_to', '2026-03-02']]),
			'query date_to: unknown',
		],
		[
			'a date-time where a day is asked for',
			'products',
			weekly([['date_from', '2026-03-02T00:00:00Z']]),
			'query date_from',
		],
		[
			'no AgencyRef',
			'inventory',
			{ path: '/inventory', headers: token() },
			'header AgencyRef: missing',
		],
		[
			'an AgencyRef that is no GUID',
			'inventory',
			{ path: '/inventory', headers: { ...token(), AgencyRef: 'AG1001' } },
			'not a GUID',
		],
		['no text to search for', 'inventory', { path: '/inventory/search' }, 'query query: missing'],
		[
			'the other spelling of a page',
			'inventory',
			filter([['nextToken', 'x']]),
			'query nextToken: unknown',
		],
		['too large a page', 'inventory', filter([['max-results', '251']]), 'query max-results'],
		[
			'a value that no list holds',
			'inventory',
			filter([['managementType', 'Landlord']]),
			'query managementType',
		],
		[
			'a flag that is neither true nor false',
			'inventory',
			filter([['archived', 'yes']]),
			'query archived',
		],
		['an owner that is no number', 'inventory', filter([['owner-id', 'o-17']]), 'query owner-id'],
		[
			'a bare date for an instruction',
			'inventory',
			filter([['instruction-date-to', '2026-03-02']]),
			'query instruction-date-to',
		],
		[
			'a negotiator that is no number',
			'inventory',
			{ path: '/negotiators/abc' },
			'path negotiatorId',
		],
	])('%s is told', (_name, api, parts, told) => {
		const problems = requestProblems(api, request(parts));
		expect(problems).toHaveLength(1);
		expect(problems[0]).toContain(told);
	});
});

describe('an answer', () => {
	const lead = { applicants: [{ id: 'a', propertyUse: 'PROPERTY_USE_FARM', extra: 1 }] };

	it('has a documented status, content type and body', () => {
		const asked = { method: 'GET', path: '/applicant-leads' };
		expect(judge('leads', asked, 200, { applicants: [] })).toEqual([]);
		expect(judge('leads', asked, 200, {})).toEqual([]);
		expect(judge('leads', asked, 404, { errors: [] })).toEqual([
			'status 404: not documented for listApplicantLeads',
		]);
		expect(judge('leads', asked, 200, { applicants: 'none' })).toEqual([
			'body: /applicants must be array (array)',
		]);
		expect(
			answerProblems(
				'leads',
				asked,
				{ status: 200, headers: { 'content-type': 'text/html' }, body: '{}' },
				'open',
			),
		).toEqual(['content-type: text/html, not application/json']);
	});

	it('may hold unknown values and fields if it comes from a real service only', () => {
		const asked = { method: 'GET', path: '/applicant-leads' };
		expect(judge('leads', asked, 200, lead, 'open')).toEqual([]);
		expect(judge('leads', asked, 200, lead, 'closed')).toEqual([
			expect.stringContaining('additional properties'),
			expect.stringContaining('/propertyUse must be equal to one of the allowed values'),
		]);
	});

	it('keeps the prefix of a value whose list is open, in a sandbox', () => {
		const contact = { preferences: { method: 'PHONE' } };
		expect(recordProblems('leads', 'Contact', contact, 'open')).toEqual([]);
		expect(recordProblems('leads', 'Contact', contact, 'closed')).toHaveLength(1);
	});

	it('with a status that comes without a body has none in a sandbox', () => {
		const asked = { method: 'GET', path: '/applicant-leads' };
		expect(judge('leads', asked, 403, { errors: [] }, 'open')).toEqual([]);
		expect(judge('leads', asked, 403, { errors: [] })).toEqual(['body: 403 comes without one']);
		const empty = { status: 429, headers: {}, body: '' };
		expect(answerProblems('leads', asked, empty, 'closed')).toEqual([]);
	});

	it('whose body is not documented has the shape of a refusal in a sandbox', () => {
		const asked = { method: 'GET', path: '/inventory/1' };
		expect(judge('inventory', asked, 404, { title: 'Not Found', status: 404 })).toEqual([]);
		expect(judge('inventory', asked, 404, { errors: [{ code: 'x', message: 'y' }] })).toEqual([]);
		expect(judge('inventory', asked, 404, { message: 'no' })).not.toEqual([]);
		expect(judge('inventory', asked, 404, { message: 'no' }, 'open')).toEqual([]);
	});

	it('of the inventory is never application/problem+json', () => {
		const problem = {
			status: 400,
			headers: { 'Content-Type': 'application/problem+json' },
			body: '{}',
		};
		const asked = { method: 'GET', path: '/inventory/search' };
		expect(answerProblems('inventory', asked, problem, 'closed')).toEqual([
			'content-type: application/problem+json, not application/json, text/json, text/plain',
		]);
	});

	it('to no known operation is not judged', () => {
		expect(judge('leads', { method: 'POST', path: '/applicant-leads' }, 405, 'x')).toEqual([]);
	});
});

describe('a token request', () => {
	const pair = { client_id: 'one', client_secret: 's: +%' };
	const basic = { Authorization: `Basic ${Buffer.from('one:s: +%').toString('base64')}` };
	const grant = { grant_type: 'client_credentials' };

	it.each<[string, Api, Record<string, string>, Record<string, string>]>([
		['A', 'products', { ...grant, scope: 'api/api_access' }, basic],
		['B', 'leads', { ...grant, ...pair, audience: 'https://leads.example.com' }, {}],
		['C', 'inventory', grant, basic],
	])('of form %s is right', (_form, api, fields, headers) => {
		expect(tokenProblems(api, form(fields, headers))).toEqual([]);
	});

	it.each<[string, Api, Request, string]>([
		['GET', 'inventory', { ...form(grant, basic), method: 'GET' }, 'form C: method GET'],
		['a query', 'inventory', { ...form(grant, basic), query: [['a', 'b']] }, 'form C: query'],
		[
			'JSON',
			'inventory',
			{ ...form(grant, basic), headers: { ...basic, ...JSON_TYPE } },
			'form C: content-type',
		],
		['no Basic in form C', 'inventory', form(grant, {}), 'form C: authorization'],
		[
			'Basic in form B',
			'leads',
			form({ ...grant, ...pair, audience: 'x' }, basic),
			'form B: authorization',
		],
		['no audience', 'leads', form({ ...grant, ...pair }, {}), 'form B: field audience: missing'],
		[
			'a scope in form C',
			'inventory',
			form({ ...grant, scope: 'api/api_access' }, basic),
			'form C: field scope: unknown',
		],
		[
			'another scope',
			'products',
			form({ ...grant, scope: 'x' }, basic),
			'form A: field scope: not declared',
		],
		[
			'another grant',
			'inventory',
			form({ grant_type: 'password' }, basic),
			'form C: field grant_type',
		],
		[
			'a repeated field',
			'inventory',
			{
				...form(grant, basic),
				body: 'grant_type=client_credentials&grant_type=client_credentials',
			},
			'more than once',
		],
	])('with %s is told', (_name, api, asked, told) => {
		expect(tokenProblems(api, asked)[0]).toContain(told);
	});

	it('never has its secret told', () => {
		const problems = tokenProblems('leads', form({ ...pair, secret: 's: +%' }, basic)).join();
		expect(problems).not.toContain('s: +%');
	});

	it('is answered with a token or an error by RFC 6749', () => {
		const body = { access_token: 'example', expires_in: 3600, token_type: 'Bearer' };
		expect(tokenAnswerProblems(answer(200, body))).toEqual([]);
		expect(tokenAnswerProblems(answer(200, { ...body, expires_in: '3600' }))).toHaveLength(1);
		expect(tokenAnswerProblems(answer(401, { error: 'invalid_client' }))).toEqual([]);
		expect(tokenAnswerProblems(answer(401, { message: 'no' }))).toHaveLength(1);
		expect(tokenAnswerProblems(answer(302, {}))).toHaveLength(1);
	});
});

describe('the contract', () => {
	it.each(
		Object.entries(EXAMPLES).flatMap(([api, examples]) =>
			Object.keys(examples).map((name) => [api, name]),
		),
	)('keeps its own rules: %s, %s', (apiName, name) => {
		const api = operations.find((each) => each.api === apiName)?.api ?? 'leads';
		const value = EXAMPLES[api][name ?? '']?.value;
		for (const mode of MODES) expect(recordProblems(api, name ?? '', value, mode)).toEqual([]);
	});

	it('documents a success and a refusal of every operation', () => {
		for (const { id, answers } of operations) {
			const statuses = [...answers.keys()];
			expect([id, statuses.some((status) => status < 300)]).toEqual([id, true]);
			expect([id, statuses]).toEqual([id, expect.arrayContaining([401, 403, 429, 500])]);
		}
	});
});

function request(parts: Partial<Request>): Request {
	const headers = { ...token(), AgencyRef: AGENCY_REF };
	return { method: 'GET', path: '/', query: [], headers, body: '', ...parts };
}

function token() {
	return { authorization: 'Bearer example' };
}

function leadsOf(query: [string, string][]) {
	return { path: '/applicant-leads', query };
}

function weekly(query: [string, string][]) {
	return { path: '/products/weekly-featured-properties', query };
}

function filter(query: [string, string][]) {
	return { path: '/inventory/filter', query };
}

function items(ids: string[]) {
	const query = ids.map((id): [string, string] => ['inventory-id', id]);
	return { path: '/inventory/items', query };
}

function order(body: unknown) {
	const headers = { ...token(), ...JSON_TYPE };
	return {
		method: 'POST',
		path: '/products/premium-listings',
		headers,
		body: JSON.stringify(body),
	};
}

function form(fields: Record<string, string>, headers: Record<string, string>): Request {
	return {
		method: 'POST',
		path: '/oauth2/token',
		query: [],
		headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
		body: new URLSearchParams(fields).toString(),
	};
}

function answer(status: number, body: unknown): Answer {
	return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}

function judge(
	api: Api,
	asked: { method: string; path: string },
	status: number,
	body: unknown,
	mode: 'closed' | 'open' = 'closed',
) {
	return answerProblems(api, asked, answer(status, body), mode);
}
