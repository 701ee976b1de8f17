import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { ServiceError } from '../../../../service/failure';
import { INVENTORY_INTEGRATION } from '../../../../service/inventory/integration';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import type { RetryLimits } from '../../../../service/http/retry';
import {
	accept,
	acceptPair,
	authenticate,
	holdsUsableToken,
	mayCure,
	refuse,
	renewToken,
	requestToken,
	tokenOf,
	withoutToken,
} from '../../../../service/auth/token';

const MINUTE = 60_000;
const LEADS = '/applicant-leads';

let now: number;
let pairs = 0;
let pair: Pair;

beforeEach(() => {
	now = Date.parse('2026-03-02T10:00:00Z');
	jest.spyOn(Date, 'now').mockImplementation(() => now);
	pair = new Pair();
});

afterEach(() => {
	jest.restoreAllMocks();
});

/** A client that nothing is known of yet, and what n8n has stored for it. */
class Pair {
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

	/** Asks the hook as n8n does, and stores what it returns. */
	async renew(credentials = this.stored): Promise<ICredentialDataDecryptedObject> {
		const http = async () => {
			const body: unknown = await this.body(++this.asked);
			return { statusCode: this.status, headers: {}, body };
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
		refuse(this.grant, tokenOf(token), 403);
		return await this.renew();
	}
}

describe('a refused token', () => {
	it('is to be replaced by the successor that is already there', async () => {
		await pair.renewForbidden();
		const old = { ...pair.stored, accessToken: 'token-1' };
		expect(mayCure(pair.grant, old, 403, LEADS)).toBe(true);
		expect(mayCure(pair.grant, old, 401, LEADS)).toBe(true);
	});

	it('leaves no mark on the pair where its successor is there', async () => {
		await pair.renew();
		refuse(pair.grant, 'an older one', 403);
		now += 61 * MINUTE;
		expect(await pair.renew()).toMatchObject({ tokenAfterForbidden: false });
	});

	it('leaves its mark where its successor has run out', async () => {
		await pair.renew();
		now += 61 * MINUTE;
		refuse(pair.grant, 'an older one', 403);
		expect(await pair.renew()).toMatchObject({ tokenAfterForbidden: true });
	});

	it('is not handed out again, and any other one is', async () => {
		const accessToken = tokenOf(await pair.renew());
		refuse(pair.grant, 'another', 401);
		pair.stored.accessToken = '';
		expect(await pair.renew()).toMatchObject({ accessToken });
		refuse(pair.grant, accessToken, 401);
		expect(await pair.renew()).toMatchObject({ accessToken: 'token-2' });
	});

	it('is judged by what this very token was granted, not by one that has run out', async () => {
		await pair.renew();
		accept(pair.grant, 'token-1', LEADS);
		now += 61 * MINUTE;
		const ofAnotherWorker = {
			...pair.stored,
			accessToken: 'token-of-another-worker',
			tokenAfterForbidden: true,
			tokenIssuedAt: now - MINUTE,
			tokenExpiresAt: now + MINUTE,
		};
		expect(mayCure(pair.grant, ofAnotherWorker, 403, LEADS)).toBe(false);
	});

	it('with 401 is judged by this very token, not by one that has run out untried', async () => {
		pair.body = () => ({ access_token: 'short', expires_in: 5 });
		await pair.renew();
		refuse(pair.grant, 'short', 401);
		await pair.renew();
		now += 10_000;
		expect(mayCure(pair.grant, { ...pair.stored, accessToken: 'long' }, 401, LEADS)).toBe(true);
		expect(mayCure(pair.grant, pair.stored, 401, LEADS)).toBe(false);
	});
});

describe('a 403', () => {
	const isCurable = (subject = LEADS) => mayCure(pair.grant, pair.stored, 403, subject);

	it('may mean that a stored token was revoked, for a process that has not used it', () => {
		Object.assign(pair.stored, { accessToken: 'stored', tokenIssuedAt: now });
		expect(isCurable()).toBe(true);
	});

	it('of a token that was issued for one is settled for five minutes', async () => {
		await pair.renewForbidden();
		now += 5 * MINUTE - 1;
		expect(isCurable()).toBe(false);
		now += 1;
		expect(isCurable()).toBe(true);
	});

	it('is settled for a process that knows of it from the credential alone', () => {
		const issued = { tokenAfterForbidden: true, tokenIssuedAt: now };
		Object.assign(pair.stored, { accessToken: 'stored', ...issued });
		now += 5 * MINUTE - 1;
		expect(isCurable()).toBe(false);
		now += 1;
		expect(isCurable()).toBe(true);
	});

	it('is settled although the token that was issued for one has run out since', async () => {
		pair.body = (asked) => ({ access_token: `token-${asked}`, expires_in: 60 });
		await pair.renewForbidden();
		now += 2 * MINUTE;
		expect(await pair.renew()).toMatchObject({ tokenAfterForbidden: false });
		expect(isCurable()).toBe(false);
		now += 3 * MINUTE;
		expect(isCurable()).toBe(true);
	});

	it('is not settled until the future that a wrong clock wrote down', () => {
		const issued = { tokenAfterForbidden: true, tokenIssuedAt: now + 60 * MINUTE };
		Object.assign(pair.stored, { accessToken: 'stored', ...issued });
		expect(isCurable()).toBe(true);
	});

	it('is no matter of grants where nothing is known of the pair', () => {
		accept(pair.grant, 'stored', LEADS);
		const issued = { tokenAfterForbidden: true, tokenIssuedAt: now };
		Object.assign(pair.stored, { accessToken: 'stored', ...issued });
		expect(isCurable()).toBe(false);
	});

	it('is a revocation where the same was granted with this very token', async () => {
		await pair.renewForbidden();
		accept(pair.grant, 'token-1', 'with its predecessor');
		accept(pair.grant, 'token-2', LEADS);
		accept(pair.grant, 'token-2', '/appraisal-leads');
		expect(isCurable()).toBe(true);
		expect(isCurable('/appraisal-leads')).toBe(true);
		expect(isCurable('with its predecessor')).toBe(false);
	});

	it('is judged by the last thousand things that were granted, not by all there ever were', async () => {
		await pair.renewForbidden();
		for (let agency = 1; agency <= 1_000; agency++) accept(pair.grant, 'token-2', `AG${agency}`);
		expect(isCurable('AG1')).toBe(true);
		accept(pair.grant, 'token-2', 'AG1001');
		expect(isCurable('AG1')).toBe(false);
		expect(isCurable('AG1001')).toBe(true);
	});
});

describe('a 401', () => {
	const isCurable = () => mayCure(pair.grant, pair.stored, 401, LEADS);

	beforeEach(async () => {
		await pair.renew();
		refuse(pair.grant, 'token-1', 401);
		await pair.renew();
	});

	it('is not cured by a new token that was never taken, for half a minute', () => {
		expect(isCurable()).toBe(false);
		now += 30_000 - 1;
		expect(isCurable()).toBe(false);
		now += 1;
		expect(isCurable()).toBe(true);
	});

	it('is cured by a new one once the last one was taken', () => {
		accept(pair.grant, 'token-2', LEADS);
		expect(isCurable()).toBe(true);
	});
});

describe('a token', () => {
	it.each([
		['a number', 600, 600_000],
		['a small number', 1, 1_000],
		['text', '600', 600_000],
		['text with a fraction', '600.0', 600_000],
	])('lives as long as %s says', async (_, lifetime, ms) => {
		pair.body = () => ({ access_token: 'token', expires_in: lifetime });
		expect(await pair.renew()).toMatchObject({ tokenExpiresAt: now + ms });
	});

	it.each([undefined, null, 0, -1, '-1', 'soon', '', true, Infinity, 'Infinity', [600]])(
		'has no known end where its lifetime is %p',
		async (lifetime) => {
			pair.body = () => ({ access_token: 'token', expires_in: lifetime });
			expect(await pair.renew()).toMatchObject({ tokenExpiresAt: 0, tokenIssuedAt: now });
		},
	);

	it('is shared for as long as it lives, and no longer', async () => {
		await pair.renew();
		now += 60 * MINUTE - 1;
		pair.stored.accessToken = '';
		await pair.renew();
		expect(pair.asked).toBe(1);
		now += 1;
		pair.stored.accessToken = '';
		await pair.renew();
		expect(pair.asked).toBe(2);
	});

	it('is shared without a known end as well', async () => {
		pair.body = () => ({ access_token: 'endless' });
		await pair.renew();
		now += 1_000 * MINUTE;
		pair.stored.accessToken = '';
		expect(await pair.renew()).toMatchObject({ accessToken: 'endless' });
		expect(pair.asked).toBe(1);
	});

	it.each(['', ' ', 'two words', ' token', 'token ', 'token\n', '\r\ntoken', 'tökén', 5, null])(
		'is none if it is %p, which no header can carry',
		async (token) => {
			pair.body = () => ({ access_token: token, expires_in: 3_600 });
			await expect(pair.renew()).rejects.toMatchObject({
				kind: 'foreign',
				message: 'The service answered without a token',
				details: { requestKind: 'token' },
			});
			expect(pair.stored.accessToken).toBeUndefined();
		},
	);

	it('is usable while it is there, alive and of this pair', async () => {
		const stored = await pair.renew();
		expect(holdsUsableToken(pair.grant, stored)).toBe(true);
		expect(holdsUsableToken(pair.grant, { ...stored, tokenExpiresAt: 0 })).toBe(true);
		expect(holdsUsableToken(pair.grant, { ...stored, accessToken: '' })).toBe(false);
		expect(holdsUsableToken(pair.grant, { ...stored, accessToken: 5 })).toBe(false);
		expect(holdsUsableToken(pair.grant, { ...stored, tokenFingerprint: 'other' })).toBe(false);
		now += 60 * MINUTE - 1;
		expect(holdsUsableToken(pair.grant, stored)).toBe(true);
		now += 1;
		expect(holdsUsableToken(pair.grant, stored)).toBe(false);
	});

	it('goes into a request beside its other headers, or else n8n is told to ask for one', async () => {
		const stored = await pair.renew();
		const options = { url: 'https://leads.example.com', headers: { accept: 'text/plain' } };
		expect(authenticate(pair.grant, stored, options)).toEqual({
			...options,
			headers: { accept: 'text/plain', Authorization: 'Bearer token-1' },
		});
		const ask = () => authenticate(pair.grant, { ...stored, accessToken: '' }, options);
		expect(ask).toThrow(expect.objectContaining({ response: { status: 401 } }));
	});
});

describe('a living token that n8n presents', () => {
	it('is given up at most every half a minute', async () => {
		await pair.renew();
		await pair.renew();
		expect(pair.asked).toBe(2);
		now += 30_000 - 1;
		await pair.renew();
		expect(pair.asked).toBe(2);
		now += 1;
		await pair.renew();
		expect(pair.asked).toBe(3);
	});

	it('gives way to the one that this process knows', async () => {
		await pair.renew();
		await pair.renew();
		pair.stored.accessToken = 'of another worker';
		await pair.renew();
		expect(pair.asked).toBe(2);
		expect(pair.stored.accessToken).toBe('token-2');
	});

	it('is replaced at once if a node has seen it refused', async () => {
		await pair.renew();
		await pair.renew();
		refuse(pair.grant, 'token-2', 401);
		await pair.renew();
		expect(pair.stored.accessToken).toBe('token-3');
	});
});

describe('a token request that is under way', () => {
	const LIMITS: RetryLimits = { maxTries: 5, maxWaitMs: 60_000 };
	let answer: () => void;
	let fail: (error: Error) => void;

	beforeEach(() => {
		pair.body = async (asked) =>
			await new Promise((resolve, reject) => {
				answer = () => resolve({ access_token: `token-${asked}`, expires_in: 3_600 });
				fail = reject;
			});
	});

	/** Lets everything happen that waits for nothing. */
	const settle = async () => await new Promise((resolve) => setImmediate(resolve));

	it('is shared', async () => {
		const both = Promise.all([pair.obtain(LIMITS), pair.obtain(LIMITS)]);
		await settle();
		answer();
		expect((await both).map(({ accessToken }) => accessToken)).toEqual(['token-1', 'token-1']);
		expect(pair.asked).toBe(1);
	});

	it('is waited for no longer than the time that a call has, and serves the others', async () => {
		const first = pair.obtain(LIMITS);
		await settle();
		const hasty = pair.obtain({ ...LIMITS, deadline: now + 20 });
		await expect(hasty).rejects.toMatchObject({
			kind: 'unavailable',
			message: 'The service did not answer in time',
			details: { requestKind: 'token' },
		});
		answer();
		expect(await first).toMatchObject({ accessToken: 'token-1' });
		expect(pair.asked).toBe(1);
	});

	it.each([
		[{ maxTries: 2, maxWaitMs: 5_000 }, 65_000],
		[{ maxTries: 2, maxWaitMs: 5_000, deadline: Infinity }, 65_000],
		[{ maxTries: 1e9, maxWaitMs: 0 }, 3_600_000],
	])('is waited for as long as one within %p would take at most', async (limits, longestMs) => {
		const first = pair.obtain(LIMITS);
		await settle();
		const over = new AbortController();
		const timer = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(over.signal);
		const second = pair.obtain(limits);
		expect(timer).toHaveBeenLastCalledWith(longestMs);
		over.abort();
		await expect(second).rejects.toThrow('The service did not answer in time');
		answer();
		await first;
	});

	it('that fails for good fails for all who share it', async () => {
		const all = Promise.allSettled([pair.obtain(LIMITS), pair.obtain(LIMITS)]);
		await settle();
		const reason = new ServiceError('credential', 'No');
		fail(reason);
		expect(await all).toEqual([
			{ status: 'rejected', reason },
			{ status: 'rejected', reason },
		]);
		expect(pair.asked).toBe(1);
	});

	it('that is given up goes on for one who would try more often', async () => {
		const hasty = pair.obtain({ maxTries: 1, maxWaitMs: 0 });
		const patient = pair.obtain({ maxTries: 2, maxWaitMs: 0 });
		await settle();
		fail(new ServiceError('unavailable', 'Not now'));
		await expect(hasty).rejects.toThrow('Not now');
		await settle();
		answer();
		expect(await patient).toMatchObject({ accessToken: 'token-2' });
	});

	it('is the last word where it was tried as often as the others would try', async () => {
		const limits = { maxTries: 1, maxWaitMs: 0 };
		const all = Promise.allSettled([pair.obtain(limits), pair.obtain(limits)]);
		await settle();
		const reason = new ServiceError('unavailable', 'Not now');
		fail(reason);
		expect(await all).toEqual([
			{ status: 'rejected', reason },
			{ status: 'rejected', reason },
		]);
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
		now += 5 * MINUTE - 1;
		const second = await refusal();
		expect(pair.asked).toBe(1);
		expect(second.message).toBe(first.message);
		expect(first.details.aside).toBeUndefined();
		expect(second.details).toEqual({
			...first.details,
			aside:
				'The service said so less than 5 minutes ago and was not asked again. It is asked again after that time, or at once if you correct the credential or its test passes.',
		});
		now += 1;
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

	it('is sent again at once when the service was seen to take it', async () => {
		refuseWith(401, '');
		await refusal();
		acceptPair(pair.grant);
		await refusal();
		expect(pair.asked).toBe(2);
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

	it('may ask again where it failed itself', async () => {
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

describe('what a token request looks like', () => {
	const LIMITS: RetryLimits = { maxTries: 1, maxWaitMs: 0 };

	const sent = async (grant: Parameters<typeof requestToken>[1]) => {
		const requests: IHttpRequestOptions[] = [];
		const body = { access_token: 'token' };
		const http = async (options: IHttpRequestOptions) =>
			await Promise.resolve({ statusCode: 200, headers: {}, body, seen: requests.push(options) });
		await requestToken(http, grant, LIMITS);
		return requests;
	};

	const COMMON = {
		method: 'POST',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		json: true,
		timeout: 30_000,
		abortSignal: expect.any(AbortSignal),
	};

	const HEADERS = {
		'content-type': 'application/x-www-form-urlencoded',
		accept: 'application/json',
	};

	it('for leads', async () => {
		expect(await sent(pair.grant)).toEqual([
			{
				...COMMON,
				url: 'https://auth.example.com/oauth2/token',
				headers: HEADERS,
				body: `grant_type=client_credentials&client_id=${pair.stored.clientId as string}&client_secret=secret&audience=https%3A%2F%2Fleads.example.com`,
			},
		]);
	});

	it('is told by a failure of its connection', async () => {
		const http = async () =>
			await Promise.reject(Object.assign(new Error(), { code: 'ECONNRESET', isAxiosError: true }));
		await expect(requestToken(http, pair.grant, LIMITS)).rejects.toMatchObject({
			message: 'The connection to the service was lost',
			details: { requestKind: 'token' },
		});
	});

	it('for inventory', async () => {
		const tokenUrl = 'https://token.example.com/token/?tenant=1';
		const inventoryUrl = 'https://inventory.example.com';
		expect(
			await sent(INVENTORY_INTEGRATION.grant({ ...pair.stored, tokenUrl, inventoryUrl })),
		).toEqual([
			{
				...COMMON,
				url: tokenUrl,
				headers: {
					...HEADERS,
					authorization: `Basic ${Buffer.from(`${pair.stored.clientId as string}:secret`).toString('base64')}`,
				},
				body: 'grant_type=client_credentials',
			},
		]);
	});
});

describe('what is known of a pair', () => {
	const MOST = 1_000;

	const isShared = async (known: Pair) => {
		const { asked } = known;
		known.stored.accessToken = '';
		await known.renew();
		return known.asked === asked;
	};

	async function useOthers(count: number): Promise<void> {
		for (let other = 0; other < count; other++) await new Pair().renew();
	}

	it('is forgotten when a thousand others were used since, the least recently used first', async () => {
		const other = new Pair();
		await pair.renew();
		await other.renew();
		expect(await isShared(pair)).toBe(true);
		await useOthers(MOST - 1);
		expect(await isShared(pair)).toBe(true);
		expect(await isShared(other)).toBe(false);
	});

	it('is kept until then', async () => {
		await pair.renew();
		await useOthers(MOST - 1);
		expect(await isShared(pair)).toBe(true);
	});

	it('is kept while a token is being asked for', async () => {
		let answer: (body: IDataObject) => void = () => undefined;
		pair.body = async () => await new Promise((resolve) => (answer = resolve));
		const first = pair.renew();
		await useOthers(MOST + 1);
		const second = pair.obtain({ maxTries: 1, maxWaitMs: 0 });
		answer({ access_token: 'token', expires_in: 3_600 });
		await Promise.all([first, second]);
		expect(pair.asked).toBe(1);
	});
});
