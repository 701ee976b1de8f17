import { describe, expect, it } from '@jest/globals';

import type { Door } from '../../../../nodes/AgentLeadsPushTrigger/door';
import { mayPush } from '../../../../nodes/AgentLeadsPushTrigger/door';
import { issueToken } from '../../../../nodes/AgentLeadsPushTrigger/pushToken';

const NOW = Date.parse('2026-06-30T12:00:00Z');
const HOUR = 3_600_000;

const byKey = (...keys: string[]): Door => ({ authentication: 'apiKey', keys });

const CLIENT = { clientId: 'operator', clientSecret: 's3cret' };

const byToken = (name = 'workflow:node', clients = [CLIENT]): Door => ({
	authentication: 'clientCredentials',
	clients,
	audience: '',
	name,
});

describe('a door with an API key', () => {
	it.each([
		['the key as it is', 'k-1', true],
		['another key', 'k-2', false],
		['the key after Bearer', 'Bearer k-1', false],
		['the key and a space', 'k-1 ', false],
		['the start of the key', 'k-', false],
		['nothing', '', false],
		['no header', undefined, false],
	])('judges %s', (_, header, may) => {
		expect(mayPush(byKey('k-1'), header, NOW)).toBe(may);
	});

	it('takes two keys while one is changed', () => {
		const door = byKey('old', 'new');

		expect(['old', 'new', 'other'].map((key) => mayPush(door, key, NOW))).toEqual([
			true,
			true,
			false,
		]);
	});

	it('stays shut as long as no key is set', () => {
		expect([byKey(), byKey('')].map((door) => mayPush(door, '', NOW))).toEqual([false, false]);
	});
});

describe('a door with client credentials', () => {
	const { access_token: token } = issueToken('workflow:node', CLIENT, NOW);

	it.each(['Bearer', 'bearer', 'BEARER '])('takes its token after %s', (scheme) => {
		expect(mayPush(byToken(), `${scheme} ${token}`, NOW)).toBe(true);
	});

	it('takes a token until it expires', () => {
		const header = `Bearer ${token}`;
		const at = (ms: number) => mayPush(byToken(), header, NOW + ms);

		expect([at(HOUR - 1), at(HOUR), at(-1_000)]).toEqual([true, false, false]);
	});

	it('takes no token of another door, client or secret', () => {
		const header = `Bearer ${token}`;

		expect(mayPush(byToken('workflow:other'), header, NOW)).toBe(false);
		expect(mayPush(byToken(undefined, [{ ...CLIENT, clientId: 'x' }]), header, NOW)).toBe(false);
		expect(mayPush(byToken(undefined, [{ ...CLIENT, clientSecret: 'x' }]), header, NOW)).toBe(
			false,
		);
	});

	it('takes the tokens of both secrets while one is changed', () => {
		const next = { ...CLIENT, clientSecret: 'next' };
		const { access_token: other } = issueToken('workflow:node', next, NOW);
		const door = byToken(undefined, [CLIENT, next]);

		expect([token, other].map((each) => mayPush(door, `Bearer ${each}`, NOW))).toEqual([
			true,
			true,
		]);
	});

	it.each([
		['the token alone', token],
		['the secret', 's3cret'],
		['the secret as a token', 'Bearer s3cret'],
		['an expiry of later', `Bearer zzzzzzz.${token.split('.')[1]}`],
		['no signature', `Bearer ${token.split('.')[0]}.`],
		['one part more', `Bearer ${token}.x`],
		['Basic', `Basic ${Buffer.from('operator:s3cret').toString('base64')}`],
	])('does not take %s', (_, header) => {
		expect(mayPush(byToken(), header, NOW)).toBe(false);
	});
});
