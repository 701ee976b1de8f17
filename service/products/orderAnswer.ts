import inRange from 'lodash/inRange';

import { isObject } from '../basics/values';
import type { ServiceError } from '../failure';
import { mayBeTaken } from '../failure';
import type { HttpAnswer, Origin } from '../http/answer';
import { failureIn, header, isNoPage } from '../http/answer';
import { problemOf } from '../http/problem';
import type { Activation } from './activation';
import {
	activationId,
	codesOf,
	errorsIn,
	mostSpecificFirst,
	onlyActivationIn,
	readActivation,
} from './activation';
import type { Already } from './codes';
import { duplicateIn, isAmbiguous } from './codes';
import type { Listing } from './products';

/** The service accepted the order and created this activation. */
export interface Taken {
	made: Activation;
}

/** The service did not accept the order, because the listing has an activation already. */
export interface Duplicate {
	/** The state of the existing activation, if the service's code names it. */
	already?: Already;
	/**
	 * The failure to report if the list of activations does not show the existing one. It is set if the service's code
	 * may also mean something else.
	 */
	refusal?: ServiceError;
}

/**
 * Reads the answer to an order: the service accepted the order, or the listing already has an activation.
 *
 * @throws ServiceError for every other answer; `mayBeOrdered` tells whether the service may have accepted the order
 */
export function readOrderAnswer(
	origin: Origin,
	answer: HttpAnswer,
	listing: Listing,
): Taken | Duplicate {
	const errors = errorsIn(answer.body);
	const codes = codesOf(errors);
	const already = duplicateIn(codes);
	if (answer.statusCode === 303) return { already };
	const isShape = answer.statusCode === 202 ? isNoPage : isObject;
	const failure = failureIn(origin, answer, isShape);
	if (!failure) return { made: madeBy(answer, listing) };
	const problem = problemOf({ errors: mostSpecificFirst(errors) }, origin.secrets);
	const refusal = failure.with(failure.message, errors.length > 0 ? problem : {});
	// After a 5xx status, the service may have accepted the order, even if its code says otherwise.
	if (!already || mayBeOrdered(refusal)) throw refusal;
	return isAmbiguous(codes) ? { already, refusal } : { already };
}

/**
 * True if the service may have accepted the order in spite of a failure. A 2xx status means that it has, even if the
 * body contains only errors.
 */
export function mayBeOrdered(error: ServiceError): boolean {
	const { status = 0 } = error.details;
	return mayBeTaken(error) || inRange(status, 200, 300);
}

/**
 * Reads the activation that an order created. The status 202 means that the service accepted the order, even if the
 * answer contains no activation, or has the activation's ID only in the Location header.
 *
 * @throws ServiceError for another status without an activation
 */
function madeBy(answer: HttpAnswer, listing: Listing): Activation {
	if (answer.statusCode !== 202) return readActivation(answer.body);
	const activation = onlyActivationIn(answer) ?? { ...listing };
	const id = activationId(activation) ?? idInLocation(answer);
	return id === undefined ? activation : { ...activation, id };
}

function idInLocation(answer: HttpAnswer): string | undefined {
	return /[0-9a-f-]{36}$/i.exec(header(answer, 'location'))?.[0];
}
