import { createHash } from 'node:crypto';

import groupBy from 'lodash/groupBy';
import type { IDataObject } from 'n8n-workflow';

import { keepNewest } from '../../service/basics/remembered';
import { storedObject, storedText, storedTime } from '../common/storedValues';
import type { Target } from './target';

/**
 * The length of a mark, that is a short hash that stands for a lead. It is so short that a month's leads take little
 * room, and so long that two leads rarely have the same mark.
 */
const MARK_LENGTH = 8;

/**
 * The largest number of days for which leads are remembered: the service keeps leads for 30 days. A day without any
 * lead does not count as one of these days.
 */
const MOST_DAYS = 32;

/**
 * The largest number of marks (short hashes of leads) that are remembered. These are enough for a month's leads of a
 * busy agency, and for more leads than one poll delivers. They take 135 kB. If more leads than that are within Look
 * Back, a trigger with “One per Poll” delivers the rest again at each poll.
 */
const MOST_MARKS = 15_000;

/**
 * The leads that must not be delivered again, or at all: those that a node has delivered, and those that were submitted
 * before the node started to deliver. Each lead is stored as a mark (a short hash) with a day: the last day on which it
 * was delivered or the service listed it. So the service may list a lead any number of times, in any order and for
 * several branches.
 */
export class DeliveredLeads {
	/**
	 * @param days for each mark (a short hash of a lead), the last day on which the lead was delivered or listed; the
	 * mark that was noted last comes last
	 */
	constructor(private readonly days: Map<string, string> = new Map()) {}

	copy(): DeliveredLeads {
		return new DeliveredLeads(new Map(this.days));
	}

	/**
	 * True if a lead was delivered, or was submitted before the trigger started to deliver the leads of this target (a
	 * type of lead, with a filter ID if one is set). Such a lead is then remembered for another month.
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
	 * Notes that a lead is not to be delivered again.
	 *
	 * @param leadType the type of a delivered lead; for a lead that was submitted before the trigger started to deliver
	 * the leads of a target (such as those of one branch), the name of the target
	 */
	note(leadType: string, key: string, now: number): void {
		this.put(markOf(leadType, key), dayOf(now));
	}

	/** Adds the marks (short hashes of leads) that another process has noted. */
	merge(others: DeliveredLeads): void {
		for (const [mark, day] of others.days) this.put(mark, day);
	}

	/** The marks (short hashes of leads) of each day, as text for n8n to store. */
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

export function markOf(of: string, key: string): string {
	return createHash('sha256').update(`${of} ${key}`).digest('base64url').slice(0, MARK_LENGTH);
}

/** Returns the day of a time, in UTC, such as `2006-01-02`. */
function dayOf(time: number): string {
	return new Date(time).toISOString().slice(0, 10);
}
