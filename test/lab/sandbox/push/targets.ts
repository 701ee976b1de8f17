/** How the operator shows a receiver that it is the operator: one of these, as people agreed on. */
export type PushAuthentication =
	/** Sent as it is in the header Authorization. */
	| { by: 'key'; key: string }
	| { by: 'token'; tokenUrl: string; clientId: string; clientSecret: string };

/** An address to which leads are pushed, as people have registered it with the operator. */
export interface PushTarget {
	url: string;
	authentication: PushAuthentication;
}

/** @returns the header Authorization, with a new token if the receiver wants one */
export async function authorizationFor(authentication: PushAuthentication): Promise<string> {
	if (authentication.by === 'key') return authentication.key;
	const { tokenUrl, clientId, clientSecret } = authentication;
	const encoded = [clientId, clientSecret].map(encodeURIComponent).join(':');
	const answer = await fetch(tokenUrl, {
		method: 'POST',
		headers: { Authorization: `Basic ${Buffer.from(encoded).toString('base64')}` },
		body: new URLSearchParams({ grant_type: 'client_credentials' }),
	});
	if (!answer.ok) throw new Error(`no token: ${answer.status}`);
	const token = (await answer.json()) as { access_token: string };
	return `Bearer ${token.access_token}`;
}
