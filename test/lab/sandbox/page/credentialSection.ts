import { randomBytes } from 'node:crypto';

import type { SandboxCredential } from '../../credentialOf';
import { credentialOf } from '../../credentialOf';
import type { Sandbox } from '../index';
import type { Client, Integration } from '../types';
import type { Value } from './html';
import { SAID, escaped, values } from './html';

/** What n8n calls the credential types, and the fields that are not the same in all of them. */
export const TITLES: Record<Integration, string> = {
	leads: 'Agent Leads API',
	inventory: 'Agent Inventory API',
	products: 'Agent Products API',
};
export const PUSH_TITLE = 'Agent Leads Push API';
export const LABELS: Record<string, string> = {
	clientId: 'Client ID',
	clientSecret: 'Client Secret',
	authUrl: 'Auth URL',
	leadsUrl: 'Leads URL',
	tokenUrl: 'Token URL',
	inventoryUrl: 'Inventory URL',
	agencyRef: 'AgencyRef',
	productsUrl: 'Products URL',
	apiKey: 'API Key',
};

/** A suggestion, as long as the credential wants it. */
const pushKey = randomBytes(20).toString('hex');

/** @returns the part of the page from which people fill in credentials by hand */
export function credentialSection(sandbox: Sandbox): string {
	const clients = [...sandbox.clients.byId.values()];
	return `<section aria-labelledby="credentials">
<h2 id="credentials">Make a credential by hand</h2>
<p>In n8n, create a credential of the type that a card names, and copy its values into the fields. Leave the other fields as they are.
<code>npm start</code> has made one of each type already: their names end in “(sandbox)”.</p>
<div class="cards">
${clients.map((client) => clientCard(sandbox, client)).join('\n')}
${pushCard()}
</div>
</section>`;
}

function clientCard(sandbox: Sandbox, client: Client): string {
	const title = TITLES[client.integration];
	const fields = rowsOf(credentialOf(sandbox, client));
	const more = MORE[client.integration](sandbox, client);
	return `<article class="card" aria-labelledby="${escaped(client.clientId)}">
<h3 id="${escaped(client.clientId)}">${title}${client.branches.length > 1 ? ', several branches' : ''}</h3>
${client.revoked ? '<p class="state bad">Revoked: the service refuses this client ID.</p>' : ''}
${values(fields, title)}
${more}${SAID}
</article>`;
}

function rowsOf({ data }: SandboxCredential): Value[] {
	return Object.entries(data).map(([name, value]) => ({ label: LABELS[name] ?? name, value }));
}

const MORE: Record<Integration, (sandbox: Sandbox, client: Client) => string> = {
	leads: (_sandbox, { branches }) => {
		if (branches.length === 0) return '<p>For all leads. No filter is needed.</p>';
		const ids = branches.map((value, index) => ({ label: `Branch ID ${index + 1}`, value }));
		return `<p>This client ID has several branches, so a node must filter: set <b>Filter By</b> to <b>Branch</b>.</p>
${values(ids, 'a branch')}`;
	},
	inventory: ({ inventory }, { agencyRefs: [first = '', ...others] }) => {
		const agencies = others.map((value) => ({ label: 'Other AgencyRef', value }));
		const properties = inventory.of(first).slice(0, 3);
		const ids = properties.map(({ id, address: { nameNo, street } }) => ({
			label: 'Property ID',
			value: id,
			note: `${nameNo} ${street}`,
		}));
		return `<p>To use in nodes:</p>${values([...agencies, ...ids], 'the inventory')}`;
	},
	products: () =>
		'<p>Listing IDs are above, under <a href="#try-listings">Listings to promote</a>.</p>',
};

function pushCard(): string {
	return `<article class="card" aria-labelledby="push-credential">
<h3 id="push-credential">${PUSH_TITLE}</h3>
<p>You choose this key, and give it to the service. Any will do, such as:</p>
${values([{ label: LABELS.apiKey ?? '', value: pushKey }], PUSH_TITLE)}
<p>Then copy the production URL that ends in <code>/leads</code> from your Agent Leads Push Trigger, publish the workflow, and
register URL and key under <a href="#pushes">Pushed leads</a>.</p>${SAID}
</article>`;
}
