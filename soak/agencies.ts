import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../test/lab/sandbox';
import type { Overrides } from '../test/lab/sandbox/overrides';
import { AGENCY_REFS, type ChangeLag } from '../test/lab/sandbox/inventory';
import type { Property } from '../test/lab/sandbox/propertyData';
import { chance, integer, pick, type Random } from '../test/lab/sandbox/random';
import { moments } from './plan';

const DEEDS = [
	'price',
	'price',
	'price',
	'undo',
	'status',
	'archive',
	'rest',
	'create',
	'remove',
] as const;

/** Something that an agency does to a property. */
export interface Deed {
	what: (typeof DEEDS)[number];
	/** In milliseconds after the start. */
	at: number;
	agency: number;
	/** Which of the properties, as a share of all. */
	place: number;
	value: number;
	lag: ChangeLag;
}

/** What the ledger looks at: `bathrooms` stands for whatever is merely an update. */
export interface State {
	price: unknown;
	status: unknown;
	archived: unknown;
	bathrooms: unknown;
}

export interface Moment {
	/** Epoch milliseconds. */
	at: number;
	state: State;
}

/** What a property was, oldest first. */
export interface PropertyHistory {
	/** AgencyRef and ID. */
	key: string;
	/** Whether it came after the workflows were activated. */
	isNew: boolean;
	isRemoved: boolean;
	moments: Moment[];
}

const PROPERTIES = 40;
const MEAN_GAP_MS = 700;
const LAG_AT_MOST_MS = 15_000;
const STATUSES = ['Available', 'UnderOffer', 'Exchanged', 'Completed', 'Withdrawn'];

export function keyOf(agencyRef: unknown, id: unknown): string {
	return `${String(agencyRef)} ${String(id)}`;
}

/** @param item as the trigger delivers it, simplified: with the status in words, such as “Under Offer, Available” */
export function deliveredState({ price, status, archived, bathrooms }: IDataObject): State {
	return { price, status: inOneWord(status), archived, bathrooms };
}

/** A status in words in the service's own spelling. */
export function inOneWord(status: unknown): unknown {
	return typeof status === 'string' ? status.replace(/[ ,]/g, '') : status;
}

/** Changes the properties of two agencies, and keeps what each of them was. */
export class Agencies {
	readonly histories = new Map<string, PropertyHistory>();

	constructor(private readonly sandbox: Sandbox) {
		for (const agencyRef of AGENCY_REFS) {
			for (const property of sandbox.inventory.fill(agencyRef, PROPERTIES)) {
				this.note(agencyRef, property, false);
			}
		}
	}

	do({ what, agency, place, value, lag }: Deed): void {
		const agencyRef = AGENCY_REFS[agency === 0 ? 0 : 1];
		const { inventory } = this.sandbox;
		const properties = inventory.of(agencyRef);
		const property = properties[Math.floor(place * properties.length)];
		if (what === 'create' || !property) {
			this.note(agencyRef, inventory.create(agencyRef, { price: value }, lag), true);
			return;
		}
		const history = this.historyOf(agencyRef, property);
		if (what === 'remove') {
			history.isRemoved = true;
			inventory.remove(agencyRef, property.id);
			return;
		}
		const changes = changesOf(what, property, value, history.moments.at(-2)?.state);
		this.note(agencyRef, inventory.change(agencyRef, property.id, changes, lag), history.isNew);
	}

	private historyOf(agencyRef: string, { id }: Property): PropertyHistory {
		const key = keyOf(agencyRef, id);
		const known = this.histories.get(key);
		if (known === undefined) throw new Error(`${key} has no history`);
		return known;
	}

	private note(agencyRef: string, property: Property, isNew: boolean): void {
		const key = keyOf(agencyRef, property.id);
		const history = this.histories.get(key) ?? { key, isNew, isRemoved: false, moments: [] };
		history.moments.push({ at: Date.now(), state: stateOf(property) });
		this.histories.set(key, history);
	}
}

function stateOf({ price, inventoryStatus, archived, bathrooms }: Property): State {
	return { price, status: inventoryStatus, archived, bathrooms };
}

function changesOf(
	what: Exclude<Deed['what'], 'create' | 'remove'>,
	property: Property,
	value: number,
	before: State | undefined,
): Overrides {
	switch (what) {
		case 'price':
			return { price: value * 1_000 };
		case 'status':
			return { inventoryStatus: STATUSES[value % STATUSES.length] };
		case 'archive':
			return { archived: !property.archived };
		case 'rest':
			return { bathrooms: value };
		case 'undo': {
			const { status, ...others } = before ?? stateOf(property);
			return { ...others, inventoryStatus: status };
		}
	}
}

export function deedsOf(random: Random, durationMs: number): Deed[] {
	return [...moments(random, durationMs, MEAN_GAP_MS)].map((at) => ({
		what: pick(random, DEEDS),
		at,
		agency: integer(random, 0, 1),
		// A few properties change all the time.
		place: random() ** 3,
		value: integer(random, 100, 400),
		lag: { ...sometimes(random, 'records'), ...sometimes(random, 'rows') },
	}));
}

function sometimes(random: Random, view: keyof ChangeLag): ChangeLag {
	const lag = integer(random, 1, LAG_AT_MOST_MS);
	return chance(random, 0.15) ? { [view]: lag } : {};
}
