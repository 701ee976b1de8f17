import chunk from 'lodash/chunk';
import type { IDataObject } from 'n8n-workflow';

import { isoSeconds, serviceTime } from '../../service/basics/times';
import { ServiceError } from '../../service/failure';
import type { FetchedProperties } from '../../service/inventory/properties';
import { isPropertyId, listedIdOf } from '../../service/inventory/records';
import type { ComparisonTerms, PropertyChange } from './compare';
import { compare } from './compare';
import type { KnownProperty } from './known';
import type { AgencyProgress, Pass, PassName } from './progress';
import { beginProgress, copyOf, LISTS, resetScope } from './progress';

/** How many requests a poll sends for an agency, or a few more; the rest is left to the next polls. */
export const MOST_REQUESTS = 40;

const RECORDS_AT_ONCE = 50;

export interface ListPage {
	rows: IDataObject[];
	/** Asks for the next page; unset with the last one. */
	next?: string;
}

/** What the service is asked for. Failures are returned. */
export interface InventorySource {
	page(pass: Pass): Promise<ListPage | ServiceError>;
	/** The whole records of these batches. */
	records(batches: string[][]): Promise<FetchedProperties>;
	/** Whether anything may be asked for now. */
	mayAsk(): boolean;
	deliver(changes: PropertyChange[]): void;
}

/** What the agencies of one poll share. */
export interface ReadingTerms extends ComparisonTerms {
	/** When the poll began, by the host's clock (epoch ms). */
	startedAt: number;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
	lookBackMs: number;
	/** Tells the filters; see `scopeOf`. */
	scope: string;
	/** What a property becomes by a change that is on its way: the next one waits until that has ended. */
	openOf: (id: string) => KnownProperty | undefined;
	/** The last poll could not read all records: each is asked for by itself, so that a bad one holds up no others. */
	isOneByOne: boolean;
}

/** One agency in one poll. `progress` is fit to be stored at all times. */
export class AgencyReading {
	isAnswered = false;

	failure?: ServiceError;

	readonly isNew: boolean;

	/** Where the agency begins, if this poll begins it. */
	begun?: AgencyProgress;

	private requests = 0;

	private isOver = false;

	/** @param known how far the polls before this one came; this one goes on in it */
	constructor(
		private readonly terms: ReadingTerms,
		private readonly source: InventorySource,
		private known?: AgencyProgress,
	) {
		this.isNew = !known;
		if (known && known.scope !== terms.scope) resetScope(known, terms.scope);
	}

	/** An answer tells by which clock an agency begins. Without one the host's has to do. */
	get progress(): AgencyProgress {
		if (this.known) return this.known;
		this.known = beginProgress(this.terms);
		this.begun = copyOf(this.known);
		return this.known;
	}

	async read(): Promise<void> {
		if (this.known) {
			this.known.changes ??= { list: 'current', from: this.from(this.known) };
			while (this.known.changes && this.mayGoOn) await this.readPage('changes');
		}
		while ((!this.known || this.known.baseline) && this.mayGoOn) await this.readPage('baseline');
	}

	private get mayGoOn(): boolean {
		return !this.isOver && this.requests < MOST_REQUESTS && this.source.mayAsk();
	}

	/** A watermark in the future was made up by a wrong clock. */
	private from({ watermark }: AgencyProgress): string {
		const { clock, lookBackMs } = this.terms;
		return isoSeconds(Math.min(watermark, clock.now()) - lookBackMs);
	}

	private async readPage(name: PassName): Promise<void> {
		const asked = this.known?.[name] ?? { list: 'current' };
		const askedAt = Date.now();
		const page = await this.source.page(asked);
		this.requests++;
		if (page instanceof ServiceError) {
			this.fail(page);
			// The service may know the page no more.
			delete this.known?.[name]?.next;
			return;
		}
		this.isAnswered = true;
		const pass = this.progress[name];
		if (pass) pass.begunAt ??= isoSeconds(this.terms.clock.earliestNow(askedAt));
		const { isNew, isWhole } = await this.readRecords(name, page.rows);
		if (isWhole) this.advance(name, page.next, isNew);
	}

	private fail(failure: ServiceError): void {
		this.isOver = true;
		// If the address has worked before, a web page in place of data will pass.
		this.failure = failure.kind === 'foreign' && !this.isNew ? failure.asPassing : failure;
	}

	/** @returns whether all of them were tried, and whether that brought something new */
	private async readRecords(name: PassName, rows: IDataObject[]) {
		const wanted = this.wanted(name, rows);
		const size = this.terms.isOneByOne ? 1 : RECORDS_AT_ONCE;
		const batches = chunk([...wanted.keys()], size);
		const asked = batches.slice(0, Math.max(1, MOST_REQUESTS - this.requests));
		this.requests += asked.length;
		const askedAt = Date.now();
		const fetched = asked.length > 0 ? await this.source.records(asked) : new Map<string, never>();
		const changes: PropertyChange[] = [];
		let isNew = false;
		for (const [id, record] of fetched) {
			if (record instanceof ServiceError) this.miss(name, record);
			else {
				const read = { id, listed: wanted.get(id), record, askedAt };
				const found = compare(this.progress, this.terms, read);
				isNew ||= found.isNew;
				if (found.change) changes.push(found.change);
			}
		}
		this.source.deliver(changes);
		return { isNew, isWhole: !this.isOver && asked.length === batches.length };
	}

	/** What the agency does not have counts as read: if its record appears late, Look Back finds it. */
	private miss(name: PassName, failure: ServiceError): void {
		if (failure.kind === 'missing' || failure.kind === 'rejected') return;
		if (this.terms.isOneByOne && isOfOne(failure)) {
			const pass = this.progress[name];
			if (pass) pass.isUnread = true;
			this.failure ??= failure;
		} else this.fail(failure);
	}

	/** What is not known as its row has it: by ID, when it was modified. */
	private wanted(name: PassName, rows: IDataObject[]): Map<string, number | undefined> {
		const { known, [name]: pass } = this.progress;
		const wanted = new Map<string, number | undefined>();
		for (const row of rows) {
			const id = listedIdOf(row);
			if (!isPropertyId(id)) continue;
			const modified = serviceTime(row.modifiedAt);
			const open = this.terms.openOf(id);
			const state = open ?? known.get(id);
			if (state && (modified ?? -Infinity) <= (state.modified ?? -Infinity)) continue;
			if (!open) wanted.set(id, modified);
			else if (pass) pass.isUnread = true;
		}
		return wanted;
	}

	/** A page was read. A list of several pages moves while it is read, so that a row may be missed. */
	private advance(name: PassName, next: string | undefined, isNew: boolean): void {
		const { progress } = this;
		const pass = progress[name];
		if (!pass) return;
		const isOfSeveral = next !== undefined || pass.next !== undefined;
		if (isNew && isOfSeveral) pass.isToRepeat = true;
		delete pass.next;
		if (next !== undefined) pass.next = next;
		else if (pass.isToRepeat) delete pass.isToRepeat;
		else this.endList(name, pass);
	}

	private endList(name: PassName, pass: Pass): void {
		const { progress } = this;
		const following = LISTS[LISTS.indexOf(pass.list) + 1];
		if (following && (name === 'changes' || following !== 'created')) {
			pass.list = following;
			return;
		}
		delete progress[name];
		if (name === 'changes' && !pass.isUnread) {
			const begunAt = serviceTime(pass.begunAt) ?? -Infinity;
			progress.watermark = Math.max(progress.watermark, begunAt);
		}
		if (name === 'baseline' && pass.isUnread) {
			progress.baseline = { list: 'current' };
			this.isOver = true;
		}
	}
}

/** Whether a failure of several records may be the fault of one of them. */
export function isOfOne({ kind, details }: ServiceError): boolean {
	return (kind === 'unavailable' || kind === 'foreign') && details.requestKind !== 'token';
}
