import omit from 'lodash/omit';
import { UserError } from 'n8n-workflow';

import type { ErrorCode } from './errorCodes';

/**
 * The kinds of failure of the service. The sentences that people read about each kind are in `words.ts`; those of one
 * API alone are in the folder of that API.
 */

/** The kind of a failure. Each kind needs a different action of a person. */
export type FailureKind =
	/** The service asked for fewer requests: 429, or a 403 of a rate limit. */
	| 'busy'
	/** 5xx, no connection, a connection lost, no answer in time, an answer cut short. */
	| 'unavailable'
	/** A field of the credential is unusable, or the pair, the audience or the token was refused. */
	| 'credential'
	/** A 403 to a request for data, even with a new token. */
	| 'forbidden'
	/** The service understood the request and refused it: 400, 404, 413 and others. */
	| 'rejected'
	/** The service has no property or activation with the ID that was asked for. */
	| 'missing'
	/** The service accepted the order and could not fulfil it. */
	| 'failed'
	/** The answer does not come from this service: a web page, a redirect, JSON of another shape. */
	| 'foreign';

/** A request asks the service for a token or for data. */
export type RequestKind = 'token' | 'data';

export interface FailureDetails {
	/** The kind of request that failed; unset if the failure came up without a request. */
	requestKind?: RequestKind;
	/** HTTP status, if there was an answer. */
	status?: number;
	/** The service's own code, as text. */
	code?: string;
	/**
	 * The code under which a person finds advice, if it is not the usual one for the kind. It is not called
	 * `errorCode`, because n8n reads that field as a status.
	 */
	helpCode?: ErrorCode;
	/** The service's own text, without secrets. */
	reason?: string;
	/** The wait that the service asked for, in milliseconds; see `parseRetryAfter`. */
	retryAfterMs?: number;
	/** True for a 404 in the service's own form. */
	isOwnNotFound?: boolean;
	/** True if the request certainly did not reach the service. */
	isUnsent?: boolean;
	/** True if the request timed out before an answer came. */
	isLate?: boolean;
	/** The sentence that a person reads first: whether a credit may have been spent, or which steps were stopped. */
	cost?: string;
	/** The advice, if more is known than the kind of the failure shows. */
	remedy?: string;
	/** A sentence that follows the advice. */
	note?: string;
	/**
	 * The number of tries, once nobody will send the request again. It is 0 if this call got the failure of a parallel
	 * call.
	 */
	tries?: number;
	/** The sum of the waits between the tries, in milliseconds. */
	waitedMs?: number;
}

const USUAL_CODES: Record<FailureKind, ErrorCode> = {
	busy: 'busy',
	unavailable: 'serviceFault',
	credential: 'credentialField',
	forbidden: 'forbidden',
	rejected: 'badRequest',
	missing: 'notFound',
	failed: 'orderFailed',
	foreign: 'wrongAddress',
};

/**
 * A failure of the service, in this package’s terms. It does not hold the request, so no secret and no token can leak
 * through it.
 */
export class ServiceError extends UserError {
	constructor(
		readonly kind: FailureKind,
		message: string,
		readonly details: FailureDetails = {},
	) {
		super(message);
	}

	/** The code of the entry in docs/troubleshooting.md that advises a person. */
	get helpCode(): ErrorCode {
		return this.details.helpCode ?? USUAL_CODES[this.kind];
	}

	/** True if the same request may succeed a little later. */
	get isTransient(): boolean {
		return this.kind === 'busy' || this.kind === 'unavailable';
	}

	/** True if the request was retried already: then a request for data does not retry the token request that failed. */
	get isFinal(): boolean {
		return this.details.tries !== undefined;
	}

	/** A copy whose message begins with a subject, such as “Applicant leads of branch NORTH”. */
	about(subject: string): ServiceError {
		return this.with(`${subject}: ${this.message}`);
	}

	/** A copy with a further sentence behind the advice. */
	withNote(more: string): ServiceError {
		const { note } = this.details;
		return this.with(this.message, { note: note === undefined ? more : `${note} ${more}` });
	}

	/**
	 * A copy that counts as passing and may be retried, for example for a proxy’s page at an address that has worked
	 * before. The copy drops the page’s Retry-After, which is not the service’s.
	 */
	get asPassing(): ServiceError {
		const { message, helpCode } = this;
		const details = omit(this.details, 'retryAfterMs', 'tries', 'waitedMs');
		return new ServiceError('unavailable', message, { ...details, helpCode });
	}

	/** A copy with another message and further details. */
	with(message: string, details: FailureDetails = {}): ServiceError {
		return new ServiceError(this.kind, message, { ...this.details, ...details });
	}

	/** A copy that counts as the outcome of all retries: nobody sends the request again. */
	afterTries(tries: number, waitedMs = 0): ServiceError {
		return this.with(this.message, { tries, waitedMs });
	}
}

/**
 * Awaits work and returns its value, or the service’s failure; it throws any other error. It exists because n8n’s
 * lint rule `require-node-api-error` forbids a `catch` that rethrows what it caught.
 */
export async function orFailure<T>(work: Promise<T>): Promise<T | ServiceError> {
	return await work.catch((error: unknown) => {
		if (error instanceof ServiceError) return error;
		throw error;
	});
}

/** True if the service may have accepted a write although no proper answer came. */
export function mayBeTaken({ kind, details }: ServiceError): boolean {
	if (details.requestKind === 'token' || details.isUnsent) return false;
	// The status 425 Too Early (RFC 8470) means that the server did not process the request.
	return kind === 'foreign' || (kind === 'unavailable' && details.status !== 425);
}

/**
 * The statuses with which a gateway says that it gave up waiting: 504 (RFC 9110 §15.6.5), and 524 of content delivery
 * networks.
 */
const GAVE_UP = [504, 524];

/**
 * True if the node or a gateway had stopped waiting when the answer was due: the service may still be processing the
 * request.
 */
export function isAnswerLate({ details: { isLate, status = 0 } }: ServiceError): boolean {
	return isLate === true || GAVE_UP.includes(status);
}
