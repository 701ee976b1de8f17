import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { authenticate, renewToken } from '../../../service/auth/n8nHooks';
import { MINUTE_MS } from '../../../service/basics/times';
import { ServiceError } from '../../../service/failure';
import { LEADS_INTEGRATION } from '../../../service/leads/integration';
import type { RetryLimits } from '../../../service/http/retry';
import type { SessionContext } from '../../../service/session';
import { Session } from '../../../service/session';
import { createDeferredPromise } from '../../lab/deferred';
import { useHostClock } from '../../lab/tokenPair';

interface Answer {
	statusCode: number;
	headers: IDataObject;
	body: unknown;
}

let hosts = 0;

/** n8n as a node sees it, and the service behind it, which nobody else has asked yet. */
class Host {
	/** What was sent, with its token. */
	readonly requests: IHttpRequestOptions[] = [];

	/** How many tokens were issued. */
	issued = 0;

	/** Whether n8n knows of a signal that cancels the execution; a poll has none. */
	cancel?: AbortController;

	/** The service's answers, the last one for good. */
	answers: Array<Answer | Promise<Answer>> = [okWith({ total: 0 })];

	readonly credential = {
		clientId: `session-${++hosts}`,
		clientSecret: 's3cret',
		authUrl: 'https://auth.example.com',
		leadsUrl: `https://leads-${hosts}.example.com/v1/`,
		accessToken: '',
	};

	readonly grant = LEADS_INTEGRATION.grant(this.credential);

	get context(): SessionContext {
		const helpers = { httpRequestWithAuthentication: this.send };
		const { cancel } = this;
		const signalled = cancel && { getExecutionCancelSignal: () => cancel.signal };
		return { helpers, ...signalled } as unknown as SessionContext;
	}

	session(limits: RetryLimits = LIMITS, stored: ICredentialDataDecryptedObject = {}): Session {
		return new Session(this.context, LEADS_INTEGRATION, { ...this.credential, ...stored }, limits);
	}

	/** The tokens of the requests, in their order. */
	get tokens(): unknown[] {
		return this.requests.map(({ headers }) => headers?.Authorization);
	}

	private readonly send = async (
		type: string,
		options: IHttpRequestOptions,
		{ credentialsDecrypted: { data } }: Decrypted,
	): Promise<Answer> => {
		expect(type).toBe('agentLeadsApi');
		if (data.accessToken === '') Object.assign(data, await this.renew(data));
		this.requests.push(authenticate(this.grant, data, options));
		const answer = this.answers[Math.min(this.requests.length, this.answers.length) - 1];
		return (await answer) ?? okWith({});
	};

	private async renew(data: ICredentialDataDecryptedObject) {
		const token = { access_token: `token-${++this.issued}`, expires_in: 3_600 };
		return await renewToken(async () => await Promise.resolve(okWith(token)), this.grant, data);
	}
}

interface Decrypted {
	credentialsDecrypted: { data: ICredentialDataDecryptedObject };
}

const LIMITS: RetryLimits = { maxTries: 3, maxWaitMs: 60_000 };
const READ = { path: '/applicant-leads', query: {} };
const WRITE = { method: 'POST', path: '/orders', body: {} } as const;

const answerOf = (statusCode: number, body: unknown = '', headers: IDataObject = {}): Answer => ({
	statusCode,
	headers,
	body,
});

function okWith(body: unknown, headers: IDataObject = {}): Answer {
	return answerOf(200, body, headers);
}

const clock = useHostClock();
let host: Host;

beforeEach(() => {
	host = new Host();
	// No wait between two tries.
	jest.spyOn(Math, 'random').mockReturnValue(0);
});

describe('a read', () => {
	it('is a GET below the base address, with the token and what it asks for', async () => {
		const query = { 'branch-id': ['1', '2'], page: 3 };
		const headers = { 'x-agency': 'AG1001' };

		const body = await host.session().get({ ...READ, query, headers });

		expect(body).toEqual({ total: 0 });
		expect(host.requests).toEqual([
			{
				method: 'GET',
				url: `https://leads-${hosts}.example.com/v1/applicant-leads`,
				qs: query,
				arrayFormat: 'repeat',
				headers: { ...headers, Authorization: 'Bearer token-1' },
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
				json: true,
				encoding: 'arraybuffer',
				timeout: MINUTE_MS,
				abortSignal: expect.any(AbortSignal),
			},
		]);
	});

	it('tells the service’s time', async () => {
		host.answers = [okWith({}, { date: new Date(clock.now - 5_000).toUTCString() })];
		const session = host.session();

		await session.get(READ);

		expect(session.timeAt(clock.now)).toBe(clock.now - 5_000);
	});

	it('of a list brings the list, and of something else an object', async () => {
		host.answers = [okWith([{ id: '1' }])];

		expect(await host.session().list(READ)).toEqual([{ id: '1' }]);
		await expect(host.session().get(READ)).rejects.toMatchObject({ kind: 'foreign' });
	});

	it.each([
		[400, 1],
		[503, 3],
	])('that is answered %d throws that, and is sent %d times', async (status, times) => {
		host.answers = [answerOf(status, { errors: [{ message: 'No such branch' }] })];

		await expect(host.session().get(READ)).rejects.toMatchObject({
			details: { status, reason: 'No such branch', requestKind: 'data', tries: times },
		});
		expect(new Set(host.requests.map(({ url }) => url)).size).toBe(1);
		expect(host.requests).toHaveLength(times);
	});

	it('may ask for something else when it is sent again', async () => {
		host.answers = [answerOf(503), answerOf(502), okWith({})];
		const failures: string[] = [];

		await host.session().get(READ, {
			instead: (failure) => {
				failures.push(failure.message);
				return { ...READ, query: { page: failures.length } };
			},
		});

		expect(host.requests.map(({ qs }) => qs)).toEqual([{}, { page: 1 }, { page: 2 }]);
		expect(failures).toEqual([
			'The service cannot answer just now (503)',
			'The service cannot answer just now (502)',
		]);
	});

	it('is sent once from when the service is known to be in trouble', async () => {
		host.answers = [answerOf(503)];
		const session = host.session();
		session.stopRepeating();

		await expect(session.get(READ)).rejects.toMatchObject({ details: { tries: 1 } });
		expect(host.requests).toHaveLength(1);
	});

	it.each([
		['its own deadline', { deadline: 0 }, {}],
		['the session’s deadline', {}, { deadline: 0 }],
	])('ends at %s', async (_, own, ofSession) => {
		const timer = AbortSignal.abort(new DOMException('Over', 'TimeoutError'));
		jest.spyOn(AbortSignal, 'timeout').mockReturnValue(timer);

		await expect(host.session({ ...LIMITS, ...ofSession }).get(READ, own)).rejects.toThrow(
			'The service did not answer in time',
		);
		expect(host.requests).toEqual([]);
	});
});

describe('a write', () => {
	it('is sent with its body as JSON and brings the answer, whatever that says', async () => {
		host.answers = [answerOf(500, { message: 'It broke' })];
		const session = host.session();

		const answer = await session.write({ ...WRITE, body: { listing: 1 } });

		expect(answer).toEqual({ statusCode: 500, headers: {}, body: { message: 'It broke' } });
		const [request, ...others] = host.requests;
		expect(others).toEqual([]);
		expect(request).toMatchObject({ method: 'POST', body: { listing: 1 } });
		expect(request?.url).toBe(`https://leads-${hosts}.example.com/v1/orders`);
		expect(request?.headers).toEqual({ Authorization: 'Bearer token-1' });
	});
});

describe('the token of a session', () => {
	const stored = (accessToken: string, lifeMs = 60 * MINUTE_MS) => ({
		accessToken,
		tokenFingerprint: host.grant.fingerprint,
		tokenExpiresAt: clock.now + lifeMs,
	});

	it('stays the new one when an answer to a request with the old one comes late', async () => {
		const late = createDeferredPromise<Answer>();
		host.answers = [late.promise, answerOf(401), okWith({})];
		const session = host.session(LIMITS, stored('stored'));
		const slow = session.get({ ...READ, path: '/appraisal-leads' });
		await session.get(READ);
		late.resolve(okWith({}));
		await slow;

		await session.get(READ);

		expect(host.tokens).toEqual([
			'Bearer stored',
			'Bearer stored',
			'Bearer token-1',
			'Bearer token-1',
		]);
	});

	it('is cut out of the service’s words, and so is each one before it', async () => {
		host.answers = [answerOf(401), okWith({})];
		const session = host.session(LIMITS, stored('stored'));

		expect(session.origin.secrets).toContain('stored');

		await session.get(READ);

		expect(session.origin.secrets).toEqual(expect.arrayContaining(['s3cret', 'stored', 'token-1']));
		expect(session.origin.requestKind).toBe('data');
	});
});

describe('a cancelled execution', () => {
	beforeEach(() => {
		host.cancel = new AbortController();
	});

	it('sends nothing more', async () => {
		const session = host.session();
		host.cancel?.abort();

		await expect(session.get(READ)).rejects.toThrow('The execution was canceled');
		await expect(session.write(WRITE)).rejects.toThrow('The execution was canceled');
		await expect(session.pause(1)).rejects.toThrow('The execution was canceled');
		expect([session.isCancelled, session.clientId]).toEqual([true, host.credential.clientId]);
		expect(host.requests).toEqual([]);
	});
});

describe('a request that nobody needs any more', () => {
	it('is not sent, be it in an execution or in a poll', async () => {
		for (const cancel of [undefined, new AbortController()]) {
			host.cancel = cancel;
			const outcome = host.session().get(READ, { needed: AbortSignal.abort() });

			await expect(outcome).rejects.toThrow('The execution was canceled');
		}
		expect(host.requests).toEqual([]);
	});
});

it('work is repeated as often as a session’s limits allow', async () => {
	const work = jest.fn(
		async () => await Promise.reject<string>(new ServiceError('busy', 'Not now')),
	);

	await expect(host.session().retry(work)).rejects.toThrow('Not now');
	expect(work).toHaveBeenCalledTimes(3);
});

describe('a session', () => {
	it('has one address, however its credential spells that', () => {
		const { leadsUrl } = host.credential;
		const [written, shouted] = [leadsUrl, leadsUrl.toUpperCase().replace('/V1', '/v1')].map(
			(url) => host.session(LIMITS, { leadsUrl: url }).address,
		);

		expect(host.session().fingerprint).toBe(host.grant.fingerprint);
		expect(written).toBe(leadsUrl.replace(/\/$/, ''));
		expect(shouted).toBe(written);
	});
});
