import { isRecord, jsonIn } from '../../values';
import omit from 'lodash/omit';

import { DAY, HOUR, MINUTE } from '../clock';
import { bodyText, htmlPage } from '../http';
import type { Random } from '../random';
import { integer, pick, shuffled } from '../random';
import { spellings } from '../spellings';
import type { Call } from '../types';
import { bodyOf, errorBody, fieldsOf, isGood, listIn, refusal, withList, withType } from './reply';
import type { Reply, Situation, Wildness } from './situation';

const FOREIGN_ERRORS = [
	{ errors: [] },
	{ errors: [{ code: null, message: 'the other form of this host' }] },
	{ errors: {} },
	{ errors: null },
	{ errors: 'bad' },
	{ errors: [null, 'text', 7] },
	{ errors: { listingId: ['is wrong', 'is missing'], other: 'text' } },
	{ errors: [{ reason: null, code: null }, { message: ['a'] }] },
	{ error: { message: 'nested', code: { deep: 1 } } },
	{ error: 'invalid_request', error_description: 7 },
	{ message: 'gateway' },
	{ title: '<b>Bad</b>', detail: 'x'.repeat(5000), status: '400' },
	[{ message: 'in a list' }],
	'only a text',
	null,
];

const TOKEN_FORMS = [
	{ expires_in: '3600' },
	{ expires_in: undefined },
	{ expires_in: null },
	{ expires_in: 3600.5 },
	{ expires_in: 1e12 },
	{ expires_in: 'soon' },
	{ token_type: 'bearer' },
	{ token_type: undefined },
	{ scope: 'a b', refresh_token: null, extra: { deep: [] } },
];

/** Wildness that the contract does not allow. */
export const MISBEHAVING: Wildness[] = [
	{
		name: 'absurdRetryAfter',
		strength: 'misbehaving',
		isBefore: true,
		breaks: true,
		apply: (reply, { random }) =>
			refusal(reply, pick(random, [429, 503]), undefined, { 'Retry-After': absurdWait(random) }),
	},
	{
		name: 'foreignErrors',
		strength: 'misbehaving',
		isBefore: true,
		breaks: true,
		apply: (reply, { random }) =>
			refusal(reply, pick(random, [400, 409, 418, 500, 503]), pick(random, FOREIGN_ERRORS)),
	},
	{
		name: 'echoedSecret',
		strength: 'misbehaving',
		isBefore: true,
		breaks: true,
		apply: (reply, situation) => {
			const { random, call } = situation;
			const secrets = secretsIn(call);
			if (secrets.length === 0) return undefined;
			const told = pick(random, spellings(pick(random, secrets)));
			const text = pick(random, [`cannot take ${told}`, `"${told}"`, `{"sent":"${told}"}`]);
			return refusal(reply, pick(random, [400, 500]), errorBody(random, situation, text));
		},
	},
	page('webPageBefore', [200, 302, 403, 404, 500, 502, 503, 504], { isBefore: true }),
	page('webPageAfter', [200, 502, 504], {}),
	{
		name: 'failedAfter',
		strength: 'misbehaving',
		breaks: true,
		apply: (reply, situation) => {
			const { random } = situation;
			const status = pick(random, [500, 503, 504]);
			return refusal(reply, status, errorBody(random, situation, 'failed too late'));
		},
	},
	travelling('resetBefore', 'reset', { isBefore: true, breaks: true }),
	{
		name: 'outsideWindow',
		strength: 'misbehaving',
		apply: (reply, { integration, template, service, random }) => {
			const found = listIn(reply);
			if (integration !== 'leads' || found === undefined) return undefined;
			const kind = template === '/applicant-leads' ? 'applicant' : 'appraisal';
			const others = service.leads
				.between(kind, -Infinity, Infinity)
				.map(({ text }) => jsonIn(text))
				.filter(isRecord)
				.filter(({ id }) => !found.list.some((told) => isRecord(told) && told.id === id));
			if (others.length === 0) return undefined;
			const count = integer(random, 1, others.length);
			const more = shuffled(random, others).slice(0, count);
			return withList(reply, shuffled(random, [...found.list, ...more]));
		},
	},
	{
		name: 'twice',
		strength: 'misbehaving',
		apply: (reply, { integration, random }) => {
			const found = listIn(reply);
			if (integration !== 'leads' || found === undefined || found.list.length === 0)
				return undefined;
			const again = structuredClone(pick(random, found.list));
			return withList(reply, shuffled(random, [...found.list, again]));
		},
	},
	{
		name: 'strangeEntries',
		strength: 'misbehaving',
		isDoubtful: true,
		apply: (reply, { random }) => {
			const found = listIn(reply);
			if (found === undefined) return undefined;
			const strange = pick(random, [null, 7, 'text', true, []]);
			const list = found.list.slice();
			list.splice(integer(random, 0, list.length), 0, strange);
			return withList(reply, list);
		},
	},
	{
		name: 'shortBatch',
		strength: 'misbehaving',
		isDoubtful: true,
		apply: (reply, { template }) => {
			const found = listIn(reply);
			if (template !== '/inventory/items' || found === undefined || found.list.length === 0) {
				return undefined;
			}
			return withList(reply, found.list.slice(0, -1));
		},
	},
	{
		name: 'errorsBesideList',
		strength: 'misbehaving',
		isDoubtful: true,
		apply: (reply) => {
			const found = listIn(reply);
			if (found === undefined || found.name === '' || !isGood(reply)) return undefined;
			if (found.list.length === 0) return undefined;
			return beside(reply);
		},
	},
	{
		name: 'errorsBesideEmptyList',
		strength: 'misbehaving',
		breaks: true,
		apply: (reply) => {
			const emptied = withList(reply, []);
			const found = listIn(reply);
			if (emptied === undefined || found?.name === '') return undefined;
			return beside(emptied);
		},
	},
	{
		name: 'strangeShape',
		strength: 'misbehaving',
		breaks: true,
		apply: (reply, situation) =>
			isGood(reply) ? { ...reply, value: strangeValue(situation.random, situation) } : undefined,
	},
	{
		name: 'cutJson',
		strength: 'misbehaving',
		breaks: true,
		apply: (reply, { random }) => {
			const whole = bodyOf(reply);
			if (whole.length < 2 || reply.text !== undefined || !isGood(reply)) return undefined;
			return { ...reply, text: whole.slice(0, integer(random, 0, whole.length - 1)) };
		},
	},
	{
		name: 'wrongType',
		strength: 'misbehaving',
		apply: (reply, { random }) =>
			reply.text === undefined
				? withType(reply, pick(random, ['text/plain', 'application/octet-stream', 'text/json', '']))
				: undefined,
	},
	{
		name: 'tokenForms',
		strength: 'misbehaving',
		apply: (reply, { integration, random }) => {
			if (integration !== 'token' || !isGood(reply) || !isRecord(reply.value)) return undefined;
			return { ...reply, value: { ...reply.value, ...pick(random, TOKEN_FORMS) } };
		},
	},
	{
		name: 'noToken',
		strength: 'misbehaving',
		breaks: true,
		apply: (reply, { integration, random }) => {
			if (integration !== 'token' || !isGood(reply)) return undefined;
			const rest = omit(fieldsOf(reply), 'access_token');
			const strange = pick(random, [undefined, null, '', 7, {}, ['x'], 'two words', 'line\nbreak']);
			return {
				...reply,
				value: { ...rest, ...(strange !== undefined && { access_token: strange }) },
			};
		},
	},
	{
		name: 'noDate',
		strength: 'misbehaving',
		apply: (reply) => ({ ...reply, dateOffset: null }),
	},
	{
		name: 'offDate',
		strength: 'misbehaving',
		apply: (reply, { random }) => {
			const far = pick(random, [MINUTE, 10 * MINUTE, 3 * HOUR, 40 * DAY, 400 * DAY]);
			return { ...reply, dateOffset: pick(random, [far, -far]) };
		},
	},
	travelling('drip', 'drip'),
	travelling('truncated', 'truncated', { breaks: true }),
	travelling('resetAfter', 'reset', { breaks: true }),
];

function travelling(name: string, wire: Reply['wire'], more: Partial<Wildness> = {}): Wildness {
	return {
		name,
		strength: 'misbehaving',
		...more,
		apply: (reply) => (reply.wire === 'whole' ? { ...reply, wire } : undefined),
	};
}

function page(name: string, statuses: number[], more: Partial<Wildness>): Wildness {
	return {
		name,
		strength: 'misbehaving',
		breaks: true,
		...more,
		apply: (reply, { random }) => {
			const status = pick(random, statuses);
			const answer = htmlPage(status, 'Please sign in');
			return { ...reply, status, headers: answer.headers ?? {}, text: bodyText(answer) };
		},
	};
}

/** @returns a Retry-After that no service should send */
function absurdWait(random: Random): string {
	const now = Date.now();
	const date = (ms: number) => new Date(ms).toUTCString();
	return pick(random, [
		String(Math.floor(now / 1000)),
		String(now),
		'900000',
		'31536000',
		'-5',
		'0',
		'1.5',
		'1e9',
		'soon',
		'',
		'99999999999999999999999',
		date(now + 365 * DAY),
		date(now - HOUR),
		date(0),
		'Thu, 99 Foo 2026 99:99:99 GMT',
		new Date(now + HOUR).toISOString(),
		'5, 10',
	]);
}

/** @returns a body of another shape than the contract has */
function strangeValue(random: Random, { integration, template }: Situation): unknown {
	const bareList = integration === 'products' && !template.includes('{');
	// No field of a property is required: any object may be one.
	const isProperty = template === '/inventory/{id}';
	return pick(random, [
		...(bareList ? [{}, { items: [] }] : [[]]),
		'ok',
		42,
		null,
		true,
		...(isProperty ? [] : [{ status: 'ok' }]),
		...(integration === 'leads' ? [{ applicants: 'none', appraisals: 3 }] : []),
		...(isInventoryList({ integration, template }) ? [{ items: { 0: {} } }, { items: 'x' }] : []),
	]);
}

function isInventoryList({
	integration,
	template,
}: Pick<Situation, 'integration' | 'template'>): boolean {
	return integration === 'inventory' && template !== '/inventory/{id}';
}

/** @returns the secrets in a request */
function secretsIn({ headers, body }: Call): string[] {
	const [, scheme, value = ''] = /^(Basic|Bearer) (.+)$/.exec(headers.authorization ?? '') ?? [];
	const inForm = new URLSearchParams(body).get('client_secret');
	const pair = scheme === 'Basic' ? Buffer.from(value, 'base64').toString('utf8') : '';
	const secrets = [
		inForm ?? '',
		pair.slice(pair.indexOf(':') + 1),
		scheme === undefined ? '' : value,
	];
	return secrets.filter((secret) => secret !== '');
}

function beside(reply: Reply): Reply {
	const errors = [{ message: 'a part is out of reach', code: 'partial', links: [] }];
	return { ...reply, value: { ...fieldsOf(reply), errors } };
}
