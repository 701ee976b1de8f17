import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../../service/failure';
import type { FetchedProperties } from '../../../../service/inventory/properties';
import type { InventorySource } from '../../../../nodes/AgentInventoryTrigger/agencyReading';
import type { Pass } from '../../../../nodes/AgentInventoryTrigger/progress';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** By when a change is in the list and in the record. */
export const LONGEST_LAG = 20 * MINUTE;

/** A record that is missing for longer is beyond Look Back: its change comes with the next one, as the page says under Limits. */
const LONGEST_MISSING = 50 * MINUTE;

const NOON = Date.parse('2026-03-02T12:00:00Z');

/** What a property was from a time on. */
export interface Version {
	price: number | null;
	status: string;
	archived: boolean;
	bedrooms: number;
	modified: number;
	/** What the service says of that: null for never. */
	told: number | null;
	/** From when on its row, and its record, show it (epoch ms). */
	listedFrom: number;
	readFrom: number;
}

export interface ModelProperty {
	id: string;
	created: number;
	/** What the service says of that: null for nothing. */
	toldCreated: number | null;
	versions: Version[];
}

export type Values = Pick<Version, 'price' | 'status' | 'archived' | 'bedrooms'>;

/** A change, and how long the service takes until it shows it. */
export interface ModelChange {
	property: number;
	values: Partial<Values>;
	listLagMs: number;
	readLagMs: number;
}

export interface ModelManner {
	pageSize: number;
	order: 'id' | 'oldest' | 'newest';
	/** In what unit it writes times, in milliseconds. */
	unit: number;
	/** Whether a property that was never modified has no time at which it was, and is in no window of such times; an archived one was. */
	leavesUnmodified: boolean;
	/** Whether every other property does not say when it was created, and is in no window of such times; it was modified. */
	leavesUncreated: boolean;
}

/** What goes wrong in a poll: by the number of the request. */
export type Mishap = 'busy' | 'crash';

/** A service with properties that change, also between the pages of a list. */
export class ModelInventory implements Pick<InventorySource, 'page' | 'records'> {
	now = NOON;

	readonly properties: ModelProperty[] = [];

	/** Changes that come while the next requests are answered. */
	readonly meanwhile: Array<() => void> = [];

	mishaps = new Map<number, Mishap>();

	/** IDs whose records fail, and how. */
	readonly troubled = new Map<string, 'missing' | 'unavailable'>();

	requests = 0;

	constructor(private readonly manner: ModelManner) {}

	beginPoll(mishaps: Map<number, Mishap>): void {
		this.requests = 0;
		this.mishaps = mishaps;
	}

	pass(ms: number): void {
		this.now += ms;
	}

	create(agoMs: number, values: Values, lagMs = 0): void {
		const created = this.now - agoMs;
		const id = String(7_000 + this.properties.length);
		const { leavesUncreated, leavesUnmodified } = this.manner;
		const toldCreated = leavesUncreated && this.properties.length % 2 === 0 ? null : created;
		const isUnmodified = leavesUnmodified && !values.archived && toldCreated !== null;
		const told = isUnmodified ? null : created;
		const shown = { told, listedFrom: created + lagMs, readFrom: created + lagMs };
		const versions = [{ ...values, modified: created, ...shown }];
		this.properties.push({ id, created, toldCreated, versions });
	}

	change({ property, values, listLagMs, readLagMs }: ModelChange): void {
		const { versions = [] } = this.properties[property % Math.max(1, this.properties.length)] ?? {};
		const last = versions.at(-1);
		if (!last) return;
		// Nobody can tell an outdated record by a time that says the same.
		const shownIn = Math.max(last.listedFrom, last.readFrom) - this.now;
		const isSlow = Math.max(listLagMs, readLagMs, shownIn) > 10 * SECOND;
		if (isSlow && this.now - last.modified < this.manner.unit) this.pass(this.manner.unit);
		const listedFrom = Math.max(last.listedFrom, this.now + listLagMs);
		const readFrom = Math.max(last.readFrom, this.now + Math.min(readLagMs, listLagMs + MINUTE));
		const times = { modified: this.now, told: this.now, listedFrom, readFrom };
		versions.push({ ...last, ...values, ...times });
	}

	async page(pass: Pass) {
		const failure = this.arrive();
		if (failure) return await Promise.resolve(failure);
		const rows = this.rows(pass);
		const start = Number(pass.next ?? 0);
		const end = start + this.manner.pageSize;
		return { rows: rows.slice(start, end), ...(end < rows.length && { next: String(end) }) };
	}

	async records(batches: string[][]): Promise<FetchedProperties> {
		const fetched: FetchedProperties = new Map();
		for (const batch of batches) {
			const failure = this.arrive() ?? this.failureOf(batch);
			for (const id of batch) {
				const record = failure ?? this.record(id);
				if (record) fetched.set(id, record);
			}
		}
		return await Promise.resolve(fetched);
	}

	find(id: string): ModelProperty {
		const found = this.properties.find((property) => property.id === id);
		if (!found) throw new Error(`There is no property ${id}`);
		return found;
	}

	/** The record of a property fails from now on, or no longer. */
	trouble(index: number, how?: 'missing' | 'unavailable'): void {
		const { id } = this.properties[index % this.properties.length] ?? { id: '' };
		if (how) this.troubled.set(id, how);
		else this.troubled.delete(id);
	}

	private failureOf(batch: string[]): ServiceError | undefined {
		const isTroubled = batch.some((id) => this.troubled.get(id) === 'unavailable');
		return isTroubled ? new ServiceError('unavailable', 'No') : undefined;
	}

	/** A request takes a moment, in which the next change comes. */
	private arrive(): ServiceError | undefined {
		this.pass(50);
		this.meanwhile.shift()?.();
		const mishap = this.mishaps.get(this.requests++);
		if (mishap === 'crash') throw new Error('crash');
		return mishap && new ServiceError('busy', 'No');
	}

	private rows({ list, from }: Pass): IDataObject[] {
		const rows = this.properties.flatMap(({ id, toldCreated, versions }) => {
			const shown = versions.filter(({ listedFrom }) => listedFrom <= this.now).at(-1);
			return shown ? [{ id, toldCreated, ...shown }] : [];
		});
		const found = rows.filter(({ archived, toldCreated, told }) => {
			const time = list === 'created' ? toldCreated : told;
			const isFrom = from === undefined || (time !== null && time >= Date.parse(from));
			return archived === (list === 'archived') && isFrom;
		});
		const sign = { id: 0, oldest: 1, newest: -1 }[this.manner.order];
		return found
			.sort((a, b) => sign * (a.modified - b.modified) || a.id.localeCompare(b.id))
			.map(({ id, told, toldCreated, status, archived }) => ({
				inventoryId: id,
				modifiedAt: this.time(told),
				createdAt: this.time(toldCreated),
				status,
				archived,
			}));
	}

	private record(id: string): IDataObject | undefined {
		const { toldCreated, versions } = this.find(id);
		const isOld = this.now - (versions.at(-1)?.modified ?? this.now) > LONGEST_MISSING;
		if (this.troubled.get(id) === 'missing' && !isOld) return undefined;
		const shown = versions.filter(({ readFrom }) => readFrom <= this.now).at(-1);
		if (!shown) return undefined;
		const { price, status, archived, bedrooms, told } = shown;
		const times = { createdDate: this.time(toldCreated), modifiedDate: this.time(told) };
		return { id, price, inventoryStatus: status, archived, bedrooms, ...times };
	}

	private time(epochMs: number | null): string | null {
		if (epochMs === null) return null;
		const { unit } = this.manner;
		const text = new Date(Math.floor(epochMs / unit) * unit).toISOString();
		return unit < SECOND ? text : `${text.slice(0, 19)}Z`;
	}
}
