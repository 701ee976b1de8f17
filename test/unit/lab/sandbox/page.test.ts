import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { AgentInventoryApi } from '../../../../credentials/AgentInventoryApi.credentials';
import { AgentLeadsApi } from '../../../../credentials/AgentLeadsApi.credentials';
import { AgentLeadsPushApi } from '../../../../credentials/AgentLeadsPushApi.credentials';
import { AgentProductsApi } from '../../../../credentials/AgentProductsApi.credentials';
import { Sandbox } from '../../../lab/sandbox';
import { BRANCHES, seedDemo } from '../../../lab/sandbox/demo';
import { AGENCY_REFS } from '../../../lab/sandbox/inventory';
import { LABELS, PUSH_TITLE, TITLES } from '../../../lab/sandbox/page/credentialSection';
import { escaped } from '../../../lab/sandbox/page/html';
import { request } from './helpers';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await Sandbox.start();
	seedDemo(sandbox, 1);
});
afterEach(() => sandbox.stop());

const page = async () => (await request(`${sandbox.url}/_sandbox`)).text;

it('shows whatever a credential needs as text', async () => {
	const text = await page();

	const { authUrl, leadsUrl, tokenUrl, inventoryUrl, productsUrl } = sandbox;
	const shown = [authUrl, leadsUrl, tokenUrl, inventoryUrl, productsUrl, ...AGENCY_REFS];
	for (const { clientId, clientSecret } of sandbox.clients.byId.values())
		shown.push(clientId, clientSecret);
	const [property] = sandbox.inventory.of(AGENCY_REFS[0]);
	for (const value of [...shown, ...BRANCHES, property?.id ?? '', '40404040']) {
		expect(text).toContain(`<code>${escaped(value)}</code> <button type="button" class="copy"`);
	}
});

it('calls credentials and fields as n8n does', () => {
	const credentials = [AgentLeadsApi, AgentInventoryApi, AgentProductsApi, AgentLeadsPushApi];
	const types = credentials.map((type) => new type());

	expect([...Object.values(TITLES), PUSH_TITLE].sort()).toEqual(
		types.map(({ displayName }) => displayName).sort(),
	);
	const fields = types.flatMap(({ properties }) => properties);
	for (const [name, label] of Object.entries(LABELS)) {
		const labels = fields.filter((field) => field.name === name).map((field) => field.displayName);
		expect(new Set(labels)).toEqual(new Set([label]));
	}
});

it('shows what comes from outside as text', async () => {
	sandbox.inventory.create(AGENCY_REFS[0], { address: { street: '<img src=x>' } });
	sandbox.addClient({ integration: 'leads', clientId: '<b>"&', clientSecret: '<script>' });

	const text = await page();

	expect(text).toContain('&#60;img src=x&#62;');
	expect(text).toContain('<code>&#60;script&#62;</code>');
	expect(text).not.toMatch(/<img|<b>"|<script>/);
});

it('says for how long the service is in trouble, and what has been revoked', async () => {
	expect(await page()).toContain('Now: answers as usual.');

	sandbox.disturbance.begin('busy', 60);
	sandbox.revokeClient('products-client');

	const text = await page();
	expect(text).toContain('Now: busy. Requests for data are answered 429 until');
	expect(text).toContain('Revoked: the service refuses this client ID.');
});

it('says whether orders succeed', async () => {
	expect(await page()).toContain('Now: orders succeed.');

	sandbox.products.configure({ result: 'ERROR' });

	expect(await page()).toContain('Now: orders end in an error.');

	sandbox.products.configure({ result: 'ACTIVATED', settleAfterGets: null });

	expect(await page()).toContain('Now: orders stay pending.');
});

it('takes whatever is sent to its CRM, shows the newest, and keeps twenty', async () => {
	const crm = `${sandbox.url}/_sandbox/crm`;
	expect(await page()).toContain(`<code>${crm}</code>`);
	expect(await page()).toContain('No record yet.');

	for (let id = 1; id <= 25; id++) {
		const body = JSON.stringify({ leadId: `lead-${id}`, message: '<img>' });
		expect((await request(crm, { method: 'POST', body })).status).toBe(200);
	}

	const text = await page();
	expect(text).toContain('Records so far: 25.');
	expect(text).toContain(escaped('"leadId": "lead-25"'));
	expect(text).not.toMatch(/lead-24|<img>/);
	expect((await request(crm)).text.match(/leadId/g)).toHaveLength(20);
});

it('shows none of the keys that were registered for pushes', async () => {
	const key = 'a key that somebody has registered';
	sandbox.pushes.add({ url: 'http://127.0.0.1:9/leads', authentication: { by: 'key', key } });

	expect(await page()).toContain('http://127.0.0.1:9/leads');
	expect(await page()).not.toContain(key);
});

it('loads its script and its style from itself, and holds neither', async () => {
	const text = await page();

	const loaded = [...text.matchAll(/(?:src|href)="([^"#]+\.(?:js|css))"/g)].map(([, path]) => path);
	expect(loaded).toEqual(['/_sandbox/page.css', '/_sandbox/page.js']);
	for (const path of loaded) expect((await request(sandbox.url + path)).status).toBe(200);
	expect(text).not.toMatch(/<style|<script>| style=| on[a-z]+=/);
});
