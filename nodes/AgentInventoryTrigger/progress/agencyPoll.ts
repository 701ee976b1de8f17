import chunk from 'lodash/chunk';
import groupBy from 'lodash/groupBy';
import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { USUAL_SKEW_MS } from '../../../service/basics/clock';
import { DAY_MS, serviceTime, wholeSeconds } from '../../../service/basics/times';
import { ServiceError } from '../../../service/failure';
import type { FetchedProperties } from '../../../service/inventory/properties';
import { isPropertyId, listedIdOf } from '../../../service/inventory/records';
import type { AgencyProgress, ListName } from './agencyProgress';
import {
	BASELINE_LISTS,
	beginProgress,
	copyOf,
	LISTS,
	rescope,
	timeAskedFor,
} from './agencyProgress';
import type { ComparisonTerms, PropertyChange } from './comparison';
import { Comparison, latest } from './comparison';
import type { ListPass, TimeWindow } from './listPass';
import {
	advanced,
	atOnce,
	byModified,
	isOverlooked,
	isShortest,
	isTimeless,
	narrowed,
	secondPass,
	windowOf,
} from './listPass';
import { inventoryStart } from './start';

/** How many requests a poll sends for an agency; the rest of a long list is left to the next polls. */
export const MOST_REQUESTS = 40;

const RECORDS_AT_ONCE = 50;

const ROWS_AT_ONCE = 250;

/** What comes in one answer is read at once; if that is more, the rest is read over the next polls. */
const MOST_RECORDS = 500;

/** What the agencies of one poll share. */
export interface PollTerms extends ComparisonTerms {
	/** When the poll began, by the host’s clock (epoch ms). */
	startedAt: number;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
	lookBackMs: number;
	/** Tells the filters; see `scopeOf`. */
	scope: string;
	/** Whether a change of a property is on its way: the next one waits until that has ended. */
	isOpen: (id: string) => boolean;
}

/** A list to ask for. */
export interface DueList {
	list: ListName;
	/** By which of their times. */
	by: 'modified' | 'created';
	window: TimeWindow;
	/** Whether to ask for all of its pages: no shorter window can be asked for. */
	isAll: boolean;
	/** For what: the changes since the last poll, or what each property was at the start. */
	part: 'changes' | 'baseline';
	pass: ListPass;
	/** By the host’s clock (epoch ms). */
	askedAt: number;
}

/** Records to ask for: the IDs of each request. */
export type DueRecords = string[][];

/** What is being read: the properties by ID, each with the time at which it was modified, and what that completes. */
interface Reading {
	wanted: ReadonlyMap<string, number | undefined>;
	requests: number;
	completes?: { due: DueList; pass: ListPass; count: number };
}

/**
 * One agency in one poll. Ask the service for `dueList` and hand its rows to `takeRows`, until nothing is due; then for
 * `dueRecords`. Records that are asked for go to `takeRecords`. `progress` is fit to be stored at all times.
 */
export class AgencyPoll {
	isAnswered = false;

	/** Where the agency begins, if this poll begins it. */
	begun?: AgencyProgress;

	readonly isNew: boolean;

	readonly isWaiting: boolean;

	private end?: 'over' | ServiceError;

	private reading?: Reading;

	private requests = 0;

	/** The lists whose changes were read. */
	private readonly upToDate = new Set<ListName>();

	/**
	 * @param key of the agency
	 * @param known how far the polls before this one came; this one goes on in it
	 */
	constructor(
		readonly key: string,
		private readonly terms: PollTerms,
		private known?: AgencyProgress,
		{ isWaiting = false } = {},
	) {
		this.isNew = !known;
		this.isWaiting = isWaiting;
		if (isWaiting) this.end = 'over';
		if (known && known.scope !== terms.scope) rescope(known, terms.scope, this.now);
	}

	/** An answer tells by which clock an agency begins. Without one the host’s has to do. */
	get progress(): AgencyProgress {
		return (this.known ??= this.begin());
	}

	get failure(): ServiceError | undefined {
		return this.end instanceof ServiceError ? this.end : undefined;
	}

	/** Which list to ask for now. */
	dueList(): DueList | undefined {
		if (this.end) return undefined;
		if (!this.known && !this.terms.clock.hasAnswered) {
			return this.dueOf('current', 'baseline', { begunAt: this.now });
		}
		if (this.terms.clock.hasAnswered) this.bringBack();
		return this.dueChanges() ?? this.dueBaseline();
	}

	/**
	 * @param isWhole whether there is nothing more in the window
	 * @returns the records to ask for; if none, the answer is taken
	 */
	takeRows(due: DueList, rows: IDataObject[], isWhole: boolean): DueRecords {
		this.isAnswered = true;
		this.requests += Math.max(1, Math.ceil(rows.length / ROWS_AT_ONCE));
		const pass = this.begunPass(due);
		const { lists } = this.progress;
		const other = this.otherPass(due, pass, rows, isWhole);
		if (other) {
			lists[due.list][due.part] = other;
			return [];
		}
		if (!isWhole) {
			lists[due.list][due.part] = due.isAll
				? pass
				: narrowed(pass, due.window, this.endOf(due.by, pass));
			// A list that changes all the time is tried once more in the next poll.
			if (due.isAll) this.end = 'over';
			return [];
		}
		const wanted = this.toRead(due, rows);
		const batches = chunk([...wanted.keys()], RECORDS_AT_ONCE);
		const completes = { due, pass, count: rows.length };
		this.reading = { wanted, requests: batches.length, completes };
		if (wanted.size === 0) this.complete();
		return batches;
	}

	/** Which records are left to ask for, once no list is due. What failed often is asked for in small parts, each by itself in the end. */
	dueRecords(): DueRecords {
		if (this.end) return [];
		const { pending } = this.progress;
		const waiting = [...pending].filter(([id]) => !this.terms.isOpen(id));
		const free = sortBy(waiting, ([, { tries }]) => tries).slice(0, MOST_RECORDS);
		const byTries = Object.values(groupBy(free, ([, { tries }]) => tries));
		const batches = byTries.flatMap((group) => {
			const [[, { tries }] = ['', { tries: 0 }]] = group;
			const size = Math.max(1, RECORDS_AT_ONCE >> tries);
			return chunk(group, size);
		});
		const due = batches.slice(0, MOST_REQUESTS / 2);
		const wanted = new Map(due.flat().map(([id, { modified }]) => [id, modified] as const));
		this.reading = { wanted, requests: due.length };
		return due.map((batch) => batch.map(([id]) => id));
	}

	/**
	 * @param fetched what became of the records that were asked for
	 * @param askedAt by the host’s clock (epoch ms)
	 */
	takeRecords(fetched: FetchedProperties, askedAt: number): PropertyChange[] {
		const { wanted = new Map<string, number | undefined>(), requests = 0 } = this.reading ?? {};
		this.requests += requests;
		const failures = [...fetched.values()].filter((told) => told instanceof ServiceError);
		const refusal = failures.find(isOfAgency);
		if (refusal) this.fail(refusal);
		if (refusal) return [];
		const comparison = this.comparison();
		const changes: PropertyChange[] = [];
		for (const [id, modified] of wanted) {
			const told = fetched.get(id);
			if (told === undefined || told instanceof ServiceError) comparison.miss(id, modified, told);
			else {
				const change = comparison.take(id, modified, told, askedAt);
				if (change) changes.push(change);
			}
		}
		this.complete();
		this.isAnswered ||= failures.length < wanted.size;
		const passing = failures.find(({ isTransient }) => isTransient);
		if (passing && failures.length === wanted.size) this.fail(passing);
		return changes;
	}

	/** Ends the agency’s part in this poll. If the address has worked before, a web page in place of data will pass. */
	fail(failure: ServiceError): ServiceError {
		const isPassing = failure.kind === 'foreign' && !this.isNew;
		delete this.reading;
		this.end = isPassing ? failure.asPassing : failure;
		return this.end;
	}

	/** No token can be had: an agency that still needs one fails as well, and waits for as long. */
	failWithOthers(failure: ServiceError): void {
		if (!this.isAnswered) this.end ??= failure;
	}

	/** n8n has not stored the last poll yet: only what begins with this one is asked for. */
	leaveToNextPoll(): void {
		if (!this.isNew) this.end = 'over';
	}

	private get now(): number {
		return this.terms.clock.now();
	}

	private get hasRoom(): boolean {
		return this.requests < MOST_REQUESTS;
	}

	private comparison(): Comparison {
		return new Comparison(this.terms, this.progress);
	}

	private begin(): AgencyProgress {
		const { clock, startedAt, scope } = this.terms;
		const now = clock.told(startedAt);
		const start = inventoryStart({ ...this.terms, now, isTold: clock.isKnown });
		const progress = beginProgress(scope, start, now);
		this.begun = copyOf(progress);
		return progress;
	}

	/** The first window of a pass is asked for in any case. */
	private dueChanges(): DueList | undefined {
		const { lists } = this.progress;
		const list = LISTS.find(
			(name) => !this.upToDate.has(name) && (this.hasRoom || !lists[name].changes),
		);
		if (!list) return undefined;
		const { watermark, changes } = lists[list];
		const position = wholeSeconds(watermark - this.terms.lookBackMs);
		return this.dueOf(list, 'changes', changes ?? { begunAt: NaN, position });
	}

	private dueBaseline(): DueList | undefined {
		const { lists } = this.progress;
		const list = BASELINE_LISTS.find((name) => lists[name].baseline);
		const pass = list && lists[list].baseline;
		return pass && this.hasRoom ? this.dueOf(list, 'baseline', pass) : undefined;
	}

	/** What was there at the start is read by a time that stays as it is; what has no such time, by when it was modified. */
	private dueOf(list: ListName, part: DueList['part'], pass: ListPass): DueList {
		const by = part === 'baseline' ? (pass.by ?? 'created') : timeAskedFor(list);
		const end = this.endOf(by, pass);
		const window = windowOf(pass, end);
		const isAll = isShortest(pass, window, end);
		return { list, by, part, pass, window, isAll, askedAt: Date.now() };
	}

	/**
	 * From when on a list is asked for without an end. Times of creation stay: that of a pass is when it began, or a crowd ahead
	 * of the clock would never be reached.
	 */
	private endOf(by: DueList['by'], { begunAt }: ListPass): number {
		return by === 'created' && begunAt < this.now ? begunAt : this.now;
	}

	private readBaselineAtOnce(): void {
		const { lists } = this.progress;
		for (const name of BASELINE_LISTS) {
			const { baseline } = lists[name];
			if (baseline) lists[name].baseline = atOnce(baseline);
		}
	}

	/** Only once the service has answered it is known when a pass began. */
	private begunPass({ pass, askedAt }: DueList): ListPass {
		if (!Number.isNaN(pass.begunAt)) return pass;
		return { ...pass, begunAt: this.terms.clock.earliestNow(askedAt) };
	}

	/** The pass if windows of these times do not help; undefined if they do. */
	private otherPass(
		due: DueList,
		pass: ListPass,
		rows: IDataObject[],
		isWhole: boolean,
	): ListPass | undefined {
		if (pass.stepMs === 0) return undefined;
		const { by, part, window } = due;
		const times = rows.map(by === 'created' ? createdOf : modifiedOf);
		const isPart = !isWhole || window.to !== undefined;
		if (isPart && isOverlooked(window, times)) {
			if (by === 'created') this.readBaselineAtOnce();
			return atOnce(pass);
		}
		if (isWhole || !isTimeless(times)) return undefined;
		const isOfCreation = part === 'baseline' && by === 'created';
		if (isOfCreation && isTimeless(rows.map(modifiedOf))) return atOnce(pass);
		// What has no time is left out by windows, and read by its other time, unless it comes in one.
		if (window.from === undefined && window.to === undefined) return undefined;
		return isOfCreation ? byModified(pass) : atOnce(pass);
	}

	/** What of the rows is to be read now; what is to be read later is pending. */
	private toRead({ list, part }: DueList, rows: IDataObject[]): Map<string, number | undefined> {
		const { pending, known } = this.progress;
		const isOfNew = list === 'created' && part === 'changes';
		const comparison = this.comparison();
		const wanted = new Map<string, number | undefined>();
		for (const row of rows) {
			const id = listedIdOf(row);
			const modified = modifiedOf(row);
			if (!isPropertyId(id) || comparison.isKnownAt(id, modified)) continue;
			// What becomes of a new one is told by the list of what was modified.
			if (isOfNew && modified === undefined && known.get(id)) continue;
			const isLater = wanted.size >= MOST_RECORDS || pending.has(id) || this.terms.isOpen(id);
			if (isLater && !wanted.has(id)) comparison.pend(id, modified);
			else wanted.set(id, latest(modified, wanted.get(id)));
		}
		return wanted;
	}

	/** What was being read is taken. */
	private complete(): void {
		const { completes } = this.reading ?? {};
		delete this.reading;
		if (!completes) return;
		const { due, pass, count } = completes;
		const list = this.progress.lists[due.list];
		const next = advanced(pass, due.window, count);
		list[due.part] = next;
		if (due.part === 'baseline') list.baseline ??= secondPass(pass);
		if (next || due.part === 'baseline') return;
		list.watermark = Math.max(list.watermark, pass.begunAt);
		this.upToDate.add(due.list);
	}

	/** A time in the future was made up by a wrong clock: nobody knows what was read by it. */
	private bringBack(): void {
		const { progress } = this;
		const mostMs = this.now + USUAL_SKEW_MS;
		if (progress.start > mostMs) progress.start = this.now - DAY_MS;
		for (const name of LISTS) {
			const list = progress.lists[name];
			if (list.watermark <= mostMs) continue;
			list.watermark = progress.start;
			delete list.changes;
		}
	}
}

function modifiedOf({ modifiedAt }: IDataObject): number | undefined {
	return serviceTime(modifiedAt);
}

function createdOf({ createdAt }: IDataObject): number | undefined {
	return serviceTime(createdAt);
}

/** Whether a failure is about the agency or the client, not about a property. */
function isOfAgency({ kind, details }: ServiceError): boolean {
	return kind === 'credential' || kind === 'forbidden' || details.requestKind === 'token';
}
