import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { credentialOf } from '../../lab/credentialOf';
import type { Page } from '../../lab/n8n/browser';
import { CredentialForm } from '../../lab/n8n/credentialForm';
import { useBrowser, useStage } from '../../lab/n8n/stage/useStage';
import { screenshot } from '../../lab/proof/screen';
import type { Client } from '../../lab/n8n/stage';
import { seedDemo } from '../../lab/sandbox/demo';
import { AGENCY_REFS } from '../../lab/sandbox/inventory';
import { LABELS, TITLES } from '../../lab/sandbox/page/credentialSection';

jest.setTimeout(120_000);

const browser = useBrowser();
const stage = useStage();

let page: Page;
/** What the browser complains about: scripts that fail, and what the page's own rules forbid. */
let complaints: string[];

beforeAll(() => seedDemo(stage.sandbox, 1));

beforeEach(async () => {
	complaints = [];
	page = await browser.tab();
	page.on('pageerror', ({ message }) => complaints.push(message));
	page.on('console', (message) => {
		// A refusal that a test is about is none.
		const isRefusal = message.text().includes('status of 400');
		if (message.type() === 'error' && !isRefusal) complaints.push(message.text());
	});
	await page.goto(`${stage.sandbox.url}/_sandbox`);
});

afterEach(async () => {
	await page.close();
	stage.sandbox.calm();
	expect(complaints).toEqual([]);
});

const button = (name: string) => page.getByRole('button', { name, exact: true });

/** Clicks, and reads what the card says after that. */
async function press(name: string): Promise<string> {
	const card = page.getByRole('article').filter({ has: button(name) });
	await button(name).click();
	const said = card.getByRole('status');
	await said.filter({ hasText: /\S/ }).waitFor();
	return await said.innerText();
}

describe('what a credential needs', () => {
	it('is copied as it is', async () => {
		const buttons = await page.getByRole('button', { name: /^Copy / }).all();
		const shown = await page.locator('dd code').allTextContents();

		expect(buttons.length).toBeGreaterThan(20);
		expect(shown).toHaveLength(buttons.length);
		for (const [index, each] of buttons.entries()) {
			await each.click();
			await each.filter({ hasText: 'Copied' }).waitFor();
			expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown[index]);
		}
		for (const { clientSecret } of stage.sandbox.clients.byId.values()) {
			expect(shown).toContain(clientSecret);
		}
	});

	it.each([
		['agentLeadsApi', () => stage.sandbox.leadsClient],
		['agentInventoryApi', () => stage.sandbox.inventoryClient],
		['agentProductsApi', () => stage.sandbox.productsClient],
	])('is all that %s wants, copied and pasted by hand', async (type, clientOf: () => Client) => {
		const client = clientOf();
		const { data } = credentialOf(stage.sandbox, client);
		const form = await CredentialForm.open(browser, stage.n8n, TITLES[client.integration]);
		const card = page.locator(`article[aria-labelledby="${client.clientId}"]`);

		for (const name of Object.keys(data)) {
			await page.bringToFront();
			await card.getByRole('button', { name: new RegExp(`^Copy ${LABELS[name]} of`) }).click();
			await card
				.getByRole('status')
				.filter({ hasText: `Copied: ${LABELS[name]} of` })
				.waitFor();
			await form.page.bringToFront();
			await form.field(name).click();
			await form.page.keyboard.press('ControlOrMeta+A');
			await form.page.keyboard.press('ControlOrMeta+V');
		}

		expect(await form.save()).toContain('Connection tested successfully');
		await screenshot(form.page, `credential by hand ${type}`);
		await form.page.close();
	});
});

describe('a button', () => {
	it.each([
		['Add an applicant lead', 'applicant', /^New lead: \S+ .+, about .+\. In n8n, /],
		['Add an appraisal lead', 'appraisal', /^New lead: \S+ .+, valuation of .+\. In n8n, /],
	] as const)('%s', async (name, kind, expected) => {
		const before = stage.sandbox.leads.count(kind);

		expect(await press(name)).toMatch(expected);

		expect(stage.sandbox.leads.count(kind)).toBe(before + 1);
	});

	it('pushes a lead to the address that was registered with a key, and says so if there is none', async () => {
		const { pushes } = stage.sandbox;
		expect(await press('Push an applicant lead')).toBe('Not done: no address is registered');

		await page.getByRole('heading', { name: 'Pushed leads' }).click();
		const form = page.locator('#register-form');
		await form.getByLabel('Production URL').fill('http://127.0.0.1:9/webhook/x/leads');
		await form.getByLabel('API key').fill('an invented key of 24 letters');
		await form.getByLabel('lettings').uncheck();
		await form.getByRole('button', { name: 'Register' }).click();
		await form.getByRole('status').filter({ hasText: 'Registered.' }).waitFor();

		expect(pushes.targets).toEqual([
			{
				url: 'http://127.0.0.1:9/webhook/x/leads',
				authentication: { by: 'key', key: 'an invented key of 24 letters' },
				without: ['lettings'],
			},
		]);
		await page.locator('#push-addresses').getByText('without lettings').waitFor();

		pushes.clear();
	});

	it.each([
		['Busy for a minute (429)', 429, 'busy'],
		['Broken for a minute (500)', 500, 'broken'],
		['Refuse access for a minute (403)', 403, 'refusing access'],
	])('%s', async (name, status, word) => {
		expect(await press(name)).toMatch(
			new RegExp(`^The service is ${word} until .+ In n8n, a node`),
		);

		expect(await statusOfLeads()).toBe(status);
		await page.locator('#state').getByText(`Now: ${word}.`).waitFor();

		await press('End all trouble');

		await page.locator('#state').getByText('Now: answers as usual.').waitFor();
		expect(await statusOfLeads()).toBe(200);
	});

	it.each(['Lower a price', 'Advance a status', 'Add a property'])('%s', async (name) => {
		const state = () => JSON.stringify(stage.sandbox.inventory.of(AGENCY_REFS[0]));
		const before = state();

		const said = await press(name);

		expect(said).toMatch(/^The property is now: .+ \(ID \d+\), £[\d,]+.*, .+\. In n8n, /);
		expect(state()).not.toBe(before);
	});

	it('leaves orders pending, makes them fail, and succeed again', async () => {
		expect(await press('Leave orders pending')).toMatch(/^Orders from now on stay pending\./);
		expect(stage.sandbox.products.behaviour.settleAfterGets).toBeNull();
		await page.locator('#orders').getByText('Now: orders stay pending.').waitFor();

		expect(await press('Make orders fail')).toMatch(/^Orders from now on end in an error\./);
		expect(stage.sandbox.products.behaviour.result).toBe('ERROR');
		await page.locator('#orders').getByText('Now: orders end in an error.').waitFor();

		expect(await press('Let orders succeed')).toMatch(/^Orders from now on succeed\./);
		expect(stage.sandbox.products.behaviour).toMatchObject({
			result: 'ACTIVATED',
			settleAfterGets: 1,
		});
		await page.locator('#orders').getByText('Now: orders succeed.').waitFor();
	});

	it('ends all trouble at once, failing orders among it', async () => {
		await press('Make orders fail');
		await page.locator('#orders').getByText('Now: orders end in an error.').waitFor();

		expect(await press('End all trouble')).toContain('That includes orders that fail');

		await page.locator('#orders').getByText('Now: orders succeed.').waitFor();
		expect(stage.sandbox.products.behaviour.result).toBe('ACTIVATED');
	});

	it('changes the very property that somebody names', async () => {
		const property = stage.sandbox.inventory.of(AGENCY_REFS[0])[3];
		await page.getByRole('heading', { name: 'Properties' }).last().click();
		const form = page.locator('#property-form');
		await form.getByLabel('Property ID').fill(property?.id ?? '');
		await form.getByLabel('Price').fill('234500');
		await form.getByLabel('Status').selectOption('UnderOffer');
		await form.getByRole('button', { name: 'Save' }).click();
		await form.getByRole('status').filter({ hasText: 'Saved: ' }).waitFor();

		expect(property).toMatchObject({ price: 234_500, status: 'Under Offer' });
		await page.locator('#newest-properties').getByText('£234,500').waitFor();
	});

	async function statusOfLeads(): Promise<number> {
		const { authUrl, leadsUrl, leadsClient } = stage.sandbox;
		const answer = await fetch(`${authUrl}/oauth2/token`, {
			method: 'POST',
			body: new URLSearchParams({
				grant_type: 'client_credentials',
				client_id: leadsClient.clientId,
				client_secret: leadsClient.clientSecret,
				audience: leadsClient.audience,
			}),
		});
		const { access_token: token } = (await answer.json()) as { access_token: string };
		const headers = { Authorization: `Bearer ${token}` };
		return (await fetch(`${leadsUrl}/applicant-leads`, { headers })).status;
	}
});

describe('for everybody', () => {
	it('the keyboard alone is enough', async () => {
		await page.keyboard.press('Tab');
		await button('Add an applicant lead').focus();
		await page.keyboard.press('Tab');
		const before = stage.sandbox.leads.count('appraisal');

		await page.keyboard.press('Enter');

		await page.getByRole('status').filter({ hasText: 'New lead: ' }).waitFor();
		expect(stage.sandbox.leads.count('appraisal')).toBe(before + 1);
		expect(await page.evaluate('document.activeElement.textContent')).toBe('Add an appraisal lead');
	});

	it('each control has a name, and each card a heading', async () => {
		const nameless = await page.evaluate<string[]>(`[...document.querySelectorAll('input, select')]
			.filter((each) => !each.labels?.length).map((each) => each.outerHTML)`);
		expect(nameless).toEqual([]);
		const cards = await page.getByRole('article').all();
		for (const card of cards) expect(await card.getByRole('heading').count()).toBe(1);
		const copies = await page.getByRole('button', { name: /^Copy \S.* of \S/ }).count();
		expect(copies).toBe(await page.locator('button.copy').count());
	});

	it.each([
		['light', 1440],
		['dark', 1440],
		['light', 360],
		['dark', 360],
	] as const)('it can be read: %s, %i pixels wide', async (colorScheme, width) => {
		await page.emulateMedia({ colorScheme });
		await page.setViewportSize({ width, height: 900 });
		await page.evaluate(
			`document.querySelectorAll('details').forEach((each) => (each.open = true))`,
		);
		await press('Busy for a minute (429)');

		await screenshot(page, `sandbox ${colorScheme} ${width}`, { fullPage: true });

		const [scrolled, shown] = await page.evaluate<number[]>(
			'[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
		);
		expect(scrolled).toBeLessThanOrEqual(shown ?? 0);
	});
});

it('another site’s page cannot press the buttons', async () => {
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
