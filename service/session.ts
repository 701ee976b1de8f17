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
	/** With a leading slash. */
	path: string;
	/** A list becomes a repeated parameter. */
	query: IDataObject;
	headers?: Record<string, string>;
}

/** A request that changes something, so that a repeat is its caller's decision. */
export interface WriteRequest {
	method: 'POST' | 'PATCH';
	path: string;
	/** Sent as JSON. */
	body: IDataObject;
}

/** Ends a request and its repeats before its limits do. */
export interface Bounds {
	/** Aborted when nobody needs the answer any more. */
	needed?: AbortSignal;
	/** When the answer is wanted, in epoch milliseconds. */
	deadline?: number;
	/** What to send after such a failure, in place of what failed. */
	instead?: (failure: ServiceError) => ReadRequest;
}

/**
 * Talks to one integration with one credential: authenticates, renews the token, retries.
 *
 * n8n keeps the token: it stores what the credential's hook returns, so it outlives the process,
 * serves all workers and the HTTP Request node. `TokenCache` decides when a new one is due.
 */
export class Session {
	private readonly grant: Grant;

	/** The service may repeat any of them in its own text, not only the one that is stored in the end. */
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

	/** The API’s, however it is spelled in the credential. */
	get address(): string {
		return new URL(this.grant.address).href;
	}

	/** What the service knows it by, whatever its secret and addresses. */
	get clientId(): string {
		return this.grant.clientId;
	}

	/** Tells the pair and the addresses apart. */
	get fingerprint(): string {
		return this.grant.fingerprint;
	}

	/** Writes a line into n8n's log; it may hold nothing of the service's data. */
	warn(message: string): void {
		this.context.logger.warn(message);
	}

	/** The service is busy or out of reach: from now on no request is sent again. */
	stopRepeating(): void {
		this.limits = { ...this.limits, maxTries: 1 };
	}

	/** Where its answers for data come from. */
	get origin(): Origin {
		return originOf(this.grant, 'data', [tokenOf(this.credentials), ...this.sentTokens]);
	}

	/** The service's time at a moment of the host's, in epoch milliseconds, rather too early. */
	timeAt(hostTime: number): number {
		return this.clock.earliestNow(hostTime);
	}

	/**
	 * @returns the body of a 2xx answer
	 * @throws ServiceError when the limits are reached or the service says no
	 */
	async get(request: ReadRequest, bounds?: Bounds): Promise<IDataObject> {
		return await this.read(request, readAnswer, bounds);
	}

	/** As `get`, for an answer that is a bare list. */
	async list(request: ReadRequest, bounds?: Bounds): Promise<IDataObject[]> {
		return await this.read(request, readList, bounds);
	}

	/**
	 * Sends once, and again only if the service refuses the token: then it has done nothing.
	 *
	 * @returns the answer, whatever it says
	 * @throws ServiceError when no whole answer came, or no token could be had
	 */
	async write(request: WriteRequest): Promise<HttpAnswer> {
		return await this.sendInTurn(request, this.turn());
	}

	/**
	 * Waits, and ends at once when the execution is cancelled.
	 *
	 * @throws the abort reason then
	 */
	async pause(ms: number): Promise<void> {
		await pause(ms, this.endOf());
	}

	/** Whether the execution is cancelled. */
	get isCancelled(): boolean {
		return this.endOf().aborted;
	}

	/** Repeats within the limits whatever failed for a while; see `withRetry`. */
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

	/** Aborted when the execution is cancelled, or nobody needs the answer any more. */
	private endOf({ needed }: Bounds = {}): AbortSignal {
		return signalOf([this.context.getExecutionCancelSignal?.(), needed]);
	}

	/** Ends at the deadline as well. */
	private turn(bounds: Bounds = {}): Turn {
		const limits = { ...this.limits, ...pick(bounds, 'deadline') };
		const signal = signalOf([this.endOf(bounds)], limits.deadline);
		return { owner: this.context, limits, signal };
	}

	private async sendInTurn(request: ReadRequest | WriteRequest, turn: Turn): Promise<HttpAnswer> {
		const { grant } = this;
		// The credentials are read when the request leaves: another one may have brought a token meanwhile.
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
			// n8n may have to get a token first, which can take a minute.
			handToHooks(used, { limits, depart });
			return await context.helpers.httpRequestWithAuthentication.call(context, type, options, {
				credentialsDecrypted: { id: '', name: '', type, data: used },
			});
		};
		const before = tokenOf(used);
		const answer = await send('data', ask, signal);
		this.sentTokens.add(tokenOf(used));
		// The time of issue cannot say which one is newer: another worker's clock may have told it, or a wrong one.
		if (tokenOf(used) !== before) this.credentials = used;
		this.clock.read(header(answer, 'date'));
		return answer;
	}
}
