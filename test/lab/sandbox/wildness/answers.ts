import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';

import { basicIn } from '../../conformance/problems';
import { isRecord } from '../../values';
import { htmlPage, json } from '../http';
import { integer, pick, shuffled } from '../random';
import { spellings } from '../spellings';
import type { Answer } from '../types';
import type { Change, Reply, Situation, Wildness } from './reply';
import { bodyOf, LISTS, replyOf } from './reply';

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

type Instead = (situation: Situation) => Answer | undefined;

/** The service refuses, by the contract, without doing the work. */
const REFUSALS: Record<string, Instead> = {
	busy: ({ route }) => route.refuse(429, 'busy'),
	failed: ({ route }) => route.refuse(500, 'failed'),
	tokenRevoked: ({ route, tokens, random }) => {
		if (route.kind === 'token' || route.clientId === null) return undefined;
		tokens?.revokeAll(route.clientId);
		return route.refuse(pick(random, [401, 403]), 'token revoked');
	},
};

/** What stands before the service answers without its work being done. */
const MISBEHAVING_BEFORE: Record<string, Instead> = {
	echoedSecret: ({ call: { headers, body }, random, route }) => {
		const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? [];
		const ofPair = basicIn(headers.authorization)?.replace(/^[^:]*:/, '');
		const secret = token ?? ofPair ?? new URLSearchParams(body).get('client_secret') ?? '';
		if (secret === '') return undefined;
		const spelled = pick(random, spellings(secret));
		const text = pick(random, [`no ${spelled}`, `"${spelled}"`, `{"sent":"${spelled}"}`]);
		return route.refuse(pick(random, [400, 500]), text);
	},
	webPageBefore: webPage([200, 302, 403, 404, 500, 502, 503, 504]),
	foreignErrors: ({ random }) => {
		const body = pick(random, FOREIGN_BODIES);
		return { ...json(pick(random, [408, 425, 502, 503, 504]), {}), body };
	},
};

/** Other forms of an answer that the contract has. */
const FORMS: Record<string, Change> = {
	listOrder: ofLists((list, { name, rest }, { route, random }) => {
		if (list.length < 2 || route.api === 'inventory') return undefined;
		const changed = shuffled(random, list);
		return name === '' ? changed : { ...rest, [name]: changed };
	}),
	bareObject: ofLists((_list, { name, isEmpty }) => (isEmpty && name !== '' ? {} : undefined)),
	nullItems: ofLists((_list, { rest, isEmpty }, { route }) =>
		isEmpty && route.api === 'inventory' ? { ...rest, items: null } : undefined,
	),
	lastPage: ofLists((_list, { rest }, { route, random }) => {
		if (route.api !== 'inventory' || route.operation?.template === ITEMS) return undefined;
		if (isRecord(rest.meta) && rest.meta.nextToken) return undefined;
		const form = pick(random, [undefined, {}, { nextToken: null }, { nextToken: '' }]);
		return { ...omit(rest, 'meta'), ...(form && { meta: form }) };
	}),
	emptyAs404: (reply, { route }) => {
		const isDocumented = ['/inventory', ITEMS].includes(route.operation?.template ?? '');
		return listIn(reply)?.isEmpty && isDocumented ? replyOf(route.refuse(404, 'none')) : undefined;
	},
	arrayOfOne: (reply, { route }) =>
		route.operation?.method === 'PATCH' && reply.status === 202 && isRecord(reply.value)
			? { ...reply, value: [reply.value] }
			: undefined,
	statusErrors: (reply) => {
		const text = JSON.stringify(reply.value) ?? '';
		const changed = text.replace(/"errors":(\[[^\]]*\])\}(?=[,}\]])/g, '"errors":{"errors":$1}}');
		return changed === text ? undefined : { ...reply, value: JSON.parse(changed) as unknown };
	},
	otherRedirect: (reply) => {
		if (reply.status !== 303) return undefined;
		return { ...reply, value: { errors: [{ reason: 'one is on its way', code: 2_011_004 }] } };
	},
	mediaTypes: (reply, { route, random }) => {
		const types = Object.keys(route.operation?.responses[reply.status]?.content ?? {});
		if (reply.text !== undefined || types.length < 2) return undefined;
		return { ...reply, headers: { ...reply.headers, 'Content-Type': pick(random, types) } };
	},
};

/** The work is done, and its answer gets lost. */
const MISBEHAVING_AFTER: Record<string, Change> = {
	webPageAfter: (_reply, situation) => replyOf(webPage([200, 502, 504])(situation)),
	failedAfter: (_reply, { random, route }) =>
		replyOf(route.refuse(pick(random, [500, 503, 504]), 'failed too late')),
	cutJson: (reply, { random }) => {
		const whole = bodyOf(reply);
		if (whole.length < 2 || reply.text !== undefined || reply.status >= 300) return undefined;
		return { ...reply, text: whole.slice(0, integer(random, 0, whole.length - 1)) };
	},
	truncated: (reply) => ({ ...reply, wire: 'truncate' }),
	resetAfter: reset,
};

/** Wildness of whole answers: first what the contract allows, then what networks, proxies and hosts do. */
export const ANSWERS: Wildness[] = [
	...of(before(REFUSALS), { isBefore: true, breaks: true }),
	...of(FORMS, {}),
	...of(
		{ ...before(MISBEHAVING_BEFORE), resetBefore: reset },
		{ isBefore: true, breaks: true, isMisbehaving: true },
	),
	...of(MISBEHAVING_AFTER, { breaks: true, isMisbehaving: true }),
];

function of(changes: Record<string, Change>, kind: Partial<Wildness>): Wildness[] {
	return Object.entries(changes).map(([name, apply]) => ({ ...kind, name, apply }));
}

function before(answers: Record<string, Instead>): Record<string, Change> {
	return mapValues(answers, (answer) => (_reply: Reply, situation: Situation) => {
		const answered = answer(situation);
		return answered && replyOf(answered);
	});
}

function reset(reply: Reply): Reply {
	return { ...reply, wire: 'reset' };
}

function webPage(statuses: number[]) {
	return ({ random }: Situation): Answer => htmlPage(pick(random, statuses), 'Please sign in');
}

/** The list of a good answer, what is beside it, and whether nothing was found; a bare list has no name. */
interface Found {
	name: string;
	list: unknown[];
	rest: Record<string, unknown>;
	isEmpty: boolean;
}

function listIn({ status, value }: Reply): Found | undefined {
	if (status >= 300) return undefined;
	if (Array.isArray(value)) return { name: '', list: value, rest: {}, isEmpty: value.length === 0 };
	const rest = isRecord(value) ? value : {};
	const name = LISTS.find((each) => Array.isArray(rest[each])) ?? '';
	const list = rest[name];
	if (!Array.isArray(list)) return undefined;
	const isLast = !isRecord(rest.meta) || typeof rest.meta.nextToken !== 'string';
	return { name, list, rest, isEmpty: list.length === 0 && isLast };
}

function ofLists(
	change: (list: unknown[], found: Found, situation: Situation) => object | undefined,
): Change {
	return (reply, situation) => {
		const found = listIn(reply);
		const value = found && change(found.list, found, situation);
		return value && { ...reply, value };
	};
}
