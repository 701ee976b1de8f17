// Our credentials, and n8n's own for the same services, each for a client that has no token yet.
import type { NodeInput } from '../../test/lab/n8n';
import { AGENCY_REFS } from '../../test/lab/sandbox/inventory';
import type { Scene } from './scene';

/** What a node needs to use a credential. */
export type Credentials = NonNullable<NodeInput['credentials']>;

export const [AGENCY] = AGENCY_REFS;

export async function leadsCredential(scene: Scene, branches?: string[]): Promise<Credentials> {
	const { authUrl, leadsUrl } = scene.sandbox;
	const { clientId, clientSecret } = scene.addClient('leads', branches);
	const data = { clientId, clientSecret, authUrl, leadsUrl };
	return { agentLeadsApi: await scene.n8n.createCredential('agentLeadsApi', clientId, data) };
}

export async function inventoryCredential(scene: Scene): Promise<Credentials> {
	const { tokenUrl, inventoryUrl } = scene.sandbox;
	const { clientId, clientSecret } = scene.addClient('inventory');
	const data = { clientId, clientSecret, tokenUrl, inventoryUrl, agencyRef: AGENCY };
	return {
		agentInventoryApi: await scene.n8n.createCredential('agentInventoryApi', clientId, data),
	};
}

/** n8n's own credential for the leads service: the pair in the body, and an audience. */
export async function oauth2ForLeads(scene: Scene, branches?: string[]): Promise<Credentials> {
	const { authUrl, leadsUrl } = scene.sandbox;
	return await oauth2(scene, scene.addClient('leads', branches), {
		accessTokenUrl: `${authUrl}/oauth2/token`,
		authentication: 'body',
		sendAdditionalBodyProperties: true,
		additionalBodyProperties: JSON.stringify({ audience: leadsUrl }),
	});
}

/** n8n's own credential for the inventory service: the pair as Basic authentication. */
export async function oauth2ForInventory(scene: Scene): Promise<Credentials> {
	return await oauth2(scene, scene.addClient('inventory'), {
		accessTokenUrl: scene.sandbox.tokenUrl,
		authentication: 'header',
	});
}

async function oauth2(
	{ n8n }: Scene,
	{ clientId, clientSecret }: { clientId: string; clientSecret: string },
	settings: Record<string, string | boolean>,
): Promise<Credentials> {
	const data = { grantType: 'clientCredentials', clientId, clientSecret, scope: '', ...settings };
	return { oAuth2Api: await n8n.createCredential('oAuth2Api', clientId, data) };
}
