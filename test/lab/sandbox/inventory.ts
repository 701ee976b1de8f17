import { isoSeconds } from './clock';
import { LaggingView } from './lag';
import type { Overrides } from './overrides';
import { merged } from './overrides';
import { Paging } from './paging';
import type { Property } from './propertyData';
import { agencyProperties, newProperty, statusFields } from './propertyData';
import { createRandom, seedOf } from './random';

const USUAL_COUNT = 1200;

/** The agencies that a usual client may ask for. */
export const AGENCY_REFS: [string, string] = [
	'6f1d2c3b-4a59-4e87-9c60-112233445566',
	'c07d9e52-3b64-4d28-8f1e-665544332211',
];

/** Which answers show a change late, by how many milliseconds. A new property is not there meanwhile. */
export interface ChangeLag {
	/** The lists: search, filter and the list by address. */
	rows?: number;
	/** The whole records, one or several. */
	records?: number;
}

/** The properties of each agency, made at the first request for them. */
export class Inventory {
	private readonly byAgency = new Map<string, Property[]>();
	private readonly rows: LaggingView<Property>;
	private readonly records: LaggingView<Property>;
	private created = 0;
	/** A page never has more rows, even if more are asked for. */
	mostOnPage = Infinity;
	readonly paging = new Paging();

	/** @param now epoch milliseconds */
	constructor(
		private readonly seed: number,
		private readonly now: () => number,
	) {
		this.rows = new LaggingView(now);
		this.records = new LaggingView(now);
	}

	/** Replaces what the agency has. */
	fill(agencyRef: string, count: number): Property[] {
		const properties = agencyProperties(this.seed, agencyRef, count);
		this.byAgency.set(agencyRef, properties);
		return properties;
	}

	of(agencyRef: string): Property[] {
		return this.byAgency.get(agencyRef) ?? this.fill(agencyRef, USUAL_COUNT);
	}

	/** @throws Error if there is none */
	find(agencyRef: string, id: string): Property {
		const found = this.of(agencyRef).find((property) => property.id === id);
		if (found === undefined) throw new Error(`there is no property ${id}`);
		return found;
	}

	/** Adds a property that is for sale or to let since now. */
	create(agencyRef: string, overrides: Overrides = {}, lag: ChangeLag = {}): Property {
		const random = createRandom(seedOf(`${this.seed} ${agencyRef} ${++this.created}`));
		const properties = this.of(agencyRef);
		const id = String(
			properties.reduce((most, each) => Math.max(most, Number(each.id) || 0), 0) + 1,
		);
		const property = newProperty(random, id, isoSeconds(this.now()));
		Object.assign(property, merged(property, withStatus(overrides)));
		this.follow(property, undefined, lag);
		properties.push(property);
		return property;
	}

	/**
	 * Changes a property, and its modified time unless the changes name one. Status, its words and whether it is an active
	 * one follow from `inventoryStatus`.
	 *
	 * @returns the very object that `of` lists
	 * @throws Error if there is no such property
	 */
	change(agencyRef: string, id: string, changes: Overrides, lag: ChangeLag = {}): Property {
		const property = this.find(agencyRef, id);
		const was = { ...property };
		const modifiedDate = isoSeconds(this.now());
		Object.assign(property, merged(property, { modifiedDate, ...withStatus(changes) }));
		this.follow(property, was, lag);
		return property;
	}

	/** Takes a property away, as no agency does: it is neither listed nor found from now on. */
	remove(agencyRef: string, id: string): void {
		const properties = this.of(agencyRef);
		properties.splice(properties.indexOf(this.find(agencyRef, id)), 1);
	}

	/** @returns what the lists are made of now */
	listed(agencyRef: string): Property[] {
		return this.of(agencyRef).flatMap((property) => this.rows.read(property) ?? []);
	}

	/** @returns the whole records as they are shown now, in the order of the agency's properties */
	read(agencyRef: string, ids: Set<string>): Property[] {
		const found = this.of(agencyRef).filter(({ id }) => ids.has(id));
		return found.flatMap((property) => this.records.read(property) ?? []);
	}

	private follow(property: Property, was: Property | undefined, lag: ChangeLag): void {
		this.rows.follow(property, was, lag.rows);
		this.records.follow(property, was, lag.records);
	}
}

function withStatus(changes: Overrides): Overrides {
	const { inventoryStatus: status } = changes;
	return typeof status === 'string' ? { ...statusFields(status), ...changes } : changes;
}
