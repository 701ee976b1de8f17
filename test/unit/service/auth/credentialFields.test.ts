import { describe, expect, it } from '@jest/globals';

import { CREDENTIAL_LABELS } from '../../../../service/labels';
import { text } from '../../../../service/auth/credentialFields';

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
		['clientId', 'Client ID: leads-client', 'begins with the label “Client ID”'],
		['clientSecret', 'client_secret=abc', 'begins with the label “client_secret”'],
		['leadsUrl', 'Leads URL : https://a.example.com', 'begins with the label “Leads URL”'],
		['agencyRef', 'Agency Ref: AG1', 'begins with the label “Agency Ref”'],
	] as const)('%s that holds %j is refused, and shows nothing of it', (name, value, problem) => {
		const message = `“${CREDENTIAL_LABELS[name]}” in the credential ${problem}`;

		const details = {
			remedy: expect.stringMatching(/^(Delete the value|Enter only what follows “)/),
		};
		expect(() => text({ [name]: value }, name)).toThrow(
			expect.objectContaining({ kind: 'credential', message, details }),
		);
	});

	it.each(['two words', 'scope', 'audience+secret:1', 'Client IDs: x', 'x Client ID: y'])(
		'may be %j',
		(value) => {
			expect(text({ clientSecret: value }, 'clientSecret')).toBe(value);
		},
	);
});
