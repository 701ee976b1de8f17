import type { Leads } from '../leads';
import type { Random } from '../random';
import type { Tokens } from '../tokens';
import type { Call, Integration } from '../types';

export type Strength = 'allowed' | 'misbehaving';

/** An answer while it grows wild. */
export interface Reply {
	status: number;
	headers: Record<string, string>;
	/** of the JSON body */
	value: unknown;
	/** a body that is no JSON, instead of the value */
	text?: string;
	/** how it travels */
	wire: 'whole' | 'drip' | 'truncated' | 'reset';
	/** of the Date header, in milliseconds; null: there is none */
	dateOffset: number | null;
}

/** One request, as far as it matters to what may happen to it. */
export interface Situation {
	integration: Integration | 'token';
	method: string;
	/** below the base address */
	path: string;
	/** the path below the base address, with names in braces for ids */
	template: string;
	call: Call;
	clientId: string | null;
	random: Random;
	service: Parts;
	/** of the tame body */
	schema?: Record<string, unknown>;
}

interface Parts {
	leads: Leads;
	tokens: Tokens;
}

/** What the service may do to its answer. `apply` returns the changed reply, or undefined if it does not fit. */
export interface Wildness {
	name: string;
	/** allowed: the answer stays valid by the contract */
	strength: Strength;
	/** the service answers so instead of doing the work */
	isBefore?: boolean;
	/** a right client cannot read an answer in this */
	breaks?: boolean;
	/** a right client may take the answer, or may refuse it */
	isDoubtful?: boolean;
	/** records can no longer be told by their ids */
	hidesIds?: boolean;
	apply: (reply: Reply, situation: Situation) => Reply | undefined;
}
