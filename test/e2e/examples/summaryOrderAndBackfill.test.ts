import { describe, expect, it } from '@jest/globals';
import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';

import type { Execution, StoredWorkflow } from '../../lab/n8n';
import type { Page } from '../../lab/n8n/browser';
import {
	APPLICANTS_PATH,
	DAY,
	HOUR,
	MINUTE,
	readExample,
	type ExampleSetup,
} from '../../lab/n8n/stage';
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
		const workflow = await examples.make(file, {});
		return await examples.run(workflow, 'Every Morning');
	}

	function addLeadAt(kind: 'applicant' | 'appraisal', at: DateTime, sourceBranchId: string | null) {
		examples.addLead(kind, { sourceBranchId }, stage.sandbox.now() - at.toMillis());
	}

	it('counts the leads of yesterday, from midnight to midnight', async () => {
		const today = yesterday.plus({ days: 1 });
		addLeadAt('applicant', yesterday.minus({ seconds: 1 }), 'branch-10');
		addLeadAt('applicant', yesterday, 'branch-10');
		addLeadAt('applicant', yesterday.plus({ hours: 12 }), 'branch-9');
		addLeadAt('appraisal', yesterday.plus({ hours: 13 }), 'branch-9');
		addLeadAt('applicant', yesterday.plus({ hours: 14 }), null);
		addLeadAt('appraisal', today.minus({ seconds: 1 }), 'branch-9');
		addLeadAt('appraisal', today, 'branch-9');

		expect((await summarize()).status).toBe('success');

		expect(mailServer.mails).toHaveLength(1);
		expect(mailServer.mails[0]).toMatchObject({
			recipients: ['office@example.com'],
			subject: `Leads for ${yesterday.toFormat('cccc d MMMM yyyy')}`,
			html: false,
		});
		expect(mailServer.mails[0]?.text?.trim().split('\n')).toEqual([
			'branch-9: applicants 1, appraisals 2',
			'branch-10: applicants 1, appraisals 0',
			'No branch: applicants 1, appraisals 0',
			'',
			'All branches: applicants 3, appraisals 2',
		]);
	});

	it('sends no summary of half the leads', async () => {
		addLeadAt('appraisal', yesterday, 'branch-9');
		stage.sandbox.faults.add({ kind: 'status', status: 400, path: APPLICANTS_PATH });

		expect((await summarize()).status).toBe('error');
		expect(mailServer.mails).toEqual([]);
	});
});

describe('promote-listing.json', () => {
	const ADDRESS = '14 Mill Lane, Exampleton, AB1 2CD';

	const browser = useBrowser();

	async function publish(options: INodeParameters = {}): Promise<StoredWorkflow> {
		const order = { 'Activate Premium Listing': { options } };
		return await examples.publish('promote-listing.json', order);
	}

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

	it('orders nothing without approval', async () => {
		const page = await ask(await publish(), 5001, 'No');

		await page.getByText('Nothing was ordered').waitFor();

		expect(credits(5001)).toBe(0);

		await page.close();
	});

	it('orders once with approval, and shows what became of it', async () => {
		const listing = 5010;
		const page = await ask(await publish(), listing, 'Yes');

		await page.getByText(`Listing ${listing} is now a premium listing`).waitFor();
		await page
			.getByText(`${ADDRESS}: the order usually spends one of the agency’s credits.`)
			.waitFor();

		expect(credits(listing)).toBe(1);

		await page.close();
	});

	it('says of an order that stays pending that it is not to be ordered again', async () => {
		stage.sandbox.products.configure({ settleAfterGets: null });
		const page = await ask(await publish({ waitTimeout: 1 }), 5004, 'Yes');

		await page.getByText('Listing 5004 is ordered, but not confirmed yet').waitFor();
		await page.getByText('Do not order it again: look on the portal in an hour').waitFor();

		expect(credits(5004)).toBe(1);

		stage.sandbox.products.restore();

		await page.close();
	});
});

describe('backfill-leads-to-table.json', () => {
	const TABLE = 'Leads of the agency';

	async function rows(): Promise<string[]> {
		const { dataTables } = stage.n8n;
		const table = (await dataTables.list()).find(({ name }) => name === TABLE);
		return strings(table ? (await dataTables.rows(table)).map(({ leadId }) => leadId) : []).sort();
	}

	async function make(parameters?: ExampleSetup['parameters']): Promise<StoredWorkflow> {
		return await examples.make('backfill-leads-to-table.json', parameters);
	}

	/** The leads that came out behind Remove Duplicates in all executions, repeats included. */
	async function passed(workflow: StoredWorkflow): Promise<string[]> {
		const executions = await stage.n8n.executions(workflow);
		const runs = executions.flatMap((execution) => execution.runs('Only New Leads'));
		const items = runs.flatMap(({ data }) => data?.main?.[0] ?? []);
		return strings(items.map(({ json }) => json.leadId)).sort();
	}

	it('keeps each lead in one row and lets it through once, whichever way it comes', async () => {
		const before = await rows();
		const workflow = await make({});
		const ids = [29 * DAY, 10 * DAY, 2 * DAY, 20 * HOUR, MINUTE].flatMap((ago) => [
			examples.addLead('applicant', {}, ago),
			examples.addLead('appraisal', {}, ago),
		]);
		ids.push(examples.addLead('applicant', { createdAt: '0001-01-01T00:00Z' }));
		await examples.run(workflow);

		expect(await rows()).toEqual([...before, ...ids].sort());

		await stage.n8n.activate(workflow);
		const recent = ids.slice(-5);
		ids.push(examples.addLead('applicant'), examples.addLead('appraisal'));
		await stage.waitForDelivery(workflow, [...recent, ...ids.slice(-2)]);
		await examples.rest(workflow);
		expect((await examples.run(workflow)).status).toBe('success');

		expect(await rows()).toEqual([...before, ...ids].sort());
		expect(await passed(workflow)).toEqual([...ids].sort());
	});

	it('has stored the leads that are too many for Remove Duplicates to remember', async () => {
		const workflow = await make({ 'Only New Leads': { options: { historySize: 2 } } });
		const ids = [3, 2, 1].map((hours) => examples.addLead('appraisal', {}, hours * HOUR));

		const execution = await stage.n8n.runManually(workflow);

		expect(execution.nodeError('Only New Leads')?.message).toContain('maximum history size');
		expect(await rows()).toEqual(expect.arrayContaining(ids));
	});

	it('stores what the table lacks with the next backfill', async () => {
		const workflow = await make();
		const [lost, kept] = [
			examples.addLead('applicant', {}, DAY),
			examples.addLead('appraisal', {}, DAY),
		];
		await stage.n8n.runManually(workflow);
		await stage.n8n.dataTables.deleteRows(await stage.n8n.dataTables.find(TABLE), 'leadId', lost);

		expect(await rows()).not.toContain(lost);

		await stage.n8n.runManually(workflow);
		expect((await rows()).filter((id) => id === lost || id === kept)).toEqual([lost, kept].sort());
	});
});
