import type { Property } from './propertyData';
import { agencyProperties } from './propertyData';

const USUAL_COUNT = 1200;

/** The agencies that a usual client may ask for. */
export const AGENCY_REFS: [string, string] = [
	'6f1d2c3b-4a59-4e87-9c60-112233445566',
	'c07d9e52-3b64-4d28-8f1e-665544332211',
];

/** The properties of each agency, made at the first request for them. */
export class Inventory {
	private readonly byAgency = new Map<string, Property[]>();
	/** A page never has more rows, even if more are asked for. */
	mostOnPage = Infinity;

	constructor(private readonly seed: number) {}

	/** Replaces what the agency has. */
	fill(agencyRef: string, count: number): Property[] {
		const properties = agencyProperties(this.seed, agencyRef, count);
		this.byAgency.set(agencyRef, properties);
		return properties;
	}

	of(agencyRef: string): Property[] {
		return this.byAgency.get(agencyRef) ?? this.fill(agencyRef, USUAL_COUNT);
	}
}
