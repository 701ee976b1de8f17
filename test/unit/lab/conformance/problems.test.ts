import { describe, expect, it } from '@jest/globals';

import type { Request } from '../../../lab/conformance/exchange';
import { answerProblems, recordProblems, requestProblems } from '../../../lab/conformance/problems';
import type { Api } from '../../../lab/conformance/schemas';
import { JSON_TYPE, answer } from './exchanges';

const AGENCY_REF = '6f1d2c3b-4a59-4e87-9c60-112233445566';

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

function judge(
	api: Api,
	asked: { method: string; path: string },
	status: number,
	body: unknown,
	mode: 'closed' | 'open' = 'closed',
) {
	return answerProblems(api, asked, answer(status, body), mode);
}
