import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';

import { credentialOf } from '../../lab/credentialOf';
import type { Page } from '../../lab/n8n/browser';
import { useBrowser, useStage } from '../../lab/n8n/stage/useStage';
import { screenshot } from '../../lab/proof/screen';
import { seedDemo } from '../../lab/sandbox/demo';
import { AGENCY_REFS } from '../../lab/sandbox/inventory';

jest.setTimeout(120_000);

const browser = useBrowser();
const stage = useStage();

let page: Page;
/** What the browser complains about. */
let complaints: string[];

beforeAll(() => seedDemo(stage.sandbox, 1));

beforeEach(async () => {
	complaints = [];
	page = await browser.tab();
	page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
	await page.goto(`${stage.sandbox.url}/_sandbox`);
});

afterEach(async () => {
	await page.close();
	stage.sandbox.faults.clear();
	stage.sandbox.products.restore();
	expect(complaints).toEqual([]);
});

/** Clicks, and reads what the page says after that. */
async function press(name: string, which = 0): Promise<string> {
	await page.getByRole('button', { name, exact: true }).nth(which).click();
	await page.waitForURL(/said=/);
	return await page.getByRole('status').innerText();
}

it('shows all that a credential wants, exactly', async () => {
	const shown = await page.locator('code').allTextContents();

	for (const client of stage.sandbox.clients.byId.values()) {
		for (const value of Object.values(credentialOf(stage.sandbox, client).data)) {
			expect(shown).toContain(value);
		}
	}
	await screenshot(page, 'sandbox', { fullPage: true });
});

it('adds a lead, and pushes it to an address that was registered with its key', async () => {
	const { leads, pushes } = stage.sandbox;
	const before = leads.count('appraisal');
	await page.getByLabel('Kind').first().selectOption('appraisal');

	expect(await press('Add a lead')).toContain('"createdAt"');
	expect(leads.count('appraisal')).toBe(before + 1);

	await page.getByLabel('Production URL').fill('http://127.0.0.1:9/webhook/x/leads');
	await page.getByLabel('API key').fill('an invented key of 24 letters');
	await press('Register');
	await page.getByText('http://127.0.0.1:9/webhook/x/leads').first().waitFor();
	expect(await page.content()).not.toContain('an invented key');
	expect(pushes.targets).toMatchObject([{ authentication: { by: 'key' } }]);
	pushes.clear();
});

it('changes the very property that somebody names, and adds one', async () => {
	const properties = stage.sandbox.inventory.of(AGENCY_REFS[0]);
	await page.getByLabel('Property ID').fill(properties[3]?.id ?? '');
	await page.getByLabel('Price').fill('234500');
	await page.getByLabel('Status').selectOption('UnderOffer');
	await press('Save the property');

	expect(properties[3]).toMatchObject({ price: 234_500, status: 'Under Offer' });
	await page.getByText('£234,500').waitFor();

	const { length } = properties;
	await press('Save the property');
	expect(stage.sandbox.inventory.of(AGENCY_REFS[0])).toHaveLength(length + 1);
});

it('makes orders fail and the service busy, and shows orders and requests', async () => {
	const { products, leadsUrl, productsClient } = stage.sandbox;
	await page.getByLabel('From now on, orders').selectOption('fail');
	await press('Set');
	expect(products.behaviour.result).toBe('ERROR');

	await page.getByLabel('For a minute, the service is').selectOption('busy');
	await press('Set', 1);
	await page.getByText('It is in trouble until').waitFor();
	expect((await fetch(`${leadsUrl}/applicant-leads`)).status).toBe(429);

	products.activate('premium-listings', { listingId: 31_415_926 }, productsClient.clientId);
	await page.getByRole('link', { name: 'Show what is new' }).click();
	await page.getByText('31415926').waitFor();
	await page.getByText('/leads-api/applicant-leads').first().waitFor();
});

it('another site’s page cannot send its forms', async () => {
	const site = createServer((_request, response) => void response.end('<p>Another site</p>'));
	site.listen(0, '127.0.0.1');
	await once(site, 'listening');
	const other = await browser.tab();
	await other.goto(`http://localhost:${(site.address() as AddressInfo).port}`);
	const before = stage.sandbox.leads.count('applicant');

	// The browser sends it, and keeps the answer from the other page: to that page, it fails.
	await other.evaluate(
		`fetch('${stage.sandbox.url}/_sandbox/leads', { method: 'POST', mode: 'no-cors', body: '{"kind":"applicant"}' }).catch(() => {})`,
	);

	expect(stage.sandbox.leads.count('applicant')).toBe(before);
	await other.close();
	site.close();
});
