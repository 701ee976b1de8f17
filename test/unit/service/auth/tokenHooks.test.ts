import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import { authenticate, onDeparture, withoutToken } from '../../../../service/auth/tokenHooks';
import { TokenPair, useHostClock } from '../../../lab/tokenPair';

const clock = useHostClock();
let pair: TokenPair;

beforeEach(() => {
	pair = new TokenPair();
});

describe('a request with a token', () => {
	it('has it beside its other headers; without one n8n is told to ask for one', async () => {
		const stored = await pair.renew();

		const options = { url: 'https://leads.example.com', headers: { accept: 'text/plain' } };

		expect(authenticate(pair.grant, stored, options)).toEqual({
			...options,
			headers: { accept: 'text/plain', Authorization: 'Bearer token-1' },
		});

		const ask = () => authenticate(pair.grant, { ...stored, accessToken: '' }, options);

		expect(ask).toThrow(
			expect.objectContaining({
				message: 'The stored token is used up',
				response: { status: 401 },
			}),
		);
	});
});

describe('the time of a request', () => {
	it('begins when its token is in it, and is told to n8n', async () => {
		const stored = await pair.renew();
		const departures: number[] = [];
		onDeparture(stored, () => {
			departures.push(clock.now);
			return { timeout: 5_000 };
		});
		clock.now += 1_000;

		const options = { url: 'https://leads.example.com', headers: {} };

		const request = authenticate(pair.grant, stored, options);

		expect(request).toMatchObject({ timeout: 5_000, headers: { Authorization: 'Bearer token-1' } });
		expect(departures).toEqual([clock.now]);
	});

	it('does not begin while there is no token for it', () => {
		const presented = withoutToken(pair.stored, { maxTries: 1, maxWaitMs: 0 });
		const depart = jest.fn(() => ({}));

		onDeparture(presented, depart);

		expect(() => authenticate(pair.grant, presented, {})).toThrow();

		expect(depart).not.toHaveBeenCalled();
	});
});

describe('a living token that n8n presents', () => {
	it('is given up every half a minute at most', async () => {
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

	it('gives way to the token that this process knows', async () => {
		await pair.renew();
		await pair.renew();
		pair.stored.accessToken = 'of another worker';

		await pair.renew();

		expect(pair.asked).toBe(2);
		expect(pair.stored.accessToken).toBe('token-2');
	});

	it('is replaced at once if the service refused it to a node', async () => {
		await pair.renew();
		await pair.renew();
		pair.memory.refuse('token-2', 401);

		await pair.renew();

		expect(pair.stored.accessToken).toBe('token-3');
	});
});

describe('n8n, which calls a hook that failed once more', () => {
	it('is told the same without another request', async () => {
		pair.body = async () => await Promise.reject(new ServiceError('unavailable', 'Not now'));
		const presented = withoutToken(pair.stored, { maxTries: 1, maxWaitMs: 0 });

		await expect(pair.renew(presented)).rejects.toThrow('Not now');
		await expect(pair.renew(presented)).rejects.toThrow('Not now');
		expect(pair.asked).toBe(1);
	});

	it('may ask again if it was n8n that failed', async () => {
		pair.body = async () => await Promise.reject(new Error('Domain not allowed'));
		const presented = withoutToken(pair.stored, { maxTries: 1, maxWaitMs: 0 });

		await expect(pair.renew(presented)).rejects.toThrow('Domain not allowed');
		await expect(pair.renew(presented)).rejects.toThrow('Domain not allowed');
		expect(pair.asked).toBe(2);
	});

	it('gets the credential as it is, but for the token', () => {
		const stored = { ...pair.stored, accessToken: 'old' };

		const presented = withoutToken(stored, { maxTries: 1, maxWaitMs: 0 });

		expect(presented).toEqual({ ...pair.stored, accessToken: '' });
	});
});
