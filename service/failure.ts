import omit from 'lodash/omit';
import { UserError } from 'n8n-workflow';

import type { ErrorCode } from './errorCodes';

/**
 * What can go wrong with the service, in kinds. What people read about each of them is in `words.ts`
 * and, for what one API alone can say, in the folder of that API.
 */

/** What went wrong, by what a person can do about it. */
export type FailureKind =
	/** 429: the service asks for patience. */
	| 'busy'
	/** 5xx, no connection, a connection lost, no answer in time, an answer cut short. */
	| 'unavailable'
	/** A field of the credential is unusable, or the pair, the audience or the token was refused. */
	| 'credential'
	/** A 403 to a request for data, even with a new token. */
	| 'forbidden'
	/** 400, 404, 413 …: the service understood and said no. */
	| 'rejected'
	/** There is nothing with this ID. */
	| 'missing'
	/** The service took the order and could not fulfil it. */
	| 'failed'
	/** An answer that is not this service's: a web page, a redirect, another shape. */
	| 'foreign';

/** What a request asks the service for. */
export type RequestKind = 'token' | 'data';

export interface FailureDetails {
	/** Which request failed; a failure that came up without one has none. */
	requestKind?: RequestKind;
	/** HTTP status, if there was an answer. */
	status?: number;
	/** The service's own code, as text. */
	code?: string;
	/** What a person has to do, if it is not the usual thing for the kind. n8n takes what is called `errorCode` for a status. */
	helpCode?: ErrorCode;
	/** The service's own text, without secrets. */
	reason?: string;
	/** The wait that the service asked for, in milliseconds; see `parseRetryAfter`. */
	retryAfterMs?: number;
	/** Whether it is a 404 in the service's own form. */
	isOwnNotFound?: boolean;
	/** Whether the request surely never reached the service. */
	isUnsent?: boolean;
	/** Whether its time was over before an answer came. */
	isLate?: boolean;
	/** What people read before all else: what it may have cost, or what it has stopped. */
	cost?: string;
	/** What to do next, if more is known than the kind of the failure tells. */
	remedy?: string;
	/** What else there is to know, after what to do. */
	note?: string;
	/** How often the request was sent, once nobody will send it again; 0 if it was not, but another call was. */
	tries?: number;
	/** All waits between the tries together, in milliseconds. */
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
 * A failure of the service in this package's terms. It holds no request, so neither a secret nor a
 * token travels in it.
 */
export class ServiceError extends UserError {
	constructor(
		readonly kind: FailureKind,
		message: string,
		readonly details: FailureDetails = {},
	) {
		super(message);
	}

	/** Under which a person finds what to do. */
	get helpCode(): ErrorCode {
		return this.details.helpCode ?? USUAL_CODES[this.kind];
	}

	/** Whether the same request may succeed a little later. */
	get isTransient(): boolean {
		return this.kind === 'busy' || this.kind === 'unavailable';
	}

	/** Whether it was repeated already: a request for data does not repeat that for its token. */
	get isFinal(): boolean {
		return this.details.tries !== undefined;
	}

	/** The same, with what was asked for in front: “Applicant leads of branch NORTH”. */
	about(subject: string): ServiceError {
		return this.with(`${subject}: ${this.message}`);
	}

	/** The same with more to know, after what to do. */
	withNote(more: string): ServiceError {
		const { note } = this.details;
		return this.with(this.message, { note: note === undefined ? more : `${note} ${more}` });
	}

	/**
	 * The same as one that may pass and be repeated, such as a proxy's page at an address that has worked before. The Retry-After
	 * of a page is not the service's.
	 */
	get asPassing(): ServiceError {
		const { message, helpCode } = this;
		const details = omit(this.details, 'retryAfterMs', 'tries', 'waitedMs');
		return new ServiceError('unavailable', message, { ...details, helpCode });
	}

	/** The same in other words, with more details. */
	with(message: string, details: FailureDetails = {}): ServiceError {
		return new ServiceError(this.kind, message, { ...this.details, ...details });
	}

	/** The same as the outcome of all repeats: nobody sends the request again. */
	afterTries(tries: number, waitedMs = 0): ServiceError {
		return this.with(this.message, { tries, waitedMs });
	}
}

/**
 * What some work came to: its value, or the service's failure. Whatever else went wrong is thrown. With it no
 * `catch` of ours throws what it caught, which n8n's lint rules (`require-node-api-error`) forbid.
 */
export async function orFailure<T>(work: Promise<T>): Promise<T | ServiceError> {
	return await work.catch((error: unknown) => {
		if (error instanceof ServiceError) return error;
		throw error;
	});
}

/** Whether the service may have taken a write although no proper answer to it came. */
export function mayBeTaken({ kind, details }: ServiceError): boolean {
	if (details.requestKind === 'token' || details.isUnsent) return false;
	// By 425 Too Early (RFC 8470) a server says that it did not process the request.
	return kind === 'foreign' || (kind === 'unavailable' && details.status !== 425);
}

/** A gateway gave up: RFC 9110 §15.6.5, and what content delivery networks send instead. */
const GAVE_UP = [504, 524];

/** Whether nobody waited for the answer any longer, here or at a gateway: the service may still be at work on it. */
export function isAnswerLate({ details: { isLate, status = 0 } }: ServiceError): boolean {
	return isLate === true || GAVE_UP.includes(status);
}
