import { createRequire } from 'node:module';

import { describe, expect, it } from '@jest/globals';
import sortBy from 'lodash/sortBy';
import { DateTime } from 'luxon';
import type { INode, INodeTypeDescription } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { LEAD_FIELDS } from '../../../nodes/common/leads/simplifyLead';
import type { StoredWorkflow } from '../../lab/n8n';
import { until } from '../../lab/n8n';
import { DEFAULT_N8N, n8nBin } from '../../lab/n8n/installation';
import { AGENCY, APPLICANTS_PATH, HOUR, agentLeadsTrigger, postTo } from '../../lab/n8n/stage';
import { assigned, exampleFiles, readExample } from '../../lab/n8n/stage/examples';
import { BEARER_TOKEN, arrival, useExamples } from '../../lab/n8n/stage/useExamples';

interface Tool {
	name: string;
	inputSchema: { properties?: Record<string, unknown> };
}

interface Client {
	connect(transport: unknown): Promise<void>;
	close(): Promise<void>;
	getInstructions(): string | undefined;
	listTools(): Promise<{ tools: Tool[] }>;
	callTool(call: {
		name: string;
		arguments: Record<string, string>;
	}): Promise<{ content: Array<{ text: string }>; isError?: boolean }>;
}

/** The client of the protocol's own SDK, in the version that n8n has. */
const sdk = createRequire(n8nBin(DEFAULT_N8N));
const { Client: SdkClient } = sdk('@modelcontextprotocol/sdk/client/index.js') as {
	Client: new (client: { name: string; version: string }) => Client;
};
const { StreamableHTTPClientTransport } = sdk(
	'@modelcontextprotocol/sdk/client/streamableHttp.js',
) as { StreamableHTTPClientTransport: new (url: URL, options: object) => unknown };

/** An assistant that has logged in to an MCP server of n8n. */
async function connectMcp(url: string, token: string): Promise<Client> {
	const client = new SdkClient({ name: 'assistant', version: '1.0.0' });
	const headers = { Authorization: `Bearer ${token}` };
	const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
	await client.connect(transport);
	return client;
}

const examples = useExamples();
const { stage, receiver, mailServer } = examples;

const CRMS = ['hubspot', 'pipedrive', 'googleSheets'];

/** Leaves of a node's parameters that are expressions, by their path. */
function expressions(value: unknown, path = ''): Array<{ name: string; value: string }> {
	if (typeof value === 'string') return value.startsWith('=') ? [{ name: path, value }] : [];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, each]) =>
		expressions(each, path ? `${path}.${key}` : key),
	);
}

/** In the place of a node that writes to a CRM: posts its name and the values of its expressions to the receiver. */
function toReceiver(node: INode): INode {
	const [, type = ''] = node.type.split('.');
	const { nodeCredentialType } = node.parameters;
	if (!CRMS.includes(type) && nodeCredentialType === undefined) return node;
	const parameters = [{ name: 'node', value: node.name }, ...expressions(node.parameters)];
	return {
		...node,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url: receiver.url,
			sendBody: true,
			bodyParameters: { parameters },
			options: {},
		},
		credentials: {},
	};
}

/** What the CRM was sent by a node, as JSON. */
const sentBy = (name: string) =>
	receiver.taken().flatMap(({ node, ...sent }) => (node === name ? [JSON.stringify(sent)] : []));

describe('each recipe', () => {
	it('half filled in is not published: n8n names what is missing', async () => {
		for (const file of exampleFiles()) {
			const { nodes } = readExample(file);
			// n8n does not look into the credentials of an HTTP Request node before it runs.
			const credentials = nodes.filter(
				({ credentials: each, disabled, type }) =>
					each && !disabled && type !== 'n8n-nodes-base.httpRequest',
			);
			if (credentials.length === 0) continue;
			const workflow = await stage.n8n.createWorkflow(readExample(file));
			const refusal = await stage.n8n.activate(workflow).catch(String);
			if (refusal?.includes('no trigger node')) continue;
			expect(refusal).toMatch(/Cannot publish workflow: .* configuration issues/s);
			for (const { name } of credentials) expect(refusal).toContain(`Node \\"${name}\\"`);
		}
	});

	it('has in each node only what that node of n8n has, and nothing missing but what a person fills in', async () => {
		const types = await stage.n8n.nodeTypes();
		const typeOf = ({ type, typeVersion }: INode): INodeTypeDescription => {
			const found = types.find(
				({ name, version }) => name === type && [version].flat().includes(typeVersion),
			);
			if (!found) throw new Error(`n8n has no ${type} ${typeVersion}`);
			return found;
		};
		const missing: string[] = [];
		for (const file of exampleFiles())
			for (const node of readExample(file).nodes) {
				const type = typeOf(node);
				const { properties } = type;
				const known = NodeHelpers.getNodeParameters(
					properties,
					node.parameters,
					true,
					false,
					node,
					type,
				);
				expect({ node: node.name, ...known }).toMatchObject(node.parameters);
				const issues =
					NodeHelpers.getNodeParametersIssues(
						properties,
						{ ...node, parameters: known ?? {} },
						type,
					)?.parameters ?? {};
				missing.push(...Object.keys(issues));
			}
		expect(['documentId', 'fromEmail', 'toEmail', 'url']).toEqual(expect.arrayContaining(missing));
	});
});

describe('when-a-run-fails.json', () => {
	const name = 'Leads to the CRM';

	async function publishErrorWorkflow(): Promise<StoredWorkflow> {
		const { rest, url } = stage.n8n;
		const request = { label: 'Errors', expiresAt: null, scopes: ['execution:read'] };
		const { rawApiKey } = await rest.post<{ rawApiKey: string }>('/rest/api-keys', request);
		const access = { apiKey: rawApiKey, baseUrl: `${url}/api/v1` };
		examples.credentials.n8nApi = await stage.n8n.createCredential('n8nApi', 'n8n', access);
		return await examples.publish('when-a-run-fails.json');
	}

	const failures = async (count: number) =>
		await until('failures to be kept', 180_000, async () => {
			const rows = await examples.rows('Failed runs');
			return rows.length >= count && rows;
		});

	it('emails who it was and the link once n8n does not try again, also of a failed poll, and keeps each failure', async () => {
		receiver.answer = () => 500;
		const tell = await publishErrorWorkflow();
		const errorWorkflow = { errorWorkflow: tell.id };
		const settings = { runs: 'onePerLead', options: { runAgain: 1 } };
		const trigger = agentLeadsTrigger(await examples.addAgency(), settings);
		await stage.publish(name, [trigger, postTo(receiver.url)], errorWorkflow);
		const lead = examples.addLead('applicant', {
			sourceBranchId: 'NORTH',
			contact: { firstName: 'Delia', lastName: 'Fernhollow' },
		});
		const [first] = await failures(1);
		expect(first).toMatchObject({
			workflow: name,
			leadId: lead,
			lead: 'Delia Fernhollow',
			branch: 'NORTH',
			step: 'Target',
			why: expect.stringContaining('500'),
			link: expect.stringMatching(/\/workflow\/\w+\/executions\/\d+$/),
			tries: expect.stringContaining('tries again: this was run 1 of at most 2.'),
		});
		expect(mailServer.mails).toEqual([]);

		const refused = stage.addClient({ branches: ['SOUTH'] });
		const { clientId } = refused;
		const polling = agentLeadsTrigger(await stage.saveCredential(refused));
		await stage.publish('Polls', [polling, postTo(receiver.url)], errorWorkflow);
		const fault = { kind: 'status', status: 403, path: APPLICANTS_PATH } as const;
		stage.sandbox.faults.add({ ...fault, clientId, times: Infinity });
		const rows = await failures(4);
		await examples.mails(2, tell);

		const [poll, run] = sortBy(mailServer.mails, ({ subject }) => subject !== 'Failed: Polls');
		expect(poll?.text).toMatch(
			/^No lead is known[^]*Failed at: the trigger\nWhy: .*access \(403\)[^<]*No run failed/,
		);
		expect(run?.subject).toBe(`Failed: ${name}, Delia Fernhollow`);
		expect(run?.text).toMatch(
			new RegExp(`ID ${lead}[^]*failed 2 times[^]*does not try again[^]*executions/\\d+\n$`),
		);
		expect(rows.filter(({ leadId }) => leadId === lead)).toHaveLength(3);
	});
});

describe('silence-alarm.json', () => {
	const file = 'silence-alarm.json';

	it('emails each silence once, counted in open hours, and says if the service could not be asked', async () => {
		const always = { opens: -1, closes: 24, openDays: '[1, 2, 3, 4, 5, 6, 7]' };
		const today = DateTime.now().setZone(readExample(file).settings?.timezone).weekday;
		const alarm = async (hours: object, openDays = always.openDays) =>
			await examples.make(file, {
				'Opening Hours': assigned(file, 'Opening Hours', { ...always, openDays }),
				'Hours without a Lead': assigned(file, 'Hours without a Lead', { any: 3, ...hours }),
			});
		const check = async (workflow: StoredWorkflow) =>
			expect((await stage.n8n.runManually(workflow, 'Every Hour')).status).toBe('success');
		const subjects = () => mailServer.mails.map(({ subject }) => subject);
		examples.addLead('appraisal', { sourceBranchId: 'NORTH' }, 31 * HOUR);
		examples.addLead('applicant', { sourceBranchId: 'SOUTH' }, HOUR);
		const first = await alarm({ NORTH: 30, SOUTH: 6 });

		await check(await alarm({ NORTH: 30, SOUTH: 6 }, `[${today}]`));
		expect(subjects()).toEqual([]);
		await check(first);
		await check(first);
		await check(await alarm({ NORTH: 30, SOUTH: 0.5 }));

		expect(subjects()).toEqual(['No leads: NORTH', 'No leads: SOUTH']);
		expect(mailServer.mails[0]?.text).toMatch(
			/^The service answers, .*\n\nNORTH: none since \w+ \d+ \w+, \d\d:\d\d \(you allow 30 hours\)\n\nLook/,
		);

		stage.sandbox.faults.add({ kind: 'status', status: 400, path: APPLICANTS_PATH, times: 2 });
		for (let hour = 0; hour < 3; hour++) await check(first);

		expect(subjects().slice(2)).toEqual(['The service cannot be asked for leads']);
		expect(mailServer.mails[2]?.text).toMatch(/could not be asked.*\(400\)/s);
		expect(await examples.rows('Silence alarms')).toHaveLength(3);
	});
});

describe('lead-to-google-sheets.json', () => {
	it('writes the person and the lead, and keeps it as handled', async () => {
		const workflow = await examples.publish('lead-to-google-sheets.json', {}, toReceiver);
		const contact = { firstName: 'Delia', lastName: 'Fernhollow', email: 'delia@example.com' };
		const lead = examples.addLead('applicant', {
			contact,
			message: '=1+1',
			sourceBranchId: 'NORTH',
		});
		await arrival('two rows', () => receiver.requests.length >= 2);
		await examples.rest(workflow);

		expect(sentBy('Person')).toEqual([expect.stringMatching(/p[0-9a-f]+.*delia@example\.com/)]);
		expect(sentBy('Lead Row')).toEqual([expect.stringMatching(new RegExp(`${lead}.*"=1\\+1"`))]);
		expect(await examples.rows('Handled leads')).toEqual([
			expect.objectContaining({ leadId: lead, workflow: workflow.name, branch: 'NORTH' }),
		]);
	});
});

/** Each CRM knows Delia and nobody else, as contact 7, by one email address or by her telephone number. */
function writesEachLeadOnce(file: string, kind: string): void {
	it('finds the person or creates one, and adds one note, though the lead comes again', async () => {
		receiver.answer = ({ body: { node, ...sent } }) => {
			const id = node === `Update ${kind}` ? '7' : '8';
			if (!String(node).startsWith('Find')) return { id, data: { id } };
			const isKnown = /delia@|900456/.test(JSON.stringify(sent));
			return isKnown ? { id: '7', name: 'Delia', properties: {} } : {};
		};
		const workflow = await examples.publish(file, {}, toReceiver);
		const lead = examples.addLead('applicant', {
			contact: { firstName: 'Delia', lastName: 'Fernhollow', email: 'delia@example.com' },
			message: 'Is it <b>free</b> & light?',
			listingDetails: { sourceId: 'EX-1042' },
		});
		const other = examples.addLead('appraisal', {
			contact: { firstName: 'Corin', lastName: '', email: '', phoneNumber: '07700 900123' },
		});
		const moved = examples.addLead('applicant', {
			contact: { firstName: 'Delia', email: 'new@example.com', phoneNumber: '07700 900456' },
		});
		await arrival('all notes', () => sentBy('Add Note').length >= 3);
		await examples.rest(workflow);
		await startAgain(workflow, { id: lead, name: 'Delia' });

		const notes = sentBy('Add Note');
		expect(notes).toHaveLength(3);
		expect(notes).toEqual(
			expect.arrayContaining([
				expect.stringMatching(new RegExp(`EX-1042.*&amp; light.*Lead ID: ${lead}.*"7"`)),
				expect.stringMatching(new RegExp(`Asks for a valuation.*Lead ID: ${other}.*"8"`)),
				expect.stringMatching(new RegExp(`Lead ID: ${moved}.*"7"`)),
			]),
		);
		expect(sentBy(`Create ${kind}`)).toEqual([
			expect.stringMatching(/(?=.*"Corin").*\+447700900123/),
		]);
		expect(sentBy(`Update ${kind}`).sort()).toEqual([
			expect.stringMatching(/\/7".*delia@example\.com/),
			expect.stringMatching(/new@example\.com/),
		]);
		const handled = (await examples.rows('Handled leads')).map(({ leadId }) => leadId);
		expect(handled).toEqual(expect.arrayContaining([lead, other, moved]));
	});
}

/** Starts a workflow for a lead as the reconciliation does. */
async function startAgain({ id }: StoredWorkflow, lead: object): Promise<void> {
	const item = {
		name: 'Lead',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: JSON.stringify(lead) },
	};
	const parameters = { workflowId: { __rl: true, mode: 'id', value: id } };
	const run = { name: 'Run', type: 'n8n-nodes-base.executeWorkflow', typeVersion: 1.2, parameters };
	const { status } = await stage.run(await stage.webhookWorkflow(item, run));
	expect(status).toBe(200);
}

describe('lead-to-hubspot.json', () => writesEachLeadOnce('lead-to-hubspot.json', 'Contact'));

describe('lead-to-pipedrive.json', () => writesEachLeadOnce('lead-to-pipedrive.json', 'Person'));

describe('nightly-reconciliation.json', () => {
	const file = 'nightly-reconciliation.json';
	const { timezone } = readExample(file).settings ?? {};
	const today = DateTime.now().setZone(timezone).startOf('day');

	function addLeadAt(kind: 'applicant' | 'appraisal', days: number, sourceBranchId: string | null) {
		const at = today.minus({ days }).plus({ hours: 12 });
		const contact = { firstName: 'Delia', lastName: '' };
		const ago = stage.sandbox.now() - at.toMillis();
		return examples.addLead(kind, { sourceBranchId, contact }, ago);
	}

	async function reconcile(leadWorkflowId: string): Promise<string | undefined> {
		const parameters = { Period: assigned(file, 'Period', { leadWorkflowId }) };
		const workflow = await examples.make(file, parameters);
		mailServer.mails.length = 0;
		expect((await stage.n8n.runManually(workflow, 'Every Morning')).status).toBe('success');
		return `${mailServer.mails[0]?.subject}\n${mailServer.mails[0]?.text}`;
	}

	it('lists the leads that no workflow handled and those handled twice, and runs the missing ones', async () => {
		const handler = await examples.publish('lead-to-google-sheets.json', {}, toReceiver);
		const done = addLeadAt('applicant', 1, 'NORTH');
		const missing = addLeadAt('appraisal', 1, 'NORTH');
		const twice = addLeadAt('applicant', 1, 'SOUTH');
		const nowhere = addLeadAt('applicant', 2, null);
		addLeadAt('applicant', 4, 'NORTH');
		for (const id of [done, twice, twice]) await startAgain(handler, { id });

		const entry = (id: string, kind: string) => `  Delia, ${kind}, .*, ID ${id}\n`;
		expect(await reconcile('')).toMatch(
			new RegExp(
				`^Leads not handled: 2\nNot handled:\nNo branch\n${entry(nowhere, 'applicant')}NORTH\n${entry(missing, 'appraisal')}\n` +
					`Handled twice by one workflow:\nSOUTH\n${entry(twice, 'applicant')}\n` +
					'Yesterday:\nNORTH: applicants 1, appraisals 1\nSOUTH: applicants 1, appraisals 0\n\nLeads of the last two days: 4',
			),
		);
		await reconcile(handler.id);
		expect(await reconcile(handler.id)).toMatch(/^All leads were handled\nHandled twice/);
		expect(sentBy('Lead Row')).toHaveLength(5);
	});
});

describe('agency-mcp-server.json', () => {
	it('answers an assistant, with no more personal data than it needs', async () => {
		await examples.publish('agency-mcp-server.json');
		const url = `${stage.n8n.url}/mcp/agency`;
		await expect(connectMcp(url, 'a guess')).rejects.toThrow();
		const client = await connectMcp(url, BEARER_TOKEN);
		const ask = async (name: string, parameters: Record<string, string>) => {
			const { content } = await client.callTool({ name, arguments: parameters });
			return content.map(({ text }) => text).join();
		};
		const contact = { firstName: 'Corin', lastName: 'Ambermoor', email: 'corin@example.com' };
		const lead = examples.addLead('appraisal', { contact, message: 'Call me' }, HOUR);
		const [property] = stage.sandbox.inventory.of(AGENCY).filter(({ archived }) => !archived);
		const { nameNo = '', street = '' } = property?.address ?? {};

		const { tools } = await client.listTools();
		const from = DateTime.utc().minus({ hours: 2 }).toISO();
		const to = DateTime.utc().plus({ hours: 1 }).toISO();
		const leads = await ask('Valuation_Requests', { from, to });
		const properties = await ask('Property_Search', { query: `${nameNo} ${street}` });
		const details = await ask('Property_Details', { propertyId: String(property?.id) });
		await client.close();

		expect(client.getInstructions()).toContain('They change nothing');
		expect(tools.map(({ name }) => name).sort()).toEqual([
			'Enquiries',
			'Property_Details',
			'Property_Search',
			'Valuation_Requests',
		]);
		expect(leads).toContain(lead);
		expect(leads).toContain('Corin Ambermoor');
		expect(leads).not.toMatch(/corin@|Call me|phone|personKey/);
		expect(properties).toContain(`"${property?.id}"`);
		expect(details).toContain('"status"');
		expect(details).not.toMatch(/owner|negotiator/i);
	});
});

describe('try-with-sample-leads.json', () => {
	it('needs nothing but n8n, and shows leads as ours return them', async () => {
		const example = readExample('try-with-sample-leads.json');
		const { pinData = {} } = example;
		const execution = await stage.n8n.runManually(await stage.save(example));

		expect(example.nodes.filter(({ credentials }) => credentials)).toEqual([]);
		expect(example.nodes.every(({ type }) => type.startsWith('n8n-nodes-base.'))).toBe(true);
		for (const { json } of pinData['Sample Leads'] ?? [])
			expect(LEAD_FIELDS).toEqual(expect.arrayContaining(Object.keys(json)));
		const branches = ['To North', 'To South', 'To the Office'];
		expect(branches.map((name) => execution.items(name).length)).toEqual([2, 2, 1]);
		expect(execution.json('To North')[0]?.subject).toMatch(/^Delia Fernhollow enquires: 12 /);
		expect(execution.json('People')).toContainEqual(
			expect.objectContaining({ name: 'Delia Fernhollow', count_id: 2 }),
		);
	});
});
