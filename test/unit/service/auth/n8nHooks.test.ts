import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import {
	authenticate,
	handToHooks,
	renewToken,
	sendWithToken,
	tokenOf,
} from '../../../../service/auth/n8nHooks';
import { MINUTE_MS } from '../../../../service/basics/times';
import { TokenPair, useHostClock } from '../../../lab/tokenPair';

const clock = useHostClock();
let pair: TokenPair;
/** The credentials of each request that was sent, with the token that n8n put into them. */
let sent: ICredentialDataDecryptedObject[];

beforeEach(() => {
	pair = new TokenPair();
	sent = [];
});

const tokens = () => sent.map(tokenOf);
const depart = jest.fn(() => ({ timeout: 5_000 }));

/**
 * Sends as a session does, n8n's part included.
 *
 * @param statuses the service's answers, the last one for good
 */
async function send(statuses: number[], credentials = pair.stored): Promise<number> {
	const { statusCode } = await sendWithToken(pair.grant, credentials, async (used) => {
		handToHooks(used, { limits: { maxTries: 1, maxWaitMs: 0 }, depart });
		if (tokenOf(used) === '') Object.assign(used, await pair.renew(used));
		sent.push(used);
		const status = statuses[sent.length - 1] ?? statuses.at(-1) ?? 200;
		return { statusCode: status, headers: {}, body: undefined };
	});
	return statusCode;
}

describe('a request of a node', () => {
	it('has a new token if none is stored, and the stored one while that lives', async () => {
		await send([200]);
		await send([200], { ...pair.stored });
		expect(tokens()).toEqual(['token-1', 'token-1']);

		clock.now += 60 * MINUTE_MS;
		await send([200]);
		expect(tokens().at(-1)).toBe('token-2');
	});

	it('leaves the credentials as they are', async () => {
		const credentials = { ...(await pair.renew()) };
		const before = { ...credentials };

		await send([401, 200], credentials);

		expect(credentials).toEqual(before);
		expect(sent[1]).toEqual({ ...before, accessToken: 'token-2' });
	});

	it.each([
		['token', { accessToken: 5 }],
		['fingerprint', { tokenFingerprint: 'other' }],
	])('has a new token if the %s is not of this client', async (_, change) => {
		await send([200], { ...(await pair.renew()), accessToken: 'stolen', ...change });

		expect(tokens()).toEqual(['token-1']);
	});

	it.each([
		[[401, 200], 2],
		[[403, 200], 2],
		[[401, 401], 2],
		[[403, 403], 2],
		[[200], 1],
		[[400], 1],
		[[429], 1],
		[[500], 1],
	])('that is answered %j is sent %d times', async (statuses, times) => {
		await pair.renew();

		expect(await send(statuses)).toBe(statuses.at(-1));
		expect(tokens()).toEqual(['token-1', 'token-2'].slice(0, times));
	});

	it('first tries a token that this process knows, then a new one', async () => {
		await pair.renew();
		const ofAnotherWorker = { ...pair.stored, accessToken: 'of-another-worker' };

		expect(await send([401, 401, 200], ofAnotherWorker)).toBe(200);
		expect(tokens()).toEqual(['of-another-worker', 'token-1', 'token-2']);
	});

	it('is sent three times at most, however long each answer takes', async () => {
		await pair.renew();
		pair.body = (asked) => {
			clock.now += MINUTE_MS;
			return { access_token: `token-${asked}` };
		};

		expect(await send([401])).toBe(401);
		expect(tokens()).toEqual(['token-1', 'token-2', 'token-3']);
	});
});

describe('n8n’s hook for a token', () => {
	it('has all that n8n stores, and no secret', async () => {
		expect(await renewToken(pair.http, pair.grant, pair.stored)).toEqual({
			accessToken: 'token-1',
			tokenExpiresAt: clock.now + 60 * MINUTE_MS,
			tokenFingerprint: pair.grant.fingerprint,
		});
	});

	it('gives up a living token, after whatever failure, every half a minute at most', async () => {
		await pair.renew();
		await pair.renew();
		expect(pair.asked).toBe(2);

		clock.now += 30_000 - 1;
		await pair.renew();
		expect(pair.asked).toBe(2);

		clock.now += 1;
		await pair.renew();
		expect(pair.asked).toBe(3);
	});

	it.each([
		['another worker’s', { accessToken: 'of another worker' }],
		['one that is used up', { tokenFingerprint: 'other' }],
	])('has the token that this process knows in place of %s', async (_, stored) => {
		await pair.renew();
		Object.assign(pair.stored, stored);

		expect(await pair.renew()).toMatchObject({ accessToken: 'token-1' });
		expect(pair.asked).toBe(1);
	});

	it('tries within the limits of the node whose request it is', async () => {
		pair.status = 503;

		await expect(send([200])).rejects.toMatchObject({ details: { tries: 1 } });
		expect(pair.asked).toBe(1);
	});
});

describe('n8n’s hook for a request', () => {
	const options = { url: 'https://leads.example.com', headers: { accept: 'text/plain' } };

	it('has n8n renew a token that is used up, before the time of the request begins', async () => {
		const stored = await pair.renew();
		handToHooks(stored, { limits: { maxTries: 1, maxWaitMs: 0 }, depart });
		clock.now += 60 * MINUTE_MS;

		expect(() => authenticate(pair.grant, stored, options)).toThrow(
			expect.objectContaining({
				message: 'The stored token is used up',
				response: { status: 401 },
			}),
		);
		expect(depart).not.toHaveBeenCalled();
		await pair.renew();
		expect(authenticate(pair.grant, stored, options)).toMatchObject({ timeout: 5_000 });
	});
});
