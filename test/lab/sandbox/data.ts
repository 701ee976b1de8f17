import type { Random } from './random';
import { chance, integer, pick } from './random';

// All values are invented. If a range is reserved for examples, they are taken from it.
const FIRST_NAMES = [
	'Aldo',
	'Brina',
	'Corin',
	'Delia',
	'Edda',
	'Fenno',
	'Gilda',
	'Horst',
	'Ilsa',
	'Jory',
	'Zoë',
];
const LAST_NAMES = [
	'Ambermoor',
	'Brackwillow',
	"O'Dunnsley",
	'Fernhollow',
	'Glimmerton',
	'Håvardsen',
	'Moss-Tarn',
];
const STREETS = [
	'Larkmoor Road',
	'Quillbrook Lane',
	'Emberfield Avenue',
	'Tumbledown Hill',
	'Old Sluice Way',
];
const TOWNS = ['Littleford', 'Wexbourne', 'Oakhampstead', 'Netherfold', 'Saltmarsh Bay'];
const COUNTIES = ['Northmereshire', 'Eastfoldshire', 'Westbournshire'];
const OUTWARD_CODES = ['AB1', 'CD2', 'EF3', 'GH4'];
const INWARD_LETTERS = ['AB', 'CD', 'EF', 'GH'];
const MESSAGES = [
	'Is this still available?',
	'Please call me after six.\nWeekends are fine as well.',
	'<p>We would like to see it <b>this week</b>.<br>Thank you</p>',
	'Hello,\r\n\r\nhow long is the lease & what is the service charge?\r\n',
	'Could I bring a dog? 🐕 It is "very" small.',
	'',
];

export function person(random: Random) {
	const firstName = pick(random, FIRST_NAMES);
	const lastName = pick(random, LAST_NAMES);
	const digits = String(integer(random, 0, 999)).padStart(3, '0');
	return {
		firstName,
		lastName,
		phoneNumber: `07700 900${digits}`,
		email: `enquirer.${integer(random, 1, 99999)}@example.com`,
	};
}

export function postcode(random: Random): string {
	return `${pick(random, OUTWARD_CODES)} ${integer(random, 1, 9)}${pick(random, INWARD_LETTERS)}`;
}

export function place(random: Random) {
	return {
		nameNo: String(integer(random, 1, 220)),
		street: pick(random, STREETS),
		locality: chance(random, 0.3) ? 'Old Quarter' : '',
		town: pick(random, TOWNS),
		county: pick(random, COUNTIES),
		postcode: postcode(random),
	};
}

export function message(random: Random): string {
	return pick(random, MESSAGES);
}
