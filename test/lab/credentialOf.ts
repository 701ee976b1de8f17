import type { Sandbox } from './sandbox';

/** Where a sandbox is: a running one says it, and so does the line that its process prints. */
export type SandboxAddresses = Pick<
	Sandbox,
	'authUrl' | 'tokenUrl' | 'leadsUrl' | 'inventoryUrl' | 'productsUrl'
>;

/** Of a client, what its credential needs. */
export type CredentialOwner = Pick<
	Sandbox['leadsClient'],
	'integration' | 'clientId' | 'clientSecret' | 'agencyRefs'
>;

export interface SandboxCredential {
	/** The name of the credential type in n8n. */
	type: string;
	/** What a person fills in. */
	data: Record<string, string>;
}

/** The credential that gives one of a sandbox's clients access to its API. */
export function credentialOf(
	{ authUrl, tokenUrl, leadsUrl, inventoryUrl, productsUrl }: SandboxAddresses,
	{ integration, clientId, clientSecret, agencyRefs }: CredentialOwner,
): SandboxCredential {
	const pair = { clientId, clientSecret };
	const [agencyRef = ''] = agencyRefs;
	switch (integration) {
		case 'leads':
			return { type: 'agentLeadsApi', data: { ...pair, authUrl, leadsUrl } };
		case 'inventory':
			return { type: 'agentInventoryApi', data: { ...pair, tokenUrl, inventoryUrl, agencyRef } };
		case 'products':
			return { type: 'agentProductsApi', data: { ...pair, authUrl, productsUrl } };
	}
}
