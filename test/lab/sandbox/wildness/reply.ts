import { isRecord } from '../../values';
import type { Area } from '../areas';
import type { Random } from '../random';
import { pick } from '../random';
import type { Tokens } from '../tokens';
import type { Call } from '../types';

/** An answer on its way to become wild. */
export interface Reply {
	status: number;
	headers: Record<string, string>;
	/** Of the JSON body. */
	value: unknown;
	/** A body that is no JSON, instead of the value. */
	text?: string;
	/** How it travels. */
	wire: 'whole' | 'truncated' | 'reset';
}

/** One request, with what decides which wildness fits it. */
export interface WildRequest {
	call: Call;
	area: Area;
	/** The whole path, with names in braces for IDs. */
	template: string;
	clientId: string | null;
}

export interface Situation extends WildRequest {
	random: Random;
	tokens: Tokens;
}

/** What may become of an answer. */
export interface Wildness {
	name: string;
	/** Whether the contract does not have it, but networks, proxies and hosts do it all the same. */
	isMisbehaving?: boolean;
	/** The service answers so without doing the work. */
	isBefore?: boolean;
	/** A right client cannot take the value from such an answer. */
	breaks?: boolean;
	/** @returns the changed reply; undefined if it does not fit */
	apply: (reply: Reply, situation: Situation) => Reply | undefined;
}

export const LISTS = ['applicants', 'appraisals', 'items'];

/** @returns the fields of a JSON body, none if it is no object */
export function fieldsOf({ value }: Reply): Record<string, unknown> {
	return isRecord(value) ? value : {};
}

export function isGood({ status }: Reply): boolean {
	return status >= 200 && status < 300;
}

/** @returns the list of a good answer; a bare one has no name */
export function listIn(reply: Reply): { name: string; list: unknown[] } | undefined {
	const { value } = reply;
	if (!isGood(reply)) return undefined;
	if (Array.isArray(value)) return { name: '', list: value };
	const name = LISTS.find((each) => Array.isArray(fieldsOf(reply)[each]));
	const list = name === undefined ? undefined : fieldsOf(reply)[name];
	return name !== undefined && Array.isArray(list) ? { name, list } : undefined;
}

export function bodyOf({ text, value }: Reply): string {
	return text ?? JSON.stringify(value) ?? '';
}

/** @param value undefined: an empty body */
export function refusal(reply: Reply, status: number, value: unknown): Reply {
	if (value === undefined) return { ...reply, status, headers: {}, value, text: '' };
	const headers = { 'Content-Type': 'application/json' };
	return { ...reply, status, headers, value, text: undefined };
}

/** @returns a refusal in the shape of this API, with a body if the contract has one */
export function refused(reply: Reply, status: number, situation: Situation, text: string): Reply {
	const isBare = situation.area.api(situation.call) === 'leads' && [403, 429].includes(status);
	const isData = situation.area.kind === 'data';
	return refusal(reply, status, isBare && isData ? undefined : errorBody(situation, text));
}

/** @returns a body of errors in the shape of this API */
export function errorBody({ random, area, call }: Situation, text: string): unknown {
	if (area.kind === 'token') return { error: 'temporarily_unavailable', error_description: text };
	const list = Array.from({ length: pick(random, [1, 2, 7]) }, (_, index) => index);
	switch (area.api(call)) {
		case 'leads': {
			const code = (index: number) => pick(random, [`code_${index}`, 4000 + index]);
			return {
				errors: list.map((index) => ({
					message: `${text} ${index}`,
					code: code(index),
					links: [],
				})),
			};
		}
		case 'products':
			return {
				errors: list.map((index) => ({ reason: `${text} ${index}`, code: 1_011_900 + index })),
			};
		case 'inventory':
		case undefined:
			return pick(random, [
				{ title: text, status: 400, detail: null, errors: { field: [text, 'more'] } },
				{ type: null, title: text, status: null, detail: null, instance: null, traceId: 'x' },
			]);
	}
}
