import { AGENCY_REFS } from './inventory';
import type { Inventory } from './inventory';
import type { Property } from './propertyData';
import { createRandom, integer, pick } from './random';

/** What follows a status in the ordinary course of a sale or a letting. */
const NEXT_STATUS: Record<string, string> = {
	Available: 'UnderOffer',
	UnderOffer: 'Exchanged',
	Exchanged: 'Completed',
	LetMarketing: 'LetAgreed',
	LetAgreed: 'Let',
};

const FOR_SALE = 'Available';

const CHANGES = ['price', 'status', 'new'] as const;

type Change = (typeof CHANGES)[number];

/** An agency whose properties change: a price falls, a status moves on, a new property comes, and so on in turn. */
export class Market {
	static readonly CHANGES = CHANGES;

	private readonly agencyRef = AGENCY_REFS[0];
	private readonly random = createRandom(7);
	private turns = 0;

	constructor(private readonly inventory: Inventory) {}

	/**
	 * @param change default: the next in turn
	 * @returns the property that has changed
	 */
	step(change: Change = CHANGES[this.turns++ % CHANGES.length] ?? 'price'): Property {
		switch (change) {
			case 'price':
				return this.lowerPrice();
			case 'status':
				return this.moveOn();
			case 'new':
				return this.create();
		}
	}

	/** By two to five per cent, to a round sum. */
	private lowerPrice(): Property {
		const forSale = this.those(
			({ inventoryStatus, recordType, price }) =>
				inventoryStatus === FOR_SALE && recordType === 'Sale' && price > 50_000,
		);
		if (forSale.length === 0) return this.create({ recordType: 'Sale', inventoryStatus: FOR_SALE });
		const { id, price } = pick(this.random, forSale);
		const lower = Math.floor((price * integer(this.random, 95, 98)) / 100_000) * 1_000;
		return this.inventory.change(this.agencyRef, id, { price: lower });
	}

	private moveOn(): Property {
		const moving = this.those(({ inventoryStatus }) => inventoryStatus in NEXT_STATUS);
		if (moving.length === 0) return this.create();
		const { id, inventoryStatus } = pick(this.random, moving);
		const next = NEXT_STATUS[inventoryStatus];
		return this.inventory.change(this.agencyRef, id, { inventoryStatus: next });
	}

	private create(overrides = {}): Property {
		return this.inventory.create(this.agencyRef, overrides);
	}

	private those(condition: (property: Property) => boolean): Property[] {
		return this.inventory.of(this.agencyRef).filter((each) => !each.archived && condition(each));
	}
}
