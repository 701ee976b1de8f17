import type { Random } from './random';
import { chance, integer, pick } from './random';

// All values are invented. If a range is reserved for examples, they are taken from it.
const FIRST_NAMES = ['Aldo', 'Brina', 'Corin', 'Delia', 'Edda', 'Fenno', 'Gilda', 'Jory', 'Zoë'];
const LAST_NAMES = ['Ambermoor', "O'Dunnsley", 'Håvardsen', 'Moss-Tarn'];
const STREETS = ['Larkmoor Road', 'Quillbrook Lane', 'Emberfield Avenue', 'Old Sluice Way'];
const TOWNS = ['Littleford', 'Wexbourne', 'Oakhampstead', 'Netherfold', 'Saltmarsh Bay'];
/** n8n takes none of these for a date, as it does “branch-101” or “4001”: a Switch would compare it with today. */
export const BRANCHES = ['NORTH', 'SOUTH', 'QUAYSIDE'];
const COUNTIES = ['Northmereshire', 'Eastfoldshire', 'Westbournshire'];
const MESSAGES = [
	'Is this still available?',
	'Please call me after six.\nWeekends are fine as well.',
	'<p>We would like to see it <b>this week</b>.<br>Thank you</p>',
	'Hello,\r\n\r\nhow long is the lease & what is the service charge?\r\n',
	'Could I bring a dog? 🐕 It is "very" small.',
	'',
];

export function person(random: Random) {
	return {
		firstName: pick(random, FIRST_NAMES),
		lastName: pick(random, LAST_NAMES),
		phoneNumber: `07700 900${String(integer(random, 0, 999)).padStart(3, '0')}`,
		email: `enquirer.${integer(random, 1, 99999)}@example.com`,
	};
}

export function place(random: Random) {
	const outward = pick(random, ['AB1', 'CD2', 'EF3', 'GH4']);
	const letters = pick(random, ['AB', 'CD', 'EF', 'GH']);
	return {
		nameNo: String(integer(random, 1, 220)),
		street: pick(random, STREETS),
		locality: chance(random, 0.3) ? 'Old Quarter' : '',
		town: pick(random, TOWNS),
		county: pick(random, COUNTIES),
		postcode: `${outward} ${integer(random, 1, 9)}${letters}`,
	};
}

export function message(random: Random): string {
	return pick(random, MESSAGES);
}
