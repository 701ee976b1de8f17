import type { INodeProperties } from 'n8n-workflow';

import { CREDENTIAL_LABELS } from '../../service/labels';

/** A text field of a credential. It is required unless `more` says otherwise. */
export function textProperty(
	name: keyof typeof CREDENTIAL_LABELS,
	more: Partial<INodeProperties>,
): INodeProperties {
	const displayName = CREDENTIAL_LABELS[name];
	return { displayName, name, type: 'string', required: true, default: '', ...more };
}

/** The field “Auth URL” of a credential, for integrations whose specification fixes the path of the token endpoint. */
export const authUrlProperty = textProperty('authUrl', {
	placeholder: 'e.g. https://auth.example.com',
	description:
		'The address that issues tokens, as the operator of the service sent it. The path /oauth2/token is added if it is missing.',
});
