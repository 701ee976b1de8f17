import { describe, expect, it } from '@jest/globals';

import type { Request } from '../../../lab/conformance/exchange';
import type { Api } from '../../../lab/conformance/schemas';
import { tokenAnswerProblems, tokenProblems } from '../../../lab/conformance/tokenProblems';
import { JSON_TYPE, answer } from './exchanges';

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

function form(fields: Record<string, string>, headers: Record<string, string>): Request {
	return {
		method: 'POST',
		path: '/oauth2/token',
		query: [],
		headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
		body: new URLSearchParams(fields).toString(),
	};
}
