import startCase from 'lodash/startCase';
import uniq from 'lodash/uniq';

/** The values that the service uses for the status of a sale or a letting. */
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

/** Writes a value of the service in plain words: “Let Agreed”, “Under Offer, Available”. */
export function inWords(word: string): string {
	const words = startCase(word).replace(' By ', ' by ');
	return words.replace(/^Under Offer (?=.)/, 'Under Offer, ');
}

/** A choice of the filter “Status” that stands for several of the service's statuses. */
export const ON_THE_MARKET = 'onTheMarket';

export const STATUSES_ON_THE_MARKET = [
	'Available',
	'LetMarketing',
	'UnderOfferAvailable',
	'UnderOfferMarketing',
];

/** Translates the choices of the filter “Status” into the service's statuses, each of them once. */
export function statusesOf(chosen: string[]): string[] {
	return uniq(
		chosen.flatMap((choice) => (choice === ON_THE_MARKET ? STATUSES_ON_THE_MARKET : [choice])),
	);
}
