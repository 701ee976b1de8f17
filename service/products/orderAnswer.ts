import inRange from 'lodash/inRange';

import { isObject } from '../basics/values';
import type { ServiceError } from '../failure';
import { mayBeTaken } from '../failure';
import type { HttpAnswer } from '../http/answer';
import { failureIn, header, isNoPage } from '../http/answer';
import { problemOf } from '../http/problem';
import type { WriteAnswer } from '../session';
import type { Activation } from './activation';
import {
	activationId,
	codesOf,
	errorsIn,
	isActivation,
	readActivation,
	tellingFirst,
} from './activation';
import type { Already } from './codes';
import { duplicateIn, isAmbiguous } from './codes';
import type { Listing } from './products';

/** What the answer to an order says: a new activation, or that there is one already. */
export interface OrderAnswer {
	activation?: Activation;
	/** What a 303 shows of the one that is there. */
	existing?: Activation;
	already?: Already;
	/** What to say if `already` is not certain, and nothing is to be seen. */
	refusal?: ServiceError;
	/** What the answer was, if `already` may speak of what this very order has made. */
	doubt?: ServiceError;
}

/** @throws ServiceError for an answer that is neither */
export function readOrderAnswer({ answer, origin }: WriteAnswer, listing: Listing): OrderAnswer {
	const errors = errorsIn(answer.body);
	const codes = codesOf(errors);
	const already = duplicateIn(codes);
	if (answer.statusCode === 303) return { existing: existingIn(answer), already };
	const isShape = answer.statusCode === 202 ? isNoPage : isObject;
	const failure = failureIn(origin, answer, isShape);
	if (!failure) return { activation: madeBy(answer, listing) };
	const problem = problemOf({ errors: tellingFirst(errors) }, origin.secrets);
	const refusal = failure.with(failure.message, errors.length > 0 ? problem : {});
	if (!already) throw refusal;
	const doubt = mayBeOrdered(failure) ? failure : undefined;
	return { already, doubt, refusal: isAmbiguous(codes) ? refusal : undefined };
}

/** By a 2xx the service says that it has taken an order, even if errors are all that comes with it. */
export function mayBeOrdered(error: ServiceError): boolean {
	const { status = 0 } = error.details;
	return mayBeTaken(error) || inRange(status, 200, 300);
}

/**
 * What an order has made. With 202 it is taken, however its activation is shown: alone, as the only one
 * of a list, by its ID in the Location, or not at all.
 *
 * @throws ServiceError for another status
 */
function madeBy(answer: HttpAnswer, listing: Listing): Activation {
	if (answer.statusCode !== 202) return readActivation(answer.body);
	const activation = shownIn(answer) ?? { ...listing };
	const id = activationId(activation) ?? idInLocation(answer);
	return id === undefined ? activation : { ...activation, id };
}

/** The activation in a body, alone or as the only one of a list. */
function shownIn({ body }: HttpAnswer): Activation | undefined {
	const [first, ...others] = [body].flat().filter(isActivation);
	return others.length === 0 ? first : undefined;
}

/**
 * A 303 brings the activation, or at least its ID at the end of its Location; either may be shortened
 * or missing.
 */
function existingIn(answer: HttpAnswer): Activation {
	const shown = shownIn(answer) ?? {};
	return { ...shown, id: activationId(shown) ?? idInLocation(answer) };
}

function idInLocation(answer: HttpAnswer): string | undefined {
	const [, id] = /([0-9a-f-]{36})\/?(?:[?#].*)?$/i.exec(header(answer, 'location') ?? '') ?? [];
	return id;
}
