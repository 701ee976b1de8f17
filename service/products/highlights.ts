import isEqual from 'lodash/isEqual';

import { failureIn, isNoPage } from '../http/answer';
import { isList, isObject } from '../basics/values';
import { mayBeTaken, ServiceError } from '../failure';
import type { Activation, Highlight, Products } from './products';
import { idOf, isActivation, unknownActivation } from './products';
import type { RegisterEntry } from './codes';
import { registerEntry } from './codes';

const NOT_NOW: RegisterEntry = {
	problem: 'the premium listing is not active, or an earlier change is still under way',
	remedy: 'Check with Get what its status is, and run the workflow again when it is active.',
};

const LOOK_LATER =
	'Look with Get in a few minutes; if the highlights are still the old ones, run the workflow again.';

/**
 * Gives an active premium listing other highlights. The service takes one change at a time and
 * refuses the next one until it is done, so where no proper answer came it is asked what it has.
 *
 * @returns the activation, as a rule with the change still waiting
 * @throws ServiceError
 */
export async function updateHighlights(
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
		const [outcome] = await Promise.allSettled([send(products, id, highlights)]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const error: unknown = outcome.reason;
		if (error instanceof ServiceError && mayBeTaken(error)) isOpen = true;
		throw error;
	};
	const [outcome] = await Promise.allSettled([products.session.retry(attempt)]);
	if (outcome.status === 'fulfilled') return outcome.value;
	const error: unknown = outcome.reason;
	if (!(error instanceof ServiceError)) throw error;
	throw isOpen ? unknown(error) : explained(error);
}

async function send(products: Products, id: string, highlights: Highlight[]): Promise<Activation> {
	const { answer, origin } = await products.update(id, highlights);
	// With 202 the change is taken, however its activation is shown, or not at all.
	const isShape = answer.statusCode === 202 ? isNoPage : isObjectOrList;
	const failure = failureIn(origin, answer, isShape);
	if (failure) throw failure;
	return activationIn(answer.body, id) ?? (await accepted(products, id));
}

function isObjectOrList(body: unknown): boolean {
	return isObject(body) || Array.isArray(body);
}

/** The activation, alone or in a list; with another ID it is not the one that was changed. */
function activationIn(body: unknown, id: string): Activation | undefined {
	const shown = (Array.isArray(body) ? body : [body]).filter(isActivation);
	const named = shown.find((activation) => idOf(activation) === id);
	const [first, ...others] = shown;
	return named ?? (others.length === 0 && first && idOf(first) === undefined ? first : undefined);
}

/** The change is taken, whether or not its activation can be read just now. */
async function accepted(products: Products, id: string): Promise<Activation> {
	const [outcome] = await Promise.allSettled([products.activation(id)]);
	if (outcome.status === 'fulfilled') return outcome.value;
	if (outcome.reason instanceof ServiceError) return { id };
	throw outcome.reason;
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

function unknown(error: ServiceError): ServiceError {
	return error.with(`It is not known whether the highlights were changed: ${error.message}`, {
		remedy: LOOK_LATER,
	});
}

function explained(error: ServiceError): ServiceError {
	const { code, status } = error.details;
	if (status === 404) return unknownActivation(error);
	const entry = registerEntry(code) ?? (status === 409 ? NOT_NOW : undefined);
	if (!entry || error.isTransient) return error;
	const remedy = entry.changeRemedy ?? entry.remedy;
	return error.with(`The highlights were not changed: ${entry.problem}`, { remedy });
}
