import startCase from 'lodash/startCase';
import uniq from 'lodash/uniq';

/** The service's words for the status of a sale or a letting. */
export const STATUSES = [
	'Appraisal',
	'Archived',
	'Available',
	'Completed',
	'Exchanged',
	'ExternallyLet',
	'ExternallySold',
	'Instructed',
	'Let',
	'LetAgreed',
	'LetMarketing',
	'NotInstructed',
	'Reserved',
	'Suspended',
	'UnderOffer',
	'UnderOfferAvailable',
	'UnderOfferMarketing',
	'Withdrawn',
];

/** Writes a word of the service as a person reads it: “Let Agreed”, “Under Offer, Available”. */
export function inWords(word: string): string {
	const words = startCase(word).replace(' By ', ' by ');
	return words.replace(/^Under Offer (?=.)/, 'Under Offer, ');
}

/** A choice of the filter that stands for several statuses. */
export const ON_THE_MARKET = 'onTheMarket';

export const STATUSES_ON_THE_MARKET = [
	'Available',
	'LetMarketing',
	'UnderOfferAvailable',
	'UnderOfferMarketing',
];

/** The service's words for the choices of the filter, each once. */
export function statusesOf(chosen: string[]): string[] {
	return uniq(
		chosen.flatMap((choice) => (choice === ON_THE_MARKET ? STATUSES_ON_THE_MARKET : [choice])),
	);
}
