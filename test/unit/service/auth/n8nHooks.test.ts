import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import {
	authenticate,
	onDeparture,
	renewToken,
	sendWithToken,
	tokenOf,
} from '../../../../service/auth/n8nHooks';
import { MINUTE_MS } from '../../../../service/basics/times';
import { ServiceError } from '../../../../service/failure';
import { TokenPair, useHostClock } from '../../../lab/tokenPair';

const LIMITS = { maxTries: 1, maxWaitMs: 0 };

const clock = useHostClock();
let pair: TokenPair;
/** The credentials of each request that was sent, with the token that n8n put into them. */
let sent: ICredentialDataDecryptedObject[];

beforeEach(() => {
	pair = new TokenPair();
	sent = [];
});

/**
 * Sends as a session does, n8n's part included.
 *
 * @param statuses the service's answers, the last one for good
 */
async function send(statuses: number[], credentials = pair.stored): Promise<number> {
	const use = { grant: pair.grant, credentials, limits: LIMITS };
	const { answer } = await sendWithToken(use, async (used) => {
		if (tokenOf(used) === '') {
			const token = await renewToken(pair.http, pair.grant, used);
			Object.assign(pair.stored, token);
			Object.assign(used, token);
		}
		sent.push(used);
		const statusCode = statuses[sent.length - 1] ?? statuses.at(-1) ?? 200;
		return { answer: { statusCode, headers: {}, body: undefined } };
	});
	return answer.statusCode;
}

const tokens = () => sent.map(tokenOf);

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
		await send([200], { ...(await pair.renew()), ...change, accessToken: 'stolen', ...change });

		expect(tokens()).toEqual(['token-1']);
	});

	it.each([401, 403])('is sent once more with a new token after %d', async (status) => {
		await pair.renew();

		expect(await send([status, 200])).toBe(200);

		expect(tokens()).toEqual(['token-1', 'token-2']);
		expect(pair.stored.tokenForbiddenAt).toBe(status === 403 ? clock.now : 0);
	});

	it.each([200, 204, 400, 404, 429, 500])('is not sent again after %d', async (status) => {
		expect(await send([status])).toBe(status);
		expect(tokens()).toEqual(['token-1']);
	});

	it.each([401, 403])(
		'is not sent a third time if a new token is answered %d, too',
		async (status) => {
			await pair.renew();

			expect(await send([status])).toBe(status);
			expect(tokens()).toEqual(['token-1', 'token-2']);
		},
	);

	it('first tries a token that this process knows, then a new one', async () => {
		await pair.renew();
		const ofAnotherWorker = { ...pair.stored, accessToken: 'of-another-worker' };

		expect(await send([401, 401, 200], ofAnotherWorker)).toBe(200);
		expect(tokens()).toEqual(['of-another-worker', 'token-1', 'token-2']);
	});

	it('is sent three times at most, even if new tokens never look new', async () => {
		await pair.renew();
		pair.body = (asked) => {
			clock.now += MINUTE_MS;
			return { access_token: `token-${asked}` };
		};
		const slow = sendWithToken(
			{ grant: pair.grant, credentials: pair.stored, limits: LIMITS },
			async (used) => {
				if (tokenOf(used) === '') Object.assign(used, await pair.renew(used));
				sent.push(used);
				clock.now += MINUTE_MS;
				return await Promise.resolve({ answer: { statusCode: 401, headers: {}, body: '' } });
			},
		);

		await expect(slow).resolves.toMatchObject({ answer: { statusCode: 401 } });
		expect(tokens()).toEqual(['token-1', 'token-2', 'token-3']);
	});

	it('whose new token was accepted makes a later 401 a revocation', async () => {
		await send([401, 200]);
		sent = [];

		expect(await send([401, 200])).toBe(200);
		expect(tokens()).toEqual(['token-2', 'token-3']);
	});

	it('has no new token after a 403 if another process stored one less than five minutes ago', async () => {
		await pair.renew();
		pair.grant.fingerprint = 'of a new process';
		const stored: ICredentialDataDecryptedObject = {
			...pair.stored,
			accessToken: 'stored',
			tokenFingerprint: pair.grant.fingerprint,
			tokenForbiddenAt: clock.now,
		};
		clock.now += 5 * MINUTE_MS - 1;

		expect(await send([403], stored)).toBe(403);
		clock.now += 1;
		expect(await send([403, 403, 200], stored)).toBe(200);
	});

	it('leaves the token of a call that failed to the next one', async () => {
		const use = { grant: pair.grant, credentials: await pair.renew(), limits: LIMITS };
		const failing = sendWithToken(use, async () => await Promise.reject<never>(new Error('Lost')));

		await expect(failing).rejects.toThrow('Lost');
		await send([200]);
		expect(tokens()).toEqual(['token-1']);
	});
});

describe('n8n’s hook for a token', () => {
	it('has all that n8n stores, and no secret', async () => {
		expect(await renewToken(pair.http, pair.grant, pair.stored)).toEqual({
			accessToken: 'token-1',
			tokenExpiresAt: clock.now + 60 * MINUTE_MS,
			tokenFingerprint: pair.grant.fingerprint,
			tokenForbiddenAt: 0,
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

	it('has the token that this process knows in place of another worker’s', async () => {
		await pair.renew();
		pair.stored.accessToken = 'of another worker';

		expect(await pair.renew()).toMatchObject({ accessToken: 'token-1' });
	});

	it('gives up nothing if n8n has a token that is used up', async () => {
		await pair.renew();
		pair.stored.tokenFingerprint = 'other';

		expect(await pair.renew()).toMatchObject({ accessToken: 'token-1' });
	});

	it('fails the same when n8n calls it once more, without another request', async () => {
		pair.body = async () => await Promise.reject(new ServiceError('busy', 'Not now'));
		jest.spyOn(Math, 'random').mockReturnValue(0);
		const first = pair.renew();

		await expect(first).rejects.toMatchObject({ message: 'Not now', tries: 5 });
		await expect(pair.renew()).rejects.toThrow('Not now');
		expect(pair.asked).toBe(5);
	});

	it('asks again when n8n calls it once more because n8n itself failed', async () => {
		pair.body = async () => await Promise.reject(new Error('Domain not allowed'));

		await expect(pair.renew()).rejects.toThrow('Domain not allowed');
		await expect(pair.renew()).rejects.toThrow('Domain not allowed');
		expect(pair.asked).toBe(2);
	});

	it('tries within the limits of the node whose request it is', async () => {
		pair.status = 503;

		await expect(send([200])).rejects.toMatchObject({ tries: 1 });
		expect(pair.asked).toBe(1);
	});
});

describe('n8n’s hook for a request', () => {
	const options = { url: 'https://leads.example.com', headers: { accept: 'text/plain' } };

	it('puts the token beside the other headers', async () => {
		expect(authenticate(pair.grant, await pair.renew(), options)).toEqual({
			...options,
			headers: { accept: 'text/plain', Authorization: 'Bearer token-1' },
		});
	});

	it('has n8n renew a token that is used up, before the time of the request begins', async () => {
		const stored = await pair.renew();
		const depart = jest.fn(() => ({ timeout: 5_000 }));
		onDeparture(stored, depart);
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
