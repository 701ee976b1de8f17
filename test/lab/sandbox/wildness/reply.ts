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
	wire: 'whole' | 'truncate' | 'reset';
}

/** One request, with what decides which wildness fits it. */
export interface Situation {
	call: Pick<Call, 'headers' | 'body'>;
	route: Pick<Route, 'kind' | 'api' | 'operation' | 'clientId' | 'refuse'>;
	random: Random;
	tokens?: Tokens;
}

/** @returns the changed reply; undefined if it does not fit */
export type Change = (reply: Reply, situation: Situation) => Reply | undefined;

/** What may become of an answer. */
export interface Wildness {
	name: string;
	/** Whether the contract does not have it, but networks, proxies and hosts do it all the same. */
	isMisbehaving?: boolean;
	/** The service answers so without doing the work. */
	isBefore?: boolean;
	/** A right client cannot take the value from such an answer. */
	breaks?: boolean;
	apply: Change;
}

export const LISTS = ['applicants', 'appraisals', 'items'];

export function bodyOf({ text, value }: Reply): string {
	return text ?? JSON.stringify(value) ?? '';
}

export function replyOf({ status, headers = {}, body }: Answer): Reply {
	const value = jsonIn(body);
	const isRead = isRecord(value) || Array.isArray(value);
	return {
		status,
		headers,
		wire: 'whole',
		...(isRead ? { value } : { value: undefined, text: body }),
	};
}
