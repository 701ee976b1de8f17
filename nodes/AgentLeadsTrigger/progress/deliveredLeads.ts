import { createHash } from 'node:crypto';

import { DAY_MS } from '../../../service/basics/times';
import type { LeadType } from '../../../service/leads/leads';

/** So short that a month's leads take little room, so long that two leads hardly share one. */
export const MARK_LENGTH = 8;

/** The service keeps leads for 30 days; days without a lead do not count. */
const MOST_DAYS = 32;

/** A month's leads of a busy agency, in 120 kB; more than a poll delivers. */
const MOST_MARKS = 15_000;

/**
 * The leads that a node has delivered, over all of its targets: each is a short mark, under the day
 * on which it was delivered or, if the service brought it up again, on which that happened last.
 *
 * A target knows for the time of a look-back what it was given. These marks last for as long as the
 * service may bring a lead up: out of turn, to another ID, or to one that is added later.
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
		this.dropOldest();
		return new DeliveredLeads(new Map(this.marks), this.completeFrom);
	}

	/** The marks of each day, no more than are kept. */
	byDay(): Array<[string, string]> {
		this.dropOldest();
		return [...this.marks];
	}

	/**
	 * Notes a lead that is about to be delivered.
	 *
	 * @param now epoch milliseconds
	 * @returns whether it was not delivered before
	 */
	claim(leadType: LeadType, key: string, now: number): boolean {
		return this.note(leadType, key, now) === undefined;
	}

	/**
	 * Whether a lead was delivered. If it was, that is remembered for as long again.
	 *
	 * @param now epoch milliseconds
	 */
	recall(leadType: LeadType, key: string, now: number): boolean {
		if (!this.dayOfEach.has(markOf(leadType, key))) return false;
		this.note(leadType, key, now);
		return true;
	}

	/** Takes in what another process noted. */
	merge(others: DeliveredLeads): void {
		for (const [mark, day] of entriesOf(others.marks)) {
			if (!this.dayOfEach.has(mark)) this.put(mark, day);
		}
		const { completeFrom = -Infinity } = others;
		if (completeFrom > (this.completeFrom ?? -Infinity)) this.completeFrom = completeFrom;
	}

	/** @returns the day under which it was noted before */
	private note(leadType: LeadType, key: string, now: number): string | undefined {
		const mark = markOf(leadType, key);
		const today = dayOf(now);
		const known = this.dayOfEach.get(mark);
		if (known !== today) this.put(mark, today);
		return known;
	}

	private put(mark: string, day: string): void {
		this.dayOfEach.set(mark, day);
		this.marks.set(day, (this.marks.get(day) ?? '') + mark);
	}

	private get dayOfEach(): Map<string, string> {
		this.days ??= new Map(entriesOf(this.marks));
		return this.days;
	}

	/** By the order in which days came, not by the calendar: a clock may have been wrong. */
	private dropOldest(): void {
		for (let surplus = this.surplus(); surplus > 0; surplus = this.surplus()) {
			const [[oldest, marks] = ['', '']] = this.marks;
			const dropped = marks.slice(0, surplus);
			if (dropped.length < marks.length) this.marks.set(oldest, marks.slice(dropped.length));
			else this.marks.delete(oldest);
			for (const mark of split(dropped)) {
				if (this.days?.get(mark) === oldest) this.days.delete(mark);
			}
			const end = Date.parse(oldest) + DAY_MS;
			this.completeFrom = Math.max(this.completeFrom ?? end, end);
		}
	}

	/** How many letters of the oldest day are too many. */
	private surplus(): number {
		if (this.marks.size > MOST_DAYS) return Infinity;
		const length = [...this.marks.values()].reduce((sum, marks) => sum + marks.length, 0);
		return length - MOST_MARKS * MARK_LENGTH;
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
