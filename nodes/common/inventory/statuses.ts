import uniq from 'lodash/uniq';

/** The service's words for the status of a sale or a letting, and how a person reads them. */
export const STATUSES = new Map([
	['Appraisal', 'Appraisal'],
	['Archived', 'Archived'],
	['Available', 'Available'],
	['Completed', 'Completed'],
	['Exchanged', 'Exchanged'],
	['ExternallyLet', 'Externally Let'],
	['ExternallySold', 'Externally Sold'],
	['Instructed', 'Instructed'],
	['Let', 'Let'],
	['LetAgreed', 'Let Agreed'],
	['LetMarketing', 'Let Marketing'],
	['NotInstructed', 'Not Instructed'],
	['Reserved', 'Reserved'],
	['Suspended', 'Suspended'],
	['UnderOffer', 'Under Offer'],
	['UnderOfferAvailable', 'Under Offer, Available'],
	['UnderOfferMarketing', 'Under Offer, Marketing'],
	['Withdrawn', 'Withdrawn'],
]);

/** A status in plain words; one that is not known stays as it is. */
export function statusLabel(status: string): string {
	return STATUSES.get(status) ?? status;
}

/** A choice of the filter that stands for several statuses. */
export const ON_THE_MARKET = 'onTheMarket';

export const STATUSES_ON_THE_MARKET = [
	'Available',
	'LetMarketing',
	'UnderOfferAvailable',
	'UnderOfferMarketing',
];

/** The service's words for what was chosen in the filter, each once. */
export function statusesOf(chosen: string[]): string[] {
	return uniq(
		chosen.flatMap((choice) => (choice === ON_THE_MARKET ? STATUSES_ON_THE_MARKET : [choice])),
	);
}
