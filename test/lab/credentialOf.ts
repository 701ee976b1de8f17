import type { Sandbox } from './sandbox';

/** Where a sandbox is: a running one says it, and so does the line that its process prints. */
type Addresses = Pick<
	Sandbox,
	'authUrl' | 'tokenUrl' | 'leadsUrl' | 'inventoryUrl' | 'productsUrl'
>;

/** Of a client, what its credential needs. */
type Owner = Pick<
	Sandbox['leadsClient'],
	'integration' | 'clientId' | 'clientSecret' | 'agencyRefs'
>;

/** @returns the credential type in n8n that gives one of a sandbox's clients access to its API, and what a person fills in */
export function credentialOf(
	{ authUrl, tokenUrl, leadsUrl, inventoryUrl, productsUrl }: Addresses,
	{ integration, clientId, clientSecret, agencyRefs: [agencyRef = ''] }: Owner,
): { type: string; data: Record<string, string> } {
	const pair = { clientId, clientSecret };
	return {
		leads: { type: 'agentLeadsApi', data: { ...pair, authUrl, leadsUrl } },
		inventory: { type: 'agentInventoryApi', data: { ...pair, tokenUrl, inventoryUrl, agencyRef } },
		products: { type: 'agentProductsApi', data: { ...pair, authUrl, productsUrl } },
	}[integration];
}
