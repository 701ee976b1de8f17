// Our credential, and n8n's own for the same services, each for a client that has no token yet.
import { credentialOf } from '../../test/lab/credentialOf';
import type { NodeInput } from '../../test/lab/n8n';
import type { Integration, Scene } from './scene';

/** What a node needs to use a credential. */
export type Credentials = NonNullable<NodeInput['credentials']>;

/** The credential of this package. */
export async function ourCredential(
	scene: Scene,
	integration: Integration,
	branches?: string[],
): Promise<Credentials> {
	const client = scene.addClient(integration, branches);
	const { type, data } = credentialOf(scene.sandbox, client);
	return { [type]: await scene.n8n.createCredential(type, client.clientId, data) };
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

/** The credential of this package for a leads service elsewhere, which takes every pair. */
export async function ourCredentialAt(scene: Scene, url: string): Promise<Credentials> {
	const client = scene.addClient('leads');
	const { type, data } = credentialOf(scene.sandbox, client);
	const addresses = { authUrl: url, leadsUrl: url, audience: url };
	const credential = { ...data, ...addresses };
	return { [type]: await scene.n8n.createCredential(type, client.clientId, credential) };
}

/** n8n's own credential for such a service. */
export async function oauth2At(scene: Scene, url: string): Promise<Credentials> {
	return await oauth2(scene, scene.addClient('leads'), {
		accessTokenUrl: `${url}/oauth2/token`,
		authentication: 'body',
	});
}

/** n8n's own credential for the inventory service: the pair as Basic authentication. */
export async function oauth2ForInventory(scene: Scene): Promise<Credentials> {
	return await oauth2(scene, scene.addClient('inventory'), {
		accessTokenUrl: scene.sandbox.tokenUrl,
		authentication: 'header',
	});
}

/** What every call of a door has in its header Authorization. */
export const PUSH_KEY = 'a key of the agency, 5d1be07a';

/** Who may push: by our credential, and by n8n's own for the Webhook node. */
export async function pushCredentials({ n8n }: Scene) {
	const header = { name: 'Authorization', value: PUSH_KEY };
	const ours = { authentication: 'apiKey', apiKey: PUSH_KEY };
	return {
		header: { httpHeaderAuth: await n8n.createCredential('httpHeaderAuth', 'Header', header) },
		ours: { agentLeadsPushApi: await n8n.createCredential('agentLeadsPushApi', 'Push', ours) },
	};
}

async function oauth2(
	{ n8n }: Scene,
	{ clientId, clientSecret }: { clientId: string; clientSecret: string },
	settings: Record<string, string | boolean>,
): Promise<Credentials> {
	const data = { grantType: 'clientCredentials', clientId, clientSecret, scope: '', ...settings };
	return { oAuth2Api: await n8n.createCredential('oAuth2Api', clientId, data) };
}
