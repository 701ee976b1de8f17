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
export function statusText(status: string): string {
	return STATUSES.get(status) ?? status;
}
