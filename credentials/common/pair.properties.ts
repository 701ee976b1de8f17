import type { INodeProperties } from 'n8n-workflow';
import { CREDENTIAL_LABELS, SECRET_FORMATS } from '../../service/labels';

/** The pair that the operator sends for an integration. */
export const pairProperties: INodeProperties[] = [
	{
		displayName: CREDENTIAL_LABELS.clientId,
		name: 'clientId',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. 4k1v9qtd7example',
		description:
			'The client ID that the operator of the service sent you for this integration. Each integration has its own.',
	},
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
	{
		displayName: CREDENTIAL_LABELS.clientSecret,
		name: 'clientSecret',
		type: 'string',
		typeOptions: { password: true },
		displayOptions: { show: { secretFormat: ['plain'] } },
		required: true,
		default: '',
		description: 'The client secret that belongs to the client ID',
	},
	{
		displayName: CREDENTIAL_LABELS.encryptedSecret,
		name: 'encryptedSecret',
		type: 'string',
		typeOptions: { password: true, rows: 4 },
		displayOptions: { show: { secretFormat: ['pgp'] } },
		required: true,
		default: '',
		placeholder: 'e.g. -----BEGIN PGP MESSAGE-----',
		description:
			'The whole message from the operator, from the BEGIN line to the END line. Missing line breaks and surrounding text are fine.',
	},
	{
		displayName: CREDENTIAL_LABELS.privateKey,
		name: 'privateKey',
		type: 'string',
		typeOptions: { password: true, rows: 4 },
		displayOptions: { show: { secretFormat: ['pgp'] } },
		required: true,
		default: '',
		placeholder: 'e.g. -----BEGIN PGP PRIVATE KEY BLOCK-----',
		description:
			'The private key that decrypts the message, as printed by gpg --armor --export-secret-keys',
	},
	{
		displayName: CREDENTIAL_LABELS.passphrase,
		name: 'passphrase',
		type: 'string',
		typeOptions: { password: true },
		displayOptions: { show: { secretFormat: ['pgp'] } },
		default: '',
		description: 'The passphrase of the private key. Leave it empty if the key has none.',
	},
];
