import type * as conformance from '../conformance/problems';
import type { Api } from '../conformance/schemas';

export type Integration = Api;

/** The IDs that a leads client may filter by; with more than one ID, of all four kinds, it has to. */
type FilterIds = Record<'branches' | 'brands' | 'companies' | 'groups', string[]>;

/** What a test says about a client. All but the first three fields have a default. */
export interface ClientSettings extends Partial<FilterIds> {
	integration: Integration;
	clientId: string;
	clientSecret: string;
	/** Leads only; default: the leads base address. */
	audience?: string;
	/** Products only; default: `api/api_access`. */
	scope?: string;
	/** Seconds a token is good for; default 3600. */
	tokenLifetime?: number;
	/** Answered as `expires_in` in place of the lifetime; if it is undefined, `expires_in` is left out. */
	expiresIn?: unknown;
	/** Inventory only: the agencies that the client may ask for. */
	agencyRefs?: string[];
	/** False: every request is refused with 403, even with a valid token. */
	permitted?: boolean;
	/** The answer to an expired or revoked token of this client. */
	rejectTokenWith?: 401 | 403;
}

type Optional = Pick<ClientSettings, 'expiresIn' | 'rejectTokenWith'>;

export type Client = Required<Omit<ClientSettings, keyof Optional>> &
	Optional & { revoked: boolean };

/** One request, read to its end; its path is the whole one. */
export interface Call extends conformance.Request {
	/** The query with its question mark, or ''. */
	search: string;
}

/** A request for data that the contract allows. */
export interface DataCall extends Call {
	/** The ID in the path, decoded. */
	id: string;
	client: Client;
}

export interface Answer extends conformance.Answer {
	/** Of the token that the answer issues. */
	tokenIndex?: number;
	/** Whether a test asked for an answer that breaks the contract. */
	isOdd?: boolean;
}
