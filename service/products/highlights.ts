import pick from 'lodash/pick';

import { mayBeTaken, orFailure, ServiceError } from '../failure';
import { failureIn, isNoPage } from '../http/answer';
import type { Activation } from './activation';
import { activationId, onlyActivationIn } from './activation';
import { entryOf } from './codes';
import type { Highlight, Products } from './products';
import { unknownActivation } from './products';

/**
 * Replaces the highlights of an active premium listing. The node retries this request as it retries reads: a change
 * costs nothing, and sending it twice has the effect of sending it once. While an earlier change is under way, the
 * service refuses a new change with status 409.
 *
 * @returns the activation; usually, the service has not made the change in it yet
 * @throws ServiceError
 */
export async function replaceHighlights(
	products: Products,
	id: string,
	highlights: Highlight[],
): Promise<Activation> {
	const attempt = async () => await sendChange(products, id, highlights);
	const changed = await orFailure(products.session.retry(attempt));
	if (!(changed instanceof ServiceError)) return changed;
	// If the service refuses a retry of the change, it may still have accepted an earlier try whose answer was lost.
	const isInDoubt =
		mayBeTaken(changed) || (changed.kind === 'rejected' && changed.details.tries !== 1);
	throw isInDoubt ? unknownChange(changed) : refusedChange(changed, id);
}

/** Sends a change of highlights once. If the service accepts it, it answers 202, with or without the activation. */
async function sendChange(
	products: Products,
	id: string,
	highlights: Highlight[],
): Promise<Activation> {
	const answer = await products.update(id, highlights);
	const failure = failureIn(products.session.origin, answer, isNoPage);
	if (failure) throw failure;
	const shown = onlyActivationIn(answer);
	return shown && (activationId(shown) ?? id) === id ? { ...shown, id } : { id };
}

function unknownChange(error: ServiceError): ServiceError {
	return error.with(`It is not known whether the highlights were changed: ${error.message}`, {
		remedy:
			'Check with “Get Activation” in a few minutes; if the highlights are still the old ones, run the workflow again.',
		helpCode: 'highlightsNotChanged',
	});
}

function refusedChange(error: ServiceError, id: string): ServiceError {
	const { code, status } = error.details;
	if (status === 404) return unknownActivation(error, id);
	const entry = entryOf(code, `change ${status}`);
	if (!entry || error.isTransient) return error;
	return error.with(
		`The highlights were not changed: ${entry.problem}`,
		pick(entry, ['remedy', 'helpCode']),
	);
}
