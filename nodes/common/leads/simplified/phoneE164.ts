/** What people put between digits, and marks that a copied number brings along unseen. */
const BETWEEN = /[\s().\-\u2010-\u2015]+|[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/g;

/**
 * A number of the UK in full, without its first 0. Those of 9 digits are left out: but for a few places they
 * lack one.
 */
const UK_NUMBER = '((?:1[1-9]|2[03489]|3[0347]|5[56]|7\\d|8[047]|9[018])\\d{8})';

/** As it is dialled in the UK, and from abroad with or without the + and with the 0 that some leave in. */
const UK = new RegExp(`^(?:(?:\\+|00)?440?|0)${UK_NUMBER}$`);

/** Each digit belongs to one country code alone, so that `490…` is no code of three digits. */
const COUNTRY_CODE =
	'(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-69]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])\\d)';

/** No 0 comes first behind the code: whether it has to be dialled differs from country to country. */
const ABROAD = new RegExp(`^(?:\\+|00)(?!44)(${COUNTRY_CODE}[1-9]\\d+)$`);

/**
 * A telephone number in the form that every system takes (E.164): `+447700900123`. Null if that is not
 * certain: a digit is missing, there is an extension, a word or a second number, or no country is named
 * and it is none of the UK.
 */
export function phoneE164(phoneNumber: unknown): string | null {
	if (typeof phoneNumber !== 'string') return null;
	const dialled = phoneNumber.replace(BETWEEN, '');
	const ukNumber = UK.exec(dialled)?.[1];
	if (ukNumber !== undefined) return `+44${ukNumber}`;
	const abroad = ABROAD.exec(dialled)?.[1];
	return abroad !== undefined && abroad.length >= 8 && abroad.length <= 15 ? `+${abroad}` : null;
}
