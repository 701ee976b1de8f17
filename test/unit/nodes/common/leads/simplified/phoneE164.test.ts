import { describe, expect, it } from '@jest/globals';

import { phoneE164 } from '../../../../../../nodes/common/leads/simplified/phoneE164';
import fc from '../../../../../lab/properties';

describe('the international form of a telephone number', () => {
	it.each([
		['07700 900123', '+447700900123'],
		['+44 7700 900123', '+447700900123'],
		['+44 (0)7700 900123', '+447700900123'],
		['+44 07700 900123', '+447700900123'],
		['0044 (0) 7700 900123', '+447700900123'],
		['447700900123', '+447700900123'],
		['\u202a+44 7700\u00a0900‑123\u202c', '+447700900123'],
		['020 7946 0123', '+442079460123'],
		['01632 960123', '+441632960123'],
		['0808 157 0123', '+448081570123'],
		['07624 123456', '+447624123456'],
		['+7 912 345 67 89', '+79123456789'],
		['+375 29 491 12 87', '+375294911287'],
		['0033 1 99 00 12 34', '+33199001234'],
		['+1 (202) 555-0123', '+12025550123'],
	])('of %p is %s', (typed, e164) => {
		expect(phoneE164(typed)).toBe(e164);
	});

	it.each([
		['a digit is missing', '07700 90012'],
		['there is a digit too many', '07700 900123 4'],
		['the 0 is missing', '7700 900123'],
		['no country is named, and the UK has no such number', '06 12 34 56 78'],
		['it is the emergency number', '999'],
		['+ stands before a 0', '+07700 900123'],
		['it is the UK’s, and too short', '+44 7700 90012'],
		['there is an extension', '01632 960123 ext. 4'],
		['there are two numbers', '07700 900123 / 01632 960123'],
		['there is a word', '07700 900123 (evenings)'],
		['whether the 0 belongs to it differs from country to country', '+49 (0)30 901820'],
		['it is too short for any', '+33 199'],
		['it is too long for any', '+33 199 001 234 567 890'],
		['+ stands inside', '07700+900123'],
		['it begins as mobile numbers of India do, and hardly anybody’s of the UK', '098765 43210'],
		['it begins as mobile numbers of Nigeria do, and hardly anybody’s of the UK', '0703 123 4567'],
		['it begins as mobile numbers of Turkey do, and hardly anybody’s of the UK', '0556 847 08 99'],
		['it is a pager’s', '07612 345678'],
		['00 and a 1 are how Australia dials abroad', '0011 44 7700 900123'],
		['a 1 is dialled before it at home', '+1 1 202 555 0123'],
		['an 8 is dialled before it at home', '+7 8 912 345 67 89'],
		['an 8 is dialled before it at home', '+375 8 029 491 12 87'],
		['there is nothing', ''],
		['there is nothing', null],
		['it has lost its 0', 7700900123],
	])('is left out if %s: %p', (_, typed) => {
		expect(phoneE164(typed)).toBeNull();
	});

	it('is null or well formed, and says no other digits than those typed', () => {
		const characters = fc.constantFrom(...'0123456789+() -.x', '44', '00', '(0)', '07');

		fc.assert(
			fc.property(fc.array(characters, { maxLength: 24 }), (parts) => {
				const typed = parts.join('');
				const digits = phoneE164(typed)?.replace(/^\+(44)?/, '');
				if (digits === undefined) return;

				expect(phoneE164(typed)).toMatch(/^\+[1-9]\d{7,14}$/);
				expect(typed.replace(/\D/g, '').endsWith(digits)).toBe(true);
			}),
			{ numRuns: 2_000 },
		);
	});
});
