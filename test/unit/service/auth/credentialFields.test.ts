import { describe, expect, it } from '@jest/globals';

import { CREDENTIAL_LABELS } from '../../../../service/labels';
import { requiredText, text } from '../../../../service/auth/credentialFields';

describe('a field of a credential', () => {
	it.each([
		[' id\n', 'id'],
		['', ''],
		[true, ''],
		[7, '7'],
		[['id'], ''],
	])('that holds %j is %j', (value, expected) => {
		expect(text({ clientId: value }, 'clientId')).toBe(expected);
	});

	it.each([
		['clientId', 'leads\u00a0client', 'has an invisible character after character 5'],
		['clientSecret', 'a\nb', 'has an invisible character after character 1'],
		['agencyRef', 'AG\u200b1', 'has an invisible character after character 2'],
	] as const)('%s that holds %j is refused, and shows nothing of it', (name, value, problem) => {
		const message = `“${CREDENTIAL_LABELS[name]}” in the credential ${problem}`;

		expect(() => text({ [name]: value }, name)).toThrow(
			expect.objectContaining({ kind: 'credential', message }),
		);
	});

	it.each(['two words', 'audience+secret:1'])('may be %j', (value) => {
		expect(text({ clientSecret: value }, 'clientSecret')).toBe(value);
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
