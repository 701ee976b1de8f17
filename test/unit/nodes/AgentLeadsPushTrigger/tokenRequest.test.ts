import { describe, expect, it } from '@jest/globals';

import { isTokenOf } from '../../../../nodes/AgentLeadsPushTrigger/pushToken';
import { answerTokenRequest } from '../../../../nodes/AgentLeadsPushTrigger/tokenRequest';

const NOW = Date.parse('2026-06-30T12:00:00Z');
const PAIR = { client_id: 'operator', client_secret: 's:3 c%t' };
const GRANT = { grant_type: 'client_credentials' };

const door = {
	clients: [{ clientId: PAIR.client_id, clientSecret: PAIR.client_secret }],
	audience: '',
	name: 'workflow:node',
};

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const ask = (body: unknown, authorization?: string, audience = '') =>
	answerTokenRequest({ ...door, audience }, { body, authorization }, NOW);

describe('a token is issued', () => {
	it.each([
		['in the body', { ...GRANT, ...PAIR }, undefined],
		['by Basic, form-encoded', GRANT, basic('operator:s%3A3+c%25t')],
		['by Basic, as it is', GRANT, basic('operator:s:3 c%t')],
	])('for a pair %s', (_, body, authorization) => {
		const { status, body: told } = ask(body, authorization);

		expect(status).toBe(200);
		expect(told).toEqual({
			access_token: expect.stringMatching(/^[\w.-]+$/),
			token_type: 'Bearer',
			expires_in: 3_600,
		});
		expect('access_token' in told && isTokenOf(door, told.access_token, NOW)).toBe(true);
	});

	it('for the audience that is asked for', () => {
		expect(ask({ ...GRANT, ...PAIR, audience: 'leads' }, undefined, 'leads').status).toBe(200);
	});
});

describe('a token is refused', () => {
	it.each([
		['no body', undefined, undefined, 400, 'invalid_request'],
		['no grant type', PAIR, undefined, 400, 'invalid_request'],
		[
			'another grant',
			{ ...PAIR, grant_type: 'password' },
			undefined,
			400,
			'unsupported_grant_type',
		],
		['no pair', GRANT, undefined, 401, 'invalid_client'],
		['half a pair', { ...GRANT, client_id: 'operator' }, undefined, 401, 'invalid_client'],
		['another secret', { ...GRANT, ...PAIR, client_secret: 'x' }, undefined, 401, 'invalid_client'],
		['another client', { ...GRANT, ...PAIR, client_id: 'x' }, undefined, 401, 'invalid_client'],
		[
			'a list as secret',
			{ ...GRANT, ...PAIR, client_secret: [] },
			undefined,
			401,
			'invalid_client',
		],
	])('for %s', (_, body, authorization, status, error) => {
		expect(ask(body, authorization)).toEqual({ status, body: { error } });
	});

	it.each([['operator:wrong'], ['no colon'], ['operator:%zz']])('by Basic for %s', (text) => {
		expect(ask(GRANT, basic(text))).toEqual({
			status: 401,
			body: { error: 'invalid_client' },
			challenge: 'Basic realm="leads"',
		});
	});

	it.each([[undefined], ['other']])('for the audience %s', (audience) => {
		expect(ask({ ...GRANT, ...PAIR, audience }, undefined, 'leads')).toEqual({
			status: 400,
			body: { error: 'invalid_target' },
		});
	});
});
