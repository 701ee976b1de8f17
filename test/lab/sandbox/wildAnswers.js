// @ts-check
const { STATUS_CODES } = require('node:http');
const { DAY, HOUR, MINUTE } = require('./clock');
const { htmlPage, isRecord } = require('./http');
const { integer, pick, shuffled } = require('./random');
const { contentOf } = require('./wildContract');
const { spellings } = require('./spellings');
const { LISTS } = require('./wildValues');

/** @typedef {import('./wildReply').Reply} Reply */
/** @typedef {import('./wildReply').Situation} Situation */
/** @typedef {import('./wildReply').Wildness} Wildness */
/** @typedef {import('./random').Random} Random */
/** @typedef {Record<string, unknown>} Fields */

/** @param {Reply} reply */
function isGood({ status }) {
	return status >= 200 && status < 300;
}

/**
 * @param {Reply} reply
 * @returns {{ name: string, list: unknown[] } | undefined} the list of the answer; a bare one has no name
 */
function listIn({ value }) {
	if (Array.isArray(value)) return { name: '', list: value };
	if (!isRecord(value)) return undefined;
	for (const name of LISTS) {
		const list = value[name];
		if (Array.isArray(list)) return { name, list };
	}
	return undefined;
}

/**
 * @param {Reply} reply
 * @param {unknown[]} list
 * @returns {Reply | undefined}
 */
function withList(reply, list) {
	const found = listIn(reply);
	if (found === undefined || !isGood(reply)) return undefined;
	if (found.name === '') return { ...reply, value: list };
	return { ...reply, value: { .../** @type {Fields} */ (reply.value), [found.name]: list } };
}

/**
 * @param {Reply} reply
 * @returns {boolean} whether it is the whole answer that there is nothing
 */
function isEmptyList(reply) {
	const found = listIn(reply);
	if (found === undefined || found.list.length > 0 || !isGood(reply)) return false;
	const { meta, errors } = /** @type {Fields} */ (reply.value);
	if (errors !== undefined) return false;
	return !isRecord(meta) || typeof meta.nextToken !== 'string';
}

/** @param {Pick<Situation, 'integration' | 'template'>} situation */
function isInventoryList({ integration, template }) {
	return integration === 'inventory' && template !== '/inventory/{id}';
}

/**
 * @param {Random} random
 * @param {Situation} situation
 * @param {string} text
 * @returns {unknown} a body of errors as this API words them
 */
function errorBody(random, { integration }, text) {
	const count = pick(random, [1, 2, 7]);
	const each = (/** @type {number} */ index) => `${text} ${index + 1}`;
	const list = Array.from({ length: count }, (_, index) => index);
	switch (integration) {
		case 'leads': {
			const code = (/** @type {number} */ index) => pick(random, [`code_${index}`, 4000 + index]);
			return {
				errors: list.map((index) => ({ message: each(index), code: code(index), links: [] })),
			};
		}
		case 'products':
			return { errors: list.map((index) => ({ reason: each(index), code: 1_011_900 + index })) };
		case 'inventory':
			return pick(random, [
				{
					title: each(0),
					status: 400,
					detail: null,
					errors: Object.fromEntries(list.map((index) => [`field${index}`, [each(index), 'more']])),
				},
				{ type: null, title: each(0), status: null, detail: null, instance: null, traceId: 'x' },
			]);
		default:
			return { error: 'temporarily_unavailable', error_description: each(0) };
	}
}

/**
 * @param {Reply} reply
 * @param {number} status
 * @param {unknown} value undefined: an empty body
 * @param {Record<string, string>} [headers]
 * @returns {Reply}
 */
function refusal(reply, status, value, headers = {}) {
	if (value === undefined) return { ...reply, status, headers, value, text: '' };
	const typed = { 'Content-Type': 'application/json', ...headers };
	return { ...reply, status, headers: typed, value, text: undefined };
}

/**
 * @param {Random} random
 * @returns {string} a Retry-After as nobody should send it
 */
function absurdWait(random) {
	const now = Date.now();
	const date = (/** @type {number} */ ms) => new Date(ms).toUTCString();
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

/**
 * @param {Random} random
 * @param {Situation} situation
 * @returns {unknown} what stands where something else belongs
 */
function strangeValue(random, { integration, template }) {
	const bareList = integration === 'products' && !template.includes('{');
	// Of a property nothing is required: any object may be one.
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

/**
 * @param {string} name
 * @param {number[]} statuses
 * @returns {Wildness} the service says so before it does any work
 */
function before(name, statuses) {
	return {
		name,
		strength: 'allowed',
		isBefore: true,
		breaks: true,
		apply: (reply, situation) => {
			const { random } = situation;
			const status = pick(random, statuses);
			const isBare = situation.integration === 'leads' && (status === 403 || status === 429);
			const text = STATUS_CODES[status] ?? 'refused';
			return refusal(reply, status, isBare ? undefined : errorBody(random, situation, text));
		},
	};
}

/** What the contract allows beside other values. @type {Wildness[]} */
const ALLOWED = [
	before('busy', [429]),
	before('failed', [500]),
	{
		name: 'tokenRevoked',
		strength: 'allowed',
		isBefore: true,
		breaks: true,
		apply: (reply, situation) => {
			const { clientId, service, random, integration } = situation;
			if (integration === 'token' || clientId === null) return undefined;
			service.tokens.revokeAll(clientId);
			const status = pick(random, [401, 403]);
			const isBare = status === 403 && integration === 'leads';
			return refusal(
				reply,
				status,
				isBare ? undefined : errorBody(random, situation, 'token revoked'),
			);
		},
	},
	{
		name: 'listOrder',
		strength: 'allowed',
		apply: (reply, { integration, random }) => {
			const found = listIn(reply);
			if (found === undefined || found.list.length < 2 || integration === 'inventory') {
				return undefined;
			}
			return withList(reply, shuffled(random, found.list));
		},
	},
	{
		name: 'bareObject',
		strength: 'allowed',
		apply: (reply, { integration }) =>
			isEmptyList(reply) && integration !== 'products' ? { ...reply, value: {} } : undefined,
	},
	{
		name: 'nullItems',
		strength: 'allowed',
		apply: (reply, { integration }) => {
			if (!isEmptyList(reply) || integration !== 'inventory') return undefined;
			return { ...reply, value: { .../** @type {Fields} */ (reply.value), items: null } };
		},
	},
	{
		name: 'lastPage',
		strength: 'allowed',
		apply: (reply, { integration, template, random }) => {
			const found = listIn(reply);
			if (integration !== 'inventory' || found === undefined || !isGood(reply)) return undefined;
			const { meta, ...rest } = /** @type {Fields} */ (reply.value);
			if (template === '/inventory/items' || (isRecord(meta) && meta.nextToken)) return undefined;
			const forms = [undefined, {}, { nextToken: null }, { nextToken: '' }];
			const form = pick(random, forms);
			return { ...reply, value: { ...rest, ...(form && { meta: form }) } };
		},
	},
	{
		name: 'noCount',
		strength: 'allowed',
		apply: (reply, { template, random }) => {
			if (template !== '/inventory/items' || listIn(reply) === undefined || !isGood(reply)) {
				return undefined;
			}
			const { totalCount: _, ...rest } = /** @type {Fields} */ (reply.value);
			return { ...reply, value: pick(random, [rest, { ...rest, totalCount: 0 }]) };
		},
	},
	{
		name: 'emptyAs404',
		strength: 'allowed',
		apply: (reply, situation) => {
			const { template, random } = situation;
			const isDocumented = template === '/inventory' || template === '/inventory/items';
			if (!isEmptyList(reply) || !isDocumented) return undefined;
			return refusal(reply, 404, errorBody(random, situation, 'none'));
		},
	},
	{
		name: 'arrayOfOne',
		strength: 'allowed',
		apply: (reply, { method }) =>
			method === 'PATCH' && reply.status === 202 && isRecord(reply.value)
				? { ...reply, value: [reply.value] }
				: undefined,
	},
	{
		name: 'statusErrors',
		strength: 'allowed',
		apply: (reply, { integration }) => {
			if (integration !== 'products' || !isGood(reply)) return undefined;
			const activations = Array.isArray(reply.value) ? reply.value : [reply.value];
			const changed = activations.map(withOtherErrors);
			if (!changed.some((activation, index) => activation !== activations[index])) return undefined;
			return { ...reply, value: Array.isArray(reply.value) ? changed : changed[0] };
		},
	},
	{
		name: 'highlightKeys',
		strength: 'allowed',
		apply: (reply, { integration }) => {
			if (integration !== 'products' || !isRecord(reply.value)) return undefined;
			const { highlights } = reply.value;
			if (!Array.isArray(highlights) || highlights.length === 0) return undefined;
			const keyed = highlights.map((each) => ({ ...each, key: `key${each.id}` }));
			return { ...reply, value: { ...reply.value, highlights: keyed } };
		},
	},
	{
		name: 'otherRedirect',
		strength: 'allowed',
		apply: (reply, situation) => {
			const { integration, random, template } = situation;
			if (integration !== 'products' || reply.status !== 303) return undefined;
			const { Location = '' } = reply.headers;
			const headers = { ...reply.headers, Location: Location.replace('/products/', '/') };
			// By the contract a weekly one brings errors, a premium one the activation.
			const errors = template.includes('weekly')
				? { errors: [{ reason: 'one is on its way already', code: 2_011_004 }] }
				: reply.value;
			return pick(random, [
				{ ...reply, headers },
				{ ...reply, headers, value: errors },
			]);
		},
	},
	{
		name: 'refusalBodies',
		strength: 'allowed',
		apply: (reply, situation) => {
			if (reply.status < 400 || isBodyUndocumented(situation, reply.status)) return undefined;
			const { random } = situation;
			return refusal(reply, reply.status, errorBody(random, situation, 'refused'));
		},
	},
	{
		name: 'mediaTypes',
		strength: 'allowed',
		apply: (reply, { integration, method, path, random }) => {
			if (integration === 'token' || reply.text !== undefined) return undefined;
			const types = Object.keys(contentOf(integration, method, path, reply.status));
			return types.length > 1 ? withType(reply, pick(random, types)) : undefined;
		},
	},
];

/**
 * @param {Situation} situation
 * @param {number} status
 */
function isBodyUndocumented({ integration }, status) {
	if (integration === 'token') return true;
	return integration === 'leads' ? status === 403 || status === 429 : false;
}

/** @param {unknown} activation */
function withOtherErrors(activation) {
	if (!isRecord(activation) || !isRecord(activation.status)) return activation;
	const { errors } = activation.status;
	if (errors === undefined) return activation;
	const other = Array.isArray(errors) ? { errors } : errorsOf(errors);
	return { ...activation, status: { ...activation.status, errors: other } };
}

/** @param {unknown} holder */
function errorsOf(holder) {
	return isRecord(holder) && Array.isArray(holder.errors) ? holder.errors : [];
}

/**
 * @param {Reply} reply
 * @param {string} type
 * @returns {Reply}
 */
function withType(reply, type) {
	return { ...reply, headers: { ...reply.headers, 'Content-Type': type } };
}

/**
 * @param {string} name
 * @param {Reply['wire']} wire
 * @param {Partial<Wildness>} [more]
 * @returns {Wildness}
 */
function travelling(name, wire, more = {}) {
	return {
		name,
		strength: 'misbehaving',
		...more,
		apply: (reply) => (reply.wire === 'whole' ? { ...reply, wire } : undefined),
	};
}

/**
 * @param {string} name
 * @param {Partial<Wildness>} more
 * @param {number[]} statuses
 * @returns {Wildness}
 */
function page(name, statuses, more) {
	return {
		name,
		strength: 'misbehaving',
		breaks: true,
		...more,
		apply: (reply, { random }) => {
			const status = pick(random, statuses);
			const { headers = {}, body } = htmlPage(status, 'Please sign in');
			return { ...reply, status, headers, text: String(body) };
		},
	};
}

/** Beyond the contract. @type {Wildness[]} */
const MISBEHAVING = [
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
				.map(({ text }) => JSON.parse(text))
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
			const { access_token: token, ...rest } = /** @type {Fields} */ (reply.value);
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

/**
 * @param {import('./types').Call} call
 * @returns {string[]} what nobody but the two may know
 */
function secretsIn({ headers, body }) {
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

/**
 * @param {Reply} reply
 * @returns {Reply}
 */
function beside(reply) {
	const errors = [{ message: 'a part is out of reach', code: 'partial', links: [] }];
	return { ...reply, value: { .../** @type {Fields} */ (reply.value), errors } };
}

/** @param {Reply} reply */
function bodyOf({ text, value }) {
	return text ?? JSON.stringify(value) ?? '';
}

module.exports = { ALLOWED, MISBEHAVING, bodyOf };
