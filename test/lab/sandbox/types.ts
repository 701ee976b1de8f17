import type { IncomingHttpHeaders } from 'node:http';

export type Integration = 'leads' | 'products' | 'inventory';

/** What a test says about a client; everything but the first three has a default. */
export interface ClientSettings {
	integration: Integration;
	clientId: string;
	clientSecret: string;
	/** leads only; default: the leads base address */
	audience?: string;
	/** products only; default: `api/api_access` */
	scope?: string;
	/** seconds a token is good for; default 3600 */
	tokenLifetime?: number;
	/** what is answered as `expires_in` instead of the lifetime; present but undefined: left out */
	expiresIn?: unknown;
	/** ids that a leads client may filter by; more than one id in all makes the filter compulsory */
	branches?: string[];
	brands?: string[];
	companies?: string[];
	groups?: string[];
	/** inventory only: the agencies that the client may ask for */
	agencyRefs?: string[];
	/** false: a real 403 whatever the token */
	permitted?: boolean;
	/** the answer to an expired or revoked token of this client */
	rejectTokenWith?: 401 | 403;
}

export type Client = ClientSettings & {
	audience: string;
	scope: string;
	tokenLifetime: number;
	branches: string[];
	brands: string[];
	companies: string[];
	groups: string[];
	agencyRefs: string[];
	permitted: boolean;
	revoked: boolean;
};

/** One request, read to its end. */
export interface Call {
	method: string;
	/** the pathname */
	path: string;
	/** the query with its question mark, or '' */
	search: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	body: string;
	bodyTooLarge: boolean;
}

export interface Answer {
	status: number;
	headers?: Record<string, string>;
	/** an iterable is streamed */
	body: string | Iterable<string>;
	/** of the token that the answer gives out */
	tokenIndex?: number;
	/** whether a test asked for an answer that breaks the contract */
	isOdd?: boolean;
}

/** One of the areas of the service, as the routing sees it. */
export interface Area {
	/** the path that all its requests start with */
	base: string;
	counts: 'token' | 'data';
	/** whose contract holds for the request */
	api: (call: Call) => Integration | undefined;
	/** none: nobody's */
	integration?: Integration | 'token';
	/** the path with ids replaced, for counting; undefined: no such path */
	template: (path: string) => string | undefined;
	/** who asks, as far as the request says so */
	identify: (call: Call) => Caller;
	handle: (call: Call) => Answer;
	/** an error in the shape of this area */
	refuse: (status: number, message: string) => Answer;
}

export interface Caller {
	clientId: string | null;
	tokenIndex: number | null;
}
