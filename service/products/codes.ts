import type { ErrorCode } from '../errorCodes';
import { LABELS } from './labels';

/** What one of the service's codes means for an agency, with advice. */
export interface RegisterEntry {
	/** Completes the sentence “Premium listing for listing 123 was not activated: …”. */
	problem: string;
	remedy: string;
	helpCode: ErrorCode;
}

/** The state of an existing activation that prevents an order. */
export type Already = 'alreadyActive' | 'alreadyPending' | 'alreadyScheduled';

const PENDING_ALREADY = ['1011003', '2011004'];

const ACTIVE_ALREADY = ['1011004', '2011005', '1021001'];

/**
 * A code to which the service's published registers of codes give two meanings: that an order is already pending, and
 * that the order could not be read.
 */
const AMBIGUOUS = '1011003';

const AGAIN = 'then run the workflow again.';

/** One piece of advice with all problems to which it applies, and the codes of each problem. */
interface Register extends Omit<RegisterEntry, 'problem'> {
	problems: Record<string, string[]>;
}

/**
 * The codes whose meaning tells an agency more than the service's own text. In the service's public registers, a code
 * consists of three digits for the API (101 premium listings, 102 their processor, 201 weekly featured properties), a
 * 1, and three digits for the case. An entry such as `order 404` stands for an answer with this HTTP status and without
 * one of these codes.
 */
const REGISTERS: Register[] = [
	{
		helpCode: 'listingUnknown',
		remedy: `Check the listing’s ID and its type, and that the listing has been on the portal for 30 minutes, ${AGAIN}`,
		problems: {
			'the service does not know the listing': ['1011011', '1011051', '1021003', '2011011'],
			'the service does not know the listing, or the “Products URL” is wrong': ['order 404'],
			'the service finds no listing with this ID from your software': [
				...['1011061', 'list of own 400', 'list of own 404'],
			],
		},
	},
	{
		helpCode: 'listingNotReady',
		remedy: `Correct that in your own software, wait until the portal shows it, ${AGAIN}`,
		problems: {
			'the listing’s full description has less than 200 characters': ['1011007', '1021005'],
			'the listing has fewer than three images': ['1011008', '1021004'],
			'the listing has no image': ['2011007'],
		},
	},
	{
		helpCode: 'listingNotEligible',
		remedy: 'Choose another listing.',
		problems: {
			'the product is not available for this kind of listing': ['1021002'],
			'a weekly featured property must be in the UK': ['2011008'],
			'a weekly featured property must be residential': ['2011009'],
		},
	},
	{
		helpCode: 'orderNotAllowed',
		remedy: `If that is wrong, ask the operator of the service to change it, ${AGAIN}`,
		problems: {
			'the listing is not one of your agency’s, or your access does not cover it': ['1011901'],
			'your agency’s contract does not include this product': ['1021006'],
			'the listing belongs to no agency in the service': ['1011052'],
			'the service cannot yet look up the IDs of your own software': ['1011064'],
		},
	},
	{
		helpCode: 'orderFields',
		remedy: `Correct them in the node, ${AGAIN} If they are right, ask the operator of the service.`,
		problems: {
			'the custom details are larger than 640 kB': ['1011009', '2011010', 'order 413'],
			'the service does not accept the highlights': ['1011041', '1011042', '1011905', '1021007'],
		},
	},
	{
		helpCode: 'orderUnknown',
		remedy: `Check with “Get Many” in a few minutes. If there is still none, check “${LABELS.highlights}” and “${LABELS.customDetails}”, ${AGAIN}`,
		problems: {
			'the service says that an order for the listing is pending, but shows none': ['1011003'],
		},
	},
	{
		helpCode: 'orderFailed',
		remedy:
			'Correct what the service’s message names, if anything. To order again, run the workflow again.',
		problems: {
			'it was deactivated': ['DEACTIVATED'],
			'the service could not fulfil the order': ['ERROR'],
		},
	},
	{
		helpCode: 'highlightsNotChanged',
		remedy:
			'Check its status with “Get Activation”. Run the workflow again once it is active and no change is under way.',
		problems: {
			'the premium listing is not active': ['1011043'],
			'an earlier change of its highlights is still under way': ['1011044'],
			'the premium listing is not active, or an earlier change is still under way': ['change 409'],
		},
	},
];

const ENTRIES = new Map<string, RegisterEntry>(
	REGISTERS.flatMap(({ problems, ...advice }) =>
		Object.entries(problems).flatMap(([problem, codes]) =>
			codes.map((code): [string, RegisterEntry] => [code, { problem, ...advice }]),
		),
	),
);

/** Returns the problem and the advice for the first of these codes that has an entry in the registers. */
export function entryOf(...codes: Array<string | undefined>): RegisterEntry | undefined {
	return codes.map((code = '') => ENTRIES.get(code)).find((entry) => entry !== undefined);
}

/** True if a code names a cause that an agency can understand, or says that an activation exists already. */
export function isSpecific(code: string): boolean {
	return entryOf(code) !== undefined || duplicateIn([code]) !== undefined;
}

/**
 * True if one of the codes may mean that an existing activation prevents the order, but may also mean something else.
 */
export function isAmbiguous(codes: string[]): boolean {
	return codes.includes(AMBIGUOUS);
}

/** Returns the state of the existing activation, if one of the codes reports such an activation. */
export function duplicateIn(codes: string[]): Already | undefined {
	if (codes.some((code) => PENDING_ALREADY.includes(code))) return 'alreadyPending';
	return codes.some((code) => ACTIVE_ALREADY.includes(code)) ? 'alreadyActive' : undefined;
}
