import { createHash } from 'node:crypto';

import type { LeadType } from '../../service/leads';

/** So short that a month's leads take little room, so long that two leads hardly share one. */
export const MARK_LENGTH = 8;

/** The service keeps leads for 30 days; days without a lead do not count. */
const MOST_DAYS = 32;

/** About a month's leads of a busy agency, in 80 kB. */
const MOST_MARKS = 10_000;

/** What the service brought on these days is kept, however much it is. */
const FEWEST_DAYS = 2;

const DAY_MS = 24 * 3_600_000;

/**
 * The leads that a node has delivered, over all of its scopes: each is a short mark, under the day
 * on which it was delivered or, if the service brought it up again, on which that happened last.
 *
 * A scope knows for the time of a look-back what it was given. This lasts for as long as the service
 * may bring a lead up: out of turn, to another ID, or to one that is added later.
 */
export class DeliveredLeads {
	/** The day of each mark; made only once somebody asks. */
	private days?: Map<string, string>;

	/**
	 * @param marks the marks of each day in one text, the oldest day first
	 * @param completeFrom from when on none is missing, in epoch milliseconds; unset if none is at all
	 */
	constructor(
		private readonly marks: Map<string, string> = new Map(),
		public completeFrom?: number,
	) {}

	copy(): DeliveredLeads {
		return new DeliveredLeads(new Map(this.marks), this.completeFrom);
	}

	byDay(): Array<[string, string]> {
		return [...this.marks];
	}

	/**
	 * Notes a lead that is about to be delivered.
	 *
	 * @param now epoch milliseconds
	 * @returns whether it was not delivered before
	 */
	claim(leadType: LeadType, key: string, now: number): boolean {
		const mark = markOf(leadType, key);
		const today = dayOf(now);
		const known = this.dayOfEach.get(mark);
		if (known !== today) {
			this.dayOfEach.set(mark, today);
			this.marks.set(today, (this.marks.get(today) ?? '') + mark);
			this.dropOldest();
		}
		return known === undefined;
	}

	private get dayOfEach(): Map<string, string> {
		this.days ??= new Map(entriesOf(this.marks));
		return this.days;
	}

	/** By the order in which days came, not by the calendar: a clock may have been wrong. */
	private dropOldest(): void {
		while (this.marks.size > FEWEST_DAYS && this.isFull()) {
			const [[oldest, marks] = ['', '']] = this.marks;
			this.marks.delete(oldest);
			for (const mark of split(marks)) {
				if (this.days?.get(mark) === oldest) this.days.delete(mark);
			}
			const end = Date.parse(oldest) + DAY_MS;
			this.completeFrom = Math.max(this.completeFrom ?? end, end);
		}
	}

	private isFull(): boolean {
		const length = [...this.marks.values()].reduce((sum, marks) => sum + marks.length, 0);
		return this.marks.size > MOST_DAYS || length > MOST_MARKS * MARK_LENGTH;
	}
}

function* entriesOf(byDay: Map<string, string>): Generator<[string, string]> {
	for (const [day, marks] of byDay) {
		for (const mark of split(marks)) yield [mark, day];
	}
}

function split(marks: string): string[] {
	return marks.match(new RegExp(`.{${MARK_LENGTH}}`, 'gs')) ?? [];
}

function markOf(leadType: LeadType, key: string): string {
	const hash = createHash('sha256').update(`${leadType} ${key}`).digest('base64url');
	return hash.slice(0, MARK_LENGTH);
}

/** `2006-01-02` */
function dayOf(time: number): string {
	return new Date(time).toISOString().slice(0, 10);
}
