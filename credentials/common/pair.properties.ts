import type { INodeProperties } from 'n8n-workflow';

import { CREDENTIAL_LABELS, SECRET_FORMATS } from '../../service/labels';
import { textProperty } from './text.properties';

/**
 * The fields of a credential for the client ID and secret, which the operator of the service sends for each
 * integration.
 */
export const pairProperties: INodeProperties[] = [
	textProperty('clientId', {
		placeholder: 'e.g. 4k1v9qtd7example',
		description:
			'The client ID that the operator of the service sent you for this integration. Each integration has its own.',
	}),
	{
		displayName: CREDENTIAL_LABELS.secretFormat,
		name: 'secretFormat',
		type: 'options',
		options: [
			{
				name: SECRET_FORMATS.plain,
				value: 'plain',
				description: 'The secret itself, a single line of characters',
			},
			{
				name: SECRET_FORMATS.pgp,
				value: 'pgp',
				description: 'A block of text that your private key decrypts',
			},
		],
		default: 'plain',
		description:
			'How the operator sent the client secret: as plain text, or encrypted with your public key',
	},
	textProperty('clientSecret', {
		typeOptions: { password: true },
		displayOptions: { show: { secretFormat: ['plain'] } },
		description: 'The client secret that belongs to the client ID',
	}),
	textProperty('encryptedSecret', {
		typeOptions: { password: true, rows: 4 },
		displayOptions: { show: { secretFormat: ['pgp'] } },
		placeholder: 'e.g. -----BEGIN PGP MESSAGE-----',
		description:
			'The whole message from the operator, from the BEGIN line to the END line. Missing line breaks and surrounding text are fine.',
	}),
	textProperty('privateKey', {
		typeOptions: { password: true, rows: 4 },
		displayOptions: { show: { secretFormat: ['pgp'] } },
		placeholder: 'e.g. -----BEGIN PGP PRIVATE KEY BLOCK-----',
		description:
			'The private key that decrypts the message, as printed by gpg --armor --export-secret-keys',
	}),
	textProperty('passphrase', {
		required: false,
		typeOptions: { password: true },
		displayOptions: { show: { secretFormat: ['pgp'] } },
		description: 'The passphrase of the private key. Leave it empty if the key has none.',
	}),
];
