import type { IDataObject } from 'n8n-workflow';

import { ServiceError } from '../../../../service/failure';
import type { FetchedProperties } from '../../../../service/inventory/properties';
import type { InventorySource } from '../../../../nodes/AgentInventoryTrigger/agencyReading';
import type { Pass } from '../../../../nodes/AgentInventoryTrigger/progress';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A change is in the lists and the records within Look Back, or it comes with the next one. */
const LONGEST_BEHIND = 50 * MINUTE;
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
export class ModelInventory implements Omit<InventorySource, 'deliver'> {
	now = NOON;

	readonly properties: ModelProperty[] = [];

	/** Changes that come while the next requests are answered. */
	readonly meanwhile: Array<() => void> = [];

	mishaps = new Map<number, Mishap>();

	/** How many of the next answers about a property are outdated, and by how many of its changes. */
	readonly outdated = new Map<string, { answers: number; by: number }>();

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

	mayAsk(): boolean {
		return true;
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

	/** What a property is now. */
	actual(id: string): Version | undefined {
		return this.properties.find((property) => property.id === id)?.versions.at(-1);
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
		const { toldCreated = null, versions = [] } =
			this.properties.find((each) => each.id === id) ?? {};
		const isSettled = this.isSettled(versions.at(-1));
		if (this.troubled.get(id) === 'missing' && !isSettled) return undefined;
		const shown = this.told(id, versions);
		if (!shown) return undefined;
		const { price, status, archived, bedrooms, told } = shown;
		const times = {
			createdDate: this.time(toldCreated),
			modifiedDate: this.time(told),
		};
		return { id, price, inventoryStatus: status, archived, bedrooms, ...times };
	}

	/** Nobody can tell an outdated record by a time that says the same: what was so at the end of its time is told. */
	private told(id: string, versions: Version[]): Version | undefined {
		const shown = versions.filter(({ readFrom }) => readFrom <= this.now);
		const { answers = 0, by = 0 } = this.outdated.get(id) ?? {};
		if (answers === 0) return shown.at(-1);
		this.outdated.set(id, { answers: answers - 1, by });
		const last = new Map(shown.map((version) => [this.inUnits(version.modified), version]));
		const told = [...last.values()];
		const settled = told.filter((version) => this.isSettled(version)).length;
		return told.slice(0, Math.max(1, settled, last.size - by)).at(-1);
	}

	private isSettled(version?: Version): boolean {
		return version !== undefined && this.now - version.modified > LONGEST_BEHIND;
	}

	private inUnits(epochMs: number): number {
		const { unit } = this.manner;
		return Math.floor(epochMs / unit) * unit;
	}

	private time(epochMs: number | null): string | null {
		if (epochMs === null) return null;
		const { unit } = this.manner;
		const text = new Date(this.inUnits(epochMs)).toISOString();
		return unit < SECOND ? text : `${text.slice(0, 19)}Z`;
	}
}
