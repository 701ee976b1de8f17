import uniq from 'lodash/uniq';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import { mapConcurrently, MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';
import { orFailure, ServiceError } from '../failure';
import type { Agency } from './agency';
import type { FetchedProperties } from './fetchProperties';
import { fetchProperties } from './fetchProperties';
import type { Match, Wanted } from './match/matchProperty';
import { matchProperty } from './match/matchProperty';
import { isSameAddress, postcodeOf } from './match/sameAddress';
import { isPropertyId, listedIdOf } from './propertyId';

/** How many of the properties that a search finds are looked at: one page. */
const MOST_HITS = 250;

/**
 * The properties that leads are about, in as few requests as it takes: what several of them need is asked for once,
 * and whole records come together. No request filters by UPRN, and only a whole record has one.
 *
 * @returns what became of each of these leads
 */
export async function findForLeads(
	agency: Agency,
	leads: Wanted[],
): Promise<(lead: Wanted) => Match | ServiceError> {
	const finding = new Finding(agency);
	await finding.search(leads);
	await finding.read(leads.flatMap((lead) => finding.likelyIds(lead)));
	await finding.read(leads.flatMap((lead) => finding.otherIds(lead)));
	return (lead) => finding.matchOf(lead);
}

/** What the service has told so far. */
class Finding {
	/** By the words of the search: what it found, or why it could not be had. */
	private readonly hits = new Map<string, IDataObject[] | ServiceError>();
	private readonly records: FetchedProperties = new Map();
	/** Set once the service failed in every try: it is not asked for more then. */
	private down?: ServiceError;

	constructor(private readonly agency: Agency) {}

	/** Searches once for leads that ask the same, and again in another spelling if nothing is found. */
	async search(leads: Wanted[]): Promise<void> {
		const searches = uniqBy(
			leads.map(({ address }) => address.queries),
			([usual]) => usual,
		);
		await mapConcurrently(searches, MOST_REQUESTS_AT_ONCE, async ([usual, other]) => {
			if (usual === undefined) return;
			let hits = await this.ask(usual);
			const isWorthMore = Array.isArray(hits) && hits.length === 0 && other !== undefined;
			if (isWorthMore) hits = await this.ask(other);
			this.hits.set(usual, hits);
		});
	}

	private async ask(query: string): Promise<IDataObject[] | ServiceError> {
		if (this.down) return this.down;
		const hits = await orFailure(this.agency.list('text', { query }, MOST_HITS));
		if (hits instanceof ServiceError && hits.isTransient && hits.isFinal) this.down = hits;
		return hits;
	}

	/** Gets the whole records that are not there yet. */
	async read(ids: string[]): Promise<void> {
		const missing = uniq(ids).filter((id) => !this.records.has(id));
		for (const [id, record] of await fetchProperties(this.agency, missing)) {
			this.records.set(id, record);
		}
	}

	/** What is at the address of the lead, and what its reference may mean. */
	likelyIds(lead: Wanted): string[] {
		const rows = this.rowsFor(lead).filter((row) => isSameAddress(lead.address, row));
		return uniq([...idsOf(rows), ...(lead.reference === '' ? [] : [lead.reference])]);
	}

	/** The rest of what was found, if one of them may have the UPRN of the lead. */
	otherIds(lead: Wanted): string[] {
		const likely = this.matchAmong(lead, this.likelyIds(lead));
		return isSettled(lead, likely) ? [] : idsOf(this.rowsFor(lead));
	}

	/** What is found does not depend on what other leads have asked for. */
	matchOf(lead: Wanted): Match | ServiceError {
		const hits = this.hitsFor(lead);
		if (hits instanceof ServiceError) return hits;
		const likely = this.likelyIds(lead);
		const match = this.matchAmong(lead, likely);
		return isSettled(lead, match)
			? match
			: this.matchAmong(lead, uniq([...likely, ...idsOf(this.rowsFor(lead))]));
	}

	/** A property that is gone meanwhile is none, and neither is a reference that the service does not take for an ID. */
	private matchAmong(lead: Wanted, ids: string[]): Match | ServiceError {
		const found: IDataObject[] = [];
		for (const id of ids) {
			const record = this.records.get(id);
			const isNone = record instanceof ServiceError && this.isNone(lead, id, record);
			if (record === undefined || isNone) continue;
			if (record instanceof ServiceError) return record;
			found.push(record);
		}
		return matchProperty(lead, found);
	}

	private isNone(lead: Wanted, id: string, { kind }: ServiceError): boolean {
		const isListed = idsOf(this.rowsFor(lead)).includes(id);
		return kind === 'missing' || (kind === 'rejected' && !isListed);
	}

	/** What may be the property of the lead: a row of another postcode is not. */
	private rowsFor(lead: Wanted): IDataObject[] {
		const hits = this.hitsFor(lead);
		if (hits instanceof ServiceError) return [];
		const { postcode } = lead.address;
		return hits.filter((row) => postcode === '' || ['', postcode].includes(postcodeOf(row)));
	}

	private hitsFor({ address: { queries } }: Wanted): IDataObject[] | ServiceError {
		return this.hits.get(queries[0] ?? '') ?? [];
	}
}

/** Whether the rest of the records at the address cannot change the match. */
function isSettled({ uprn }: Wanted, match: Match | ServiceError): boolean {
	return uprn === '' || match instanceof ServiceError || match.matchedBy === 'uprn';
}

function idsOf(rows: IDataObject[]): string[] {
	return uniq(rows.map(listedIdOf).filter(isPropertyId));
}
