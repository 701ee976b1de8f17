import { hash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { phoneE164 } from './phoneE164';

/** No address is as long, with the name that may stand before it. */
const LONGEST_EMAIL = 1_000;

/** Sorting the accents of one letter takes a time that grows with the square of their number. */
const LONGEST_PERSON_NAME = 1_000;

const TIDY_ADDRESS = /^[a-z0-9._%+-]+@[a-z0-9.-]*[a-z0-9]$/;
const ADDRESS = /^[^@<>,;"]+@[^@<>,;"]+$/;

/** Fewer digits are no telephone number, nor are as many of one digit. */
const FEWEST_DIGITS = 7;
const ONE_DIGIT = /^(\d)\1*$/;

/**
 * The same for the same person over several enquiries: made of the e-mail address, or without one of the telephone
 * number and the name, in whatever spelling. An address alone is enough, since people spell their name in several
 * ways; a number is not, since a household or an office has one.
 *
 * A hash, so that a table or a log that has it shows nobody's address. It is personal data nevertheless: who knows an
 * address can make its key.
 *
 * @returns null if the lead has neither
 */
export function personKey(contact: IDataObject): string | null {
	const person = byEmail(contact.email) ?? byPhone(contact);
	// The letter in front keeps a spreadsheet from taking it for a number.
	return person === undefined ? null : `p${hash('sha256', person, 'hex').slice(0, 31)}`;
}

function byEmail(email: unknown): string | undefined {
	if (typeof email !== 'string' || email.length > LONGEST_EMAIL) return undefined;
	const address = TIDY_ADDRESS.test(email) ? email : tidyAddress(email);
	return ADDRESS.test(address) ? `email:${address}` : undefined;
}

/** Without the name before it, spaces, and what a sentence leaves behind it. */
function tidyAddress(email: string): string {
	return email
		.replace(/^[^<]*<([^<>]*)>[^<>]*$/, '$1')
		.normalize('NFKC')
		.replace(/[\s\p{Cf}]+/gu, '')
		.replace(/^mailto:|[.,;]+$/gi, '')
		.toLowerCase();
}

function byPhone({ phoneNumber, firstName, lastName }: IDataObject): string | undefined {
	const number = phoneE164(phoneNumber) ?? digitsOf(phoneNumber);
	return number === undefined
		? undefined
		: `phone:${number}:${letters(firstName)}${letters(lastName)}`;
}

function digitsOf(phoneNumber: unknown): string | undefined {
	if (typeof phoneNumber !== 'string') return undefined;
	const digits = phoneNumber.replace(/\D/g, '');
	return digits.length < FEWEST_DIGITS || ONE_DIGIT.test(digits) ? undefined : digits;
}

/**
 * “Zoë O’Dunnsley” and “ZOE O'DUNNSLEY” are one. The vowels of some scripts are marks, but no accents: “राम” and
 * “रमा” are two.
 */
function letters(name: unknown): string {
	if (typeof name !== 'string') return '';
	return name
		.slice(0, LONGEST_PERSON_NAME)
		.normalize('NFKD')
		.replace(/[^\p{L}\p{N}\p{M}]|\p{Diacritic}/gu, '')
		.toLowerCase();
}
