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
import type { Depart } from './http/request';
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

/** n8n's context of an execution or a poll; only an execution can be cancelled. */
export type SessionContext = IAllExecuteFunctions & {
	getExecutionCancelSignal?: () => AbortSignal | undefined;
};

/** A GET below the integration's base address, which may be repeated. */
export interface ReadRequest {
	/** The path below the base address, with a leading slash. */
	path: string;
	/** A list becomes a repeated parameter. */
	query: IDataObject;
	headers?: Record<string, string>;
}

/** A request that changes something at the service. Its caller decides whether to send it again. */
export interface WriteRequest {
	method: 'POST' | 'PATCH';
	path: string;
	/** The body, which is sent as JSON. */
	body: IDataObject;
}

/** Bounds that may end a request and its retries before the limits do. */
export interface Bounds {
	/** A signal that is aborted when nobody needs the answer any more. */
	needed?: AbortSignal;
	/** The latest time at which the answer is of use, in epoch milliseconds. */
	deadline?: number;
	/** Returns the request to send after a failure, in place of the one that failed. */
	instead?: (failure: ServiceError) => ReadRequest;
}

/**
 * Sends the requests of one node to one API with one credential: it authenticates, renews the token and retries.
 *
 * n8n keeps the token: n8n stores the fields that the credential's hook returns, so the token outlives the process
 * and serves all workers and the HTTP Request node. `TokenCache` decides when a new token is due.
 */
export class Session {
	private readonly grant: Grant;

	/**
	 * All tokens that this session has sent. The service may repeat any of them in its own text, not only the one that
	 * n8n stores last.
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

	/** The base address of the API, in one spelling. */
	get address(): string {
		return new URL(this.grant.address).href;
	}

	/** The client ID, which stays the same if the secret or the addresses change. */
	get clientId(): string {
		return this.grant.clientId;
	}

	/** Identifies client ID, secret and addresses. */
	get fingerprint(): string {
		return this.grant.fingerprint;
	}

	/** Writes a line to n8n’s log. The line must not contain data of the service. */
	warn(message: string): void {
		this.context.logger.warn(message);
	}

	/** Stops retries: the service is busy or out of reach, so this session sends no request a second time. */
	stopRepeating(): void {
		this.limits = { ...this.limits, maxTries: 1 };
	}

	/** Describes where the answers to requests for data come from. */
	get origin(): Origin {
		return originOf(this.grant, 'data', [tokenOf(this.credentials), ...this.sentTokens]);
	}

	/**
	 * The service’s time at a moment of the host’s clock, in epoch milliseconds. If the clocks differ, it is the
	 * earlier of the two.
	 */
	timeAt(hostTime: number): number {
		return this.clock.earliestNow(hostTime);
	}

	/**
	 * @returns the body of a 2xx answer
	 * @throws ServiceError if the limits for retries are reached, or the service refuses the request
	 */
	async get(request: ReadRequest, bounds?: Bounds): Promise<IDataObject> {
		return await this.read(request, readAnswer, bounds);
	}

	/** Sends a read like `get`, for an answer that is a bare list. */
	async list(request: ReadRequest, bounds?: Bounds): Promise<IDataObject[]> {
		return await this.read(request, readList, bounds);
	}

	/**
	 * Sends a write once. It sends the write again only if the service refused the token, because the service has then
	 * done nothing.
	 *
	 * @returns the answer, with any status
	 * @throws ServiceError when no whole answer came, or no token could be had
	 */
	async write(request: WriteRequest): Promise<HttpAnswer> {
		return await this.sendInTurn(request, this.turn());
	}

	/**
	 * Waits for a time. The wait ends at once when the execution is cancelled.
	 *
	 * @throws the abort reason then
	 */
	async pause(ms: number): Promise<void> {
		await pause(ms, this.endOf());
	}

	/** True if a person or n8n has cancelled the execution. */
	get isCancelled(): boolean {
		return this.endOf().aborted;
	}

	/** Retries work that fails of something that may pass, within the limits; see `withRetry`. */
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

	/** A signal that is aborted when the execution is cancelled, or when nobody needs the answer any more. */
	private endOf({ needed }: Bounds = {}): AbortSignal {
		return signalOf([this.context.getExecutionCancelSignal?.(), needed]);
	}

	/** The turn of a request in the throttle. Its signal is also aborted at the deadline. */
	private turn(bounds: Bounds = {}): Turn {
		const limits = { ...this.limits, ...pick(bounds, 'deadline') };
		const signal = signalOf([this.endOf(bounds)], limits.deadline);
		return { owner: this.context, limits, signal };
	}

	private async sendInTurn(request: ReadRequest | WriteRequest, turn: Turn): Promise<HttpAnswer> {
		const { grant } = this;
		// The credentials are read at the moment in which the request leaves, because another request may have got a new
		// token meanwhile.
		const sendOnce = async (used: ICredentialDataDecryptedObject) =>
			await this.sendOnce(request, used, turn);
		return await Throttle.of(grant.fingerprint).run(
			turn,
			async () => await sendWithToken(grant, this.credentials, sendOnce),
		);
	}

	/** If `used` has no token, n8n calls the credential's hook first and puts the new token into `used`. */
	private async sendOnce(
		{
			path,
			query: qs,
			...request
		}: Pick<ReadRequest, 'path'> & Partial<ReadRequest & WriteRequest>,
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
			// n8n may have to get a token first, which can take a minute, so the timeout of this request starts later.
			handToHooks(used, { limits, depart });
			return await context.helpers.httpRequestWithAuthentication.call(context, type, options, {
				credentialsDecrypted: { id: '', name: '', type, data: used },
			});
		};
		const before = tokenOf(used);
		const answer = await send('data', ask, signal);
		this.sentTokens.add(tokenOf(used));
		// The times of issue do not show which token is newer, because another worker’s clock, or a wrong clock, may have
		// set one of them.
		if (tokenOf(used) !== before) this.credentials = used;
		this.clock.read(header(answer, 'date'));
		return answer;
	}
}
