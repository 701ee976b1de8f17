import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { latestServiceTime, serviceTime } from '../basics/times';
import { isObject, objectOf, objectsIn, textOf } from '../basics/values';
import { ServiceError } from '../failure';
import type { HttpAnswer } from '../http/answer';
import type { Session } from '../session';
import { isSpecific } from './codes';

/**
 * An activation as the service sends it, that is an order of a product for one listing and its state. The service may
 * leave out any field.
 */
export type Activation = IDataObject;

/** The method of `Session` that returns the time to compare with the times that the service sends. */
export type ServiceTime = Pick<Session, 'timeAt'>;

export function isActivation(body: unknown): body is Activation {
	return isObject(body) && (activationId(body) !== undefined || typeof body.listingId === 'number');
}

/** @throws ServiceError of kind `foreign` if the body is not an activation */
export function readActivation(body: unknown): Activation {
	if (isActivation(body)) return body;
	throw new ServiceError('foreign', 'The service answered without an activation');
}

/**
 * Finds the activation in a body: the body itself, or the only activation of a list. Returns undefined if there are
 * several.
 */
export function onlyActivationIn({ body }: Pick<HttpAnswer, 'body'>): Activation | undefined {
	const [first, ...others] = [body].flat().filter(isActivation);
	return others.length === 0 ? first : undefined;
}

/** Returns the ID of an activation. */
export function activationId({ id }: Activation): string | undefined {
	return typeof id === 'string' && id !== '' ? id : undefined;
}

/**
 * Makes a text that distinguishes an activation from the others of its listing: its ID or, if the service sends none,
 * its creation time.
 */
export function activationKey(activation: Activation): string {
	return activationId(activation) ?? textOf(activation.createdAt);
}

/** Returns the portal's ID of the listing. The service sends 0 if the portal has not given the listing an ID yet. */
export function listingOf({ listingId }: Activation): number | undefined {
	return typeof listingId === 'number' && listingId !== 0 ? listingId : undefined;
}

/** Returns the result of an activation as the service spells it. The service may add new results. */
export function resultOf({ status }: Activation): string {
	return isObject(status) && typeof status.result === 'string' ? status.result : '';
}

/** True if an activation has failed or was deactivated. */
export function isFailed(activation: Activation): boolean {
	return ['ERROR', 'DEACTIVATED'].includes(resultOf(activation));
}

/** True if the service is still processing an activation. An activation without a result counts as unfinished. */
export function isPending(activation: Activation): boolean {
	return ['', 'PENDING'].includes(resultOf(activation));
}

/** True if an activation is active and has not expired. */
export function isActive(activation: Activation, time: ServiceTime): boolean {
	return resultOf(activation) === 'ACTIVATED' && !isOver(activation, time);
}

/** True if an activation prevents another order, because it has neither failed nor expired. */
export function isCurrent(activation: Activation, time: ServiceTime): boolean {
	if (isFailed(activation)) return false;
	return resultOf(activation) === 'PENDING' || !isOver(activation, time);
}

function isOver({ expiryAt }: Activation, time: ServiceTime): boolean {
	const end = latestServiceTime(expiryAt);
	return end !== undefined && end <= time.timeAt(Date.now());
}

/**
 * Returns the latest moment that the creation time of an activation may mean, because the service sends whole seconds
 * or minutes.
 *
 * @returns epoch milliseconds; NaN if the service sends no creation time
 */
export function latestCreation({ createdAt }: Activation): number {
	return latestServiceTime(createdAt) ?? Number.NaN;
}

/** A span of time, in epoch milliseconds. Both ends belong to it. If an end is missing, the span has no limit there. */
export interface Period {
	from?: number;
	to?: number;
}

/**
 * True if an activation may have been created in a period. An activation without a creation time belongs to every
 * period.
 */
export function isMadeIn(
	{ createdAt }: Activation,
	{ from = -Infinity, to = Infinity }: Period,
): boolean {
	const [first = -Infinity, last = Infinity] = [
		serviceTime(createdAt),
		latestServiceTime(createdAt),
	];
	return last >= from && first <= to;
}

/** Finds the errors in a body or in an activation's status: a list, or an object that contains one. */
export function errorsIn(holder: unknown): IDataObject[] {
	const { errors } = objectOf(holder);
	return isObject(errors) ? errorsIn(errors) : objectsIn(errors);
}

/** Returns the service's codes of these errors, as text. */
export function codesOf(errors: IDataObject[]): string[] {
	return errors.flatMap(({ code }) =>
		typeof code === 'string' || typeof code === 'number' ? [String(code)] : [],
	);
}

/** Sorts errors: those whose code names a specific cause come first. */
export function mostSpecificFirst(errors: IDataObject[]): IDataObject[] {
	return sortBy(errors, (error) => !codesOf([error]).some(isSpecific));
}
