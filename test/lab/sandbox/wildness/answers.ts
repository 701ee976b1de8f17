import omit from 'lodash/omit';

import { isRecord } from '../../values';
import { findOperation } from '../../conformance/operations';
import { htmlPage } from '../http';
import { integer, pick, shuffled } from '../random';
import { spellings } from '../spellings';
import { pairIn } from '../tokenEndpoint';
import type { Reply, Situation, Wildness } from './reply';
import { bodyOf, errorBody, fieldsOf, isGood, listIn, refusal, refused } from './reply';

/** What proxies answer in place of the service. */
const FOREIGN_BODIES = [
	undefined,
	{ errors: null },
	{ errors: [null, 'text', { reason: null }] },
	{ error: { message: 'nested', code: { deep: 1 } } },
	{ message: 'gateway' },
	[{ message: 'in a list' }],
];
const ITEMS = '/inventory-api/inventory/items';

/** Wildness of whole answers: first what the contract allows, then what networks, proxies and hosts do. */
export const ANSWERS: Wildness[] = [
	before('busy', (reply, situation) => refused(reply, 429, situation, 'busy')),
	before('failed', (reply, situation) => refused(reply, 500, situation, 'failed')),
	before('tokenRevoked', (reply, situation) => {
		const { clientId, tokens, random, area } = situation;
		if (area.kind === 'token' || clientId === null) return undefined;
		tokens.revokeAll(clientId);
		return refused(reply, pick(random, [401, 403]), situation, 'token revoked');
	}),
	after('listOrder', (reply, situation) => {
		const found = listIn(reply);
		if (found === undefined || isInventory(situation)) return undefined;
		const list = shuffled(situation.random, found.list);
		const value = found.name === '' ? list : { ...fieldsOf(reply), [found.name]: list };
		return found.list.length < 2 ? undefined : { ...reply, value };
	}),
	after('bareObject', (reply) => {
		const isNamed = listIn(reply)?.name !== '';
		return isEmptyList(reply) && isNamed ? { ...reply, value: {} } : undefined;
	}),
	after('nullItems', (reply, situation) => {
		if (!isEmptyList(reply) || !isInventory(situation)) return undefined;
		return { ...reply, value: { ...fieldsOf(reply), items: null } };
	}),
	after('lastPage', (reply, situation) => {
		const { meta, ...rest } = fieldsOf(reply);
		if (!isInventory(situation) || listIn(reply) === undefined) return undefined;
		if (situation.template === ITEMS || (isRecord(meta) && meta.nextToken)) return undefined;
		const form = pick(situation.random, [undefined, {}, { nextToken: null }, { nextToken: '' }]);
		return { ...reply, value: { ...rest, ...(form && { meta: form }) } };
	}),
	after('noCount', (reply, { template, random }) => {
		if (template !== ITEMS || !isGood(reply)) return undefined;
		const rest = omit(fieldsOf(reply), 'totalCount');
		return { ...reply, value: pick(random, [rest, { ...rest, totalCount: 0 }]) };
	}),
	after('emptyAs404', (reply, situation) => {
		const isDocumented = ['/inventory-api/inventory', ITEMS].includes(situation.template);
		if (!isEmptyList(reply) || !isDocumented) return undefined;
		return refused(reply, 404, situation, 'none');
	}),
	after('arrayOfOne', (reply, { call: { method } }) =>
		method === 'PATCH' && reply.status === 202 && isRecord(reply.value)
			? { ...reply, value: [reply.value] }
			: undefined,
	),
	after('statusErrors', (reply) => {
		const isList = Array.isArray(reply.value);
		const activations: unknown[] = Array.isArray(reply.value) ? reply.value : [reply.value];
		const changed = activations.map(withOtherErrors);
		if (changed.every((activation, index) => activation === activations[index])) return undefined;
		return { ...reply, value: isList ? changed : changed[0] };
	}),
	after('highlightKeys', (reply) => {
		const { highlights } = fieldsOf(reply);
		if (!Array.isArray(highlights) || highlights.length === 0) return undefined;
		const keyed = highlights
			.filter(isRecord)
			.map((each) => ({ ...each, key: `key${String(each.id)}` }));
		return { ...reply, value: { ...fieldsOf(reply), highlights: keyed } };
	}),
	after('otherRedirect', (reply, { random, template }) => {
		if (reply.status !== 303) return undefined;
		const { Location = '' } = reply.headers;
		const headers = { ...reply.headers, Location: Location.replace('/products/', '/') };
		// By the contract the answer holds errors if the product is weekly, and the activation if it is premium.
		const errors = template.includes('weekly')
			? { errors: [{ reason: 'one is on its way already', code: 2_011_004 }] }
			: reply.value;
		return pick(random, [
			{ ...reply, headers },
			{ ...reply, headers, value: errors },
		]);
	}),
	after('refusalBodies', (reply, situation) => {
		if (reply.status < 400 || situation.area.kind === 'token') return undefined;
		return refused(reply, reply.status, situation, 'refused');
	}),
	after('mediaTypes', (reply, { area, call, random }) => {
		const api = area.api(call);
		if (area.kind === 'token' || api === undefined || reply.text !== undefined) return undefined;
		const path = call.path.slice(area.base.length - 1);
		const operation = findOperation(api, { method: call.method, path });
		const types = Object.keys(operation?.answers.get(reply.status)?.content ?? {});
		if (types.length < 2) return undefined;
		return { ...reply, headers: { ...reply.headers, 'Content-Type': pick(random, types) } };
	}),
	...[
		before('echoedSecret', (reply, situation) => {
			const { random, call } = situation;
			const [, token] = /^Bearer (.+)$/.exec(call.headers.authorization ?? '') ?? [];
			const secret = token ?? pairIn(call).clientSecret ?? '';
			if (secret === '') return undefined;
			const told = pick(random, spellings(secret));
			const text = pick(random, [`cannot take ${told}`, `"${told}"`, `{"sent":"${told}"}`]);
			return refusal(reply, pick(random, [400, 500]), errorBody(situation, text));
		}),
		before('webPageBefore', webPage([200, 302, 403, 404, 500, 502, 503, 504])),
		before('foreignErrors', (reply, { random }) =>
			refusal(reply, pick(random, [408, 425, 502, 503, 504]), pick(random, FOREIGN_BODIES)),
		),
		before('resetBefore', (reply) => ({ ...reply, wire: 'reset' })),
		broken('webPageAfter', webPage([200, 502, 504])),
		broken('failedAfter', (reply, situation) =>
			refused(reply, pick(situation.random, [500, 503, 504]), situation, 'failed too late'),
		),
		broken('cutJson', (reply, { random }) => {
			const whole = bodyOf(reply);
			if (whole.length < 2 || reply.text !== undefined || !isGood(reply)) return undefined;
			return { ...reply, text: whole.slice(0, integer(random, 0, whole.length - 1)) };
		}),
		broken('truncated', (reply) => ({ ...reply, wire: 'truncated' })),
		broken('resetAfter', (reply) => ({ ...reply, wire: 'reset' })),
	].map((each) => ({ ...each, isMisbehaving: true })),
];

function before(name: string, apply: Wildness['apply']): Wildness {
	return { name, isBefore: true, breaks: true, apply };
}

function after(name: string, apply: Wildness['apply']): Wildness {
	return { name, apply };
}

function broken(name: string, apply: Wildness['apply']): Wildness {
	return { name, breaks: true, apply };
}

function webPage(statuses: number[]): Wildness['apply'] {
	return (reply, { random }) => {
		const { status, headers = {}, body } = htmlPage(pick(random, statuses), 'Please sign in');
		return { ...reply, status, headers, text: body };
	};
}

function isInventory({ area, call }: Situation): boolean {
	return area.kind === 'data' && area.api(call) === 'inventory';
}

/** @returns whether the answer is that nothing was found */
function isEmptyList(reply: Reply): boolean {
	const { meta } = fieldsOf(reply);
	const isLastPage = !isRecord(meta) || typeof meta.nextToken !== 'string';
	return listIn(reply)?.list.length === 0 && isLastPage;
}

/** @returns the same activation if it has no errors */
function withOtherErrors(activation: unknown): unknown {
	if (!isRecord(activation) || !isRecord(activation.status)) return activation;
	const { errors } = activation.status;
	if (errors === undefined) return activation;
	const inner = isRecord(errors) ? errors.errors : { errors };
	return { ...activation, status: { ...activation.status, errors: inner } };
}
