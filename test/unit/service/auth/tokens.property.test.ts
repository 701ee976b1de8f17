import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { handToHooks, renewToken, sendWithToken, tokenOf } from '../../../../service/auth/n8nHooks';
import { isAlive } from '../../../../service/auth/tokenCache';
import { orFailure, ServiceError } from '../../../../service/failure';
import type { RetryLimits } from '../../../../service/http/retry';
import { LEADS_INTEGRATION } from '../../../../service/leads/integration';
import fc from '../../../lab/properties';
import { MINUTE, SECOND } from '../../../lab/times';

/** How a token request is answered: by a token, unless the client is refused at that time. */
interface Answer {
	takesMs: number;
	status: 200 | 429 | 503;
	/** In seconds. */
	retryAfter?: number;
	/** How long the token lives, in seconds. */
	expiresIn: number;
}

/** What happens at a moment, in milliseconds from the start. */
type Event = { at: number } & (
	{ is: 'call'; limits: RetryLimits } | { is: 'revoke' | 'refuse' | 'permit' | 'restart' }
);

/** A token request, by the process that made it. */
interface Asked {
	process: number;
	from: number;
	to: number;
	status: number;
	retryAfterMs: number;
}

const answers: fc.Arbitrary<Answer[]> = fc.array(
	fc.record(
		{
			takesMs: fc.constantFrom(0, 1, 300, 5 * SECOND),
			status: fc.constantFrom(200, 200, 200, 429, 503),
			retryAfter: fc.constantFrom(0, 1, 10, 400),
			expiresIn: fc.constantFrom(2, 60, 3_600),
		},
		{ requiredKeys: ['takesMs', 'status', 'expiresIn'] },
	),
	{ minLength: 1, maxLength: 12 },
);

const at = fc.oneof(
	fc.constantFrom(0, 0, 10, 500, 30 * SECOND, MINUTE, 5 * MINUTE),
	fc.integer({ min: 0, max: 12 * MINUTE }),
);

const events: fc.Arbitrary<Event[]> = fc.array(
	fc.oneof(
		{
			weight: 6,
			arbitrary: fc.record({
				at,
				is: fc.constant('call' as const),
				limits: fc.record({
					maxTries: fc.integer({ min: 1, max: 5 }),
					maxWaitMs: fc.constantFrom(0, SECOND, MINUTE),
				}),
			}),
		},
		{
			weight: 2,
			arbitrary: fc.record({
				at,
				is: fc.constantFrom(
					'revoke' as const,
					'refuse' as const,
					'permit' as const,
					'restart' as const,
				),
			}),
		},
	),
	{ minLength: 1, maxLength: 25 },
);

let plays = 0;

/** One client of a service in a process of n8n that may restart, by fake time. */
class Play {
	readonly asked: Asked[] = [];

	readonly outcomes: Array<number | ServiceError> = [];

	/** How many token requests were made though n8n had a token that was good. */
	needless = 0;

	private readonly stored: ICredentialDataDecryptedObject = {
		clientId: `played-${++plays}`,
		clientSecret: 'secret',
		authUrl: 'https://auth.example.com',
		leadsUrl: 'https://leads.example.com',
	};

	private process = 0;

	private isRefused = false;

	private readonly valid = new Set<string>();

	constructor(private readonly answers: Answer[]) {}

	async happen(event: Event): Promise<void> {
		await new Promise((resolve) => setTimeout(resolve, event.at));
		if (event.is === 'call') return await this.call(event.limits);
		if (event.is === 'revoke') this.valid.clear();
		if (event.is === 'restart') this.restart();
		if (event.is === 'refuse') this.isRefused = true;
		if (event.is === 'permit') this.isRefused = false;
	}

	/** A new process knows nothing but what n8n stored. What the old one had under way is lost. */
	private restart(): void {
		this.process++;
		if (this.stored.tokenFingerprint !== undefined) this.stored.tokenFingerprint = this.fingerprint;
	}

	private get fingerprint(): string {
		return `${LEADS_INTEGRATION.grant(this.stored).fingerprint} ${this.process}`;
	}

	private async call(limits: RetryLimits): Promise<void> {
		const { process, fingerprint } = this;
		const grant = { ...LEADS_INTEGRATION.grant(this.stored), fingerprint };
		const sending = sendWithToken(grant, this.stored, async (used) => {
			handToHooks(used, { limits, depart: () => ({}) });
			if (tokenOf(used) === '') {
				Object.assign(used, await renewToken(async () => await this.issue(process), grant, used));
				if (process === this.process) Object.assign(this.stored, used);
			}
			await new Promise((resolve) => setTimeout(resolve, 20));
			const statusCode = this.valid.has(tokenOf(used)) ? 200 : 401;
			return { statusCode, headers: {}, body: undefined };
		});
		const sent = await orFailure(sending).catch((error: unknown) => {
			if (process === this.process) throw error;
			return undefined;
		});
		if (process !== this.process || !sent) return;
		this.outcomes.push(sent instanceof ServiceError ? sent : sent.statusCode);
	}

	private async issue(process: number) {
		if (process !== this.process) throw new Error('Killed');
		const { takesMs, retryAfter, expiresIn, ...answer } = this.answers[
			this.asked.length % this.answers.length
		] ?? {
			takesMs: 0,
			status: 200,
			expiresIn: 60,
		};
		const isGood = this.valid.has(tokenOf(this.stored)) && isAlive(this.stored.tokenExpiresAt);
		if (isGood) this.needless++;
		const number = this.asked.length + 1;
		const asked = { process, from: Date.now(), to: Infinity, status: 0, retryAfterMs: 0 };
		this.asked.push(asked);
		if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs));
		asked.to = Date.now();
		asked.status = this.isRefused ? 401 : answer.status;
		if (asked.status === 429) asked.retryAfterMs = (retryAfter ?? 0) * SECOND;
		const headers: Record<string, string> =
			asked.status === 429 && retryAfter !== undefined ? { 'retry-after': String(retryAfter) } : {};
		if (asked.status !== 200) return { statusCode: asked.status, headers, body: '' };
		const token = `token-${number}`;
		this.valid.add(token);
		return { statusCode: 200, headers, body: { access_token: token, expires_in: expiresIn } };
	}
}

beforeEach(() => {
	jest.useFakeTimers({ now: Date.parse('2026-03-02T10:00:00Z') });
	jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
});

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

it('a process asks for one token at a time, not while it has one, and not soon after a refusal', async () => {
	await fc.assert(
		fc.asyncProperty(answers, events, async (given, plan) => {
			const play = new Play(given);
			const happening = Promise.all(plan.map(async (event) => await play.happen(event)));
			await jest.advanceTimersByTimeAsync(20 * MINUTE);
			await happening;

			expect(play.needless).toBe(0);
			for (const [index, { process, from }] of play.asked.entries()) {
				const before = play.asked
					.slice(0, index)
					.filter((each) => each.process === process)
					.at(-1);
				if (!before) continue;
				expect(from).toBeGreaterThanOrEqual(before.to);
				const { status, retryAfterMs } = before;
				const restMs = status === 401 ? 5 * MINUTE : Math.min(retryAfterMs, 5 * MINUTE);
				expect(from).toBeGreaterThanOrEqual(before.to + restMs);
			}
			const isUntroubled =
				given.every(({ status }) => status === 200) &&
				plan.every(({ is }) => is === 'call' || is === 'restart');
			if (isUntroubled) expect(play.outcomes.filter((outcome) => outcome !== 200)).toEqual([]);
		}),
		{ numRuns: Number(process.env.PROPERTY_RUNS ?? 150) },
	);
});
