import { describe, expect, it } from '@jest/globals';
import { DateTime } from 'luxon';

import type { Execution, StoredWorkflow } from '../../lab/n8n';
import type { Page } from '../../lab/n8n/browser';
import { APPLICANTS_PATH, DAY, HOUR, MINUTE } from '../../lab/n8n/stage';
import { readExample } from '../../lab/n8n/stage/examples';
import { useExamples } from '../../lab/n8n/stage/useExamples';
import { useBrowser } from '../../lab/n8n/stage/useStage';
import { strings } from '../../lab/strings';

const examples = useExamples();
const { stage, mailServer } = examples;

describe('daily-lead-summary.json', () => {
	const file = 'daily-lead-summary.json';
	const { timezone } = readExample(file).settings ?? {};
	const yesterday = DateTime.now().setZone(timezone).startOf('day').minus({ days: 1 });

	async function summarize(): Promise<Execution> {
		return await stage.n8n.runManually(await examples.make(file), 'Every Morning');
	}

	function addLeadAt(kind: 'applicant' | 'appraisal', at: DateTime, sourceBranchId: string | null) {
		examples.addLead(kind, { sourceBranchId }, stage.sandbox.now() - at.toMillis());
	}

	it('counts the leads of yesterday, from midnight to midnight', async () => {
		const today = yesterday.plus({ days: 1 });
		addLeadAt('applicant', yesterday.minus({ seconds: 1 }), 'HARBOUR');
		addLeadAt('applicant', yesterday, 'HARBOUR');
		addLeadAt('applicant', yesterday.plus({ hours: 12 }), 'EAST');
		addLeadAt('appraisal', yesterday.plus({ hours: 13 }), 'EAST');
		addLeadAt('applicant', yesterday.plus({ hours: 14 }), null);
		addLeadAt('appraisal', today.minus({ seconds: 1 }), 'EAST');
		addLeadAt('appraisal', today, 'EAST');

		expect((await summarize()).status).toBe('success');

		expect(mailServer.mails).toHaveLength(1);
		expect(mailServer.mails[0]).toMatchObject({
			recipients: ['office@example.com'],
			subject: `Leads for ${yesterday.toFormat('cccc d MMMM yyyy')}`,
			html: false,
		});
		expect(mailServer.mails[0]?.text?.trim().split('\n')).toEqual([
			'EAST: applicants 1, appraisals 2',
			'HARBOUR: applicants 1, appraisals 0',
			'No branch: applicants 1, appraisals 0',
			'',
			'All branches: applicants 3, appraisals 2',
		]);
	});

	it('sends no summary of half the leads', async () => {
		addLeadAt('appraisal', yesterday, 'EAST');
		stage.sandbox.faults.add({ kind: 'status', status: 400, path: APPLICANTS_PATH });

		expect((await summarize()).status).toBe('error');
		expect(mailServer.mails).toEqual([]);
	});
});

describe('promote-listing.json', () => {
	const ADDRESS = '14 Mill Lane, Exampleton, AB1 2CD';

	const browser = useBrowser();

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

describe('backfill-leads-to-table.json', () => {
	const file = 'backfill-leads-to-table.json';

	/** The leads in n8n's one data table. */
	async function rows(): Promise<string[]> {
		const { rest } = stage.n8n;
		type Page<T> = { data: T[] };
		const { data } = await rest.get<Page<Record<'id' | 'projectId', string>>>(
			'/rest/data-tables-global',
		);
		const [table] = data;
		const path = `/rest/projects/${table?.projectId}/data-tables/${table?.id}/rows?take=250`;
		return strings((await rest.get<Page<{ leadId: unknown }>>(path)).data.map((row) => row.leadId));
	}

	/** The leads that came out behind Remove Duplicates in all executions, repeats included. */
	async function passed(workflow: StoredWorkflow): Promise<string[]> {
		const executions = await stage.n8n.executions(workflow);
		const runs = executions.flatMap((execution) => execution.runs('Only New Leads'));
		const items = runs.flatMap(({ data }) => data?.main?.[0] ?? []);
		return strings(items.map(({ json }) => json.leadId)).sort();
	}

	it('keeps each lead in one row and lets it through once, whichever way it comes', async () => {
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
		expect(await passed(workflow)).toEqual([...ids].sort());
	});

	it('has stored the leads that are too many for Remove Duplicates to remember', async () => {
		const workflow = await examples.make(file, {
			'Only New Leads': { options: { historySize: 2 } },
		});
		const ids = [3, 2, 1].map((hours) => examples.addLead('appraisal', {}, hours * HOUR));

		const execution = await stage.n8n.runManually(workflow);

		expect(execution.nodeError('Only New Leads')?.message).toContain('maximum history size');
		expect(await rows()).toEqual(expect.arrayContaining(ids));
	});
});
