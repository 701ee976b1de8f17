import { readFileSync } from 'node:fs';

import {
	afterAll,
	afterEach,
	beforeAll,
	beforeEach,
	describe,
	expect,
	jest,
	test,
} from '@jest/globals';
import { DateTime } from 'luxon';

import { isFinished, until, type Execution, type StoredWorkflow } from '../lab/n8n';
import { Browser, type Page } from '../lab/n8n/browser';
import { HttpReceiver } from '../lab/n8n/httpReceiver';
import { MailServer } from '../lab/n8n/mailServer';
import {
	AGENCY,
	APPLICANTS_PATH,
	DAY,
	exampleFiles,
	HOUR,
	INVENTORY_PATH,
	MINUTE,
	PREMIUM_PATH,
	readExample,
	SECOND,
	Stage,
	START_DEADLINE_MS,
	STOP_DEADLINE_MS,
	type Client,
	type ExampleSetup,
	type SavedCredential,
} from '../lab/n8n/stage';

jest.setTimeout(60_000);

const ARRIVAL_DEADLINE_MS = 20_000;

type LeadOverrides = NonNullable<Parameters<Stage['sandbox']['addLead']>[1]>;

let stage: Stage;
let receiver: HttpReceiver;
let mailServer: MailServer;
/** The agency of a test, which sees its own leads alone. */
let client: Client;
let credentials: Record<string, SavedCredential>;
let leads = 0;

beforeAll(async () => {
	// The form asks for its user's consent under n8n's own address, where the browser has to be logged in.
	stage = await Stage.start({ env: { N8N_HOST: '127.0.0.1' } });
	receiver = await HttpReceiver.start();
	mailServer = await MailServer.start();
	const inventoryClient = stage.addInventoryClient();
	credentials = {
		agentInventoryApi: await stage.saveCredential(inventoryClient),
		agentProductsApi: await stage.saveCredential(stage.addProductsClient()),
		smtp: await stage.n8n.createCredential('smtp', 'Mail', mailServer.credential),
	};
	stage.secrets.push(MailServer.PASSWORD);
}, START_DEADLINE_MS);

afterAll(async () => {
	await stage?.stop();
	await receiver?.stop();
	await mailServer?.stop();
}, STOP_DEADLINE_MS);

afterEach(async () => {
	for (const workflow of stage.workflows.splice(0)) await stage.n8n.deactivate(workflow);
	receiver.requests.length = 0;
	receiver.answer = () => 200;
	mailServer.mails.length = 0;
	mailServer.accepts = () => true;
	stage.sandbox.faults.clear();
});

/** An agency of its own for each test. */
beforeEach(async () => {
	client = stage.addClient({ branches: [`agency-${++leads}`] });
	credentials.agentLeadsApi = await stage.saveCredential(client);
});

/** @returns the id of a lead of the agency, which the service has since now or since `ago` milliseconds */
function addLead(kind: 'applicant' | 'appraisal', overrides: LeadOverrides = {}, ago = 0): string {
	const id = `lead-${++leads}`;
	const at = stage.sandbox.now() - ago;
	const createdAt = new Date(at).toISOString().replace(/\.\d+Z/, 'Z');
	const [branchId] = client.branches;
	// The service leaves texts empty; that they are null is a test's own idea.
	const isOdd = JSON.stringify(overrides).includes('null');
	stage.sandbox.addLead(kind, { id, createdAt, ...overrides }, { branchId, receivedAt: at, isOdd });
	return id;
}

/** Waits for a condition on what has arrived. */
async function arrival(what: string, isThere: () => boolean): Promise<void> {
	await until(what, ARRIVAL_DEADLINE_MS, async () => await Promise.resolve(isThere() || undefined));
}

/** Waits until an execution of a workflow has failed. */
async function failure(workflow: StoredWorkflow): Promise<Execution> {
	return await until('a failed execution', ARRIVAL_DEADLINE_MS, async () => {
		const list = await stage.n8n.listExecutions(workflow);
		const failed = list.find(({ status }) => status === 'error');
		return failed && (await stage.n8n.getExecution(failed.id));
	});
}

async function retry(workflow: StoredWorkflow, { id }: Execution): Promise<Execution> {
	return await stage.n8n.waitForExecution(workflow, await stage.n8n.retryExecution(id));
}

/** Waits until no execution of a workflow is under way. */
async function rest(workflow: StoredWorkflow): Promise<void> {
	await until('all executions to end', ARRIVAL_DEADLINE_MS, async () => {
		const list = await stage.n8n.listExecutions(workflow);
		return list.every(isFinished) || undefined;
	});
}

function strings(values: unknown[]): string[] {
	return values.filter((value) => typeof value === 'string');
}

describe('new-leads-to-crm.json', () => {
	/** The leads that the CRM has taken, by the key that it tells repeats by. */
	function stored(): Map<unknown, unknown> {
		const taken = receiver.requests.filter(({ status }) => status === 200);
		return new Map(taken.map(({ headers, body }) => [headers['idempotency-key'], body.leadId]));
	}

	async function publish(): Promise<StoredWorkflow> {
		const workflow = await stage.importExample('new-leads-to-crm.json', {
			credentials,
			parameters: { 'Send to CRM': { url: receiver.url } },
		});
		await stage.n8n.activate(workflow);
		return workflow;
	}

	test('gives each lead to the CRM, also one that the CRM fails at first', async () => {
		const first = addLead(
			'applicant',
			{
				contact: { firstName: 'Zoë', lastName: "O'Dunnsley", email: null },
				message: '<p>Is it\nstill there?</p>',
				sourceBranchId: 'branch-7',
			},
			HOUR,
		);
		const second = addLead('appraisal', {}, 30 * MINUTE);
		receiver.answer = ({ body: { leadId } }) =>
			leadId === first && receiver.requests.every(({ status }) => status === 200) ? 500 : 200;

		const workflow = await publish();
		await arrival('both leads', () => stored().size === 2);
		await rest(workflow);

		expect(stored()).toEqual(
			new Map([
				[first, first],
				[second, second],
			]),
		);
		expect(receiver.requests.filter(({ status }) => status === 500)).toHaveLength(1);
		expect(receiver.taken().find(({ leadId }) => leadId === first)).toMatchObject({
			kind: 'Buyer or tenant',
			name: "Zoë O'Dunnsley",
			email: null,
			branch: 'branch-7',
			message: '<p>Is it\nstill there?</p>',
		});
		expect(receiver.taken().find(({ leadId }) => leadId === second)?.kind).toBe('Valuation');
	});

	test('keeps the lead that the CRM refuses for a retry, and gives it the others', async () => {
		const refused = addLead('applicant', {}, HOUR);
		const other = addLead('applicant', {}, MINUTE);
		receiver.answer = ({ body: { leadId } }) => (leadId === refused ? 503 : 200);

		const workflow = await publish();
		const failed = await failure(workflow);
		expect([...stored().keys()]).toEqual([other]);
		expect(failed.nodeError('Send to CRM')?.message).toContain('Service unavailable');

		receiver.answer = () => 200;
		expect((await retry(workflow, failed)).status).toBe('success');
		expect([...stored().keys()].sort()).toEqual([refused, other].sort());
	});
});

describe('appraisal-to-negotiator.json', () => {
	async function publish(): Promise<StoredWorkflow> {
		const workflow = await stage.importExample('appraisal-to-negotiator.json', { credentials });
		await stage.n8n.activate(workflow);
		return workflow;
	}

	/** The mail about a lead; fails unless there is exactly one. */
	function mailAbout(lead: string) {
		const [mail, ...more] = mailServer.mails.filter(({ text }) => text?.includes(`ID: ${lead}\n`));
		if (!mail || more.length > 0)
			throw new Error(`${more.length + (mail ? 1 : 0)} mails for ${lead}`);
		return mail;
	}

	test("writes to the branch's negotiator, or to the office", async () => {
		await publish();
		const known = addLead('appraisal', {
			sourceBranchId: '10235',
			contact: { firstName: 'Delia', lastName: 'Fernhollow', email: 'delia@example.com' },
			message: '<script>alert(1)</script>\n<b>Call & write</b>',
			propertyDetails: {
				address: {
					line1: '3 Quillbrook Lane\r\nBcc: all@example.com',
					line2: '',
					postcode: 'AB1 2CD',
				},
			},
		});
		const unknown = addLead('appraisal', {
			sourceBranchId: 'branch-9',
			contact: { email: 'not an address, all@example.com' },
		});
		const nowhere = addLead('appraisal', { sourceBranchId: null, contact: { email: null } });
		addLead('applicant', { sourceBranchId: '10234' });

		await arrival('three mails', () => mailServer.mails.length >= 3);

		expect(mailAbout(known)).toMatchObject({
			recipients: ['negotiator.wexbourne@example.com'],
			html: false,
			replyTo: { text: 'delia@example.com' },
		});
		expect(mailAbout(known).subject).toContain(
			'New valuation: 3 Quillbrook Lane Bcc: all@example.com',
		);
		expect(mailAbout(known).text).toContain('<script>alert(1)</script>\n<b>Call & write</b>');
		expect(mailAbout(known).text).toContain('Delia Fernhollow asks for a valuation');
		for (const lead of [unknown, nowhere]) {
			expect(mailAbout(lead).recipients).toEqual(['office@example.com']);
			expect(mailAbout(lead).replyTo).toBeUndefined();
			expect(mailAbout(lead).text).toContain('so this went to the office');
		}
		expect(mailServer.mails).toHaveLength(3);
	});

	test('goes on with the mail that could not be sent, and sends none twice', async () => {
		const workflow = await publish();
		const branches = ['10234', '10235', 'branch-9'];
		const ids = branches.map((sourceBranchId, index) =>
			addLead('appraisal', { sourceBranchId }, (3 - index) * SECOND),
		);
		mailServer.accepts = (recipient) => recipient !== 'negotiator.wexbourne@example.com';

		const failed = await failure(workflow);
		expect(failed.nodeError('Send Email')).toBeDefined();
		mailServer.accepts = () => true;
		expect((await retry(workflow, failed)).status).toBe('success');

		await arrival('three mails', () => mailServer.mails.length >= 3);
		await rest(workflow);
		for (const id of ids) mailAbout(id);
		expect(mailServer.mails).toHaveLength(3);
	});
});

describe('lead-with-property.json', () => {
	async function publish(): Promise<StoredWorkflow> {
		const workflow = await stage.importExample('lead-with-property.json', {
			credentials,
			parameters: { 'Send to Team': { url: receiver.url } },
		});
		await stage.n8n.activate(workflow);
		return workflow;
	}

	/** The message about a lead; fails unless there is exactly one. */
	function messageAbout(lead: string): string {
		const texts = strings(receiver.taken().map(({ text }) => text));
		const [message, ...more] = texts.filter((text) => text.endsWith(`Lead ID: ${lead}`));
		if (message === undefined || more.length > 0) throw new Error(`not one message for ${lead}`);
		return message;
	}

	/** A property of the agency that is alone at its address, and whose number is part of no other in its street. */
	function property() {
		const all = stage.sandbox.inventory.of(AGENCY).filter(({ archived }) => !archived);
		const found = all.find(({ address: { nameNo, postcode } }) => {
			const same = all.filter(({ address }) => address.postcode === postcode);
			return (
				nameNo.length === 3 && same.filter(({ address }) => address.nameNo === nameNo).length === 1
			);
		});
		if (!found) throw new Error('no such property');
		return found;
	}

	function asking({
		nameNo,
		street,
		postcode,
	}: {
		nameNo: string;
		street: string;
		postcode: string;
	}) {
		const address = { propertyNumberOrName: nameNo, streetName: street, postcode };
		return { listingDetails: { address } };
	}

	test('writes one message for each lead, with the property at that very address', async () => {
		await publish();
		const { id, address, status } = property();
		const found = addLead('applicant', {
			...asking({ ...address, postcode: address.postcode.replace(' ', '').toLowerCase() }),
			message: '<b>Nice</b> for <300k & <!everyone>',
		});
		const nextDoor = addLead(
			'applicant',
			asking({ ...address, nameNo: address.nameNo.slice(0, 2) }),
		);
		const homeless = addLead('applicant', { listingDetails: { address: null } });
		const bare = addLead('applicant', { listingDetails: null, contact: null });
		addLead('appraisal');

		await arrival('four messages', () => receiver.requests.length >= 4);

		expect(messageAbout(found)).toContain('In your inventory, by house number and postcode: ');
		expect(messageAbout(found)).toContain(`Asks about: ${address.nameNo} ${address.street}, `);
		expect(messageAbout(found)).toContain(status);
		expect(messageAbout(found)).toContain(`ID ${id}`);
		expect(messageAbout(found)).toContain('Nice  for ‹300k & ‹!everyone›');
		expect(messageAbout(nextDoor)).toContain(
			'Your inventory has no property with this house number',
		);
		for (const lead of [homeless, bare])
			expect(messageAbout(lead)).toContain('The lead gives no house number and postcode');
		expect(receiver.requests).toHaveLength(4);
	});

	test('writes the message without an answer of the inventory, and says so', async () => {
		await publish();
		stage.sandbox.faults.add({
			kind: 'status',
			status: 400,
			path: INVENTORY_PATH,
			times: Infinity,
		});
		const searched = addLead('applicant', asking(property().address));
		await arrival('the message', () => receiver.requests.length > 0);
		expect(messageAbout(searched)).toContain('Your inventory could not be searched: ');

		stage.sandbox.faults.clear();
		stage.sandbox.faults.add({
			kind: 'status',
			status: 400,
			path: /\/inventory\/./,
			times: Infinity,
		});
		const got = addLead('applicant', asking(property().address));
		await arrival('the message', () => receiver.requests.length > 1);
		expect(messageAbout(got)).toContain(`ID ${property().id}. Its record could not be read (`);
	});

	test('goes on with the message that the chat did not take, and sends none twice', async () => {
		const workflow = await publish();
		const ids = [3, 2, 1].map((seconds) => addLead('applicant', {}, seconds * SECOND));
		receiver.answer = ({ body: { text } }) => (String(text).endsWith(ids[1] ?? '') ? 500 : 200);

		const failed = await failure(workflow);
		receiver.answer = () => 200;
		expect((await retry(workflow, failed)).status).toBe('success');

		await arrival('three messages', () => receiver.taken().length >= 3);
		await rest(workflow);
		for (const id of ids) messageAbout(id);
		expect(receiver.taken()).toHaveLength(3);
	});
});

describe('daily-lead-summary.json', () => {
	const file = 'daily-lead-summary.json';
	const { timezone } = readExample(file).settings ?? {};
	const yesterday = DateTime.now().setZone(timezone).startOf('day').minus({ days: 1 });

	async function summarize(): Promise<Execution> {
		const workflow = await stage.importExample(file, { credentials });
		return await stage.n8n.runManually(workflow, 'Every Morning');
	}

	function addLeadAt(kind: 'applicant' | 'appraisal', at: DateTime, sourceBranchId: string | null) {
		addLead(kind, { sourceBranchId }, stage.sandbox.now() - at.toMillis());
	}

	test('counts the leads of yesterday, from midnight to midnight', async () => {
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
			subject: `Leads of ${yesterday.toFormat('cccc d MMMM yyyy')}`,
			html: false,
		});
		expect(mailServer.mails[0]?.text?.trim().split('\n')).toEqual([
			'branch-9: 1 applicants, 2 appraisals',
			'branch-10: 1 applicants, 0 appraisals',
			'No branch: 1 applicants, 0 appraisals',
			'',
			'All branches: 3 applicants, 2 appraisals',
		]);
	});

	test('says so where there were no leads, or only of one kind', async () => {
		await summarize();
		expect(mailServer.mails[0]?.text?.trim()).toBe('There were no leads.');

		addLeadAt('appraisal', yesterday, 'branch-9');
		await summarize();
		expect(mailServer.mails[1]?.text).toContain('branch-9: 0 applicants, 1 appraisals');
		expect(mailServer.mails).toHaveLength(2);
	});

	test('sends the summary that could not be sent with a retry', async () => {
		const workflow = await stage.importExample(file, { credentials });
		mailServer.accepts = () => false;
		const failed = await stage.n8n.runManually(workflow, 'Every Morning');
		expect(failed.nodeError('Send Summary')).toBeDefined();

		mailServer.accepts = () => true;
		expect((await retry(workflow, failed)).status).toBe('success');
		expect(mailServer.mails.map(({ text }) => text?.trim())).toEqual(['There were no leads.']);
	});

	test('sends no summary of half the leads', async () => {
		addLeadAt('appraisal', yesterday, 'branch-9');
		stage.sandbox.faults.add({ kind: 'status', status: 400, path: APPLICANTS_PATH });
		expect((await summarize()).status).toBe('error');
		expect(mailServer.mails).toEqual([]);
	});
});

describe('promote-listing.json', () => {
	let browser: Browser;
	let workflow: StoredWorkflow;

	beforeAll(async () => {
		browser = await Browser.start();
	}, START_DEADLINE_MS);

	afterAll(async () => await browser?.stop(), STOP_DEADLINE_MS);

	beforeEach(async () => {
		workflow = await stage.importExample('promote-listing.json', { credentials });
		await stage.n8n.activate(workflow);
	});

	function credits(listing: number): number {
		return stage.sandbox.counts.creditsBy['premium-listings']?.[listing] ?? 0;
	}

	/** Fills in the form as a colleague does. */
	async function ask(listing: number, approval: 'Yes' | 'No'): Promise<Page> {
		const form = workflow.nodes.find(({ name }) => name === 'Listing to Promote');
		const page = await browser.open(stage.n8n, `/form/${form?.webhookId}`);
		const consent = page.getByText('Allow access');
		await consent.or(page.getByLabel('Listing ID')).waitFor();
		if (await consent.isVisible()) await consent.click();
		await page.getByLabel('Listing ID').fill(String(listing));
		await page.getByText('Next', { exact: true }).click();
		await page.getByText(`Make listing ${listing} a premium listing?`).waitFor();
		expect(credits(listing)).toBe(0);
		await page.getByText(approval, { exact: true }).click();
		await page.getByText('Send', { exact: true }).click();
		return page;
	}

	test('orders nothing without approval', async () => {
		const page = await ask(5001, 'No');
		await page.getByText('Nothing was ordered').waitFor();
		expect(credits(5001)).toBe(0);
		await page.close();
	});

	test('orders once with approval, and shows what became of it', async () => {
		const page = await ask(5002, 'Yes');
		await page.getByText('It is a premium listing now').waitFor();
		expect(credits(5002)).toBe(1);
		await page.close();
	});

	test('says why there is no order', async () => {
		stage.sandbox.faults.add({ kind: 'status', status: 400, method: 'POST', path: PREMIUM_PATH });
		const page = await ask(5003, 'Yes');
		await page.getByText('Something went wrong').waitFor();
		await page.getByText('The service refused the request (400)').waitFor();
		expect(credits(5003)).toBe(0);
		await page.close();
	});
});

describe('backfill-leads-to-table.json', () => {
	const TABLE = 'Leads of the agency';

	async function rows(): Promise<string[]> {
		const table = await stage.n8n.dataTable(TABLE);
		return strings((await stage.n8n.dataTableRows(table)).map(({ leadId }) => leadId)).sort();
	}

	async function imported(parameters?: ExampleSetup['parameters']): Promise<StoredWorkflow> {
		return await stage.importExample('backfill-leads-to-table.json', { credentials, parameters });
	}

	/** The leads that came out behind Remove Duplicates in all executions, repeats included. */
	async function passed(workflow: StoredWorkflow): Promise<string[]> {
		const executions = await stage.n8n.executions(workflow);
		const runs = executions.flatMap((execution) => execution.runs('Only New Leads'));
		const items = runs.flatMap(({ data }) => data?.main?.[0] ?? []);
		return strings(items.map(({ json }) => json.leadId)).sort();
	}

	test('keeps each lead in one row and lets it through once, whichever way it comes', async () => {
		const workflow = await imported();
		const ids = [29 * DAY, 10 * DAY, 2 * DAY, 20 * HOUR, MINUTE].flatMap((ago) => [
			addLead('applicant', {}, ago),
			addLead('appraisal', {}, ago),
		]);
		ids.push(addLead('applicant', { createdAt: '0001-01-01T00:00Z' }));
		await stage.n8n.runManually(workflow);
		expect(await rows()).toEqual([...ids].sort());

		await stage.n8n.activate(workflow);
		const recent = ids.slice(-5);
		ids.push(addLead('applicant'), addLead('appraisal'));
		await stage.waitForDelivery(workflow, [...recent, ...ids.slice(-2)]);
		await rest(workflow);
		expect((await stage.n8n.runManually(workflow)).status).toBe('success');

		expect(await rows()).toEqual([...ids].sort());
		expect(await passed(workflow)).toEqual([...ids].sort());
	});

	test('keeps one row of a lead when two backfills run at the same time', async () => {
		const before = await rows();
		const workflow = await imported();
		const ids = [DAY, HOUR, MINUTE].map((ago) => addLead('applicant', {}, ago));
		const backfills = await Promise.all([
			stage.n8n.runManually(workflow),
			stage.n8n.runManually(workflow),
		]);
		expect(backfills.map(({ status }) => status)).toEqual(['success', 'success']);
		expect(await rows()).toEqual([...before, ...ids].sort());
	});

	test('has stored the leads that are too many for Remove Duplicates to remember', async () => {
		const workflow = await imported({ 'Only New Leads': { options: { historySize: 2 } } });
		const ids = [3, 2, 1].map((hours) => addLead('appraisal', {}, hours * HOUR));
		const execution = await stage.n8n.runManually(workflow);
		expect(execution.nodeError('Only New Leads')?.message).toContain('maximum history size');
		expect(await rows()).toEqual(expect.arrayContaining(ids));
	});

	test('stores what the table lacks with the next backfill', async () => {
		const workflow = await imported();
		const [lost, kept] = [addLead('applicant', {}, DAY), addLead('appraisal', {}, DAY)];
		await stage.n8n.runManually(workflow);
		await stage.n8n.deleteDataTableRows(await stage.n8n.dataTable(TABLE), 'leadId', lost);
		expect(await rows()).not.toContain(lost);

		await stage.n8n.runManually(workflow);
		expect((await rows()).filter((id) => id === lost || id === kept)).toEqual([lost, kept].sort());
	});
});

describe.each(exampleFiles())('%s', (file) => {
	const text = JSON.stringify(readExample(file));
	const { nodes, settings, ...example } = readExample(file);

	test('has a test of its own here', () => {
		expect(readFileSync(__filename, 'utf8')).toContain(`describe('${file}'`);
	});

	test('explains itself on the canvas', () => {
		const notes = nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote');
		const explained = strings(notes.map(({ parameters }) => parameters.content)).join('\n');
		expect(explained).toContain(`## ${example.name}`);
		for (const { name, disabled } of nodes)
			if (disabled) expect(explained).toContain(`**${name}** is deactivated`);
	});

	test('holds nothing of the n8n that it was made in', () => {
		expect(Object.keys(example).sort()).toEqual(['connections', 'name']);
		expect(settings).toEqual({
			executionOrder: 'v1',
			timezone: 'Europe/London',
			saveDataErrorExecution: 'all',
		});
		for (const { credentials: chosen = {} } of nodes)
			for (const { id } of Object.values(chosen)) expect(id).toBe('');
		const ids = [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
		expect(new Set(ids).size).toBe(ids.length);
	});
});
