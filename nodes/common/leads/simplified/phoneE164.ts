import { textOf } from '../../../../service/basics/values';

/** What people put between digits, and marks that a copied number brings along unseen. */
const BETWEEN = /[\s().\-\u2010-\u2015]+|[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/g;

/**
 * A number of the UK in full, without its first 0. Those of 9 digits are left out: but for a few places they
 * lack one. So are those that begin with 055, 070 or 09: hardly anybody has one, and mobile numbers of other
 * countries begin like that at home.
 */
const UK_NUMBER =
	'((?=\\d{10}$)(?:1[1-9]|2[03489]|3[0347]|56|7[1-57-9]|7624|80[08]|84[3-5]|87[0-3])\\d+)';

/** As it is dialled in the UK, and from abroad with or without the + and with the 0 that some leave in. */
const UK = new RegExp(`^(?:(?:\\+|00)?440?|0)${UK_NUMBER}$`);

/**
 * Each digit belongs to one country code alone, so that `490…` is no code of three digits. Numbers behind 1 and 7
 * have ten: with more, the digits before them are those that some dial to get abroad.
 */
const COUNTRY_CODE =
	'(?:1(?=[2-9]\\d{9}$)|7(?=\\d{10}$)|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-69]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])\\d)';

/** A 0 or 8 behind the code is what some countries dial at home: whether it belongs to the number is not certain. */
const ABROAD = new RegExp(`^(?:\\+|00)(?!44|(?:370|375|993)8)(${COUNTRY_CODE}[1-9]\\d+)$`);

/**
 * A telephone number in the form that every system takes (E.164): `+447700900123`. Null if that is not
 * certain: a digit is missing, there is an extension, a word or a second number, or no country is named
 * and it is none of the UK.
 */
export function phoneE164(phoneNumber: unknown): string | null {
	const dialled = textOf(phoneNumber).normalize('NFKC').replace(BETWEEN, '');
	const ukNumber = UK.exec(dialled)?.[1];
	if (ukNumber !== undefined) return `+44${ukNumber}`;
	const abroad = ABROAD.exec(dialled)?.[1];
	return abroad !== undefined && abroad.length >= 8 && abroad.length <= 15 ? `+${abroad}` : null;
}
