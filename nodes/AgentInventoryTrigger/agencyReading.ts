import chunk from 'lodash/chunk';
import type { IDataObject } from 'n8n-workflow';

import { isoSeconds, serviceTime } from '../../service/basics/times';
import { orFailure, ServiceError } from '../../service/failure';
import type { Agency } from '../../service/inventory/agency';
import { fetchProperties } from '../../service/inventory/properties';
import { isPropertyId, listedIdOf } from '../../service/inventory/records';
import type { ComparisonTerms, PropertyChange } from './compare';
import { compare } from './compare';
import type { KnownProperty } from './known';
import type { AgencyProgress, Pass } from './progress';
import { beginProgress, LISTS, resetScope, scopeOf } from './progress';

/** About the largest number of requests that a poll sends for one agency. If more are needed, later polls send them. */
export const MOST_REQUESTS = 40;

const RECORDS_AT_ONCE = 50;

/** The settings and callbacks with which one poll reads one agency. */
export interface ReadingTerms extends ComparisonTerms {
	/** The filters that the person has set. */
	query: IDataObject;
	/** True in the poll with which n8n tries the trigger while it activates the workflow. */
	isActivation: boolean;
	lookBackMs: number;
	/** When the poll started, by this machine's clock (epoch ms). */
	startedAt: number;
	/**
	 * If a change of a property waits for its run or has a run under way, returns the property's state after that
	 * change; otherwise undefined. Until the run has ended, the trigger looks for no further change of the property.
	 */
	openOf: (id: string) => KnownProperty | undefined;
	/**
	 * True if the last poll of the agency failed, perhaps because of one faulty record. This poll then requests each
	 * record separately, so that a faulty record does not delay the others.
	 */
	isOneByOne: boolean;
	/** Returns true if another request may be sent: the poll has time left, and the queue has room for more changes. */
	mayAsk: () => boolean;
	deliver: (change: PropertyChange) => void;
}

/**
 * Reads the properties of one agency in one poll. Its field `progress` is correct to store at any moment, even while
 * properties are being read.
 */
export class AgencyReading {
	readonly progress: AgencyProgress;

	/** True if no earlier poll has asked for the agency. */
	readonly isNew: boolean;

	isAnswered = false;

	failure?: ServiceError;

	private requests = 0;

	private isOver = false;

	/** @param known the agency's progress from earlier polls, which this poll changes in place */
	constructor(
		private readonly terms: ReadingTerms,
		private readonly agency: Agency,
		known?: AgencyProgress,
	) {
		this.isNew = !known;
		this.progress = known ?? beginProgress(terms);
		const scope = scopeOf(terms.query);
		if (this.progress.scope !== scope) resetScope(this.progress, scope);
	}

	get isBaseline(): boolean {
		return this.progress.watermark === undefined;
	}

	async read(): Promise<void> {
		while (!this.isOver && this.requests < MOST_REQUESTS && this.terms.mayAsk()) {
			await this.readPage((this.progress.pass ??= this.begunPass()));
		}
	}

	private begunPass(): Pass {
		const { clock, lookBackMs } = this.terms;
		const { watermark } = this.progress;
		if (watermark === undefined) return { list: 'current' };
		// A watermark (the time up to which properties were read) that lies in the future comes from a wrong clock. In
		// its place, the current time is used.
		return { list: 'current', from: isoSeconds(Math.min(watermark, clock.now()) - lookBackMs) };
	}

	private async readPage(pass: Pass): Promise<void> {
		const askedAt = Date.now();
		const query = { ...this.terms.query, ...listQuery(pass) };
		const page = await orFailure(this.agency.pageOf('filter', query, pass.next));
		this.requests++;
		if (page instanceof ServiceError) {
			// If the request for a page has failed, the service may no longer know the page's token, so the next
			// attempt starts with the first page of the list.
			delete pass.next;
			return this.fail(page);
		}
		if (this.isNew && !this.isAnswered) this.noteStart();
		this.isAnswered = true;
		pass.begunAt ??= isoSeconds(this.terms.clock.earliestNow(askedAt));
		await this.readRecords(pass, page.rows, page.next);
	}

	/**
	 * Sets the time from which the properties of an agency count as new, if the agency was never polled before. This is
	 * done after an answer, because the answer shows the time of the service's clock.
	 */
	private noteStart(): void {
		const { begunAt, start } = beginProgress(this.terms);
		Object.assign(this.progress, { begunAt, start });
	}

	private async readRecords(pass: Pass, rows: IDataObject[], next?: string): Promise<void> {
		const { terms, progress, isBaseline } = this;
		const wanted = this.wanted(pass, rows);
		const batches = chunk([...wanted.keys()], terms.isOneByOne ? 1 : RECORDS_AT_ONCE);
		const asked = batches.slice(0, Math.max(1, MOST_REQUESTS - this.requests));
		this.requests += asked.length;
		const fetching = asked.map(async (ids) => {
			const fetched = await orFailure(fetchProperties(this.agency, ids));
			return fetched instanceof ServiceError
				? ids.map((id) => [id, fetched] as const)
				: [...fetched];
		});
		const records = await Promise.all(fetching);
		// A list of several pages may change while it is read, so that the trigger misses a row. If the list contains a
		// record that is new or changed, the next pass (reading of all lists) reads the same period again.
		const isOfSeveral = next !== undefined || pass.next !== undefined;
		for (const [id, record] of records.flat()) {
			if (record instanceof ServiceError) this.miss(pass, record);
			else {
				const isKnown = progress.known.has(id);
				const { isNew, change } = compare(progress, terms, id, wanted.get(id), record);
				if (isOfSeveral && (isBaseline ? !isKnown : isNew)) pass.isUnread = true;
				if (change) terms.deliver(change);
			}
		}
		if (!this.isOver && asked.length === batches.length) this.advance(pass, next);
	}

	/**
	 * Chooses the properties whose records are to be read: those whose row in the list is newer than the state that the
	 * trigger knows. Returns the time of modification that the row contains, by property ID.
	 */
	private wanted(pass: Pass, rows: IDataObject[]): Map<string, number | undefined> {
		const wanted = new Map<string, number | undefined>();
		for (const row of rows) {
			const id = listedIdOf(row);
			if (!isPropertyId(id)) continue;
			const modified = serviceTime(row.modifiedAt);
			const open = this.terms.openOf(id);
			const state = open ?? this.progress.known.get(id);
			if (state && (modified ?? -Infinity) <= (state.modified ?? -Infinity)) continue;
			if (!open) wanted.set(id, modified);
			else pass.isUnread = true;
		}
		return wanted;
	}

	/**
	 * Notes that a record could not be read. If the service has no such property or refuses the request for it, the
	 * property counts as read: if its record appears late, the option Look Back makes a later poll find it.
	 */
	private miss(pass: Pass, failure: ServiceError): void {
		if (failure.kind === 'missing' || failure.kind === 'rejected') return;
		if (!this.terms.isOneByOne || !isOfOne(failure)) return this.fail(failure);
		pass.isUnread = true;
		this.failure ??= failure;
	}

	private fail(failure: ServiceError): void {
		this.isOver = true;
		// If the agency has been read before, a web page in place of data comes from a proxy, so the failure counts as
		// temporary.
		this.failure = failure.kind === 'foreign' && !this.isNew ? failure.asPassing : failure;
	}

	/**
	 * After a page was read, moves on to the next page, to the next list, or to the end of the pass (the reading of all
	 * lists).
	 */
	private advance(pass: Pass, next?: string): void {
		const { progress, isBaseline } = this;
		const following = LISTS[LISTS.indexOf(pass.list) + 1];
		delete pass.next;
		if (next !== undefined) pass.next = next;
		else if (following && !(isBaseline && following === 'created')) pass.list = following;
		else {
			this.isOver = true;
			delete progress.pass;
			if (pass.isUnread) return;
			const { start, watermark = start } = progress;
			const until = isBaseline ? start : serviceTime(pass.begunAt);
			progress.watermark = Math.max(watermark, until ?? -Infinity);
		}
	}
}

/** True if the failure of a request for several records may have been caused by one of them. */
export function isOfOne({ kind, details }: ServiceError): boolean {
	return (kind === 'unavailable' || kind === 'foreign') && details.requestKind !== 'token';
}

/** Makes the query parameters that are sent for a list in addition to the filters that a person has set. */
function listQuery({ list, from }: Pass): IDataObject {
	const by = list === 'created' ? 'created' : 'modified';
	return {
		archived: String(list === 'archived'),
		...(from !== undefined && { [`${by}-from`]: from }),
	};
}
