import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { HttpAnswer } from '../http/answer';
import type { RetryLimits } from '../http/retry';
import type { Grant } from './grant';
import { holdsUsableToken, tokenOf } from './storedToken';
import { withoutToken } from './tokenHooks';
import type { RefusalStatus } from './tokenMemory';
import { TokenMemory } from './tokenMemory';

/** A token that this process remembers may be refused as well; one that was issued for this call is the last. */
const MOST_REPLACEMENTS = 2;

/** Whose token is used, and for what. */
interface TokenUse {
	grant: Grant;
	credentials: ICredentialDataDecryptedObject;
	limits: RetryLimits;
}

/**
 * Sends with the stored token. If the service refuses it and another token may help, sends again: with the one
 * that this process remembers, then with one that was issued for this call. That makes three times at most.
 *
 * @param send hands the credentials to n8n, which gets a token if they have none and puts it into them
 */
export async function sendWithToken<Sent extends { answer: HttpAnswer }>(
	{ grant, credentials, limits }: TokenUse,
	send: (credentials: ICredentialDataDecryptedObject) => Promise<Sent>,
): Promise<Sent> {
	const startedAt = Date.now();
	let used = holdsUsableToken(grant, credentials)
		? { ...credentials }
		: withoutToken(credentials, limits);
	let sent = await send(used);
	for (let replacements = 0; replacements < MOST_REPLACEMENTS; replacements++) {
		const status = refusalOf(sent.answer);
		const memory = TokenMemory.of(grant);
		if (!status || !memory.mayCure(used, status, 'x')) break;
		memory.refuse(tokenOf(used), status);
		used = withoutToken(used, limits);
		sent = await send(used);
		if (Number(used.tokenIssuedAt) >= startedAt) break;
	}
	if (!refusalOf(sent.answer)) TokenMemory.of(grant).accept(tokenOf(used), 'x');
	return sent;
}

/** The statuses with which the service answers a bad token. */
function refusalOf({ statusCode }: HttpAnswer): RefusalStatus | undefined {
	return statusCode === 401 || statusCode === 403 ? statusCode : undefined;
}
