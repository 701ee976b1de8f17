import { beforeEach, describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { MINUTE_MS } from '../../../../service/basics/times';
import { tokenOf } from '../../../../service/auth/storedToken';
import { TokenPair, useHostClock } from '../../../lab/tokenPair';

const LEADS = '/applicant-leads';

const clock = useHostClock();
let pair: TokenPair;

beforeEach(() => {
	pair = new TokenPair();
});

describe('a refused token', () => {
	it('gives way to its successor if that is already there', async () => {
		await pair.renewForbidden();

		const old = { ...pair.stored, accessToken: 'token-1' };

		expect(pair.memory.mayCure(old, 403, LEADS)).toBe(true);
		expect(pair.memory.mayCure(old, 401, LEADS)).toBe(true);
	});

	it('leaves no mark on the pair if its successor lives', async () => {
		await pair.renew();
		pair.memory.refuse('an older one', 403);
		clock.now += 61 * MINUTE_MS;

		expect(await pair.renew()).toMatchObject({ tokenAfterForbidden: false });
	});

	it('leaves its mark if its successor has expired', async () => {
		await pair.renew();
		clock.now += 61 * MINUTE_MS;
		pair.memory.refuse('an older one', 403);

		expect(await pair.renew()).toMatchObject({ tokenAfterForbidden: true });
	});

	it('is not used again, and any other one is', async () => {
		const accessToken = tokenOf(await pair.renew());
		pair.memory.refuse('another', 401);
		pair.stored.accessToken = '';

		expect(await pair.renew()).toMatchObject({ accessToken });

		pair.memory.refuse(accessToken, 401);
		expect(await pair.renew()).toMatchObject({ accessToken: 'token-2' });
	});

	it('is judged by what was granted with this very token, not with an expired one', async () => {
		await pair.renew();
		pair.memory.accept('token-1', LEADS);
		clock.now += 61 * MINUTE_MS;

		const ofAnotherWorker = {
			...pair.stored,
			accessToken: 'token-of-another-worker',
			tokenAfterForbidden: true,
			tokenIssuedAt: clock.now - MINUTE_MS,
			tokenExpiresAt: clock.now + MINUTE_MS,
		};

		expect(pair.memory.mayCure(ofAnotherWorker, 403, LEADS)).toBe(false);
	});

	it('with 401 is judged by this very token, not by one that expired untried', async () => {
		pair.body = () => ({ access_token: 'short', expires_in: 5 });
		await pair.renew();
		pair.memory.refuse('short', 401);
		await pair.renew();

		clock.now += 10_000;

		expect(pair.memory.mayCure({ ...pair.stored, accessToken: 'long' }, 401, LEADS)).toBe(true);
		expect(pair.memory.mayCure(pair.stored, 401, LEADS)).toBe(false);
	});
});

describe('a 403', () => {
	const isCurable = (subject = LEADS) => pair.memory.mayCure(pair.stored, 403, subject);

	it('may mean that a stored token was revoked, for a process that has not used it', () => {
		Object.assign(pair.stored, { accessToken: 'stored', tokenIssuedAt: clock.now });

		expect(isCurable()).toBe(true);
	});

	it('of a token that was issued for one is settled for five minutes', async () => {
		await pair.renewForbidden();

		clock.now += 5 * MINUTE_MS - 1;

		expect(isCurable()).toBe(false);

		clock.now += 1;

		expect(isCurable()).toBe(true);
	});

	it('is settled for a process that knows of it from the credential alone', () => {
		const issued = { tokenAfterForbidden: true, tokenIssuedAt: clock.now };
		Object.assign(pair.stored, { accessToken: 'stored', ...issued });

		clock.now += 5 * MINUTE_MS - 1;

		expect(isCurable()).toBe(false);

		clock.now += 1;

		expect(isCurable()).toBe(true);
	});

	it('is settled even if the token that was issued for one has expired since', async () => {
		pair.body = (asked) => ({ access_token: `token-${asked}`, expires_in: 60 });
		await pair.renewForbidden();
		clock.now += 2 * MINUTE_MS;

		expect(await pair.renew()).toMatchObject({ tokenAfterForbidden: false });
		expect(isCurable()).toBe(false);

		clock.now += 3 * MINUTE_MS;

		expect(isCurable()).toBe(true);
	});

	it('is not settled by a time in the future, written down by a wrong clock', () => {
		const issued = { tokenAfterForbidden: true, tokenIssuedAt: clock.now + 60 * MINUTE_MS };

		Object.assign(pair.stored, { accessToken: 'stored', ...issued });

		expect(isCurable()).toBe(true);
	});

	it('is settled even after a grant, if this process knows no token of the pair', () => {
		pair.memory.accept('stored', LEADS);
		const issued = { tokenAfterForbidden: true, tokenIssuedAt: clock.now };

		Object.assign(pair.stored, { accessToken: 'stored', ...issued });

		expect(isCurable()).toBe(false);
	});

	it('counts as a revocation if the same was granted with this very token', async () => {
		await pair.renewForbidden();
		pair.memory.accept('token-1', 'with its predecessor');
		pair.memory.accept('token-2', LEADS);

		pair.memory.accept('token-2', '/appraisal-leads');

		expect(isCurable()).toBe(true);
		expect(isCurable('/appraisal-leads')).toBe(true);
		expect(isCurable('with its predecessor')).toBe(false);
	});

	it('is judged by the last thousand things that were granted at most', async () => {
		await pair.renewForbidden();

		for (let agency = 1; agency <= 1_000; agency++) pair.memory.accept('token-2', `AG${agency}`);

		expect(isCurable('AG1')).toBe(true);

		pair.memory.accept('token-2', 'AG1001');

		expect(isCurable('AG1')).toBe(false);
		expect(isCurable('AG1001')).toBe(true);
	});
});

describe('a 401', () => {
	const isCurable = () => pair.memory.mayCure(pair.stored, 401, LEADS);

	beforeEach(async () => {
		await pair.renew();
		pair.memory.refuse('token-1', 401);
		await pair.renew();
	});

	it('of a new token that was never accepted asks for no other one for half a minute', () => {
		expect(isCurable()).toBe(false);

		clock.now += 30_000 - 1;

		expect(isCurable()).toBe(false);

		clock.now += 1;

		expect(isCurable()).toBe(true);
	});

	it('asks for a new token if the last one was accepted before', () => {
		pair.memory.accept('token-2', LEADS);

		expect(isCurable()).toBe(true);
	});
});

describe('what is known of a pair', () => {
	const MOST = 1_000;

	const isShared = async (known: TokenPair) => {
		const { asked } = known;
		known.stored.accessToken = '';
		await known.renew();
		return known.asked === asked;
	};

	async function useOthers(count: number): Promise<void> {
		for (let other = 0; other < count; other++) await new TokenPair().renew();
	}

	it('is forgotten when a thousand others were used since, the least recently used first', async () => {
		const other = new TokenPair();
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
