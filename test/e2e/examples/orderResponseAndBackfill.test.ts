import { describe, expect, it } from '@jest/globals';

import type { StoredWorkflow } from '../../lab/n8n';
import type { Page } from '../../lab/n8n/browser';
import { DAY, HOUR, MINUTE } from '../../lab/n8n/stage';
import { useExamples } from '../../lab/n8n/stage/useExamples';
import { useBrowser } from '../../lab/n8n/stage/useStage';
import { strings } from '../../lab/strings';

const examples = useExamples();
const { stage, mailServer } = examples;
const browser = useBrowser();

describe('promote-listing.json', () => {
	const ADDRESS = '14 Mill Lane, Exampleton, AB1 2CD';

	function credits(listing: number): number {
		return stage.sandbox.counts.creditsBy['premium-listings']?.[listing] ?? 0;
	}

	/** Fills in the form as a colleague does. */
	async function ask(
		{ nodes }: StoredWorkflow,
		listing: number,
		approval: 'Yes' | 'No',
	): Promise<Page> {
		const form = nodes.find(({ name }) => name === 'Listing to Promote');
		const page = await browser.open(stage.n8n, `/form/${form?.webhookId}`);
		const consent = page.getByText('Allow access');
		await consent.or(page.getByLabel('Listing ID')).waitFor();
		if (await consent.isVisible()) await consent.click();
		await page.getByLabel('Listing ID').fill(String(listing));
		await page.getByLabel('Address of the property').fill(ADDRESS);
		await page.getByText('Next', { exact: true }).click();
		await page.getByText(`Make listing ${listing} a premium listing?`).waitFor();
		await page.getByText(ADDRESS).waitFor();
		expect(credits(listing)).toBe(0);
		await page.getByText(approval, { exact: true }).click();
		await page.getByText('Send', { exact: true }).click();
		return page;
	}

	it('orders nothing without approval, and once with it', async () => {
		const workflow = await examples.publish('promote-listing.json');

		const refused = await ask(workflow, 5001, 'No');
		await refused.getByText('Nothing was ordered').waitFor();
		const approved = await ask(workflow, 5010, 'Yes');
		await approved.getByText('Listing 5010 is now a premium listing').waitFor();
		await approved.getByText(`${ADDRESS}: the order usually spends one of the`).waitFor();

		expect([credits(5001), credits(5010)]).toEqual([0, 1]);
	});

	it('says of an order that stays pending that it is not to be ordered again', async () => {
		stage.sandbox.products.configure({ settleAfterGets: null });
		const order = { 'Activate Premium Listing': { options: { waitTimeout: 1 } } };
		const page = await ask(await examples.publish('promote-listing.json', order), 5004, 'Yes');

		await page.getByText('Listing 5004 is ordered, but not confirmed yet').waitFor();
		await page.getByText('Do not order it again: look on the portal in an hour').waitFor();

		expect(credits(5004)).toBe(1);

		stage.sandbox.products.restore();
	});
});

describe('response-times.json', () => {
	const file = 'response-times.json';

	/** What a person reads who opens the link of a mail and confirms. */
	async function confirm(mail: string | undefined): Promise<string> {
		const [link = ''] = /http\S+lead-answered\S+/.exec(mail ?? '') ?? [];
		const page = await browser.open(stage.n8n, link.replace(stage.n8n.url, ''));
		await page.getByLabel('Your name').fill('Nora');
		await page.getByText('I have answered', { exact: true }).click();
		const answer = page.getByText(/^Thank you$|^Nothing was changed$/);
		await answer.waitFor();
		return await answer.innerText();
	}

	it('keeps when each lead was answered, and reports the median and the open leads', async () => {
		const ago = [30 * MINUTE, 90 * MINUTE, 5 * HOUR, 6 * HOUR];
		const leads = ago.map((each, index) => {
			const contact = { firstName: 'Delia', lastName: `Fernhollow ${index}` };
			const sourceBranchId = index < 3 ? 'NORTH' : 'SOUTH';
			return examples.addLead('applicant', { contact, sourceBranchId }, each);
		});
		const workflow = await examples.publish(file, {
			'Agent Leads Trigger': { startFrom: 'last24Hours' },
		});
		await examples.mails(4, workflow);
		const [first, second] = leads.map((lead) => examples.mailAbout(lead).text);
		const receivedAt = new Date(Date.now() - 9 * DAY);
		const answeredAt = new Date(receivedAt.getTime() + 5 * DAY);
		const data = [{ leadId: 'earlier', name: 'Corin', branch: 'WEST', receivedAt, answeredAt }];
		const table = await examples.tablePath('Response times');
		await stage.n8n.rest.post(`${table}/insert`, { data });

		expect(await confirm(first)).toBe('Thank you');
		expect(await confirm(second)).toBe('Thank you');
		expect(await confirm(first)).toBe('Nothing was changed');

		mailServer.mails.length = 0;
		expect((await stage.n8n.runManually(workflow, 'Every Monday')).status).toBe('success');

		expect(mailServer.mails[0]?.text).toMatch(
			/NORTH: 6\d(\.5)? minutes \(2 of 3 answered\)\nSOUTH: none answered \(0 of 1 answered\)\nWEST: 7200 minutes \(1 of 1 answered\)\n\nStill open:\nDelia Fernhollow 3, SOUTH, since .*\nDelia Fernhollow 2, NORTH, since /,
		);
		expect(await examples.rows('Response times')).toContainEqual(
			expect.objectContaining({ leadId: leads[0], answeredBy: 'Nora' }),
		);
	});
});

describe('backfill-leads-to-table.json', () => {
	const file = 'backfill-leads-to-table.json';

	const rows = async () =>
		strings((await examples.rows('Leads of the agency')).map(({ leadId }) => leadId));

	it('keeps each lead in one row, whichever way and however often it comes', async () => {
		const workflow = await examples.make(file);
		const ids = [29 * DAY, 10 * DAY, 2 * DAY, 20 * HOUR, MINUTE].flatMap((ago) => [
			examples.addLead('applicant', {}, ago),
			examples.addLead('appraisal', {}, ago),
		]);
		ids.push(examples.addLead('applicant', { createdAt: '0001-01-01T00:00Z' }));
		await stage.n8n.runManually(workflow);

		expect((await rows()).sort()).toEqual([...ids].sort());

		await stage.n8n.activate(workflow);
		const recent = ids.slice(-5);
		ids.push(examples.addLead('applicant'), examples.addLead('appraisal'));
		await stage.waitForDelivery(workflow, [...recent, ...ids.slice(-2)]);
		await examples.rest(workflow);
		expect((await stage.n8n.runManually(workflow)).status).toBe('success');

		expect((await rows()).sort()).toEqual([...ids].sort());
	});
});
