// The people, properties and leads on the pictures. All are invented.
import { DAY, HOUR, MINUTE } from '../times';

/** When the pictures are taken, whenever that is: a Tuesday morning with the offices open. */
export const MOMENT = Date.parse('2026-03-10T09:30:00Z');

const BRANCH = '10234';

/** A lead of the sandbox, and how long before the pictures it came. */
export interface PicturedLead {
	kind: 'applicant' | 'appraisal';
	ago: number;
	fields: Record<string, unknown>;
}

/** On the portal. */
export const LISTING_ID = 20_412_045;

interface Person {
	firstName: string;
	lastName: string;
	phoneNumber: string;
}

function contact({ firstName, lastName, phoneNumber }: Person) {
	const email = `${firstName}.${lastName}@example.com`.toLowerCase();
	return { firstName, lastName, phoneNumber, email };
}

function idOf(number: number): string {
	return `5b1c9e04-7d3a-4f60-8e21-${String(number).padStart(12, '0')}`;
}

/** What a record says of the owner and the negotiator. */
function people(number: number, forename: string, surname: string, negotiatorName: string) {
	const address = `${forename}.${surname}@example.com`.toLowerCase();
	return {
		owners: [
			{
				ownerId: String(number),
				name: { title: '', forename, surname },
				phoneNumbers: [{ preferenceOrder: 1, type: 'Mobile', number: `07700 900${number}` }],
				emailAddresses: [{ preferenceOrder: 1, address }],
			},
		],
		negotiatorName,
		negotiator: { id: number, name: negotiatorName },
	};
}

const FOR_SALE = {
	category: 'Residential',
	tenure: 'Freehold',
	recordType: 'Sale',
	branchId: BRANCH,
	inventoryStatus: 'Available',
	priceQualifier: 'Guide price',
	bathrooms: 1,
	receptions: 2,
};

const LITTLEFORD = { locality: '', town: 'Littleford', county: 'Exampleshire' };

export const TERRACED_HOUSE = {
	...FOR_SALE,
	...people(512, 'Nadia', 'Lowe', 'Robin Tarn'),
	price: 325_000,
	propertyType: 'Terraced house',
	bedrooms: 3,
	displayAddress: 'Larkmoor Road, Littleford',
	address: { ...LITTLEFORD, nameNo: '14', street: 'Larkmoor Road', postcode: 'AB1 2CD' },
	uprn: '990000000123',
};

const DETACHED_HOUSE = {
	...FOR_SALE,
	...people(547, 'Hugh', 'Sutter', 'Kim Harlow'),
	price: 415_000,
	propertyType: 'Detached house',
	bedrooms: 4,
	displayAddress: 'Heron Way, Littleford',
	address: { ...LITTLEFORD, nameNo: '2', street: 'Heron Way', postcode: 'AB1 3GH' },
	uprn: '990000000456',
};

const FLAT = {
	...FOR_SALE,
	...people(563, 'Ines', 'Marlow', 'Robin Tarn'),
	price: 189_500,
	propertyType: 'Flat',
	bedrooms: 2,
	displayAddress: 'Mill Lane, Littleford',
	address: { ...LITTLEFORD, nameNo: '9', street: 'Mill Lane', postcode: 'AB1 4EF' },
	uprn: '990000000789',
};

export const HOUSES = [TERRACED_HOUSE, DETACHED_HOUSE, FLAT];

/** What a lead says of the advert that it answers. */
function listingOf({ price, bedrooms, uprn, address }: typeof TERRACED_HOUSE) {
	const { nameNo, street, locality, town, postcode } = address;
	return {
		id: String(LISTING_ID),
		url: `https://www.example.com/properties/${LISTING_ID}`,
		sourceId: 'LIT-0412',
		uprn: Number(uprn),
		bedrooms,
		address: {
			propertyNumberOrName: nameNo,
			streetName: street,
			locality,
			townOrCity: town,
			postcode,
		},
		pricing: { transactionType: 'TRANSACTION_TYPE_SALE', price },
	};
}

function applicant(
	number: number,
	ago: number,
	person: Person,
	message: string,
	{ house = TERRACED_HOUSE, fields = {} }: { house?: typeof TERRACED_HOUSE; fields?: object } = {},
): PicturedLead {
	return {
		kind: 'applicant',
		ago,
		fields: {
			id: idOf(number),
			contact: contact(person),
			message,
			sourceBranchId: BRANCH,
			portalBranchId: '731',
			enquiryType: 'ENQUIRY_TYPE_SALES',
			intent: 'APPLICANT_INTENT_BUY',
			propertyUse: 'PROPERTY_USE_RESIDENTIAL',
			consumerSituation: 'CONSUMER_SITUATION_FIRST_TIME_BUYER',
			consumerPostcode: 'AB1 4EF',
			organiseViewing: true,
			requestPropertyDetails: false,
			viewingTimes: [],
			listingDetails: listingOf(house),
			...fields,
		},
	};
}

function appraisal(
	number: number,
	ago: number,
	person: Person,
	message: string,
	line1: string,
): PicturedLead {
	return {
		kind: 'appraisal',
		ago,
		fields: {
			id: idOf(number),
			contact: contact(person),
			message,
			sourceBranchId: BRANCH,
			portalBranchId: '731',
			enquiryType: 'ENQUIRY_TYPE_SALES',
			intent: 'APPRAISAL_INTENT_SELL',
			propertyUse: 'PROPERTY_USE_RESIDENTIAL',
			justCurious: false,
			propertyDetails: {
				bedrooms: 3,
				address: {
					line1,
					line2: '',
					line3: '',
					town: 'Littleford',
					county: '',
					postcode: 'AB1 3GH',
				},
				estimate: { value: 340_000 },
			},
		},
	};
}

/** The newest first. */
export const LEADS: [PicturedLead, PicturedLead, ...PicturedLead[]] = [
	applicant(
		1,
		4 * MINUTE,
		{ firstName: 'Amara', lastName: 'Quill', phoneNumber: '07700 900123' },
		'Is the house still for sale? We could view it on Saturday morning.',
	),
	appraisal(
		2,
		40 * MINUTE,
		{ firstName: 'Tomas', lastName: 'Berwick', phoneNumber: '07700 900456' },
		'We want to move closer to work this summer. What could we ask for?',
		'3 Heron Way',
	),
	applicant(
		3,
		3 * HOUR,
		{ firstName: 'Priya', lastName: 'Holt', phoneNumber: '07700 900789' },
		'Is there a garden, and which way does it face?',
		{ house: DETACHED_HOUSE },
	),
	appraisal(
		4,
		20 * HOUR,
		{ firstName: 'Leila', lastName: 'Marsh', phoneNumber: '07700 900654' },
		'I would like a valuation of my flat before I decide.',
		'Flat 2, 9 Mill Lane',
	),
	applicant(
		5,
		22 * HOUR,
		{ firstName: 'Owen', lastName: 'Farrow', phoneNumber: '07700 900321' },
		'Please send me the floor plan.',
		{ house: FLAT },
	),
	applicant(
		6,
		23 * HOUR,
		{ firstName: 'Jonas', lastName: 'Peel', phoneNumber: '07700 900987' },
		'Could I see it after 6 pm on a weekday?',
		{ fields: { sourceBranchId: '10235' } },
	),
	applicant(
		7,
		9 * DAY,
		{ firstName: 'Rosa', lastName: 'Venn', phoneNumber: '07700 900147' },
		'Do you have anything similar with parking?',
	),
];
