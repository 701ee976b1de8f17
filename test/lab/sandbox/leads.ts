import sortedIndexBy from 'lodash/sortedIndexBy';
import times from 'lodash/times';

import { DAY, SECOND } from '../times';
import { isoMinutes, isoSeconds } from './clock';
import type { LeadKind, LeadOf, LeadOwner } from './leadBodies';
import { leadBody } from './leadBodies';
import type { Overrides } from './overrides';
import { merged } from './overrides';
import type { Random } from './random';
import { chance, createRandom, integer, pick } from './random';

/** A lead as text, not as an object: to answer, the texts are joined. */
export interface StoredLead {
	/** Epoch milliseconds in whole seconds, by which time windows find the lead. */
	at: number;
	/** Epoch milliseconds; not shown before. */
	receivedAt: number;
	owner: LeadOwner;
	text: string;
	/** Whether it breaks the contract on purpose. */
	isOdd?: boolean;
}

export interface LeadOptions extends LeadOwner {
	/** Epoch milliseconds; a lead received later than now is shown then. */
	receivedAt?: number;
	/** Whether the overrides break the contract on purpose. */
	isOdd?: boolean;
}

export interface BulkOptions {
	/** Epoch milliseconds. */
	from: number;
	/** Epoch milliseconds, inclusive. */
	to: number;
	/** Several: spread over them. */
	branchId?: string | string[];
}

const RETENTION = 30 * DAY;
const FIRST_REAL_TIME = Date.parse('0002-01-01T00:00:00Z');

/** The leads, by the time at which they were received. */
export class Leads {
	private added = 0;
	stored: Record<LeadKind, StoredLead[]> = { applicant: [], appraisal: [] };

	/** @param now epoch milliseconds */
	constructor(
		private readonly seed: number,
		private readonly now: () => number,
	) {}

	add<K extends LeadKind>(
		kind: K,
		overrides: Overrides = {},
		{ receivedAt = this.now(), isOdd, ...owner }: LeadOptions = {},
	): LeadOf<K> {
		const body = leadBody(kind, this.nextRandom(), isoSeconds(receivedAt), owner);
		return this.store(kind, merged(body, overrides), { receivedAt, owner, isOdd });
	}

	/** @returns the leads, in no order of time */
	addMany<K extends LeadKind>(
		kind: K,
		count: number,
		{ from, to, branchId = [] }: BulkOptions,
	): LeadOf<K>[] {
		const branches = [branchId].flat();
		return times(count, () => {
			const random = this.nextRandom();
			const at = integer(random, Math.ceil(from / SECOND), Math.floor(to / SECOND)) * SECOND;
			// The service writes some times without seconds. None here must be earlier than `from`.
			const isShort = chance(random, 0.125) && Date.parse(isoMinutes(at)) >= from;
			const owner = branches.length === 0 ? {} : { branchId: pick(random, branches) };
			const body = leadBody(kind, random, isShort ? isoMinutes(at) : isoSeconds(at), owner);
			return this.store(kind, body, { receivedAt: at, owner });
		});
	}

	clear(): void {
		this.stored = { applicant: [], appraisal: [] };
	}

	/**
	 * @param from epoch milliseconds, inclusive
	 * @param to epoch milliseconds, inclusive
	 * @returns the leads of the window that are here and still kept, oldest first
	 */
	between(kind: LeadKind, from: number, to: number): StoredLead[] {
		const list = this.stored[kind];
		const now = this.now();
		const start = firstAtLeast(list, Math.max(from, now - RETENTION));
		const end = firstAtLeast(list, to + 1);
		return list.slice(start, end).filter((lead) => lead.receivedAt <= now);
	}

	private nextRandom(): Random {
		return createRandom(Math.imul(this.seed, 0x9e3779b1) + Math.imul(++this.added, 0x85ebca6b));
	}

	private store<T extends { createdAt: unknown }>(
		kind: LeadKind,
		lead: T,
		rest: Omit<StoredLead, 'at' | 'text'>,
	): T {
		const at = windowTime(lead.createdAt, rest.receivedAt);
		const list = this.stored[kind];
		list.splice(firstAtLeast(list, at + 1), 0, { at, text: JSON.stringify(lead), ...rest });
		return lead;
	}
}

/** @returns epoch milliseconds: the time of creation; if that is unset, unreadable or in the future, the time of receipt */
function windowTime(createdAt: unknown, receivedAt: number): number {
	const created = typeof createdAt === 'string' ? Date.parse(createdAt) : NaN;
	const usable = created >= FIRST_REAL_TIME && created <= receivedAt;
	return Math.floor((usable ? created : receivedAt) / SECOND) * SECOND;
}

/** @returns the index of the first lead at that time or later */
function firstAtLeast(list: StoredLead[], at: number): number {
	return sortedIndexBy<Pick<StoredLead, 'at'>>(list, { at }, (lead) => lead.at);
}
