import type { INodeProperties } from 'n8n-workflow';
import { CREDENTIAL_LABELS } from '../../service/labels';

/** For the integrations whose token service has its path fixed by the specification. */
export const authUrlProperty: INodeProperties = {
	displayName: CREDENTIAL_LABELS.authUrl,
	name: 'authUrl',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://auth.example.com',
	description:
		'The address that issues tokens, as the operator of the service sent it. The path /oauth2/token is added if it is missing.',
};
