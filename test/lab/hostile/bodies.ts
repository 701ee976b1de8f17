import { deflateSync, gzipSync } from 'node:zlib';

import type { Random } from '../sandbox/random';
import { integer } from '../sandbox/random';
import { JSON_TYPE, LEAD_BODY, MARK, postOf, type HostilePost, type HostileWorld } from './world';

const MEGABYTE = 2 ** 20;

/** From somebody who knows the key, and sends no lead. */
export function wrongBodies({ byKey, key }: HostileWorld, random: Random): HostilePost[] {
	const authorization: [string, string] = ['Authorization', key];
	const sent = (name: string, body: Buffer | string, ...headers: Array<[string, string]>) =>
		postOf(name, byKey.leads, [authorization, JSON_TYPE, ...headers], body);
	return [
		...noLeads().map((body) => sent('a body that is no lead', JSON.stringify(body))),
		...noJson().map((body) => sent('a body that is no JSON', body)),
		...Array.from({ length: 40 }, () => integer(random, 1, LEAD_BODY.length - 1)).map((end) =>
			sent('half a body', LEAD_BODY.slice(0, end)),
		),
		...Array.from({ length: 20 }, () => ({
			...sent('a connection that breaks', LEAD_BODY),
			cutAfter: integer(random, 0, LEAD_BODY.length - 1),
		})),
		...[1_000, 20_000, 200_000].flatMap((depth) =>
			deep(depth).map((body) => sent('deep JSON', body)),
		),
		sent('gzip that is none', LEAD_BODY, ['Content-Encoding', 'gzip']),
		sent('half a gzip', gzipSync(LEAD_BODY).subarray(0, 40), ['Content-Encoding', 'gzip']),
		sent('deflate that is none', LEAD_BODY, ['Content-Encoding', 'deflate']),
		sent('half a deflate', deflateSync(LEAD_BODY).subarray(0, 40), ['Content-Encoding', 'deflate']),
		sent('brotli that is none', `x${LEAD_BODY}`, ['Content-Encoding', 'br']),
		...heavy(sent),
		...wrongTypes(byKey.leads, authorization),
	];
}

function noLeads(): unknown[] {
	const lead = { id: MARK };
	const values = [null, true, 0, 1.5, '', MARK, [], {}, [lead], [[lead]]];
	const names = ['applicant', 'appraisal'];
	const wrappers = [
		'Applicant',
		' applicant',
		'applicants',
		'lead',
		'__proto__',
		'constructor',
		'',
	];
	return [
		...values,
		lead,
		...names.flatMap((name) =>
			values.filter((value) => !isFilled(value)).map((value) => ({ [name]: value })),
		),
		...wrappers.map(
			(wrapper) => JSON.parse(`{${JSON.stringify(wrapper)}:{"id":"${MARK}"}}`) as unknown,
		),
		{ applicant: lead, appraisal: lead },
		{ data: { applicant: lead } },
		[{ applicant: lead }],
		{ __proto__: { applicant: lead } },
	];
}

function isFilled(value: unknown): boolean {
	return (
		typeof value === 'object' &&
		value !== null &&
		!Array.isArray(value) &&
		Object.keys(value).length > 0
	);
}

function noJson(): Array<Buffer | string> {
	return [
		'',
		' ',
		MARK,
		`${MARK}${LEAD_BODY}`,
		`${LEAD_BODY}${MARK}`,
		`${LEAD_BODY}${LEAD_BODY}`,
		LEAD_BODY.replaceAll('"', "'"),
		LEAD_BODY.replace('{', '{,'),
		`<lead>${MARK}</lead>`,
		`applicant=${MARK}`,
		'NaN',
		'undefined',
		`{"applicant":{"id":${MARK}}}`,
		`{"applicant":{"id":"${MARK}\n"}}`,
		Buffer.from(LEAD_BODY, 'utf16le'),
		Buffer.from([0xff, 0xfe, 0x00, 0x7b]),
		Buffer.alloc(64),
	];
}

/** Nested as no lead is, and without one. */
function deep(depth: number): string[] {
	return [
		`${'['.repeat(depth)}${']'.repeat(depth)}`,
		`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
		`{"applicant":${'['.repeat(depth)}${']'.repeat(depth)}}`,
		'['.repeat(depth),
	];
}

function heavy(
	sent: (name: string, body: Buffer, ...headers: Array<[string, string]>) => HostilePost,
) {
	const zeros = Buffer.alloc(20 * MEGABYTE, '0');
	return [
		sent('20 MB', zeros),
		sent('20 MB of JSON', Buffer.from(`{"applicant":"${zeros.toString('latin1')}"}`)),
		sent('a bomb', gzipSync(zeros), ['Content-Encoding', 'gzip']),
		sent('10 MB that are no lead', Buffer.from(`{"a":"${'0'.repeat(10 * MEGABYTE)}"}`)),
	].map((post) => ({ ...post, isHeavy: true }));
}

/** A good lead in a body that says that it is something else. */
function wrongTypes(target: string, authorization: [string, string]): HostilePost[] {
	const types = [
		'text/plain',
		'text/json',
		'text/html',
		'application/xml',
		'text/xml',
		'application/soap+xml',
		'application/x-www-form-urlencoded',
		'application/octet-stream',
		'application/x-ndjson',
		'application/javascript',
		'application/jsonp',
		'application/json5x',
		'multipart/form-data',
		'multipart/form-data; boundary=x',
		'multipart/mixed; boundary=x',
		'json',
		'/',
		'',
		'application/',
		'*/*',
		'text/plain; application/json',
	];
	return [
		...types.map((type) => postOf('another type', target, [authorization, ['Content-Type', type]])),
		postOf('no type', target, [authorization]),
		postOf('two types', target, [authorization, ['Content-Type', 'text/plain'], JSON_TYPE]),
		...['utf-99', 'x\u00e9', '../../etc', 'utf-7'].map((charset) =>
			postOf(
				'an odd charset',
				target,
				[authorization, ['Content-Type', `application/json; charset=${charset}`]],
				`{"a":"${MARK}"}`,
			),
		),
	];
}

/** What is no HTTP, or two requests at once, with a key that is wrong. */
export function wrongFrames({ byKey }: HostileWorld): HostilePost[] {
	const frame = (
		name: string,
		headers: Array<[string, string]>,
		body = LEAD_BODY,
	): HostilePost => ({
		...postOf(name, byKey.leads, [], body),
		headers: [['Authorization', 'wrong'], JSON_TYPE, ...headers],
	});
	const length = String(LEAD_BODY.length);
	return [
		frame('no length', []),
		frame('two lengths', [
			['Content-Length', length],
			['Content-Length', '5'],
		]),
		frame('a length that is none', [['Content-Length', 'all of it']]),
		frame('a length below zero', [['Content-Length', '-1']]),
		frame(
			'a length and chunks',
			[
				['Content-Length', length],
				['Transfer-Encoding', 'chunked'],
			],
			`0\r\n\r\n${LEAD_BODY}`,
		),
		frame('chunks that are none', [['Transfer-Encoding', 'chunked']]),
		frame('an odd transfer', [['Transfer-Encoding', 'gzip, identity']]),
		frame('a second request', [['Content-Length', '0']], `POST ${byKey.leads} HTTP/1.1\r\n\r\n`),
		frame('an odd header', [
			['Content-Length', length],
			['X-\u00e9', 'x'],
			['__proto__', 'x'],
		]),
		frame('a long header', [
			['Content-Length', length],
			['X-Long', 'x'.repeat(30_000)],
		]),
		frame('many headers', [['Content-Length', length], ...many()]),
	];
}

function many(): Array<[string, string]> {
	return Array.from({ length: 150 }, (_, index): [string, string] => [`X-${index}`, 'x']);
}
