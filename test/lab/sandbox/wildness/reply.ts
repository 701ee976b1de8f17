import { isRecord, jsonIn } from '../../values';
import type { Random } from '../random';
import type { Route } from '../routes';
import type { Tokens } from '../tokens';
import type { Answer, Call } from '../types';

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
export interface Situation {
	call: Pick<Call, 'headers' | 'body'>;
	route: Pick<Route, 'kind' | 'api' | 'operation' | 'clientId' | 'refuse'>;
	random: Random;
	tokens?: Tokens;
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
	for (const name of LISTS) {
		const list = fieldsOf(reply)[name];
		if (Array.isArray(list)) return { name, list };
	}
	return undefined;
}

export function bodyOf({ text, value }: Reply): string {
	return text ?? JSON.stringify(value) ?? '';
}

export function replyOf({ status, headers = {}, body }: Answer): Reply {
	const value = jsonIn(body);
	const isRead = isRecord(value) || Array.isArray(value);
	const held = isRead ? { value } : { value: undefined, text: body };
	return { status, headers, wire: 'whole', ...held };
}
