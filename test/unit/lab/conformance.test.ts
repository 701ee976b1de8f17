import { describe, expect, it } from '@jest/globals';

import { OPERATIONS } from '../../lab/conformance/operations';
import {
	answerProblems,
	requestProblems,
	tokenAnswerProblems,
	tokenProblems,
	type Answer,
	type Request,
} from '../../lab/conformance/problems';
import { APIS, CONTRACTS, MODES, schemaProblems, type Api } from '../../lab/conformance/schemas';

type Right = [name: string, api: Api, parts: Partial<Request>];

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const TOKEN = { authorization: 'Bearer example' };
const AGENCY = { ...TOKEN, agencyref: '6f1d2c3b-4a59-4e87-9c60-112233445566' };
const LEADS = { method: 'GET', path: '/applicant-leads' };
const FILTER = { path: '/inventory/filter', headers: AGENCY };

/** Every sandbox is held against the contract by this code alone: if it took everything, no other test would fail. */
describe('the contract', () => {
	it.each(APIS)('has examples that keep its own rules: %s', (api) => {
		const { schemas, examples } = CONTRACTS[api].components;
		const found = Object.entries(examples).flatMap(([name, { value }]) =>
			MODES.flatMap((mode) => schemaProblems(schemas[name] ?? {}, value, mode)),
		);

		expect(Object.keys(schemas)).toEqual(expect.arrayContaining(Object.keys(examples)));
		expect(Object.keys(examples).length).toBeGreaterThan(0);
		expect(found).toEqual([]);
	});

	it.each(OPERATIONS)('documents a success and the refusals of $operationId', ({ responses }) => {
		const statuses = Object.keys(responses);

		expect(statuses).toEqual(expect.arrayContaining(['401', '403', '429', '500']));
		expect(statuses.some((status) => Number(status) < 300)).toBe(true);
	});
});

describe('a request', () => {
	it.each<Right>([
		['leads of a day', 'leads', LEADS],
		['an order', 'products', order({ listingId: 80000001, highlights: [{ id: 3 }] })],
		['a filter', 'inventory', { ...FILTER, query: pairs('owner-id=17&archived=true') }],
		['a property that is not "items"', 'inventory', { path: '/inventory/4%2F1', headers: AGENCY }],
	])('is right: %s', (_name, api, parts) => {
		expect(requestProblems(api, request(parts))).toEqual([]);
	});

	it.each<[...Right, told: string]>([
		['an unknown path', 'leads', { path: '/leads' }, 'no such operation'],
		['no token', 'leads', { ...LEADS, headers: {} }, '/header'],
		['an unknown parameter', 'leads', { ...LEADS, query: pairs('page=2') }, '(page)'],
		[
			'a repeated one',
			'leads',
			{ ...LEADS, query: pairs('branch-id=1&branch-id=2') },
			'/query/branch-id',
		],
		['two that exclude each other', 'leads', leadsBy('branch-id=1&group-id=2'), 'one of them'],
		[
			'a time with an offset',
			'leads',
			leadsBy('to-time=2026-03-02T09:00:00%2B01:00'),
			'/query/to-time',
		],
		['a body where none is taken', 'leads', { ...LEADS, body: '{}' }, 'body: none'],
		['both IDs', 'products', order({ listingId: 1, customerListingId: 'A' }), 'body: value'],
		['an ID as text', 'products', order({ listingId: '1' }), 'body: /listingId'],
		['no JSON', 'products', { ...order({}), body: '{' }, 'body: no JSON'],
		['no content type', 'products', { ...order({ listingId: 1 }), headers: TOKEN }, 'content-type'],
		['no AgencyRef', 'inventory', { path: '/inventory', headers: TOKEN }, '(agencyref)'],
		[
			'too large a page',
			'inventory',
			{ ...FILTER, query: pairs('max-results=251') },
			'/query/max-results',
		],
		[
			'an unknown value',
			'inventory',
			{ ...FILTER, query: pairs('archived=yes') },
			'/query/archived',
		],
	])('is told: %s', (_name, api, parts, told) => {
		expect(requestProblems(api, request(parts)).join()).toContain(told);
	});
});

describe('an answer', () => {
	const lead = { applicants: [{ id: 'a', propertyUse: 'PROPERTY_USE_FARM', extra: 1 }] };

	it.each<[string, Answer, string]>([
		['a status that is not documented', answer(404, { errors: [] }), 'status 404'],
		['a body of another shape', answer(200, { applicants: 'none' }), '/applicants must be array'],
		['another content type', { ...answer(200, {}), headers: {} }, 'content-type'],
		['a body where none comes', answer(403, { errors: [] }), '403 comes without one'],
		['an unknown field', answer(200, lead), 'additional properties'],
	])('is told: %s', (_name, given, told) => {
		expect(answerProblems('leads', LEADS, given, 'closed').join()).toContain(told);
	});

	it('may hold unknown values and fields if it comes from a real service', () => {
		expect(answerProblems('leads', LEADS, answer(200, lead), 'open')).toEqual([]);
	});
});

describe('a token request', () => {
	const basic = { authorization: `Basic ${Buffer.from('one:secret').toString('base64')}` };
	const grant = 'grant_type=client_credentials';

	it.each<[Api, string, Record<string, string>]>([
		['products', `${grant}&scope=api/api_access`, basic],
		['leads', `${grant}&client_id=one&client_secret=two&audience=https://leads.example.com`, {}],
		['inventory', grant, basic],
	])('is right: %s', (api, body, headers) => {
		expect(tokenProblems(api, form(body, headers))).toEqual([]);
	});

	it.each<[string, Api, string, Record<string, string>, string]>([
		['no client', 'inventory', grant, {}, 'pair'],
		['no audience', 'leads', `${grant}&client_id=one&client_secret=two`, {}, '(audience)'],
		['a scope', 'inventory', `${grant}&scope=api/api_access`, basic, '(scope)'],
		['another grant', 'inventory', 'grant_type=password', basic, 'grant_type'],
		['a repeated field', 'inventory', `${grant}&${grant}`, basic, '/form/grant_type'],
	])('is told: %s', (_name, api, body, headers, told) => {
		expect(tokenProblems(api, form(body, headers)).join()).toContain(told);
	});

	it('is answered with a token, or an error by RFC 6749', () => {
		const token = { access_token: 'example', expires_in: 3600, token_type: 'Bearer' };

		expect(tokenAnswerProblems(answer(200, token))).toEqual([]);
		expect(tokenAnswerProblems(answer(401, { error: 'invalid_client' }))).toEqual([]);
		expect(tokenAnswerProblems(answer(200, { ...token, expires_in: '3600' }))).toHaveLength(1);
		expect(tokenAnswerProblems(answer(401, { message: 'no' }))).toHaveLength(1);
	});
});

function request(parts: Partial<Request>): Request {
	return {
		method: 'GET',
		path: '/',
		query: new URLSearchParams(),
		headers: TOKEN,
		body: '',
		...parts,
	};
}

function pairs(query: string): URLSearchParams {
	return new URLSearchParams(query);
}

function leadsBy(query: string) {
	return { ...LEADS, query: pairs(query) };
}

function order(body: unknown) {
	const headers = { ...TOKEN, ...JSON_TYPE };
	return {
		method: 'POST',
		path: '/products/premium-listings',
		headers,
		body: JSON.stringify(body),
	};
}

function form(body: string, more: Record<string, string>): Request {
	const headers = { 'content-type': 'application/x-www-form-urlencoded', ...more };
	return { method: 'POST', path: '/oauth2/token', query: new URLSearchParams(), headers, body };
}

function answer(status: number, body: unknown): Answer {
	return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}
