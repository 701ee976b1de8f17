import { createHmac } from 'node:crypto';

import { issueToken, type PushClient } from '../../../nodes/AgentLeadsPushTrigger/pushToken';
import type { Random } from '../sandbox/random';
import { pick } from '../sandbox/random';
import { JSON_TYPE, postOf, type HostilePost, type HostileWorld, type Pair } from './world';

const HOUR_MS = 3_600_000;
const FORM: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded'];
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A good lead with a token that is forged, over, or another node's. */
export function wrongTokens(world: HostileWorld, random: Random): HostilePost[] {
	const { byToken, byKey, pair } = world;
	const right = tokenOf(byToken.name, pair, Date.now());
	const [expiry = '', signature = ''] = right.split('.');
	const tokens: Array<[string, string[]]> = [
		[
			'a token that is over',
			[-1.01, -2, -24, -24 * 365].map((hours) => tokenIn(byToken.name, pair, hours)),
		],
		[
			'a token for longer than any',
			[1, 2, 24, 24 * 365].map((hours) => tokenIn(byToken.name, pair, hours)),
		],
		[
			'a token of another node',
			[byKey.name, '', ':', `${byToken.name}x`].map((name) => tokenIn(name, pair, 0)),
		],
		['a token by another pair', otherPairs(world).map((other) => tokenIn(byToken.name, other, 0))],
		[
			'a token with another end',
			['', '0', 'zzzzzzz', '-1', 'NaN', `${expiry} `, `0${expiry}`].map(
				(other) => `${other}.${signature}`,
			),
		],
		[
			'a token signed otherwise',
			nearSignatures(signature, random).map((other) => `${expiry}.${other}`),
		],
		[
			'a token in other parts',
			[
				expiry,
				signature,
				`${right}.`,
				`${right}.x`,
				`.${right}`,
				`${right}.${signature}`,
				'.',
				'..',
				'',
			],
		],
		[
			'a JWT',
			[
				jwt({ alg: 'none' }, ''),
				jwt({ alg: 'HS256' }, pair.clientSecret),
				jwt({ alg: 'HS256' }, ''),
			],
		],
	];
	return [
		...tokens.flatMap(([name, list]) =>
			list.map((token) => leadWith(name, byToken.leads, `Bearer ${token}`)),
		),
		...[
			right,
			`Basic ${right}`,
			`Token ${right}`,
			`Bearer${right}`,
			`Bearer ${right},x`,
			`Bearer "${right}"`,
			`Bearer Bearer ${right}`,
		].map((value) => leadWith('a right token in another form', byToken.leads, value)),
		leadWith(
			'the pair at the address for leads',
			byToken.leads,
			`Basic ${base64(`${pair.clientId}:${pair.clientSecret}`)}`,
		),
		leadWith('the secret as a token', byToken.leads, `Bearer ${pair.clientSecret}`),
		leadWith('a right token at a node with a key', byKey.leads, `Bearer ${right}`),
	];
}

const tokenOf = (name: string, pair: PushClient, now: number) =>
	issueToken(name, pair, now).access_token;
const tokenIn = (name: string, pair: PushClient, hours: number) =>
	tokenOf(name, pair, Date.now() + hours * HOUR_MS);

function leadWith(name: string, target: string, authorization: string): HostilePost {
	return postOf(name, target, [['Authorization', authorization], JSON_TYPE]);
}

function otherPairs({ pair, key }: HostileWorld): Pair[] {
	const { clientId, clientSecret } = pair;
	return [
		{ clientId, clientSecret: '' },
		{ clientId, clientSecret: key },
		{ clientId, clientSecret: `${clientSecret}x` },
		{ clientId, clientSecret: clientId },
		{ clientId: '', clientSecret },
		{ clientId: `${clientId}x`, clientSecret },
	];
}

function nearSignatures(signature: string, random: Random): string[] {
	const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
	const other = (letter: string) =>
		pick(
			random,
			letters.filter((each) => each !== letter),
		);
	// The last letter has two bits that no byte holds.
	const places = Array.from(signature.slice(0, -1), (_, at) => at);
	return [
		...places.map(
			(at) => signature.slice(0, at) + other(signature[at] ?? '') + signature.slice(at + 1),
		),
		...[0, 1, 20, 41].map((end) => signature.slice(0, end)),
		`${signature}AAAA`,
		'A'.repeat(43),
	];
}

function jwt(header: Record<string, string>, secret: string): string {
	const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
	const signed = `${part(header)}.${part({ sub: 'operator', exp: 4_000_000_000 })}`;
	return `${signed}.${header.alg === 'none' ? '' : createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** At the address for tokens: none gets one. */
export function wrongTokenRequests(world: HostileWorld): HostilePost[] {
	const { byToken, pair } = world;
	const { clientId, clientSecret } = pair;
	const fields = {
		grant_type: 'client_credentials',
		client_id: clientId,
		client_secret: clientSecret,
	};
	const form = (name: string, body: string, ...headers: Array<[string, string]>) =>
		postOf(name, byToken.token, [FORM, ...headers], body);
	const json = (name: string, body: unknown, ...headers: Array<[string, string]>) =>
		postOf(name, byToken.token, [JSON_TYPE, ...headers], JSON.stringify(body));
	const basic = (value: string): [string, string] => ['Authorization', `Basic ${value}`];
	const grant = 'grant_type=client_credentials';
	return [
		...['', 'grant_type=', 'grant_type=password', 'grant_type=authorization_code', `${grant}x`].map(
			(body) =>
				form(
					'another grant',
					`${body}&client_id=${clientId}&client_secret=${encodeURIComponent(clientSecret)}`,
				),
		),
		...otherPairs(world).flatMap((other) => [
			form(
				'another pair',
				`${grant}&client_id=${other.clientId}&client_secret=${encodeURIComponent(other.clientSecret)}`,
			),
			json('another pair', {
				...fields,
				client_id: other.clientId,
				client_secret: other.clientSecret,
			}),
			form('another pair', grant, basic(base64(`${other.clientId}:${other.clientSecret}`))),
		]),
		...[[clientSecret], { secret: clientSecret }, null, true, 1, ''].map((value) =>
			json('a secret that is no text', { ...fields, client_secret: value }),
		),
		...[[clientId], { id: clientId }, null].map((value) =>
			json('an ID that is no text', { ...fields, client_id: value }),
		),
		form(
			'two IDs',
			`${grant}&client_id=${clientId}&client_id=x&client_secret=${encodeURIComponent(clientSecret)}`,
		),
		...[
			'',
			'=',
			'%',
			base64(''),
			base64(clientId),
			base64(`${clientId}:`),
			base64(`:${clientSecret}`),
			base64(`${clientSecret}:${clientId}`),
			'\u00e9',
		].map((value) => form('Basic that is none', grant, basic(value))),
		form('the pair in the query', grant),
		...['[]', '"x"', 'null', '{', '<a/>', `{"grant_type":"client_credentials"`].map((body) =>
			postOf('no token request', byToken.token, [JSON_TYPE], body),
		),
		...['text/plain', 'multipart/form-data; boundary=x', 'application/octet-stream'].map((type) =>
			postOf(
				'another type',
				byToken.token,
				[['Content-Type', type]],
				`${grant}&client_id=${clientId}`,
			),
		),
		json(
			'many fields',
			Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`f${index}`, 'x'])),
		),
	];
}
