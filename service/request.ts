import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import type { HttpAnswer, Origin } from './answer';
import { header, readAnswer } from './answer';
import { ServiceClock } from './clock';
import type { Grant } from './grant';
import { secretsOf } from './grant';
import type { RetryLimits } from './retry';
import { timeoutWithin, withRetry } from './retry';
import type { RefusalStatus } from './token';
import { accept, holdsUsableToken, mayCure, refuse, tokenOf, withoutToken } from './token';
import { PLAIN_ANSWER, send } from './transport';

const TIMEOUT_MS = 60_000;

/** How an integration reads its credential. */
export interface Integration {
	/** n8n's name of the credential type. */
	credentialType: string;
	grant: (credentials: ICredentialDataDecryptedObject) => Grant;
	/** Base address, without a slash at its end. */
	baseUrl: (credentials: ICredentialDataDecryptedObject) => string;
}

/** n8n's context of an execution or a poll; only an execution can be cancelled. */
export type SessionContext = IAllExecuteFunctions & {
	getExecutionCancelSignal?: () => AbortSignal | undefined;
};

/** A GET that may be repeated. */
export interface ReadRequest {
	/** Below the integration's base address, with a leading slash. */
	path: string;
	/** A list becomes a repeated parameter. */
	query: IDataObject;
	headers?: Record<string, string>;
	/** What the service may grant to one and refuse to another: a path, an ID, an agency. */
	subject: string;
}

/** What a read came to. */
export interface Reading {
	body: IDataObject;
	/** The service's time when it was asked, in epoch milliseconds; see `ServiceClock.read`. */
	askedAt?: number;
}

/**
 * Talks to one integration with one credential: authenticates, renews the token, retries.
 *
 * n8n keeps the token: it stores what the credential's hook returns, so it outlives the process,
 * serves all workers and the HTTP Request node. The session decides when a new one is due.
 */
export class Session {
	private readonly grant: Grant;

	constructor(
		private readonly context: SessionContext,
		private readonly integration: Integration,
		private credentials: ICredentialDataDecryptedObject,
		private readonly limits: RetryLimits,
		private readonly clock = new ServiceClock(),
	) {
		this.grant = integration.grant(credentials);
	}

	/** Tells the pair and the addresses apart. */
	get fingerprint(): string {
		return this.grant.fingerprint;
	}

	/**
	 * @param needed ends the request and its repeats when nobody needs them any more
	 * @returns the body of a 2xx answer
	 * @throws ServiceError when the limits are reached or the service says no
	 */
	async get(request: ReadRequest, needed?: AbortSignal): Promise<Reading> {
		const cancelled = this.context.getExecutionCancelSignal?.();
		const signals = [cancelled, needed].filter((signal) => signal !== undefined);
		return await withRetry(
			async () => {
				const { answer, askedAt } = await this.sendAuthenticated(request);
				const origin: Origin = {
					api: this.grant.api,
					step: 'data',
					secrets: [...secretsOf(this.grant), tokenOf(this.credentials)],
				};
				return { body: readAnswer(origin, answer), askedAt };
			},
			this.limits,
			AbortSignal.any(signals),
		);
	}

	/**
	 * Sends with the stored token, and once more with a new one when it is refused. Where this
	 * process remembers a token from before this call, that one is tried first.
	 */
	private async sendAuthenticated(request: ReadRequest): Promise<DatedAnswer> {
		const startedAt = Date.now();
		let used = this.usableCredentials();
		let dated = await this.sendOnce(request, used);
		for (let replacements = 0; replacements < 2; replacements++) {
			const refusal = refusalOf(dated.answer);
			if (!refusal || !mayCure(this.grant, used, refusal, request.subject)) break;
			refuse(this.grant, tokenOf(used), refusal);
			used = withoutToken(used, this.limits);
			dated = await this.sendOnce(request, used);
			if (Number(used.tokenIssuedAt) >= startedAt) break;
		}
		if (!refusalOf(dated.answer)) accept(this.grant, tokenOf(used), request.subject);
		return dated;
	}

	private usableCredentials(): ICredentialDataDecryptedObject {
		return holdsUsableToken(this.grant, this.credentials)
			? { ...this.credentials }
			: withoutToken(this.credentials, this.limits);
	}

	/** n8n calls the credential's hook first where `used` has no token, and puts the new one there. */
	private async sendOnce(
		{ path, query, headers }: ReadRequest,
		used: ICredentialDataDecryptedObject,
	): Promise<DatedAnswer> {
		const { context, integration } = this;
		const sentAt = Date.now();
		const options: IHttpRequestOptions = {
			...PLAIN_ANSWER,
			method: 'GET',
			url: `${integration.baseUrl(used)}${path}`,
			qs: query,
			arrayFormat: 'repeat',
			...(headers && { headers }),
			timeout: timeoutWithin(this.limits, TIMEOUT_MS),
		};
		const type = integration.credentialType;
		const answer = await send(
			'data',
			async (): Promise<unknown> =>
				await context.helpers.httpRequestWithAuthentication.call(context, type, options, {
					credentialsDecrypted: { id: '', name: '', type, data: used },
				}),
		);
		if (Number(used.tokenIssuedAt) > Number(this.credentials.tokenIssuedAt)) {
			this.credentials = used;
		}
		return { answer, askedAt: this.clock.read(header(answer, 'date'), sentAt) };
	}
}

interface DatedAnswer extends Pick<Reading, 'askedAt'> {
	answer: HttpAnswer;
}

/** The statuses with which the service answers a bad token. */
function refusalOf({ statusCode }: HttpAnswer): RefusalStatus | undefined {
	return statusCode === 401 || statusCode === 403 ? statusCode : undefined;
}
