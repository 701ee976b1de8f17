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
	  };

/** An address to which leads are pushed, as people have registered it with the operator. */
export interface PushTarget {
	url: string;
	authentication: PushAuthentication;
}

/** @returns the header Authorization, with a new token if the receiver wants one */
export async function authorizationFor(authentication: PushAuthentication): Promise<string> {
	if (authentication.by === 'key') return authentication.key;
	const { tokenUrl, clientId, clientSecret, pairIn } = authentication;
	const fields = {
		grant_type: 'client_credentials',
		...(pairIn !== 'basic' && { client_id: clientId, client_secret: clientSecret }),
	};
	const encoded = [clientId, clientSecret].map(encodeURIComponent).join(':');
	const basic = `Basic ${Buffer.from(encoded).toString('base64')}`;
	const answer = await fetch(tokenUrl, {
		method: 'POST',
		headers: {
			...(pairIn === 'basic' && { Authorization: basic }),
			...(pairIn === 'json' && { 'Content-Type': 'application/json' }),
		},
		body: pairIn === 'json' ? JSON.stringify(fields) : new URLSearchParams(Object.entries(fields)),
	});
	if (!answer.ok) throw new Error(`no token: ${answer.status}`);
	const token = (await answer.json()) as { access_token: string };
	return `Bearer ${token.access_token}`;
}
