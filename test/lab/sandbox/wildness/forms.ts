import omit from 'lodash/omit';

import { isRecord } from '../../values';
import { pick, shuffled } from '../random';
import type { Reply, Situation, Wildness } from './reply';
import { LISTS } from './reply';

type Change = Wildness['apply'];

const ITEMS = '/inventory/items';

/** Other forms of an answer, all of which the contract has. */
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
		if (!listIn(reply)?.isEmpty || !isDocumented) return undefined;
		const { status, headers = {}, body } = route.refuse(404, 'none');
		return { status, headers, value: JSON.parse(body) as unknown };
	},
	arrayOfOne: (reply, { route }) =>
		route.operation?.method === 'PATCH' && reply.status === 202 && isRecord(reply.value)
			? { ...reply, value: [reply.value] }
			: undefined,
	statusErrors: (reply) => {
		const text = JSON.stringify(reply.value);
		const changed = text.replace(/"errors":(\[[^\]]*\])\}(?=[,}\]])/g, '"errors":{"errors":$1}}');
		return changed === text ? undefined : { ...reply, value: JSON.parse(changed) as unknown };
	},
	otherRedirect: (reply) => {
		if (reply.status !== 303) return undefined;
		return { ...reply, value: { errors: [{ reason: 'one is on its way', code: 2_011_004 }] } };
	},
	mediaTypes: (reply, { route, random }) => {
		const types = Object.keys(route.operation?.responses[reply.status]?.content ?? {});
		if (types.length < 2) return undefined;
		return { ...reply, headers: { ...reply.headers, 'Content-Type': pick(random, types) } };
	},
};

export const FORM_WILDNESS: Wildness[] = Object.entries(FORMS).map(([name, apply]) => ({
	name,
	apply,
}));

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
