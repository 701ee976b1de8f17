import { afterEach, beforeEach, jest } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { renewToken } from '../../service/auth/n8nHooks';
import type { SendHttp } from '../../service/http/request';
import { LEADS_INTEGRATION } from '../../service/leads/integration';

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

	/** What the token endpoint answers with, by the number of the request. */
	body: (asked: number) => unknown = (asked) => ({
		access_token: `token-${asked}`,
		expires_in: 3_600,
	});

	/** The token endpoint, as n8n's helper reaches it. */
	readonly http: SendHttp = async () => {
		const body: unknown = await this.body(++this.asked);
		return { statusCode: this.status, headers: {}, body };
	};

	/** Asks the hook as n8n does, and stores what it returns. */
	async renew(credentials = this.stored): Promise<ICredentialDataDecryptedObject> {
		return Object.assign(this.stored, await renewToken(this.http, this.grant, credentials));
	}
}
