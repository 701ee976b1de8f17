import { isRecord } from '../../values';
import type { Random } from '../random';
import { pick } from '../random';
import type { Reply, Situation } from './situation';
import { LISTS } from './values';

type Fields = Record<string, unknown>;

/** @returns the fields of a JSON body, none if it is no object */
export function fieldsOf({ value }: Reply): Fields {
	return isRecord(value) ? value : {};
}

export function isGood({ status }: Reply): boolean {
	return status >= 200 && status < 300;
}

/** @returns the list of the answer; a bare one has no name */
export function listIn({ value }: Reply): { name: string; list: unknown[] } | undefined {
	if (Array.isArray(value)) return { name: '', list: value };
	if (!isRecord(value)) return undefined;
	for (const name of LISTS) {
		const list = value[name];
		if (Array.isArray(list)) return { name, list };
	}
	return undefined;
}

export function withList(reply: Reply, list: unknown[]): Reply | undefined {
	const found = listIn(reply);
	if (found === undefined || !isGood(reply)) return undefined;
	if (found.name === '') return { ...reply, value: list };
	return { ...reply, value: { ...fieldsOf(reply), [found.name]: list } };
}

export function withType(reply: Reply, type: string): Reply {
	return { ...reply, headers: { ...reply.headers, 'Content-Type': type } };
}

export function bodyOf({ text, value }: Reply): string {
	return text ?? JSON.stringify(value) ?? '';
}

/** @param value undefined: an empty body */
export function refusal(
	reply: Reply,
	status: number,
	value: unknown,
	headers: Record<string, string> = {},
): Reply {
	if (value === undefined) return { ...reply, status, headers, value, text: '' };
	const typed = { 'Content-Type': 'application/json', ...headers };
	return { ...reply, status, headers: typed, value, text: undefined };
}

/** @returns a body of errors in the shape of this API */
export function errorBody(random: Random, { integration }: Situation, text: string): unknown {
	const count = pick(random, [1, 2, 7]);
	const each = (index: number) => `${text} ${index + 1}`;
	const list = Array.from({ length: count }, (_, index) => index);
	switch (integration) {
		case 'leads': {
			const code = (index: number) => pick(random, [`code_${index}`, 4000 + index]);
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
		case 'token':
			return { error: 'temporarily_unavailable', error_description: each(0) };
	}
}
