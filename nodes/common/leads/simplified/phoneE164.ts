import { textOf } from '../../../../service/basics/values';

/** Matches the signs that people put between digits, and invisible marks of a number that was copied. */
const BETWEEN = /[\s().\-\u2010-\u2015]+|[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/g;

/**
 * Matches a whole number of the UK, without its first 0. Numbers of 9 digits do not match, because nearly all of them
 * lack a digit. Numbers that begin with 055, 070 or 09 do not match either: they are rare, and mobile numbers of
 * other countries begin like that at home.
 */
const UK_NUMBER =
	'((?=\\d{10}$)(?:1[1-9]|2[03489]|3[0347]|56|7[1-57-9]|7624|80[08]|84[3-5]|87[0-3])\\d+)';

/**
 * Matches a number as people dial it in the UK, and from abroad with or without the +, and with the 0 that some
 * people leave in.
 */
const UK = new RegExp(`^(?:(?:\\+|00)?440?|0)${UK_NUMBER}$`);

/**
 * Matches a country code. Codes are unambiguous from their first digits, so that `490…` is no code of three digits.
 * Numbers behind the codes 1 and 7 have ten digits; with more, the first digits are a prefix that some people dial to
 * call abroad.
 */
const COUNTRY_CODE =
	'(?:1(?=[2-9]\\d{9}$)|7(?=\\d{10}$)|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-69]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])\\d)';

/**
 * Matches a number of another country. A 0 or 8 behind the code does not match: it is a prefix that some countries
 * dial at home, and may not belong to the number.
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
