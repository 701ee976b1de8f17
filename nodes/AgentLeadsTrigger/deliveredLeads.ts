import { createHash } from 'node:crypto';

import groupBy from 'lodash/groupBy';
import type { IDataObject } from 'n8n-workflow';

import { keepNewest } from '../../service/basics/remembered';
import { storedObject, storedText, storedTime } from '../common/storedValues';
import type { Target } from './target';

/**
 * The length of a mark. It is so short that a month's leads take little room, and so long that two leads rarely share
 * a mark.
 */
const MARK_LENGTH = 8;

/** The most days that are remembered: the service keeps leads for 30 days. Days without a lead do not count. */
const MOST_DAYS = 32;

/**
 * The most marks that are remembered: a month's leads of a busy agency, in 135 kB, and more leads than one poll
 * delivers.
 */
const MOST_MARKS = 15_000;

/**
 * The leads that a node has delivered, and those that were there before one of its targets began. Each lead is a
 * short mark with the day on which it was noted or, if the service listed it again, the last day of that. So the
 * service may list a lead as often as it likes, for another target and in any order.
 */
export class DeliveredLeads {
	/** @param days the day of each mark; the mark that was noted last comes last */
	constructor(private readonly days: Map<string, string> = new Map()) {}

	copy(): DeliveredLeads {
		return new DeliveredLeads(new Map(this.days));
	}

	/**
	 * True if a lead was delivered, or was there before its target began. Such a lead is then remembered for as long
	 * again.
	 *
	 * @param now epoch milliseconds
	 */
	recall({ leadType, key: target }: Target, key: string, now: number): boolean {
		const known = [...new Set<string>([leadType, target])].map((of) => markOf(of, key));
		const mark = known.find((each) => this.days.has(each));
		if (mark !== undefined) this.put(mark, dayOf(now));
		return mark !== undefined;
	}

	/**
	 * Notes that a lead is delivered.
	 *
	 * @param leadType the type of the lead; or the key of a target, for a lead that was there before this target began
	 */
	note(leadType: string, key: string, now: number): void {
		this.put(markOf(leadType, key), dayOf(now));
	}

	/** Adds the marks that another process noted. */
	merge(others: DeliveredLeads): void {
		for (const [mark, day] of others.days) this.put(mark, day);
	}

	/** The marks of each day, as text that a person can read. */
	get stored(): Record<string, string> {
		const byDay = groupBy([...this.days], ([, day]) => day);
		const kept = Object.entries(byDay).slice(-MOST_DAYS);
		return Object.fromEntries(
			kept.map(([day, marks]) => [day, marks.map(([mark]) => mark).join(' ')]),
		);
	}

	private put(mark: string, day: string): void {
		if (this.days.get(mark) === day) return;
		this.days.delete(mark);
		this.days.set(mark, day);
		keepNewest(this.days, MOST_MARKS);
	}
}

/** @throws UnreadableProgress */
export function readDelivered(stored: IDataObject): DeliveredLeads {
	const entries = Object.entries(storedObject(stored)).flatMap(([day, marks]) => {
		storedTime(day);
		return storedText(marks)
			.split(' ')
			.map((mark) => [mark, day] as const);
	});
	return new DeliveredLeads(new Map(entries));
}

function markOf(of: string, key: string): string {
	return createHash('sha256').update(`${of} ${key}`).digest('base64url').slice(0, MARK_LENGTH);
}

/** The day of a time in UTC, such as `2006-01-02`. */
function dayOf(time: number): string {
	return new Date(time).toISOString().slice(0, 10);
}
