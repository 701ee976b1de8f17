import type { Random } from '../random';
import type { Tokens } from '../tokens';
import type { Call, Integration } from '../types';

export type Strength = 'allowed' | 'misbehaving';

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
	integration: Integration | 'token';
	method: string;
	/** Below the base address. */
	path: string;
	/** The path below the base address, with names in braces for ids. */
	template: string;
	call: Call;
	clientId: string | null;
	random: Random;
	service: { tokens: Tokens };
	/** Of the tame body. */
	schema?: Record<string, unknown>;
}

/** What the service may do to its answer. `apply` returns the changed reply, or undefined if it does not fit. */
export interface Wildness {
	name: string;
	/** Allowed: the answer stays valid by the contract. */
	strength: Strength;
	/** The service answers so without doing the work. */
	isBefore?: boolean;
	/** A right client cannot take the value from such an answer. */
	breaks?: boolean;
	apply: (reply: Reply, situation: Situation) => Reply | undefined;
}
