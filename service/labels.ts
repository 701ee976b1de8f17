/** The labels of the credential fields, which the form and all messages about them use. */
export const CREDENTIAL_LABELS = {
	clientId: 'Client ID',
	secretFormat: 'Secret Format',
	clientSecret: 'Client Secret',
	encryptedSecret: 'Encrypted Secret',
	privateKey: 'Private Key',
	passphrase: 'Passphrase',
	authUrl: 'Auth URL',
	tokenUrl: 'Token URL',
	leadsUrl: 'Leads URL',
	inventoryUrl: 'Inventory URL',
	productsUrl: 'Products URL',
	audience: 'Audience',
	scope: 'Scope',
	agencyRef: 'AgencyRef',
} as const;

/** The labels of the choices of the field “Secret Format”. */
export const SECRET_FORMATS = { plain: 'Plain Text', pgp: 'OpenPGP Message' } as const;

/** The labels of the node fields that messages in the folder `service` mention. */
export const NODE_LABELS = { filterBy: 'Filter By' } as const;

/** The labels of the options for requests, which each node has. */
export const OPTION_LABELS = {
	maxTries: 'Max Tries',
	maxWait: 'Max Wait',
	requestsAtOnce: 'Requests at Once',
} as const;
