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
	/** The state of that activation, if the service's code names it. */
	already?: Already;
	/** The failure to report if the code has another meaning as well, and the list shows no activation. */
	refusal?: ServiceError;
}

/** @throws ServiceError for every other answer; `mayBeOrdered` decides whether the service may have accepted the order */
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
	// After a 5xx, the service may have accepted the order, whatever code it adds.
	if (!already || mayBeOrdered(refusal)) throw refusal;
	return isAmbiguous(codes) ? { already, refusal } : { already };
}

/**
 * True if the service may have accepted the order in spite of a failure. A 2xx means that it has, even if the body
 * has nothing but errors.
 */
export function mayBeOrdered(error: ServiceError): boolean {
	const { status = 0 } = error.details;
	return mayBeTaken(error) || inRange(status, 200, 300);
}

/**
 * The activation that an order created. A 202 means that the service accepted the order, even if the answer lacks the
 * activation or has its ID in the Location header alone.
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
	return /[0-9a-f-]{36}$/i.exec(header(answer, 'location') ?? '')?.[0];
}
