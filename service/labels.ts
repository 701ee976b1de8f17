/** What the fields of the credentials are called, in the form and in every message about them. */
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

/** What the choices of Secret Format are called. */
export const SECRET_FORMATS = { plain: 'Plain Text', pgp: 'OpenPGP Message' } as const;

/** What the fields of nodes are called that the service's own failures name. */
export const NODE_LABELS = { filterBy: 'Filter By' } as const;

/** What the options on requests are called, which each node has. */
export const OPTION_LABELS = {
	maxTries: 'Max Tries',
	maxWait: 'Max Wait',
	requestsAtOnce: 'Requests at Once',
} as const;
