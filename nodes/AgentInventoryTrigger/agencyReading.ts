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

/** About the most requests that a poll sends for an agency. The next polls send the others. */
export const MOST_REQUESTS = 40;

const RECORDS_AT_ONCE = 50;

/** What a poll of one agency goes by. */
export interface ReadingTerms extends ComparisonTerms {
	/** The filters that the person has set. */
	query: IDataObject;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
	lookBackMs: number;
	/** When the poll began, by the host's clock (epoch ms). */
	startedAt: number;
	/** The state that a property gets by its change in the queue. The trigger finds no further change of the property until that change has ended. */
	openOf: (id: string) => KnownProperty | undefined;
	/** True if the last poll could not read all records: this poll asks for each record by itself, so that a bad record holds up no others. */
	isOneByOne: boolean;
	/** Whether anything may be asked for now. */
	mayAsk: () => boolean;
	deliver: (change: PropertyChange) => void;
}

/** Reads one agency in one poll. Its `progress` may be stored at any time. */
export class AgencyReading {
	readonly progress: AgencyProgress;

	/** True if this is the first poll of the agency. */
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
		// A watermark in the future comes from a wrong clock.
		return { list: 'current', from: isoSeconds(Math.min(watermark, clock.now()) - lookBackMs) };
	}

	private async readPage(pass: Pass): Promise<void> {
		const askedAt = Date.now();
		const query = { ...this.terms.query, ...listQuery(pass) };
		const page = await orFailure(this.agency.pageOf('filter', query, pass.next));
		this.requests++;
		if (page instanceof ServiceError) {
			// The service may no longer know the page, so the list begins again.
			delete pass.next;
			return this.fail(page);
		}
		if (this.isNew && !this.isAnswered) this.noteStart();
		this.isAnswered = true;
		pass.begunAt ??= isoSeconds(this.terms.clock.earliestNow(askedAt));
		await this.readRecords(pass, page.rows, page.next);
	}

	/** Sets the start of a new agency. An answer shows the service's clock; without one, the host's clock has to do. */
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
		// A list of several pages moves while it is read, so that a row may be missed.
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

	/** The properties whose rows differ from what is known: by ID, the time at which they were modified. */
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
	 * Notes a record that could not be read. If the agency does not have the property, it counts as read: if its record
	 * appears late, Look Back finds it.
	 */
	private miss(pass: Pass, failure: ServiceError): void {
		if (failure.kind === 'missing' || failure.kind === 'rejected') return;
		if (!this.terms.isOneByOne || !isOfOne(failure)) return this.fail(failure);
		pass.isUnread = true;
		this.failure ??= failure;
	}

	private fail(failure: ServiceError): void {
		this.isOver = true;
		// If the address has worked before, a web page in place of data comes from a proxy and will pass.
		this.failure = failure.kind === 'foreign' && !this.isNew ? failure.asPassing : failure;
	}

	/** Goes on to the next page or list after a page was read. */
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

/** True if one of several records may have caused their failure. */
export function isOfOne({ kind, details }: ServiceError): boolean {
	return (kind === 'unavailable' || kind === 'foreign') && details.requestKind !== 'token';
}

/** The query of a page of a list, beside the filters. */
function listQuery({ list, from }: Pass): IDataObject {
	const by = list === 'created' ? 'created' : 'modified';
	return {
		archived: String(list === 'archived'),
		...(from !== undefined && { [`${by}-from`]: from }),
	};
}
