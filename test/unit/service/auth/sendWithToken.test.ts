import { beforeEach, describe, expect, it } from '@jest/globals';

import { sendWithToken } from '../../../../service/auth/sendWithToken';
import { tokenOf } from '../../../../service/auth/storedToken';
import { MINUTE_MS } from '../../../../service/basics/times';
import { TokenPair, useHostClock } from '../../../lab/tokenPair';

const limits = { maxTries: 1, maxWaitMs: 0 };

const clock = useHostClock();
let pair: TokenPair;
/** The token of each request that was sent. */
let sent: string[];

beforeEach(() => {
	pair = new TokenPair();
	sent = [];
});

/**
 * Sends as a session does, n8n's part included.
 *
 * @param statuses the service's answers, the last one for good
 * @param tookMs how long each request takes
 */
async function send(
	statuses: number[],
	{ credentials = pair.stored, subject = '/applicant-leads', tookMs = [] as number[] } = {},
): Promise<number> {
	const use = { grant: pair.grant, credentials, limits, subject };
	const { answer } = await sendWithToken(use, async (used) => {
		if (tokenOf(used) === '') Object.assign(used, await pair.renew(used));
		sent.push(tokenOf(used));
		clock.now += tookMs[sent.length - 1] ?? 0;
		const statusCode = statuses[sent.length - 1] ?? statuses.at(-1) ?? 200;
		return { answer: { statusCode, headers: {}, body: undefined } };
	});
	return answer.statusCode;
}

describe('a request with a token', () => {
	it('has a new one if none is stored', async () => {
		expect(await send([200])).toBe(200);

		expect(sent).toEqual(['token-1']);
	});

	it('has the stored one while that is usable, and leaves the credentials as they are', async () => {
		const credentials = { ...(await pair.renew()) };

		await send([200], { credentials });

		expect(sent).toEqual(['token-1']);

		clock.now += 60 * MINUTE_MS;

		await send([200], { credentials });

		expect(sent).toEqual(['token-1', 'token-2']);
		expect(credentials).toMatchObject({ accessToken: 'token-1' });
	});

	it.each([401, 403])('is sent once more with a new one after %d', async (status) => {
		await pair.renew();
		clock.now += 1;

		expect(await send([status, 200])).toBe(200);

		expect(sent).toEqual(['token-1', 'token-2']);
		expect(pair.stored).toMatchObject({ tokenAfterForbidden: status === 403 });
	});

	it.each([200, 204, 400, 404, 429, 500])('is not sent again after %d', async (status) => {
		expect(await send([status])).toBe(status);

		expect(sent).toEqual(['token-1']);
	});

	it('is not sent a third time if a token that was issued for it is refused', async () => {
		await pair.renew();

		expect(await send([401], { tookMs: [0, MINUTE_MS] })).toBe(401);

		expect(sent).toEqual(['token-1', 'token-2']);
	});

	it('first tries a token that this process remembers, then a new one', async () => {
		await pair.renew();
		const ofAnotherWorker = { ...pair.stored, accessToken: 'of-another-worker' };
		clock.now += 1;

		expect(await send([401, 401, 200], { credentials: ofAnotherWorker })).toBe(200);

		expect(sent).toEqual(['of-another-worker', 'token-1', 'token-2']);
	});

	it('is sent three times at most, even if a clock that was put back makes new tokens look old', async () => {
		await pair.renew();
		pair.body = (asked) => {
			clock.now -= 5 * MINUTE_MS;
			return { access_token: `token-${asked}` };
		};

		expect(await send([401], { tookMs: [MINUTE_MS, MINUTE_MS, MINUTE_MS] })).toBe(401);

		expect(sent).toEqual(['token-1', 'token-2', 'token-3']);
	});

	it('that was granted makes a later 403 count as a revocation', async () => {
		await send([403, 200]);
		clock.now += 1;

		expect(await send([403, 403, 403, 200])).toBe(200);

		expect(sent).toEqual(['token-1', 'token-2', 'token-2', 'token-3']);
	});

	it('that was refused notes no grant', async () => {
		await send([403]);
		clock.now += 1;

		expect(await send([403])).toBe(403);

		expect(sent).toEqual(['token-1', 'token-2', 'token-2']);
	});

	it('that another subject was granted is refused for good by a 403', async () => {
		await send([403, 200]);
		clock.now += 1;

		expect(await send([403], { subject: '/appraisal-leads' })).toBe(403);

		expect(sent).toEqual(['token-1', 'token-2', 'token-2']);
	});

	it('leaves the token of a call that failed to the next one', async () => {
		const failing = sendWithToken(
			{ grant: pair.grant, credentials: await pair.renew(), limits, subject: '/' },
			async () => await Promise.reject<never>(new Error('Lost')),
		);

		await expect(failing).rejects.toThrow('Lost');

		await send([200]);

		expect(sent).toEqual(['token-1']);
	});
});
