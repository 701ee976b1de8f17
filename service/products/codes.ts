import type { ErrorCode } from '../errorCodes';
import { LABELS } from './labels';

/** What one of the service's codes means to an agency, and what to do about it. */
export interface RegisterEntry {
	/** Completes “The premium listing for listing 123 was not activated: …”. */
	problem: string;
	remedy: string;
	helpCode: ErrorCode;
}

/** What another activation that stands in the way of an order is. */
export type Already = 'alreadyActive' | 'alreadyPending' | 'alreadyScheduled';

const AGAIN = 'then run the workflow again.';

const PENDING_ALREADY = ['1011003', '2011004'];

const ACTIVE_ALREADY = ['1011004', '2011005', '1021001'];

/** Published for an order that waits already, and for one that cannot be read. */
const AMBIGUOUS = '1011003';

const LARGE_DETAILS: RegisterEntry = {
	problem: 'the custom details are too large',
	remedy: `Shorten “${LABELS.customDetails}” to 640 kB or less, ${AGAIN}`,
	helpCode: 'orderFields',
};

const TOO_EARLY =
	'A new listing can be promoted about 30 minutes after it was sent to the portal: before that, it may have no number there.';

const UNKNOWN_CUSTOMER_LISTING: RegisterEntry = {
	problem: 'the service finds no listing with this ID from your software',
	remedy: `Check the ID: it is the one that your own software gave the listing when it sent it to the portal. ${TOO_EARLY} You can use its “${LABELS.portalListingId}” instead.`,
	helpCode: 'listingUnknown',
};

const NOT_FOUND: RegisterEntry = {
	problem: 'the service does not know the listing, or the “Products URL” is wrong',
	remedy: `Check “${LABELS.listingId}” first, then the Products URL in the credential.`,
	helpCode: 'listingUnknown',
};

/** Of an activation that is over, with a code that no register has. */
export const DEACTIVATED: RegisterEntry = {
	problem: 'it was deactivated',
	remedy: 'To order it again, run the workflow again.',
	helpCode: 'orderFailed',
};

/** Of an activation that failed, with a code that no register has. */
export const NOT_FULFILLED: RegisterEntry = {
	problem: 'the service could not fulfil the order',
	remedy:
		'Correct what the service’s message names, if anything, then run the workflow again. If it continues, tell the operator of the service the code.',
	helpCode: 'orderFailed',
};

/** Of a change of highlights that was refused (409) without a code. */
export const NO_CHANGE_NOW: RegisterEntry = {
	problem: 'the premium listing is not active, or an earlier change is still under way',
	remedy: 'Check its status with Get Activation, and run the workflow again when it is active.',
	helpCode: 'highlightsNotChanged',
};

/**
 * What a code means to an agency, if it says more than the service's own words beside it. By the public registers, a code
 * is three digits for the API (101 premium listings, 102 their processor, 201 weekly featured properties), a 1, and three
 * for the case.
 */
const ENTRIES: Array<RegisterEntry & { codes: string[] }> = [
	{
		codes: ['1011003'],
		problem: 'the service says that an order for the listing is pending, but shows none',
		remedy: `Check with Get Many in a few minutes. If there is still none, check “${LABELS.highlights}” and “${LABELS.customDetails}”, ${AGAIN}`,
		helpCode: 'orderUnknown',
	},
	{
		codes: ['1011007', '1021005'],
		problem: 'the listing’s full description is too short',
		remedy: `Write a full description of at least 200 characters, wait until the portal shows it, ${AGAIN}`,
		helpCode: 'listingNotReady',
	},
	{
		codes: ['1011008', '1021004', '2011007'],
		problem: 'the listing has too few images',
		remedy: `Add images to the listing (a premium listing needs three, a weekly featured property one), wait until the portal shows them, ${AGAIN}`,
		helpCode: 'listingNotReady',
	},
	{ codes: ['1011009', '2011010'], ...LARGE_DETAILS },
	{
		codes: ['1011011', '1011051', '1021003', '2011011'],
		problem: 'the service does not know the listing',
		remedy: `Check “${LABELS.listingId}”, and that the listing is on the portal, ${AGAIN} ${TOO_EARLY}`,
		helpCode: 'listingUnknown',
	},
	{
		codes: ['1011041', '1011042', '1011905', '1021007'],
		problem: 'the service does not accept the highlights',
		remedy: `Check the IDs and descriptions under “${LABELS.highlights}”, ${AGAIN} If they are right, ask the operator of the service.`,
		helpCode: 'orderFields',
	},
	{
		codes: ['1011043'],
		problem: 'the premium listing is not active',
		remedy:
			'Highlights can be changed only while a premium listing is active. Activate it first, or wait until it is.',
		helpCode: 'highlightsNotChanged',
	},
	{
		codes: ['1011044'],
		problem: 'an earlier change of its highlights is still under way',
		remedy: 'Run the workflow again in a few minutes.',
		helpCode: 'highlightsNotChanged',
	},
	{
		codes: ['1011052'],
		problem: 'the listing belongs to no agency in the service',
		remedy: `Ask the operator of the service to correct that, ${AGAIN}`,
		helpCode: 'orderNotAllowed',
	},
	{ codes: ['1011061'], ...UNKNOWN_CUSTOMER_LISTING },
	{
		codes: ['1011064'],
		problem: 'the service has no listings for this client ID in which to look up your own ID',
		remedy: `Ask the operator of the service to set that up. Until then, use its “${LABELS.portalListingId}”.`,
		helpCode: 'orderNotAllowed',
	},
	{
		codes: ['1011901'],
		problem: 'this client ID has no access to the listing',
		remedy:
			'Check that the listing is one of this agency; if it is, ask the operator of the service to give this client ID access to it.',
		helpCode: 'orderNotAllowed',
	},
	{
		codes: ['1021002'],
		problem: 'the product is not available for this kind of listing',
		remedy:
			'Choose another listing, or ask the operator of the service which ones can have the product.',
		helpCode: 'listingNotEligible',
	},
	{
		codes: ['1021006'],
		problem: 'the agency’s contract does not include this product',
		remedy: `Ask the operator of the service to add the product to the contract, ${AGAIN}`,
		helpCode: 'orderNotAllowed',
	},
	{
		codes: ['2011008'],
		problem: 'the listing is not in the UK',
		remedy: 'Choose a listing in the UK: a weekly featured property cannot be elsewhere.',
		helpCode: 'listingNotEligible',
	},
	{
		codes: ['2011009'],
		problem: 'the listing is not residential',
		remedy: 'Choose a residential listing: a weekly featured property cannot be commercial.',
		helpCode: 'listingNotEligible',
	},
];

const REGISTER = new Map<string, RegisterEntry>(
	ENTRIES.flatMap(({ codes, ...entry }) => codes.map((code) => [code, entry])),
);

/** What a status of an order means if no code says more. */
const STATUS_ENTRIES = new Map<number, RegisterEntry>([
	[404, NOT_FOUND],
	[413, LARGE_DETAILS],
]);

/** Undefined for a code that names no cause that an agency could see. */
export function registerEntry(code: string | undefined): RegisterEntry | undefined {
	return REGISTER.get(code ?? '');
}

/** What the refusal of an order means, by its code or status. */
export function refusalEntry(code?: string, status = 0): RegisterEntry | undefined {
	return registerEntry(code) ?? STATUS_ENTRIES.get(status);
}

/** What it means that the service does not list a listing. For an agency's own ID that matches none there is no empty list, and perhaps no code. */
export function unlistedEntry(
	isOwnId: boolean,
	code?: string,
	status = 0,
): RegisterEntry | undefined {
	const isUnmatched = isOwnId && [400, 404].includes(status);
	return registerEntry(code) ?? (isUnmatched ? UNKNOWN_CUSTOMER_LISTING : undefined);
}

/** Whether a code names a cause that an agency can see, or an activation that is there. */
export function isSpecific(code: string): boolean {
	return REGISTER.has(code) || duplicateIn([code]) !== undefined;
}

/** Whether the codes may say something else than that another activation stands in the way. */
export function isAmbiguous(codes: string[]): boolean {
	return codes.includes(AMBIGUOUS);
}

/** What stands in the way, if the codes tell of something. */
export function duplicateIn(codes: string[]): Already | undefined {
	if (codes.some((code) => PENDING_ALREADY.includes(code))) return 'alreadyPending';
	return codes.some((code) => ACTIVE_ALREADY.includes(code)) ? 'alreadyActive' : undefined;
}
