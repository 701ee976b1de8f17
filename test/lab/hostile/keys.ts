import type { Random } from '../sandbox/random';
import { integer, pick, uuid } from '../sandbox/random';
import { JSON_TYPE, LEAD_BODY, postOf, type HostilePost, type HostileWorld } from './world';

const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
const METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'LEAD'];

/** A good lead from somebody who does not know the key. */
export function wrongKeys(world: HostileWorld, random: Random): HostilePost[] {
	const { byKey, key } = world;
	const from = (name: string, ...values: string[]) =>
		postOf(name, byKey.leads, [
			...values.map((value): [string, string] => ['Authorization', value]),
			JSON_TYPE,
		]);
	return [
		from('no key'),
		from('an empty key', ''),
		...schemes(key).map((value) => from('the key in another form', value)),
		...nearKeys(key, random).map((value) => from('a near key', value)),
		...Array.from({ length: 60 }, () => from('a random key', randomText(random, key.length))),
		...[1, 2, 1_000, 8_000].map((length) => from('a key of odd length', 'k'.repeat(length))),
		...['\u00e9', '\u00ff\u00fe', '=?utf-8?B?a2V5?=', "UTF-8''key", '"', '{}', '%00'].map((value) =>
			from('a key in an odd encoding', `${key}${value}`),
		),
		from('a wrong key before the right one', 'wrong', key),
		from('two wrong keys', 'wrong', 'wrong too'),
		...elsewhere(world),
		...otherMethods(world),
	];
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function schemes(key: string): string[] {
	return [
		...['Bearer', 'bearer', 'Basic', 'Digest', 'ApiKey', 'Key', 'Token', 'OAuth'].map(
			(scheme) => `${scheme} ${key}`,
		),
		`Basic ${base64(key)}`,
		`Basic ${base64(`${key}:`)}`,
		`Basic ${base64(`:${key}`)}`,
		`Bearer ${base64(key)}`,
		base64(key),
		encodeURIComponent(key),
		JSON.stringify(key),
		`'${key}'`,
		`${key},${key}`,
		`${key};`,
	];
}

/** A letter away from the key, at each place. */
function nearKeys(key: string, random: Random): string[] {
	const places = Array.from(key, (_, index) => index);
	const otherThan = (letter: string) =>
		pick(
			random,
			PRINTABLE.filter((each) => each !== letter),
		);
	return [
		...places.slice(1).map((end) => key.slice(0, end)),
		...places.slice(1).map((start) => key.slice(start)),
		...places.map((at) => key.slice(0, at) + otherThan(key[at] ?? '') + key.slice(at + 1)),
		...places.map((at) => `${key.slice(0, at)}x${key.slice(at)}`),
		key.toUpperCase(),
		`${key}${key}`,
		[...key].reverse().join(''),
	].filter((near) => near.trim() !== key);
}

function randomText(random: Random, length: number): string {
	return Array.from({ length: integer(random, 1, 2 * length) }, () => pick(random, PRINTABLE)).join(
		'',
	);
}

/** The right key where it does not belong. */
function elsewhere({ byKey, byToken, key }: HostileWorld): HostilePost[] {
	const query = `?Authorization=${encodeURIComponent(key)}&api_key=${encodeURIComponent(key)}`;
	const inHeader = (name: string, value = key): HostilePost =>
		postOf('the key in another header', byKey.leads, [[name, value], JSON_TYPE]);
	return [
		postOf('the key in the query', byKey.leads + query, [JSON_TYPE]),
		postOf(
			'the key in the body',
			byKey.leads,
			[JSON_TYPE],
			JSON.stringify({ key, Authorization: key }),
		),
		...['X-API-Key', 'Proxy-Authorization', 'X-Authorization', 'Authorization-', 'Api-Key'].map(
			(name) => inHeader(name),
		),
		inHeader('Cookie', `Authorization=${encodeURIComponent(key)}`),
		postOf('the key at a node with tokens', byToken.leads, [['Authorization', key], JSON_TYPE]),
		postOf('the key as a token', byToken.leads, [['Authorization', `Bearer ${key}`], JSON_TYPE]),
		postOf('the key at the address for tokens', byKey.token, [['Authorization', key], JSON_TYPE]),
	];
}

/** With the right key. */
function otherMethods({ byKey, byToken, key }: HostileWorld): HostilePost[] {
	return METHODS.flatMap((method) =>
		[byKey.leads, byToken.leads, byToken.token].map((target) => ({
			...postOf(`the method ${method}`, target, [['Authorization', key], JSON_TYPE], LEAD_BODY),
			method,
		})),
	);
}

/** Addresses beside those of a node. */
export function otherAddresses({ byKey, key }: HostileWorld, random: Random): HostilePost[] {
	const folder = byKey.leads.slice(0, byKey.leads.lastIndexOf('/'));
	return [
		`${folder}/`,
		folder,
		`${folder}/Leads`,
		`${folder}/leads/1`,
		`${folder}/leads%00`,
		`${folder}/..%2fleads`,
		`${folder}//leads`,
		byKey.leads.replace('/webhook/', '/webhook-test/'),
		byKey.leads.replace('/webhook/', '/webhook-waiting/'),
		byKey.leads.replace('/webhook/', '/form/'),
		...Array.from({ length: 5 }, () => `/webhook/${uuid(random)}/leads`),
	].map((target) => postOf('another address', target, [['Authorization', key], JSON_TYPE]));
}
