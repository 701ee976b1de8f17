import { textOf } from '../../../../service/basics/values';

/**
 * Matches the blanks, brackets, dots and hyphens that people put between digits, and invisible characters in a copied
 * number.
 */
const BETWEEN = /[\s().\-\u2010-\u2015]+|[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/g;

/**
 * Matches a complete UK telephone number, without its first 0. Numbers with 9 digits do not match, because nearly all
 * of them lack a digit. Numbers that start with 055, 070 or 09 do not match either: they are rare in the UK, and mobile
 * numbers of other countries start with these digits when written without a country code.
 */
const UK_NUMBER =
	'((?=\\d{10}$)(?:1[1-9]|2[03489]|3[0347]|56|7[1-57-9]|7624|80[08]|84[3-5]|87[0-3])\\d+)';

/**
 * Matches a UK telephone number in any usual form: as dialled in the UK, or from abroad with or without the +, even if
 * the first 0 was left in after the country code.
 */
const UK = new RegExp(`^(?:(?:\\+|00)?440?|0)${UK_NUMBER}$`);

/**
 * Matches the country code of a telephone number. No code begins with another code: because 49 is one, `490…` is 49
 * followed by a 0, never a code 490. Numbers with the code 1 or 7 have ten digits after it. If there are more, the
 * leading digits are not a country code but an international dialling prefix such as 011 or 810.
 */
const COUNTRY_CODE =
	'(?:1(?=[2-9]\\d{9}$)|7(?=\\d{10}$)|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-69]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])\\d)';

/**
 * Matches a telephone number outside the UK. A number with a 0 or an 8 after the country code does not match: in some
 * countries, people dial this digit first for calls within the country, and it may not belong to the number.
 */
const ABROAD = new RegExp(`^(?:\\+|00)(?!44|(?:370|375|993)8)(${COUNTRY_CODE}[1-9]\\d+)$`);

/**
 * Returns a telephone number in the international form E.164, `+447700900123`. It returns null if that form is not
 * certain: a digit is missing, there is an extension, a word or a second number, or the number has no country code
 * and is not one of the UK.
 */
export function phoneE164(phoneNumber: unknown): string | null {
	const dialled = textOf(phoneNumber).normalize('NFKC').replace(BETWEEN, '');
	const ukNumber = UK.exec(dialled)?.[1];
	if (ukNumber !== undefined) return `+44${ukNumber}`;
	const abroad = ABROAD.exec(dialled)?.[1];
	return abroad !== undefined && abroad.length >= 8 && abroad.length <= 15 ? `+${abroad}` : null;
}
