import pick from 'lodash/pick';
import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import type { Grant } from './auth/grant';
import { originOf } from './auth/grant';
import { handToHooks, sendWithToken, tokenOf } from './auth/n8nHooks';
import { ServiceClock } from './basics/clock';
import type { HttpAnswer, Origin } from './http/answer';
import { header, readAnswer, readList } from './http/answer';
import type { Depart, ReadRequest } from './http/request';
import { PLAIN_ANSWER, send } from './http/request';
import type { RetryLimits } from './http/retry';
import { pause, withRetry } from './http/retry';
import { signalOf } from './http/ending';
import type { Turn } from './http/throttle';
import { Throttle } from './http/throttle';
import type { ServiceError } from './failure';
import type { Integration } from './integration';

/*
 * All requests for data go through a session. A read goes this way:
 *
 *   get, list
 *   → withRetry       sends again what failed for a while                   http/retry.ts
 *   → Throttle.run    waits until the service can bear another request      http/throttle.ts
 *   → sendWithToken   sends again if another token may help                 auth/n8nHooks.ts
 *   → sendOnce        hands the request to n8n, which puts the token in
 *   → send            ends the request in time                              http/request.ts
 *   → readAnswer      takes the data out of the answer, or throws a failure http/answer.ts
 *
 * A write begins at Throttle.run, and its caller reads the answer and decides on a repeat.
 */

/** The context that n8n gives to an execution or a poll. Only an execution can be cancelled. */
export type SessionContext = IAllExecuteFunctions & {
	getExecutionCancelSignal?: () => AbortSignal | undefined;
};

/** A request that changes something at the service. Its caller decides whether to send it again. */
export interface WriteRequest {
	method: 'POST' | 'PATCH';
	path: string;
	/** The body, which is sent as JSON. */
	body: IDataObject;
}

/** Conditions under which a request and its retries stop before the limits for retries are reached. */
export interface Bounds {
	/** A signal that is aborted when the answer is no longer needed. */
	needed?: AbortSignal;
	/** The latest time at which the answer is useful, in epoch milliseconds. */
	deadline?: number;
	/** Returns the request to send as a retry instead of the one that has failed. */
	instead?: (failure: ServiceError) => ReadRequest;
}

/**
 * Sends the requests of one node to one API with one credential. It adds the token, renews it, and retries requests.
 *
 * n8n stores the token, because it stores the fields that the credential's hook returns. So the token outlives the
 * process and serves all workers and the HTTP Request node. `TokenCache` decides when a new token is needed.
 */
export class Session {
	private readonly grant: Grant;

	/**
	 * All tokens that were sent with the requests of this session. The service may repeat any of them in its own text,
	 * so none of them may be shown.
	 */
	private readonly sentTokens = new Set<string>();

	constructor(
		private readonly context: SessionContext,
		private readonly integration: Integration,
		private credentials: ICredentialDataDecryptedObject,
		private limits: RetryLimits,
		private readonly clock = new ServiceClock(),
	) {
		this.grant = integration.grant(credentials);
	}

	/** The base address of the API in normalised form. */
	get address(): string {
		return new URL(this.grant.address).href;
	}

	/** The client ID, which stays the same if the secret or the addresses change. */
	get clientId(): string {
		return this.grant.clientId;
	}

	/** A hash of the client ID, the secret, the addresses and the audience or scope. */
	get fingerprint(): string {
		return this.grant.fingerprint;
	}

	/** Writes a line to n8n’s log. The line must not contain data of the service. */
	warn(message: string): void {
		this.context.logger.warn(message);
	}

	/**
	 * Switches retries off, because the service is busy or cannot be reached: from now on, each request of this node is
	 * sent only once.
	 */
	stopRepeating(): void {
		this.limits = { ...this.limits, maxTries: 1 };
	}

	/**
	 * Returns what is needed to turn answers to requests for data into errors: the API's sentences for people, and the
	 * secrets and tokens that must not be shown.
	 */
	get origin(): Origin {
		return originOf(this.grant, 'data', [tokenOf(this.credentials), ...this.sentTokens]);
	}

	/**
	 * Returns the time to compare with the service's times, in epoch milliseconds. It is the earlier of two times: that
	 * of this machine's clock and that of the service's clock.
	 *
	 * @param hostTime a moment of this machine's clock
	 */
	timeAt(hostTime: number): number {
		return this.clock.earliestNow(hostTime);
	}

	/**
	 * Sends a GET request, and retries it after temporary failures.
	 *
	 * @returns the body of a 2xx answer
	 * @throws ServiceError if the limits for retries are reached, or the service refuses the request
	 */
	async get(request: ReadRequest, bounds?: Bounds): Promise<IDataObject> {
		return await this.read(request, readAnswer, bounds);
	}

	/** Sends a GET request like `get`, for an answer whose body is a list. */
	async list(request: ReadRequest, bounds?: Bounds): Promise<IDataObject[]> {
		return await this.read(request, readList, bounds);
	}

	/**
	 * Sends a request that changes something, once. It is sent again only if the service refuses the token, because the
	 * service has then done nothing.
	 *
	 * @returns the answer, whatever its status is
	 * @throws ServiceError if no complete answer arrived, or no token was issued
	 */
	async write(request: WriteRequest): Promise<HttpAnswer> {
		return await this.sendInTurn(request, this.turn());
	}

	/**
	 * Waits for a time. If the execution is cancelled, the wait ends at once.
	 *
	 * @throws the abort reason if the execution is cancelled
	 */
	async pause(ms: number): Promise<void> {
		await pause(ms, this.endOf());
	}

	/** True if a person or n8n has cancelled the execution. */
	get isCancelled(): boolean {
		return this.endOf().aborted;
	}

	/** Repeats work after temporary failures, within the limits for retries; see `withRetry`. */
	async retry<T>(work: () => Promise<T>): Promise<T> {
		return await withRetry(work, this.limits, this.endOf());
	}

	private async read<Body>(
		request: ReadRequest,
		readBody: (origin: Origin, answer: HttpAnswer) => Body,
		bounds?: Bounds,
	): Promise<Body> {
		const turn = this.turn(bounds);
		const attempt = async (failure?: ServiceError) => {
			const due = (failure && bounds?.instead?.(failure)) ?? request;
			const answer = await this.sendInTurn(due, turn);
			return readBody(this.origin, answer);
		};
		return await withRetry(attempt, turn.limits, this.endOf(bounds));
	}

	/** Makes a signal that is aborted when the execution is cancelled, or when the answer is no longer needed. */
	private endOf({ needed }: Bounds = {}): AbortSignal {
		return signalOf([this.context.getExecutionCancelSignal?.(), needed]);
	}

	/**
	 * Makes the entry of a request for the queue of `Throttle`. The signal of the entry is also aborted at the
	 * deadline.
	 */
	private turn(bounds: Bounds = {}): Turn {
		const limits = { ...this.limits, ...pick(bounds, 'deadline') };
		const signal = signalOf([this.endOf(bounds)], limits.deadline);
		return { owner: this.context, limits, signal };
	}

	private async sendInTurn(request: ReadRequest | WriteRequest, turn: Turn): Promise<HttpAnswer> {
		const { grant } = this;
		// The credentials are read only when the request is sent, because another request may have got a new token in
		// the meantime.
		const sendOnce = async (used: ICredentialDataDecryptedObject) =>
			await this.sendOnce(request, used, turn);
		return await Throttle.of(grant.fingerprint).run(
			turn,
			async () => await sendWithToken(grant, this.credentials, sendOnce),
		);
	}

	/**
	 * Sends one request through n8n. If `used`, the data of the credential, contains no token, n8n first calls the
	 * credential's hook, and puts the new token into `used`.
	 */
	private async sendOnce(
		{ path, query: qs, ...request }: ReadRequest & Partial<WriteRequest>,
		used: ICredentialDataDecryptedObject,
		{ limits, signal }: Turn,
	): Promise<HttpAnswer> {
		const { context, grant } = this;
		const url = `${grant.address}${path}`;
		const options: IHttpRequestOptions = {
			...PLAIN_ANSWER,
			method: 'GET',
			...request,
			url,
			qs,
			arrayFormat: 'repeat',
		};
		const type = this.integration.credentialType;
		const ask = async (depart: Depart): Promise<unknown> => {
			// n8n may first have to get a token, which can take a minute. So the timeout of the request for data does
			// not start here, but when the credential's hook calls `depart`.
			handToHooks(used, { limits, depart });
			return await context.helpers.httpRequestWithAuthentication.call(context, type, options, {
				credentialsDecrypted: { id: '', name: '', type, data: used },
			});
		};
		const before = tokenOf(used);
		const answer = await send('data', ask, signal);
		this.sentTokens.add(tokenOf(used));
		// The times at which two tokens were issued do not tell which is newer, because they may come from different
		// clocks. So if `used` contains another token than before the request, this token counts as the newer one.
		if (tokenOf(used) !== before) this.credentials = used;
		this.clock.read(header(answer, 'date'));
		return answer;
	}
}
