import { describe, expect, it } from '@jest/globals';

import { requiredText, text, withoutBlankEnds } from '../../../../service/auth/credentialFields';

describe('the blanks at the ends of what was pasted', () => {
	it.each([
		['value', 'value'],
		[' \t\r\nvalue\n', 'value'],
		['\ufeffvalue', 'value'],
		['value\u200b\u200f\u2060\u00ad', 'value'],
		['\u00a0 two  words \u00a0', 'two  words'],
		['', ''],
		[' ', ''],
		['\n \ufeff \n', ''],
	])('of %j are dropped', (pasted, value) => {
		expect(withoutBlankEnds(pasted)).toBe(value);
	});
});

describe('a field of a credential', () => {
	it.each([
		[' id\n', 'id'],
		['', ''],
		[true, ''],
		[7, ''],
		[['id'], ''],
	])('that holds %j is %j', (value, expected) => {
		expect(text({ clientId: value }, 'clientId')).toBe(expected);
	});

	it('that is not there is empty', () => {
		expect(text({}, 'clientId')).toBe('');
	});

	it('that must not be empty is told by its label, with what to do about it', () => {
		const ask = () => requiredText({ privateKey: ' ' }, 'privateKey', 'Paste it.');

		expect(ask).toThrow(
			expect.objectContaining({
				kind: 'credential',
				message: '“Private Key” is empty in the credential',
				details: { remedy: 'Paste it.' },
			}),
		);
		expect(requiredText({ privateKey: ' k ' }, 'privateKey')).toBe('k');
	});
});
