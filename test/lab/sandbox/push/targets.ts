import type { LeadKind } from '../leadBodies';

/** How the operator shows a receiver that it is the operator: one of these, as people agreed on. */
export type PushAuthentication =
	/** Sent as it is in the header Authorization. */
	| { by: 'key'; key: string }
	| {
			by: 'token';
			tokenUrl: string;
			clientId: string;
			clientSecret: string;
			/** How the pair is sent; the contract does not say. */
			pairIn: 'basic' | 'form' | 'json';
			audience?: string;
	  };

/** An address to which leads are pushed, as people have registered it with the operator. */
export interface PushTarget {
	url: string;
	authentication: PushAuthentication;
	/** What is switched off; all four are on by default. */
	without?: PushSwitch[];
}

/** The operator has four switches for each address. They are independent. */
export const PUSH_SWITCHES = ['applicant', 'appraisal', 'sales', 'lettings'] as const;
export type PushSwitch = (typeof PUSH_SWITCHES)[number];

const SWITCH_OF_ENQUIRY: Partial<Record<string, PushSwitch>> = {
	ENQUIRY_TYPE_SALES: 'sales',
	ENQUIRY_TYPE_LETTINGS: 'lettings',
};

/** A lead that is neither for sale nor to let goes by its kind alone. */
export function isWanted(
	{ without = [] }: PushTarget,
	kind: LeadKind,
	{ enquiryType }: PushableLead,
): boolean {
	const bySwitch = typeof enquiryType === 'string' ? SWITCH_OF_ENQUIRY[enquiryType] : undefined;
	return !without.includes(kind) && !(bySwitch && without.includes(bySwitch));
}

/** What a push has to know of a lead. */
export interface PushableLead {
	id?: unknown;
	enquiryType?: unknown;
}

const TOKEN_MARGIN_MS = 10_000;

/** The tokens that receivers have issued, each until it expires. */
export class PushTokens {
	private readonly known = new Map<string, { token: string; until: number }>();

	/** @returns the header Authorization */
	async authorize({ authentication }: PushTarget): Promise<string> {
		if (authentication.by === 'key') return authentication.key;
		const { tokenUrl } = authentication;
		const known = this.known.get(tokenUrl);
		if (known && known.until > Date.now()) return `Bearer ${known.token}`;
		const { access_token: token, expires_in: seconds = 300 } = await requestToken(authentication);
		this.known.set(tokenUrl, { token, until: Date.now() + seconds * 1_000 - TOKEN_MARGIN_MS });
		return `Bearer ${token}`;
	}

	/** A receiver has refused its token. */
	forget({ authentication }: PushTarget): void {
		if (authentication.by === 'token') this.known.delete(authentication.tokenUrl);
	}
}

interface Token {
	access_token: string;
	expires_in?: number;
}

async function requestToken(
	authentication: Extract<PushAuthentication, { by: 'token' }>,
): Promise<Token> {
	const { tokenUrl, clientId, clientSecret, pairIn, audience } = authentication;
	const fields: Record<string, string> = {
		grant_type: 'client_credentials',
		...(pairIn !== 'basic' && { client_id: clientId, client_secret: clientSecret }),
		...(audience !== undefined && { audience }),
	};
	const encoded = [clientId, clientSecret].map(encodeURIComponent).join(':');
	const answer = await fetch(tokenUrl, {
		method: 'POST',
		headers: {
			...(pairIn === 'basic' && {
				Authorization: `Basic ${Buffer.from(encoded).toString('base64')}`,
			}),
			...(pairIn === 'json' && { 'Content-Type': 'application/json' }),
		},
		body: pairIn === 'json' ? JSON.stringify(fields) : new URLSearchParams(fields),
	});
	if (!answer.ok) throw new Error(`no token: ${answer.status}`);
	return (await answer.json()) as Token;
}
