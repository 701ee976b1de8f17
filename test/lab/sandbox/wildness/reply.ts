import type { Random } from '../random';
import type { Route } from '../routes';

/** An answer on its way to become wild. */
export interface Reply {
	status: number;
	headers: Record<string, string>;
	/** Of the JSON body. */
	value: unknown;
}

/** One request, with what decides which wildness fits it. */
export interface Situation {
	route: Pick<Route, 'api' | 'operation' | 'refuse'>;
	random: Random;
}

/** What may become of an answer, and the contract allows. */
export interface Wildness {
	name: string;
	/** @returns the changed reply; undefined if it does not fit */
	apply: (reply: Reply, situation: Situation) => Reply | undefined;
}

export const LISTS = ['applicants', 'appraisals', 'items'];
