import { hash } from 'node:crypto';

import { phoneE164 } from './phoneE164';

/**
 * Makes a key that is the same for all enquiries of one person. It is made from the email address or, if there is none,
 * from the telephone number.
 *
 * The key is a hash, so a table or a log that contains it does not show the address. The key is still personal data,
 * because anybody who knows an address can make its key.
 *
 * @returns null if the lead has neither an email address nor a usable telephone number
 */
export function personKey(email: string | null, phoneNumber: string | null): string | null {
	const person = email?.includes('@') ? email.toLowerCase() : phoneE164(phoneNumber);
	// The person's key starts with the letter p, so that a spreadsheet does not read it as a number.
	return person === null ? null : `p${hash('sha256', person, 'hex').slice(0, 31)}`;
}
