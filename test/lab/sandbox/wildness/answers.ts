import omit from 'lodash/omit';

import { isRecord } from '../../values';
import { htmlPage, json } from '../http';
import { integer, pick, shuffled } from '../random';
import { pairIn } from '../routes';
import { spellings } from '../spellings';
import type { Answer } from '../types';
import type { Reply, Situation, Wildness } from './reply';
import { bodyOf, fieldsOf, isGood, listIn, replyOf } from './reply';

/** What proxies answer in place of the service. */
const FOREIGN_BODIES = [
	'',
	'{"errors":null}',
	'{"errors":[null,"text",{"reason":null}]}',
	'{"error":{"message":"nested","code":{"deep":1}}}',
	'{"message":"gateway"}',
	'[{"message":"in a list"}]',
];
const ITEMS = '/inventory/items';

/** Wildness of whole answers: first what the contract allows, then what networks, proxies and hosts do. */
export const ANSWERS: Wildness[] = [
	before('busy', (_reply, { route }) => route.refuse(429, 'busy')),
	before('failed', (_reply, { route }) => route.refuse(500, 'failed')),
	before('tokenRevoked', (_reply, { route, tokens, random }) => {
		if (route.kind === 'token' || route.clientId === null) return undefined;
		tokens?.revokeAll(route.clientId);
		return route.refuse(pick(random, [401, 403]), 'token revoked');
	}),
	ofLists('listOrder', (reply, { name, list }, { route, random }) => {
		if (list.length < 2 || route.api === 'inventory') return undefined;
		const changed = shuffled(random, list);
		return name === '' ? changed : { ...fieldsOf(reply), [name]: changed };
	}),
	ofLists('bareObject', (reply, { name }) => (isEmpty(reply) && name !== '' ? {} : undefined)),
	ofLists('nullItems', (reply, _list, { route }) =>
		isEmpty(reply) && route.api === 'inventory' ? { ...fieldsOf(reply), items: null } : undefined,
	),
	ofLists('lastPage', (reply, _list, { route, random }) => {
		const { meta, ...rest } = fieldsOf(reply);
		if (route.api !== 'inventory' || route.operation?.template === ITEMS) return undefined;
		if (isRecord(meta) && meta.nextToken) return undefined;
		const form = pick(random, [undefined, {}, { nextToken: null }, { nextToken: '' }]);
		return { ...rest, ...(form && { meta: form }) };
	}),
	ofLists('noCount', (reply, _list, { route, random }) => {
		if (route.operation?.template !== ITEMS) return undefined;
		const rest = omit(fieldsOf(reply), 'totalCount');
		return pick(random, [rest, { ...rest, totalCount: 0 }]);
	}),
	after('emptyAs404', (reply, { route }) => {
		const isDocumented = ['/inventory', ITEMS].includes(route.operation?.template ?? '');
		return isEmpty(reply) && isDocumented ? replyOf(route.refuse(404, 'none')) : undefined;
	}),
	after('arrayOfOne', (reply, { route }) =>
		route.operation?.method === 'PATCH' && reply.status === 202 && isRecord(reply.value)
			? { ...reply, value: [reply.value] }
			: undefined,
	),
	after('statusErrors', (reply) => {
		const isList = Array.isArray(reply.value);
		const activations = [reply.value].flat();
		const changed = activations.map((each) => {
			if (!isRecord(each) || !isRecord(each.status) || !each.status.errors) return each;
			return { ...each, status: { ...each.status, errors: { errors: each.status.errors } } };
		});
		if (changed.every((each, index) => each === activations[index])) return undefined;
		return { ...reply, value: isList ? changed : changed[0] };
	}),
	after('otherRedirect', (reply) => {
		if (reply.status !== 303) return undefined;
		return { ...reply, value: { errors: [{ reason: 'one is on its way', code: 2_011_004 }] } };
	}),
	after('mediaTypes', (reply, { route, random }) => {
		const types = Object.keys(route.operation?.answers.get(reply.status)?.content ?? {});
		if (reply.text !== undefined || types.length < 2) return undefined;
		return { ...reply, headers: { ...reply.headers, 'Content-Type': pick(random, types) } };
	}),
	...[
		before('echoedSecret', (_reply, { call, random, route }) => {
			const [, token] = /^Bearer (.+)$/.exec(call.headers.authorization ?? '') ?? [];
			const secret = token ?? pairIn(call).clientSecret ?? '';
			if (secret === '') return undefined;
			const spelled = pick(random, spellings(secret));
			const text = pick(random, [`no ${spelled}`, `"${spelled}"`, `{"sent":"${spelled}"}`]);
			return route.refuse(pick(random, [400, 500]), text);
		}),
		before('webPageBefore', webPage([200, 302, 403, 404, 500, 502, 503, 504])),
		before('foreignErrors', (_reply, { random }) => {
			const body = pick(random, FOREIGN_BODIES);
			return { ...json(pick(random, [408, 425, 502, 503, 504]), {}), body };
		}),
		{ ...broken('resetBefore', (reply) => ({ ...reply, wire: 'reset' })), isBefore: true },
		broken('webPageAfter', (reply, situation) =>
			replyOf(webPage([200, 502, 504])(reply, situation)),
		),
		broken('failedAfter', (_reply, { random, route }) =>
			replyOf(route.refuse(pick(random, [500, 503, 504]), 'failed too late')),
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

/** The service, or what stands before it, answers without doing the work. */
function before(
	name: string,
	answer: (reply: Reply, situation: Situation) => Answer | undefined,
): Wildness {
	return {
		name,
		isBefore: true,
		breaks: true,
		apply: (...given) => {
			const answered = answer(...given);
			return answered && replyOf(answered);
		},
	};
}

function after(name: string, apply: Wildness['apply']): Wildness {
	return { name, apply };
}

function ofLists(
	name: string,
	change: (
		reply: Reply,
		found: { name: string; list: unknown[] },
		situation: Situation,
	) => object | undefined,
): Wildness {
	return after(name, (reply, situation) => {
		const found = listIn(reply);
		const value = found && change(reply, found, situation);
		return value && { ...reply, value };
	});
}

function broken(name: string, apply: Wildness['apply']): Wildness {
	return { name, breaks: true, apply };
}

function webPage(statuses: number[]): (_reply: Reply, situation: Situation) => Answer {
	return (_reply, { random }) => htmlPage(pick(random, statuses), 'Please sign in');
}

/** @returns whether the answer is that nothing was found */
function isEmpty(reply: Reply): boolean {
	const { meta } = fieldsOf(reply);
	const isLastPage = !isRecord(meta) || typeof meta.nextToken !== 'string';
	return listIn(reply)?.list.length === 0 && isLastPage;
}
