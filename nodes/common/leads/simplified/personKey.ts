import { hash } from 'node:crypto';

import { phoneE164 } from './phoneE164';

/**
 * Makes the key that all enquiries of one person share, from the email address or, without one, from the telephone
 * number.
 *
 * The key is a hash, so that a table or a log that has it shows nobody's address. It is personal data nevertheless: a
 * person who knows an address can make its key.
 *
 * @returns null if the lead has neither
 */
export function personKey(email: string | null, phoneNumber: string | null): string | null {
	const person = email?.includes('@') ? email.toLowerCase() : phoneE164(phoneNumber);
	// The letter in front keeps a spreadsheet from reading the key as a number.
	return person === null ? null : `p${hash('sha256', person, 'hex').slice(0, 31)}`;
}
