import { beforeEach, describe, expect, it } from '@jest/globals';

import { MINUTE_MS } from '../../../../service/basics/times';
import { ServiceError } from '../../../../service/failure';
import { TokenPair, useHostClock } from '../../../lab/tokenPair';

const clock = useHostClock();
let pair: TokenPair;

beforeEach(() => {
	pair = new TokenPair();
});

describe('a token that this process knows', () => {
	it('is shared for as long as it lives, and no longer', async () => {
		await pair.renew();
		clock.now += 60 * MINUTE_MS - 1;
		pair.stored.accessToken = '';

		await pair.renew();

		expect(pair.asked).toBe(1);

		clock.now += 1;
		pair.stored.accessToken = '';

		await pair.renew();

		expect(pair.asked).toBe(2);
	});

	it('is shared even if its end is unknown', async () => {
		pair.body = () => ({ access_token: 'endless' });
		await pair.renew();
		clock.now += 1_000 * MINUTE_MS;
		pair.stored.accessToken = '';

		expect(await pair.renew()).toMatchObject({ accessToken: 'endless' });
		expect(pair.asked).toBe(1);
	});
});

describe('a refused pair', () => {
	const refuseWith = (status: number, body: unknown) => {
		pair.status = status;
		pair.body = () => body;
	};

	const refusal = async () => {
		const [outcome] = await Promise.allSettled([pair.obtain({ maxTries: 1, maxWaitMs: 0 })]);
		const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
		if (!(error instanceof ServiceError)) throw new Error('It was not refused');
		return error;
	};

	it.each([
		['401', 401, ''],
		['401 and a code', 401, { error: 'invalid_client' }],
		['400 and a code', 400, { error: 'invalid_client' }],
		['403 and a code', 403, { error: 'access_denied' }],
	])('is not sent again for five minutes after %s', async (_, status, body) => {
		refuseWith(status, body);
		const first = await refusal();
		clock.now += 5 * MINUTE_MS - 1;

		const second = await refusal();

		expect(pair.asked).toBe(1);
		expect(second.message).toBe(first.message);
		expect(first.details.aside).toBeUndefined();
		expect(second.details).toEqual({
			...first.details,
			aside:
				'The service said so less than 5 minutes ago and was not asked again. It is asked again after that time, or at once if you correct the credential or its test passes.',
		});

		clock.now += 1;

		await refusal();

		expect(pair.asked).toBe(2);
	});

	it.each([
		['403 without a code', 403, ''],
		['400 without a code', 400, '<html></html>'],
		['404 with a code', 404, { error: 'not_found' }],
		['503 with a code', 503, { error: 'invalid_client' }],
		['429', 429, { error: 'slow_down' }],
		['400 that will pass', 400, { error: 'temporarily_unavailable' }],
		['403 from a service in trouble', 403, { error: 'server_error' }],
		['400 in a hurry', 400, { error: 'slow_down' }],
		['a web page', 200, '<html></html>'],
	])('is something else than %s', async (_, status, body) => {
		refuseWith(status, body);
		await refusal();

		await refusal();

		expect(pair.asked).toBe(2);
	});

	it('is something else than an error of n8n itself', async () => {
		pair.body = async () =>
			await Promise.reject(Object.assign(new Error('Domain not allowed'), { details: {} }));
		const limits = { maxTries: 1, maxWaitMs: 0 };

		await expect(pair.obtain(limits)).rejects.toThrow('Domain not allowed');
		await expect(pair.obtain(limits)).rejects.toThrow('Domain not allowed');
		expect(pair.asked).toBe(2);
	});

	it('is sent again at once if the service was seen to accept it', async () => {
		refuseWith(401, '');
		await refusal();
		pair.memory.acceptPair();

		await refusal();

		expect(pair.asked).toBe(2);
	});
});
