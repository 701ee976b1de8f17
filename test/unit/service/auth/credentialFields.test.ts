import { describe, expect, it } from '@jest/globals';

import { requiredText, text } from '../../../../service/auth/credentialFields';

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
