import isEqual from 'lodash/isEqual';

import { isList, isObject } from '../basics/values';
import { mayBeTaken, orFailure, ServiceError } from '../failure';
import { failureIn, isNoPage } from '../http/answer';
import type { Activation } from './activation';
import { activationId, isActivation } from './activation';
import { NO_CHANGE_NOW, registerEntry } from './codes';
import type { Highlight, Products } from './products';
import { unknownActivation } from './products';

const LOOK_LATER =
	'Check with Get in a few minutes; if the highlights are still the old ones, run the workflow again.';

/**
 * Gives an active premium listing other highlights. The service takes one change at a time and
 * refuses the next one until it is done, so if no proper answer came it is asked what it has.
 *
 * @returns the activation, as a rule with the change still waiting
 * @throws ServiceError
 */
export async function replaceHighlights(
	products: Products,
	id: string,
	highlights: Highlight[],
): Promise<Activation> {
	let isOpen = false;
	const attempt = async () => {
		if (isOpen) {
			const activation = await products.activation(id);
			if (isDone(activation, highlights)) return activation;
		}
		const changed = await orFailure(sendChange(products, id, highlights));
		if (!(changed instanceof ServiceError)) return changed;
		if (mayBeTaken(changed)) isOpen = true;
		throw changed;
	};
	const tried = await orFailure(products.session.retry(attempt));
	if (!(tried instanceof ServiceError)) return tried;
	throw isOpen ? unknownChange(tried) : refusedChange(tried, id);
}

async function sendChange(
	products: Products,
	id: string,
	highlights: Highlight[],
): Promise<Activation> {
	const { answer, origin } = await products.update(id, highlights);
	// With 202 the change is taken, however its activation is shown, or not at all.
	const isShape = answer.statusCode === 202 ? isNoPage : isObjectOrList;
	const failure = failureIn(origin, answer, isShape);
	if (failure) throw failure;
	return changedIn(answer.body, id) ?? (await readChanged(products, id));
}

function isObjectOrList(body: unknown): boolean {
	return isObject(body) || Array.isArray(body);
}

/** The activation, alone or in a list; with another ID it is not the one that was changed. */
function changedIn(body: unknown, id: string): Activation | undefined {
	const shown = (Array.isArray(body) ? body : [body]).filter(isActivation);
	const named = shown.find((activation) => activationId(activation) === id);
	const [first, ...others] = shown;
	return (
		named ?? (others.length === 0 && first && activationId(first) === undefined ? first : undefined)
	);
}

/** The change is taken, whether or not its activation can be read just now. */
async function readChanged(products: Products, id: string): Promise<Activation> {
	const read = await orFailure(products.activation(id));
	return read instanceof ServiceError ? { id } : read;
}

/**
 * Whether a change whose answer was lost is done. While one is under way nobody can tell whose it is.
 *
 * @throws ServiceError that may pass, while one is under way
 */
function isDone(activation: Activation, highlights: Highlight[]): boolean {
	if (isEqual(asSent(activation.highlights ?? []), highlights)) return true;
	const { status } = activation;
	if (!isObject(status) || status.currently !== 'WAITING_FOR_UPDATE') return false;
	throw new ServiceError('unavailable', 'A change of the highlights is still under way');
}

/** Highlights come back with a key that is never sent, and perhaps with empty descriptions. */
function asSent(shown: unknown): unknown {
	if (!isList(shown)) return shown;
	return shown.map(({ id, description }) =>
		description === undefined || description === null || description === ''
			? { id }
			: { id, description },
	);
}

function unknownChange(error: ServiceError): ServiceError {
	return error.with(`It is not known whether the highlights were changed: ${error.message}`, {
		remedy: LOOK_LATER,
		helpCode: 'highlightsNotChanged',
	});
}

function refusedChange(error: ServiceError, id: string): ServiceError {
	const { code, status } = error.details;
	if (error.details.notFound) return unknownActivation(error, id);
	const entry = registerEntry(code) ?? (status === 409 ? NO_CHANGE_NOW : undefined);
	if (!entry || error.isTransient) return error;
	const { problem, remedy, changeRemedy = remedy, helpCode } = entry;
	return error.with(`The highlights were not changed: ${problem}`, {
		remedy: changeRemedy,
		helpCode,
	});
}
