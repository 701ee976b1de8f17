import isEqual from 'lodash/isEqual';

import { isObject, readAnswer } from './answer';
import { ServiceError } from './errors';
import type { Activation, Highlight, Products } from './products';
import { isActivation } from './products';
import { registerEntry } from './register';
import { mayBeTaken } from './request';

/**
 * Gives an active premium listing other highlights. The service takes one change at a time and
 * refuses the next one until it is done, so where no proper answer came it is asked first.
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
		const [outcome] = await Promise.allSettled([send(products, id, highlights)]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const error: unknown = outcome.reason;
		if (!(error instanceof ServiceError)) throw error;
		const isRefusedAfterAll = isOpen && error.details.status === 409;
		if (!mayBeTaken(error) && !isRefusedAfterAll) throw error;
		isOpen = true;
		const activation = await products.activation(id);
		if (isTaken(activation, highlights)) return activation;
		throw error;
	};
	const [outcome] = await Promise.allSettled([products.session.retry(attempt)]);
	if (outcome.status === 'fulfilled') return outcome.value;
	const error: unknown = outcome.reason;
	throw error instanceof ServiceError ? explained(error) : error;
}

async function send(products: Products, id: string, highlights: Highlight[]): Promise<Activation> {
	const { answer, origin } = await products.update(id, highlights);
	const body = readAnswer(origin, answer);
	return isActivation(body) ? body : await products.activation(id);
}

function isTaken(activation: Activation, highlights: Highlight[]): boolean {
	const { status } = activation;
	const isWaiting = isObject(status) && status.currently === 'WAITING_FOR_UPDATE';
	return isWaiting || isEqual(activation.highlights, highlights);
}

function explained(error: ServiceError): ServiceError {
	const { code, status } = error.details;
	const entry = registerEntry(code) ?? (status === 409 ? NOT_NOW : undefined);
	if (status === 404) {
		return new ServiceError('missing', 'The service found no such activation (404)', error.details);
	}
	if (!entry || error.isTransient) return error;
	return error.with(`The highlights were not changed: ${entry.problem}`, { remedy: entry.remedy });
}

const NOT_NOW = {
	problem: 'the premium listing is not active, or an earlier change is still under way',
	remedy: 'Check with Get what its status is, and run the workflow again when it is active.',
};
