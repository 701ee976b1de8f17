import { DAY, HOUR, isoMinutes } from './clock';
import { person, place } from './data';
import type { Inventory } from './inventory';
import { AGENCY_REFS } from './inventory';
import type { LeadKind, LeadOwner } from './leadBodies';
import { intentOf } from './leadBodies';
import type { Overrides } from './overrides';
import type { Property } from './propertyData';
import type { Random } from './random';
import { chance, createRandom, integer, pick } from './random';

const MESSAGES = {
	sale: [
		'We would like to see this house. Saturday morning would suit us best.',
		'Is this still for sale? We have sold ours and could move quickly.',
		'Could you tell me what the council tax is, and whether the loft is boarded?',
		'I am a first-time buyer with a mortgage agreed in principle.\nCould I see it after work?',
	],
	letting: [
		'Is this still to let? I could move in at the start of next month.',
		'We are a couple, both working, with one small dog. Would the landlord mind?',
		'Could I see the flat this week? I finish work at five.',
		'What bills are included in the rent?',
	],
	seller: [
		'We are thinking of moving next spring and would like to know what our house is worth.',
		'Please call me to arrange a valuation. Afternoons are best.',
		'I have inherited this house and would like your advice.',
	],
	landlord: [
		'I would like to let my flat and wonder what rent to ask.',
		'My tenants leave next month. What could I get for it now?',
	],
};
const PROPERTY_TYPES: Record<string, string> = {
	Flat: 'PROPERTY_TYPE_FLAT',
	'Terraced house': 'PROPERTY_TYPE_TERRACED',
	'Detached house': 'PROPERTY_TYPE_DETACHED',
};
const SALE_SITUATIONS = [
	'CONSUMER_SITUATION_FIRST_TIME_BUYER',
	'CONSUMER_SITUATION_PROPERTY_TO_SELL',
	'CONSUMER_SITUATION_RECENTLY_SOLD',
];
const ON_THE_MARKET = ['Available', 'LetMarketing'];

/** @returns what such a home costs: a price, or a monthly rent */
export function plausiblePrice(random: Random, letting: boolean, bedrooms: number): number {
	if (letting) return 450 + bedrooms * 225 + integer(random, 0, 8) * 25;
	return 95_000 + bedrooms * 70_000 + integer(random, 0, 12) * 5_000;
}

/** What leads say that an agency gets every day: about its own properties, with all that people fill in. */
export class Everyday {
	private readonly random: Random;

	/** @param branches that receive the leads */
	constructor(
		seed: number,
		private readonly inventory: Inventory,
		private readonly branches: string[],
		private readonly now: () => number,
	) {
		this.random = createRandom(seed + 11);
	}

	/** @returns whose a lead is if nobody says */
	owner(): LeadOwner {
		return { branchId: pick(this.random, this.branches) };
	}

	/** @param wanted what somebody wants of the lead: what is for sale has a price, what is to let a rent */
	lead(kind: LeadKind, wanted: Overrides = {}): Overrides {
		return kind === 'applicant' ? this.applicant(wanted) : this.appraisal(wanted);
	}

	private applicant({ enquiryType }: Overrides): Overrides {
		const onTheMarket = this.inventory.of(AGENCY_REFS[0]).filter((property) => {
			const { archived, inventoryStatus, recordType } = property;
			const fits = enquiryType === undefined || enquiryType === enquiryOf(recordType === 'Rent');
			return fits && !archived && ON_THE_MARKET.includes(inventoryStatus);
		});
		if (onTheMarket.length === 0) return this.common('applicant', false, MESSAGES.sale);
		return this.about(pick(this.random, onTheMarket));
	}

	/** @returns what an applicant says who asks about this property */
	about(property: Property): Overrides {
		const { random } = this;
		const letting = property.recordType === 'Rent';
		return {
			...this.common('applicant', letting, letting ? MESSAGES.letting : MESSAGES.sale),
			consumerPostcode: place(random).postcode,
			consumerSituation: letting ? 'CONSUMER_SITUATION_OTHER' : pick(random, SALE_SITUATIONS),
			organiseViewing: true,
			viewingTimes: [this.viewing()],
			searchCriteria: searchFor(property, letting),
			listingDetails: listingOf(property, letting),
		};
	}

	private appraisal({ enquiryType }: Overrides): Overrides {
		const { random } = this;
		const letting =
			enquiryType === undefined ? chance(random, 0.3) : enquiryType === enquiryOf(true);
		const bedrooms = integer(random, 1, 4);
		const worth = plausiblePrice(random, letting, bedrooms);
		const step = letting ? 25 : 1_000;
		const near = (share: number) => Math.round((worth * share) / step) * step;
		return {
			...this.common('appraisal', letting, letting ? MESSAGES.landlord : MESSAGES.seller),
			justCurious: false,
			propertyDetails: {
				bedrooms,
				bathrooms: Math.ceil(bedrooms / 2),
				receptions: 1,
				propertyType: pick(random, Object.values(PROPERTY_TYPES)),
				lastSalePrice: Math.round((95_000 + bedrooms * 70_000) * 0.7),
				estimate: {
					value: worth,
					lowerRange: near(0.95),
					upperRange: near(1.05),
					confidenceBand: 'CONFIDENCE_BAND_HIGH',
				},
			},
		};
	}

	private common(kind: LeadKind, letting: boolean, messages: string[]): Overrides {
		const { firstName, lastName, ...rest } = person(this.random);
		return {
			contact: {
				...rest,
				firstName,
				lastName,
				email: `${plain(firstName)}.${plain(lastName)}@example.com`,
				preferences: {
					method: 'CONTACT_METHOD_PHONE',
					time: 'TIME_PREFERENCE_AFTERNOON',
				},
			},
			enquiryType: enquiryOf(letting),
			intent: intentOf(kind, letting),
			message: pick(this.random, messages),
			propertyUse: 'PROPERTY_USE_RESIDENTIAL',
			isOverseas: false,
		};
	}

	/** Two hours in one of the next days. */
	private viewing() {
		const { random } = this;
		const midnight = Math.ceil(this.now() / DAY) * DAY + integer(random, 0, 4) * DAY;
		const earliest = midnight + integer(random, 9, 16) * HOUR;
		return { earliest: isoMinutes(earliest), latest: isoMinutes(earliest + 2 * HOUR) };
	}
}

/** Makes a lead of an inventory's property: its address, its price, and the number by which both are found. */
function listingOf(property: Property, letting: boolean) {
	const { id, uprn, price, bedrooms, bathrooms, receptions, propertyType } = property;
	const { nameNo, street, locality, town, postcode } = property.address;
	const listing = 10_000_000 + Number(id);
	return {
		id: String(listing),
		url: `https://www.example.com/properties/${listing}`,
		sourceId: `REF-${id}`,
		uprn: Number(uprn),
		bedrooms,
		bathrooms,
		receptions,
		propertyType: PROPERTY_TYPES[propertyType] ?? 'PROPERTY_TYPE_UNSPECIFIED',
		lifeCycleStatus: `LIFE_CYCLE_STATUS_${letting ? 'UNSPECIFIED' : 'FOR_SALE'}`,
		address: {
			propertyNumberOrName: nameNo,
			streetName: street,
			locality,
			townOrCity: town,
			postcode,
		},
		pricing: {
			transactionType: `TRANSACTION_TYPE_${letting ? 'UNSPECIFIED' : 'SALE'}`,
			price,
			rentFrequency: frequencyOf(letting),
		},
	};
}

function searchFor({ price, bedrooms, address, propertyType }: Property, letting: boolean) {
	const { town, county, postcode } = address;
	const [outcode = '', incode = ''] = postcode.split(' ');
	const step = letting ? 50 : 5_000;
	const round = (sum: number) => Math.round(sum / step) * step;
	return {
		location: {
			alias: town.toLowerCase().replace(/\s/g, '-'),
			area: town,
			countyArea: county,
			incode,
			outcode,
			postTown: town,
			postalArea: outcode.slice(0, 2),
		},
		minimumBedrooms: Math.max(1, bedrooms - 1),
		maximumBedrooms: bedrooms + 1,
		minimumPrice: round(price * 0.8),
		maximumPrice: round(price * 1.1),
		priceFrequency: frequencyOf(letting),
		propertyType: PROPERTY_TYPES[propertyType] ?? 'PROPERTY_TYPE_UNSPECIFIED',
		propertySubType: '',
	};
}

function enquiryOf(letting: boolean): string {
	return letting ? 'ENQUIRY_TYPE_LETTINGS' : 'ENQUIRY_TYPE_SALES';
}

function frequencyOf(letting: boolean): string {
	return letting ? 'RENT_FREQUENCY_PER_MONTH' : 'RENT_FREQUENCY_UNSPECIFIED';
}

/** @returns the letters of a name as an address may have them */
function plain(name: string): string {
	return name
		.normalize('NFD')
		.replace(/[^A-Za-z]/g, '')
		.toLowerCase();
}
