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

/** The service took the order, and this is what it made. */
export interface Taken {
	made: Activation;
}

/** The service did not take the order, because the listing has an activation already. */
export interface Duplicate {
	/** What the service's code says of it. */
	already?: Already;
	/** What to say if the code has another meaning too, and the listing shows no activation. */
	refusal?: ServiceError;
}

/** @throws ServiceError for every other answer; `mayBeOrdered` tells whether the service may have taken the order */
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
	// A service that says 5xx may have taken the order, whatever code it adds.
	if (!already || mayBeOrdered(refusal)) throw refusal;
	return isAmbiguous(codes) ? { already, refusal } : { already };
}

/** By a 2xx the service says that it has taken an order, even if errors are all that comes with it. */
export function mayBeOrdered(error: ServiceError): boolean {
	const { status = 0 } = error.details;
	return mayBeTaken(error) || inRange(status, 200, 300);
}

/**
 * What an order has made. With 202 it is taken, even if its activation is not shown, or its ID only in the Location.
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
