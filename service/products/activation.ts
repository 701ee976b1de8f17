import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { latestServiceTime, serviceTime } from '../basics/times';
import { isObject, textOf } from '../basics/values';
import { ServiceError } from '../failure';
import type { HttpAnswer } from '../http/answer';
import type { Session } from '../session';
import { isSpecific } from './codes';

/** What the service tells of an activation, as it came: nothing of it is sure to be there. */
export type Activation = IDataObject;

/** What is known of the service’s time from its answers. */
export type ServiceTime = Pick<Session, 'timeAt'>;

export function isActivation(body: unknown): body is Activation {
	return isObject(body) && (activationId(body) !== undefined || typeof body.listingId === 'number');
}

/** @throws ServiceError of kind `foreign` */
export function readActivation(body: unknown): Activation {
	if (isActivation(body)) return body;
	throw new ServiceError('foreign', 'The service answered without an activation');
}

/** The activation in a body, alone or as the only one of a list. */
export function onlyActivationIn({ body }: Pick<HttpAnswer, 'body'>): Activation | undefined {
	const [first, ...others] = [body].flat().filter(isActivation);
	return others.length === 0 ? first : undefined;
}

/** Its ID, by which it can be asked for. */
export function activationId({ id }: Activation): string | undefined {
	return typeof id === 'string' && id !== '' ? id : undefined;
}

/** What tells it from the others of its listing: its ID or, if the service shows none, when it was made. */
export function activationKey(activation: Activation): string {
	return activationId(activation) ?? textOf(activation.createdAt);
}

/** The service's ID of its listing; a 0 stands for one that the portal has not given yet. */
export function listingOf({ listingId }: Activation): number | undefined {
	return typeof listingId === 'number' && listingId !== 0 ? listingId : undefined;
}

/** What became of it, in the service's word; new words may come. */
export function resultOf({ status }: Activation): string {
	return isObject(status) && typeof status.result === 'string' ? status.result : '';
}

/** Whether it came to nothing, or is over. */
export function isFailed(activation: Activation): boolean {
	return ['ERROR', 'DEACTIVATED'].includes(resultOf(activation));
}

/** Whether the service still has to carry it out; it does if it says nothing of a result. */
export function isPending(activation: Activation): boolean {
	return ['', 'PENDING'].includes(resultOf(activation));
}

/** Whether it is active and its term is not over. */
export function isActive(activation: Activation, time: ServiceTime): boolean {
	return resultOf(activation) === 'ACTIVATED' && !isOver(activation, time);
}

/** Whether it stands in the way of another one: unless it failed, or its term is over. */
export function isCurrent(activation: Activation, time: ServiceTime): boolean {
	if (isFailed(activation)) return false;
	return resultOf(activation) === 'PENDING' || !isOver(activation, time);
}

function isOver({ expiryAt }: Activation, time: ServiceTime): boolean {
	const end = readMoment(expiryAt);
	return end !== undefined && end.to <= time.timeAt(Date.now());
}

/**
 * Its creation time, rounded up: times come in whole seconds or minutes.
 *
 * @returns epoch milliseconds; NaN if the service does not say
 */
export function latestCreation({ createdAt }: Activation): number {
	return readMoment(createdAt)?.to ?? Number.NaN;
}

/** A span of time, both ends included, in epoch milliseconds; without an end it is open there. */
export interface Period {
	from?: number;
	to?: number;
}

/** Whether it can have been made in a period. One that does not tell when belongs to every period. */
export function isMadeIn(
	{ createdAt }: Activation,
	{ from = -Infinity, to = Infinity }: Period,
): boolean {
	const created = readMoment(createdAt);
	return created === undefined || (created.to >= from && created.from <= to);
}

/** Undefined even for a time, if it is of another age: 0001-01-01 and 1970-01-01 stand for what is not set. */
function readMoment(value: unknown): Required<Period> | undefined {
	const from = serviceTime(value) ?? 0;
	const to = latestServiceTime(value) ?? 0;
	return from > EARLIEST_MS ? { from, to } : undefined;
}

const EARLIEST_MS = Date.UTC(1971, 0);

/** The errors of a body or of an activation's status: an array, or an object that holds one. */
export function errorsIn(holder: unknown): IDataObject[] {
	const errors: unknown = isObject(holder) ? holder.errors : undefined;
	if (isObject(errors)) return errorsIn(errors);
	return Array.isArray(errors) ? errors.filter(isObject) : [];
}

/** The service's codes, as text. */
export function codesOf(errors: IDataObject[]): string[] {
	return errors.flatMap(({ code }) =>
		typeof code === 'string' || typeof code === 'number' ? [String(code)] : [],
	);
}

/** The errors that name a cause come first. */
export function mostSpecificFirst(errors: IDataObject[]): IDataObject[] {
	return sortBy(errors, (error) => !codesOf([error]).some(isSpecific));
}
