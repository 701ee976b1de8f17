import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { latestServiceTime, serviceTime } from '../basics/times';
import { isObject, textOf } from '../basics/values';
import { ServiceError } from '../failure';
import type { HttpAnswer } from '../http/answer';
import type { Session } from '../session';
import { isSpecific } from './codes';

/** An activation as the service sends it. No field of it is certain to be there. */
export type Activation = IDataObject;

/** The part of a session that knows the service’s time. */
export type ServiceTime = Pick<Session, 'timeAt'>;

export function isActivation(body: unknown): body is Activation {
	return isObject(body) && (activationId(body) !== undefined || typeof body.listingId === 'number');
}

/** @throws ServiceError of kind `foreign` */
export function readActivation(body: unknown): Activation {
	if (isActivation(body)) return body;
	throw new ServiceError('foreign', 'The service answered without an activation');
}

/** The activation in a body: the body itself, or the only entry of its list. */
export function onlyActivationIn({ body }: Pick<HttpAnswer, 'body'>): Activation | undefined {
	const [first, ...others] = [body].flat().filter(isActivation);
	return others.length === 0 ? first : undefined;
}

/** The ID of an activation. */
export function activationId({ id }: Activation): string | undefined {
	return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Identifies an activation among those of its listing: by its ID or, if the service sends none, by its creation time. */
export function activationKey(activation: Activation): string {
	return activationId(activation) ?? textOf(activation.createdAt);
}

/** The portal's ID of the activation's listing. A 0 means that the portal has not given the listing an ID yet. */
export function listingOf({ listingId }: Activation): number | undefined {
	return typeof listingId === 'number' && listingId !== 0 ? listingId : undefined;
}

/** The result of an activation, in the service's own word. The service may add new words. */
export function resultOf({ status }: Activation): string {
	return isObject(status) && typeof status.result === 'string' ? status.result : '';
}

/** True if an activation has failed or was deactivated. */
export function isFailed(activation: Activation): boolean {
	return ['ERROR', 'DEACTIVATED'].includes(resultOf(activation));
}

/** True if the service has not finished an activation. One without a result counts as unfinished. */
export function isPending(activation: Activation): boolean {
	return ['', 'PENDING'].includes(resultOf(activation));
}

/** True if an activation is active and has not expired. */
export function isActive(activation: Activation, time: ServiceTime): boolean {
	return resultOf(activation) === 'ACTIVATED' && !isOver(activation, time);
}

/** True if an activation prevents another order: it has neither failed nor expired. */
export function isCurrent(activation: Activation, time: ServiceTime): boolean {
	if (isFailed(activation)) return false;
	return resultOf(activation) === 'PENDING' || !isOver(activation, time);
}

function isOver({ expiryAt }: Activation, time: ServiceTime): boolean {
	const end = readMoment(expiryAt);
	return end !== undefined && end.to <= time.timeAt(Date.now());
}

/**
 * The creation time of an activation, rounded up, because the service sends whole seconds or minutes.
 *
 * @returns epoch milliseconds; NaN if the service does not say
 */
export function latestCreation({ createdAt }: Activation): number {
	return readMoment(createdAt)?.to ?? Number.NaN;
}

/** A span of time that includes both ends, in epoch milliseconds. A missing end means that the span is open there. */
export interface Period {
	from?: number;
	to?: number;
}

/** True if an activation may have been created in a period. One without a creation time belongs to every period. */
export function isMadeIn(
	{ createdAt }: Activation,
	{ from = -Infinity, to = Infinity }: Period,
): boolean {
	const created = readMoment(createdAt);
	return created === undefined || (created.to >= from && created.from <= to);
}

/** Reads a time. It returns undefined for 0001-01-01 and 1970-01-01, with which the service means “not set”. */
function readMoment(value: unknown): Required<Period> | undefined {
	const from = serviceTime(value) ?? 0;
	const to = latestServiceTime(value) ?? 0;
	return from > EARLIEST_MS ? { from, to } : undefined;
}

const EARLIEST_MS = Date.UTC(1971, 0);

/** The errors in a body or in an activation's status: a list, or an object that holds one. */
export function errorsIn(holder: unknown): IDataObject[] {
	const errors: unknown = isObject(holder) ? holder.errors : undefined;
	if (isObject(errors)) return errorsIn(errors);
	return Array.isArray(errors) ? errors.filter(isObject) : [];
}

/** The service's codes in these errors, as text. */
export function codesOf(errors: IDataObject[]): string[] {
	return errors.flatMap(({ code }) =>
		typeof code === 'string' || typeof code === 'number' ? [String(code)] : [],
	);
}

/** Sorts errors so that those whose code names a cause come first. */
export function mostSpecificFirst(errors: IDataObject[]): IDataObject[] {
	return sortBy(errors, (error) => !codesOf([error]).some(isSpecific));
}
