import { afterEach, beforeEach, jest } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { LEADS_INTEGRATION } from '../../service/leads/integration';
import { tokenOf } from '../../service/auth/storedToken';
import { renewToken, withoutToken } from '../../service/auth/tokenHooks';
import { TokenMemory } from '../../service/auth/tokenMemory';
import type { RetryLimits } from '../../service/http/retry';

/** Stops the host's clock in each test of a file: it goes on when the test sets `now`. */
export function useHostClock(): { now: number } {
	const clock = { now: 0 };
	beforeEach(() => {
		clock.now = Date.parse('2026-03-02T10:00:00Z');
		jest.spyOn(Date, 'now').mockImplementation(() => clock.now);
	});
	afterEach(() => {
		jest.restoreAllMocks();
	});
	return clock;
}

let pairs = 0;

/** A client that nothing is known of yet, and what n8n has stored for it. */
export class TokenPair {
	readonly stored: ICredentialDataDecryptedObject = {
		clientId: `client-${++pairs}`,
		clientSecret: 'secret',
		authUrl: 'https://auth.example.com',
		leadsUrl: 'https://leads.example.com',
	};

	readonly grant = LEADS_INTEGRATION.grant(this.stored);

	/** How many tokens were asked for. */
	asked = 0;

	/** The status with which the token endpoint answers. */
	status = 200;

	/** The headers of its answers. */
	headers: Record<string, string> = {};

	/** What the token endpoint answers with, by the number of the request. */
	body: (asked: number) => unknown = (asked) => ({
		access_token: `token-${asked}`,
		expires_in: 3_600,
	});

	/** What this process knows of its tokens. */
	get memory(): TokenMemory {
		return TokenMemory.of(this.grant);
	}

	/** Asks the hook as n8n does, and stores what it returns. */
	async renew(credentials = this.stored): Promise<ICredentialDataDecryptedObject> {
		const http = async () => {
			const body: unknown = await this.body(++this.asked);
			return { statusCode: this.status, headers: this.headers, body };
		};
		return Object.assign(this.stored, await renewToken(http, this.grant, credentials));
	}

	/** Asks for a token as a node does that has none. */
	async obtain(limits: RetryLimits): Promise<ICredentialDataDecryptedObject> {
		return await this.renew(withoutToken(this.stored, limits));
	}

	/** Has a token issued because the one before it was answered 403. */
	async renewForbidden(): Promise<ICredentialDataDecryptedObject> {
		const token = await this.renew();
		this.memory.refuse(tokenOf(token), 403);
		return await this.renew();
	}
}
