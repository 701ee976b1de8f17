import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import type { HttpAnswer, Origin } from './http/answer';
import { header, readAnswer, readList } from './http/answer';
import { ServiceClock } from './basics/clock';
import type { Grant } from './auth/grant';
import { secretsOf } from './auth/grant';
import type { RetryLimits } from './http/retry';
import { DEFAULT_LIMITS, pause, withRetry } from './http/retry';
import type { RefusalStatus } from './auth/token';
import {
	accept,
	holdsUsableToken,
	mayCure,
	onDeparture,
	refuse,
	tokenOf,
	withoutToken,
} from './auth/token';
import type { Depart, SendBounds } from './http/transport';
import { PLAIN_ANSWER, send } from './http/transport';

export type { RetryLimits };
export { DEFAULT_LIMITS };

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

interface SomeRequest {
	/** Below the integration's base address, with a leading slash. */
	path: string;
	/** What the service may grant to one and refuse to another: a path, an ID, an agency. */
	subject: string;
}

/** A GET, which may be repeated. */
export interface ReadRequest extends SomeRequest {
	/** A list becomes a repeated parameter. */
	query: IDataObject;
	headers?: Record<string, string>;
}

/** A request that changes something, so that a repeat is its caller's decision. */
export interface WriteRequest extends SomeRequest {
	method: 'POST' | 'PATCH';
	/** Sent as JSON. */
	body: IDataObject;
}

type AnyRequest = SomeRequest &
	Partial<Omit<ReadRequest & WriteRequest, 'method'>> & { method?: WriteRequest['method'] | 'GET' };

/** Ends a request and its repeats before its limits do. */
export interface Bounds {
	/** Aborted when nobody needs the answer any more. */
	needed?: AbortSignal;
	/** When the answer is wanted, in epoch milliseconds. */
	deadline?: number;
}

/** What a read came to. */
export interface Reading<Body = IDataObject> {
	body: Body;
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

	/** The service may repeat any of them in its words, not only the one that is stored in the end. */
	private readonly sentTokens = new Set<string>();

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

	/** Whether the service has told its time. */
	get knowsTime(): boolean {
		return this.clock.isKnown;
	}

	/** Writes a line into n8n's log; it may hold nothing of the service's data. */
	warn(message: string): void {
		this.context.logger.warn(message);
	}

	/** Where its answers for data come from. */
	get origin(): Origin {
		const secrets = [...secretsOf(this.grant), tokenOf(this.credentials), ...this.sentTokens];
		return { api: this.grant.api, step: 'data', secrets };
	}

	/** The service's time at a moment of the host's, in epoch milliseconds, rather too early. */
	timeAt(hostTime: number): number {
		return this.clock.earliestNow(hostTime);
	}

	/**
	 * @returns the body of a 2xx answer
	 * @throws ServiceError when the limits are reached or the service says no
	 */
	async get(request: ReadRequest, bounds?: Bounds): Promise<Reading> {
		return await this.read(request, readAnswer, bounds);
	}

	/** As `get`, for an answer that is a bare list. */
	async list(request: ReadRequest): Promise<Reading<IDataObject[]>> {
		return await this.read(request, readList);
	}

	/**
	 * Sends once, but for a new token where the old one is refused: then the service has done nothing.
	 *
	 * @returns the answer, whatever it says
	 * @throws ServiceError when no whole answer came, or no token could be had
	 */
	async write(request: WriteRequest): Promise<WriteAnswer> {
		const { answer } = await this.sendAuthenticated(request, {
			limits: this.limits,
			signal: this.endOf({}),
		});
		return { answer, origin: this.origin };
	}

	/**
	 * Waits, and ends at once when the execution is cancelled.
	 *
	 * @throws the abort reason then
	 */
	async pause(ms: number): Promise<void> {
		await pause(ms, this.endOf({}));
	}

	/** Repeats within the limits whatever failed for a while; see `withRetry`. */
	async retry<T>(work: () => Promise<T>, bounds: Bounds = {}): Promise<T> {
		return await withRetry(work, within(this.limits, bounds.deadline), this.endOf(bounds));
	}

	/** Aborted when the execution is cancelled, or nobody needs the answer any more. */
	private endOf({ needed }: Bounds): AbortSignal {
		const cancelled = this.context.getExecutionCancelSignal?.();
		return AbortSignal.any([cancelled, needed].filter((signal) => signal !== undefined));
	}

	private async read<Body>(
		request: ReadRequest,
		readBody: (origin: Origin, answer: HttpAnswer) => Body,
		bounds: Bounds = {},
	): Promise<Reading<Body>> {
		const limits = within(this.limits, bounds.deadline);
		const signal = this.endOf(bounds);
		return await withRetry(
			async () => {
				const { answer, askedAt } = await this.sendAuthenticated(request, { limits, signal });
				return { body: readBody(this.origin, answer), askedAt };
			},
			limits,
			signal,
		);
	}

	/**
	 * Sends with the stored token, and once more with a new one when it is refused. Where this
	 * process remembers a token from before this call, that one is tried first.
	 */
	private async sendAuthenticated(request: AnyRequest, ends: Ends): Promise<DatedAnswer> {
		const startedAt = Date.now();
		const { limits } = ends;
		let used = this.usableCredentials(limits);
		let dated = await this.sendOnce(request, used, ends);
		for (let replacements = 0; replacements < 2; replacements++) {
			const refusal = refusalOf(dated.answer);
			if (!refusal || !mayCure(this.grant, used, refusal, request.subject)) break;
			refuse(this.grant, tokenOf(used), refusal);
			used = withoutToken(used, limits);
			dated = await this.sendOnce(request, used, ends);
			if (Number(used.tokenIssuedAt) >= startedAt) break;
		}
		if (!refusalOf(dated.answer)) accept(this.grant, tokenOf(used), request.subject);
		return dated;
	}

	private usableCredentials(limits: RetryLimits): ICredentialDataDecryptedObject {
		return holdsUsableToken(this.grant, this.credentials)
			? { ...this.credentials }
			: withoutToken(this.credentials, limits);
	}

	/** n8n calls the credential's hook first where `used` has no token, and puts the new one there. */
	private async sendOnce(
		{ path, method = 'GET', query, headers, body }: AnyRequest,
		used: ICredentialDataDecryptedObject,
		ends: Ends,
	): Promise<DatedAnswer> {
		const { context, integration } = this;
		const sentAt = Date.now();
		const options: IHttpRequestOptions = {
			...PLAIN_ANSWER,
			method,
			url: `${integration.baseUrl(used)}${path}`,
			...(query && { qs: query, arrayFormat: 'repeat' }),
			...(headers && { headers }),
			...(body && { body }),
		};
		const type = integration.credentialType;
		const ask = async (depart: Depart): Promise<unknown> => {
			onDeparture(used, depart);
			return await context.helpers.httpRequestWithAuthentication.call(context, type, options, {
				credentialsDecrypted: { id: '', name: '', type, data: used },
			});
		};
		const before = tokenOf(used);
		const answer = await send('data', ask, ends);
		this.sentTokens.add(tokenOf(used));
		// Not by the time of its issue: a clock that was put right since, or another worker's, told it.
		if (tokenOf(used) !== before) this.credentials = used;
		return { answer, askedAt: this.clock.read(header(answer, 'date'), sentAt) };
	}
}

/** An answer to a write, and what is needed to read it. */
export interface WriteAnswer {
	answer: HttpAnswer;
	origin: Origin;
}

interface DatedAnswer extends Pick<Reading, 'askedAt'> {
	answer: HttpAnswer;
}

/** What ends a request. */
type Ends = Required<Pick<SendBounds, 'signal'>> & { limits: RetryLimits };

function within(limits: RetryLimits, deadline = Infinity): RetryLimits {
	return { ...limits, deadline: Math.min(deadline, limits.deadline ?? Infinity) };
}

/** The statuses with which the service answers a bad token. */
function refusalOf({ statusCode }: HttpAnswer): RefusalStatus | undefined {
	return statusCode === 401 || statusCode === 403 ? statusCode : undefined;
}
