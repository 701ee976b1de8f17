import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../service/failure';
import type { FetchedProperties } from '../../../service/inventory/properties';
import { listedIdOf } from '../../../service/inventory/records';
import type { AgencyPoll, DueList, DueRecords } from './agencyPoll';
import type { PropertyChange } from './comparison';

/** How many times a list of several pages is read to see that it stays the same. */
const MOST_READINGS = 3;

/** What the service is asked for. Failures are returned. */
export interface InventorySource {
	/** The first page, and whether there is no other one. */
	firstPage(due: DueList): Promise<{ rows: IDataObject[]; isWhole: boolean } | ServiceError>;
	/** The rows of all pages. */
	allPages(due: DueList): Promise<IDataObject[] | ServiceError>;
	/** The whole records of these batches. */
	records(batches: DueRecords): Promise<FetchedProperties>;
	/** Whether anything may be asked for now. */
	mayAsk(): boolean;
}

/** Reads what an agency is to be asked for in this poll. */
export async function readAgency(
	poll: AgencyPoll,
	source: InventorySource,
	deliver: (changes: PropertyChange[]) => void,
): Promise<void> {
	const read = async (batches: DueRecords) => {
		if (batches.length === 0) return;
		const askedAt = Date.now();
		deliver(poll.takeRecords(await source.records(batches), askedAt));
	};
	for (let due = poll.dueList(); due && source.mayAsk(); due = poll.dueList()) {
		const page = await source.firstPage(due);
		const isTooMuch = due.isAll && !(page instanceof ServiceError) && !page.isWhole;
		const answer = isTooMuch ? await steadyList(source, due) : page;
		if (answer instanceof ServiceError) poll.fail(answer);
		else await read(poll.takeRows(due, answer.rows, answer.isWhole));
	}
	if (source.mayAsk()) await read(poll.dueRecords());
}

/**
 * A list of several pages changes while it is read, and what moves up to a page that was read is missed. For that a row that was
 * read has to leave its place: so if another reading has all rows of the one before unchanged, that one missed nothing.
 */
async function steadyList(source: InventorySource, due: DueList) {
	let before: IDataObject[] | undefined;
	for (let reading = 0; reading < MOST_READINGS; reading++) {
		const rows = await source.allPages(due);
		if (rows instanceof ServiceError) return rows;
		if (before && hasAll(rows, before)) return { rows: [...before, ...rows], isWhole: true };
		before = rows;
	}
	return { rows: [], isWhole: false };
}

function hasAll(rows: IDataObject[], others: IDataObject[]): boolean {
	const found = new Set(rows.map(rowMark));
	return others.every((row) => found.has(rowMark(row)));
}

function rowMark(row: IDataObject): string {
	return JSON.stringify([listedIdOf(row), row.modifiedAt]);
}
