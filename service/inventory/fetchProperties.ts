import chunk from 'lodash/chunk';
import groupBy from 'lodash/groupBy';
import type { IDataObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { orFailure, ServiceError } from '../failure';
import type { Agency } from './agency';
import { propertyIdOf } from './propertyId';
import { readRows } from './records';

/** By ID: the property, or what became of it; nothing for an ID that the agency does not have. */
export type FetchedProperties = Map<string, IDataObject | ServiceError>;

/** Below the service's own bound, and an address that every proxy takes. */
export const IDS_AT_ONCE = 50;

/**
 * Whole properties in as few requests as it takes, a few of them at once. One ID that the service does not accept is
 * found by halving, so that the others are not lost with it. If an answer leaves out a property
 * although there may be one, it is asked for again.
 */
export async function fetchProperties(agency: Agency, ids: string[]): Promise<FetchedProperties> {
	const outcomes: FetchedProperties = new Map();
	await mapConcurrently(chunk(ids, IDS_AT_ONCE), MOST_REQUESTS_AT_ONCE, async (batch, failed) => {
		await new Fetching(agency.endingWith(failed), outcomes).ask(batch);
	});
	return outcomes;
}

/** Asks for the properties of one batch, one request after the other: the answer says what is left to ask. */
class Fetching {
	constructor(
		private readonly agency: Agency,
		private readonly outcomes: FetchedProperties,
	) {}

	async ask(ids: string[]): Promise<void> {
		const answer = await orFailure(this.agency.batch(ids));
		if (!(answer instanceof ServiceError)) return await this.keep(answer, ids);
		const isOfOneId = answer.kind === 'rejected' && answer.details.notFound !== 'page';
		if (isOfOneId && ids.length === 1 && answer.details.notFound) return await this.askAlone(ids);
		if (!isOfOneId || ids.length === 1) {
			for (const id of ids) this.outcomes.set(id, answer);
			return;
		}
		const middle = Math.ceil(ids.length / 2);
		await this.ask(ids.slice(0, middle));
		await this.ask(ids.slice(middle));
	}

	/** Keeps what a batch brought, and asks again for the rest unless there is surely no more. */
	private async keep(answer: IDataObject, ids: string[]): Promise<void> {
		const properties = readRows(answer, 'properties');
		const found = byAskedId(ids, properties);
		for (const [id, property] of found) this.outcomes.set(id, property);
		// A service that does not count, or sends something that nobody asked for, leaves it open.
		const isAll = answer.totalCount === found.size && properties.length === found.size;
		const open = ids.filter((id) => !found.has(id) && (!isAll || isSpelledTwice(ids, id)));
		if (!isAll && found.size > 0 && open.length > 1) return await this.ask(open);
		await this.askAlone(open);
	}

	/** What a batch leaves open, or answers with 404: the request for one property always says whether it is there. */
	private async askAlone(ids: string[]): Promise<void> {
		let last: IDataObject | ServiceError = {};
		for (const id of ids) {
			if (!isDown(last)) last = await orFailure(this.agency.property(id));
			this.outcomes.set(id, last);
		}
	}
}

/**
 * The properties of a batch by the IDs that were asked for. Upper and lower case may differ as long
 * as it is clear which one is meant.
 */
function byAskedId(ids: string[], properties: IDataObject[]): Map<string, IDataObject> {
	const exact = groupBy(properties, propertyIdOf);
	const loose = groupBy(properties, (property) => propertyIdOf(property).toLowerCase());
	const found = new Map<string, IDataObject>();
	for (const id of ids) {
		const alike = isSpelledTwice(ids, id) ? undefined : loose[id.toLowerCase()];
		const property = exact[id]?.[0] ?? (alike?.length === 1 ? alike[0] : undefined);
		if (property) found.set(id, property);
	}
	return found;
}

/** Whether another ID differs from this one in upper and lower case alone: a service may take both for one. */
function isSpelledTwice(ids: string[], id: string): boolean {
	return ids.some((other) => other !== id && other.toLowerCase() === id.toLowerCase());
}

/** Whether the service failed in every try: then it is not asked for more. */
function isDown(outcome: IDataObject | ServiceError): boolean {
	return outcome instanceof ServiceError && outcome.isTransient && outcome.isFinal;
}
