import type { Input } from './control/fields';

/** So many records are kept. */
const MOST_RECORDS = 20;

/** Stands for an agency's CRM, for people who have none at hand: it takes whatever is sent. */
export class Crm {
	/** How many records came. */
	count = 0;

	/** The newest first. */
	readonly records: Input[] = [];

	take(record: Input): void {
		this.count++;
		this.records.unshift(record);
		this.records.splice(MOST_RECORDS);
	}
}
