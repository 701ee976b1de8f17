import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { INode } from 'n8n-workflow';

import { Sandbox } from '../lab/sandbox';
import { send, type Execution, type WorkflowJson } from '../lab/n8n';
import {
	agentLeads,
	APPLICANTS_PATH,
	APPRAISALS_PATH,
	DAY,
	errorText,
	HOUR,
	MINUTE,
	NODE,
	SECOND,
	Stage,
	START_DEADLINE_MS,
	statuses,
	STOP_DEADLINE_MS,
	type Client,
	type LoggedRequest,
} from '../lab/n8n/stage';

jest.setTimeout(60_000);

let stage: Stage;

beforeAll(async () => {
	stage = await Stage.start();
}, START_DEADLINE_MS);

afterAll(async () => {
	await stage?.stop();
}, STOP_DEADLINE_MS);

interface Agency {
	client: Client;
	branchId: string;
}

let agencies = 0;

/** An agency with one branch, which sees the leads of that branch and no others. */
function agency(): Agency {
	const branchId = `branch-${++agencies}`;
	return { client: stage.addClient({ branches: [branchId] }), branchId };
}

/** A lead that was submitted then; its id is what the test expects to see. */
function addLead(
	owner: { branchId?: string },
	id: string,
	at: number,
	overrides: Record<string, unknown> = {},
) {
	return stage.sandbox.addLead(
		'applicant',
		{ id, createdAt: inSeconds(at), ...overrides },
		{ ...owner, receivedAt: at, isOdd: 'novelty' in overrides },
	);
}

async function execute(
	{ client }: Pick<Agency, 'client'>,
	parameters: INode['parameters'],
	timezone?: string,
): Promise<Execution> {
	const node = agentLeads(await stage.saveCredential(client), parameters);
	const workflow = await stage.webhookWorkflow([node], timezone === undefined ? {} : { timezone });
	return await stage.execute(workflow);
}

function ids(execution: Execution): unknown[] {
	expect(execution.status).toBe('success');
	return execution.json(NODE).map((lead) => lead.id);
}

/** `2006-01-02T15:04:05Z` */
function inSeconds(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** What a clock on the wall shows: `2006-01-02T15:04:05`, as n8n's date picker writes it. */
function onTheWall(epochMs: number, timeZone: string): string {
	const text = new Intl.DateTimeFormat('sv-SE', {
		timeZone,
		dateStyle: 'short',
		timeStyle: 'medium',
	}).format(epochMs);
	return text.replace(' ', 'T');
}

/** The window that a request asks for, in epoch milliseconds. */
function windowOf({ query }: LoggedRequest): { from: number; to: number } {
	const [from, to] = [query['from-time'], query['to-time']].map((texts) => {
		expect(texts).toHaveLength(1);
		expect(texts?.[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
		return Date.parse(texts?.[0] ?? '');
	}) as [number, number];
	return { from, to };
}

/** The whole span that a client asked for, oldest slice first; each a day at most and none missing. */
function spanOf(client: Client): { from: number; to: number; slices: number } {
	const slices = stage
		.leadsRequests(client)
		.map(windowOf)
		.sort((one, other) => one.from - other.from);
	slices.forEach(({ from, to }, index) => {
		expect(to - from).toBeLessThanOrEqual(DAY);
		expect(from).toBeLessThanOrEqual(slices[index - 1]?.to ?? from);
	});
	const [first, last] = [slices.at(0), slices.at(-1)];
	if (!first || !last) throw new Error('There was no request');
	return { from: first.from, to: last.to, slices: slices.length };
}

function secondOf(epochMs: number): number {
	return Math.floor(epochMs / SECOND) * SECOND;
}

/** A time of some days ago that is the same on every clock but for its hour. */
function noonDaysAgo(days: number): number {
	return Math.floor(Date.now() / DAY) * DAY - days * DAY + 12 * HOUR;
}

describe('the period', () => {
	test('Last 24 Hours: no times are sent', async () => {
		const here = agency();
		const now = Date.now();
		addLead(here, 'an hour ago', now - HOUR);
		addLead(here, 'nearly a day ago', now - DAY + 2 * MINUTE);
		addLead(here, 'more than a day ago', now - DAY - MINUTE);

		const execution = await execute(here, { period: 'last24Hours' });

		expect(ids(execution)).toEqual(['an hour ago', 'nearly a day ago']);
		expect(stage.leadsRequests(here.client)).toMatchObject([{ path: APPLICANTS_PATH, query: {} }]);
		expect(stage.leadsRequests(here.client)[0]?.query).toEqual({});
	});

	test.each([
		['minutes', 90, 90 * MINUTE],
		['hours', 36, 36 * HOUR],
		['days', 3, 3 * DAY],
	])('Recent, in %s: back from now', async (recentUnit, recentAmount, length) => {
		const here = agency();
		const before = Date.now();
		addLead(here, 'now', before - SECOND);
		addLead(here, 'just in', before - length + MINUTE);
		addLead(here, 'just out', before - length - MINUTE);

		const execution = await execute(here, { period: 'recent', recentAmount, recentUnit });

		expect(ids(execution)).toEqual(['now', 'just in']);
		const { from, to } = spanOf(here.client);
		expect(to - from).toBe(length);
		expect(to).toBeGreaterThanOrEqual(secondOf(before));
		expect(to).toBeLessThanOrEqual(Date.now());
	});

	// At any time of the year one of the first two keeps summer time.
	test.each(['Europe/London', 'Australia/Sydney', 'Asia/Kolkata', 'America/St_Johns'])(
		'Date Range: times are those of a workflow in %s, ends included',
		async (zone) => {
			const here = agency();
			const from = noonDaysAgo(29) + 15 * SECOND;
			const to = from + 2 * HOUR + 30 * SECOND;
			addLead(here, 'a second early', from - SECOND);
			addLead(here, 'first', from);
			addLead(here, 'last', to);
			addLead(here, 'a second late', to + SECOND);

			const execution = await execute(
				here,
				{ period: 'range', from: onTheWall(from, zone), to: onTheWall(to, zone) },
				zone,
			);

			expect(ids(execution)).toEqual(['last', 'first']);
			expect(stage.leadsRequests(here.client).map(({ query }) => query)).toEqual([
				{ 'from-time': [inSeconds(from)], 'to-time': [inSeconds(to)] },
			]);
		},
	);

	test('Date Range: a time with an offset, or from an expression, is that very time', async () => {
		const here = agency();
		const from = noonDaysAgo(3);
		const to = from + HOUR;

		await execute(
			here,
			{
				period: 'range',
				from: `${onTheWall(from + 2 * HOUR, 'UTC')}.123+02:00`,
				to: `={{ DateTime.fromMillis(${to + 999}) }}`,
			},
			'Asia/Kolkata',
		);

		expect(spanOf(here.client)).toMatchObject({ from, to });
	});

	test('Date Range: without an end it goes up to now', async () => {
		const here = agency();
		const before = Date.now();
		const from = secondOf(before) - 2 * HOUR;

		await execute(here, { period: 'range', from: inSeconds(from), to: '' });

		const span = spanOf(here.client);
		expect(span.from).toBe(from);
		expect(span.to).toBeGreaterThanOrEqual(secondOf(before));
		expect(span.to).toBeLessThanOrEqual(Date.now());
	});

	test('a window of days goes out in slices, and each lead comes once', async () => {
		const here = agency();
		const to = noonDaysAgo(2);
		const from = to - 3 * DAY;
		const times = Array.from({ length: 13 }, (_, index) => from + index * 6 * HOUR);
		for (const time of times) addLead(here, inSeconds(time), time);

		const execution = await execute(here, {
			period: 'range',
			from: inSeconds(from),
			to: inSeconds(to),
		});

		expect(ids(execution)).toEqual(times.map(inSeconds).reverse());
		expect(spanOf(here.client)).toEqual({ from, to, slices: 3 });
	});

	test('a window that reaches past the 30 days kept is cut to them, with a hint', async () => {
		const here = agency();
		const before = Date.now();
		addLead(here, 'still kept', before - 30 * DAY + 5 * MINUTE);

		const execution = await execute(here, {
			period: 'recent',
			recentAmount: 45,
			recentUnit: 'days',
		});

		expect(ids(execution)).toEqual(['still kept']);
		const { from, slices } = spanOf(here.client);
		expect(from).toBeGreaterThanOrEqual(secondOf(before) - 30 * DAY);
		expect(from).toBeLessThanOrEqual(Date.now() - 30 * DAY);
		expect(slices).toBe(30);
		expect(execution.runs(NODE)[0]?.hints).toMatchObject([
			{ message: expect.stringContaining('30 days') },
		]);
	});

	test('a window within the 30 days has no hint', async () => {
		const execution = await execute(agency(), {
			period: 'recent',
			recentAmount: 2,
			recentUnit: 'hours',
		});

		expect(execution.runs(NODE)[0]?.hints ?? []).toEqual([]);
	});

	test('a window that lies before the 30 days kept: the 30 days are told, nothing is asked', async () => {
		const here = agency();

		const execution = await execute(here, {
			period: 'range',
			from: inSeconds(noonDaysAgo(60)),
			to: inSeconds(noonDaysAgo(40)),
		});

		const told = execution.nodeError(NODE)?.message ?? execution.runs(NODE)[0]?.hints?.[0]?.message;
		expect(told).toContain('30 days');
		expect(stage.leadsRequests(here.client)).toEqual([]);
	});
});

describe('filters', () => {
	const BRANCHES = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7'];

	test('several ids: one request each, four at once at most, merged, each lead once', async () => {
		const client = stage.addClient({ branches: [...BRANCHES, 'not asked for'] });
		const now = Date.now();
		BRANCHES.forEach((branchId, index) =>
			addLead({ branchId }, `of ${branchId}`, now - (index + 1) * MINUTE),
		);
		for (const branchId of ['u1', 'u7']) addLead({ branchId }, 'of both', now - HOUR);
		addLead({ branchId: 'not asked for' }, 'of another', now - MINUTE);
		// Long enough for those that go out together to meet at the service.
		const { clientId } = client;
		const slow = { kind: 'latency', ms: 300, path: APPLICANTS_PATH, clientId } as const;
		stage.sandbox.faults.add({ ...slow, times: Infinity });

		const execution = await execute(
			{ client },
			{ filterBy: 'branch', filterId: ` ${BRANCHES.join(' , ')},u1` },
		);

		expect(ids(execution)).toEqual([...BRANCHES.map((id) => `of ${id}`), 'of both']);
		const queries = stage.leadsRequests(client).map(({ query }) => query);
		expect(queries).toHaveLength(BRANCHES.length);
		expect(queries).toEqual(expect.arrayContaining(BRANCHES.map((id) => ({ 'branch-id': [id] }))));
		expect(stage.tokenRequests(client)).toHaveLength(1);
		expect(stage.sandbox.counts.maxInFlight[APPLICANTS_PATH]).toBe(4);
	});

	test('several ids over several days: one request for each day and id', async () => {
		const client = stage.addClient({ branches: ['v1', 'v2', 'v3'] });
		const to = noonDaysAgo(1);

		const execution = await execute(
			{ client },
			{
				filterBy: 'branch',
				filterId: 'v1,v2',
				period: 'range',
				from: inSeconds(to - 2 * DAY),
				to: inSeconds(to),
			},
		);

		expect(ids(execution)).toEqual([]);
		const asked = stage.leadsRequests(client).map((request) => request.query['branch-id']?.[0]);
		expect(asked.sort()).toEqual(['v1', 'v1', 'v2', 'v2']);
	});

	test.each([
		['brand', 'brands', 'brand-id'],
		['company', 'companies', 'company-id'],
		['group', 'groups', 'group-id'],
	])('by %s', async (filterBy, level, parameter) => {
		const client = stage.addClient({ [level]: ['one', 'two'] });
		const owner = { branchId: 'elsewhere', [`${filterBy}Id`]: 'two' };
		addLead(owner, `of the ${filterBy}`, Date.now() - MINUTE);

		const execution = await execute({ client }, { filterBy, filterId: 'two' });

		expect(ids(execution)).toEqual([`of the ${filterBy}`]);
		expect(stage.leadsRequests(client)[0]?.query).toEqual({ [parameter]: ['two'] });
	});

	test('the names of the query parameters can be set', async () => {
		const leadParameters = { fromTime: 'since', toTime: 'until', branchId: 'branchRef' };
		const sandbox = await Sandbox.start({ leadParameters });
		const settings = { clientId: 'renamed', clientSecret: 'renamed', branches: ['b1', 'b2'] };
		const client = sandbox.addClient({ integration: 'leads', ...settings });
		sandbox.addLead('applicant', { id: 'found' }, { branchId: 'b2' });
		const { authUrl, leadsUrl } = sandbox;
		const credential = await stage.saveCredential(client, { authUrl, leadsUrl });
		const node = agentLeads(credential, {
			period: 'recent',
			recentAmount: 1,
			recentUnit: 'hours',
			filterBy: 'branch',
			filterId: 'b2',
			options: {
				fromTimeParameter: 'since',
				toTimeParameter: 'until',
				filterParameter: 'branchRef',
			},
		});

		const execution = await stage.execute(await stage.webhookWorkflow([node]));
		const requests = sandbox.requests.filter(({ path }) => path === APPLICANTS_PATH);
		await sandbox.stop();

		expect(ids(execution)).toEqual(['found']);
		expect(statuses(requests)).toEqual([200]);
		expect(Object.keys(requests[0]?.query ?? {}).sort()).toEqual(['branchRef', 'since', 'until']);
	});
});

describe('the leads', () => {
	const MANY = 60;
	const many = { client: undefined as Client | undefined, newestFirst: [] as string[] };

	beforeAll(() => {
		const here = agency();
		const now = Date.now();
		many.client = here.client;
		many.newestFirst = Array.from({ length: MANY }, (_, index) => `lead ${index}`);
		// Stored in another order than the one expected.
		[...many.newestFirst.entries()]
			.sort(([one], [other]) => (one % 7) - (other % 7))
			.forEach(([index, id]) => addLead(here, id, now - (index + 1) * 20 * MINUTE));
	});

	async function idsOfMany(parameters: INode['parameters']): Promise<unknown[]> {
		if (!many.client) throw new Error('no client');
		return ids(await execute({ client: many.client }, parameters));
	}

	test('50 unless said otherwise, newest first', async () => {
		expect(await idsOfMany({ returnAll: false })).toEqual(many.newestFirst.slice(0, 50));
	});

	test('Limit: the newest', async () => {
		expect(await idsOfMany({ returnAll: false, limit: 3 })).toEqual(many.newestFirst.slice(0, 3));
	});

	test('Limit over a window of days: still the newest', async () => {
		const days = { period: 'recent', recentAmount: 5, recentUnit: 'days' };

		expect(await idsOfMany({ ...days, returnAll: false, limit: 55 })).toEqual(
			many.newestFirst.slice(0, 55),
		);
	});

	test('Return All', async () => {
		expect(await idsOfMany({ returnAll: true })).toEqual(many.newestFirst);
	});

	test('times in minutes are sorted among those in seconds, leads without one come last', async () => {
		const here = agency();
		const minute = Math.floor(Date.now() / MINUTE) * MINUTE - HOUR;
		addLead(here, 'unset', minute, { createdAt: '0001-01-01T00:00Z' });
		addLead(here, 'a second before', minute - SECOND);
		addLead(here, 'on the minute', minute, {
			createdAt: new Date(minute).toISOString().slice(0, 16) + 'Z',
		});
		addLead(here, 'a second after', minute + SECOND);

		expect(ids(await execute(here, {}))).toEqual([
			'a second after',
			'on the minute',
			'a second before',
			'unset',
		]);
	});

	/** What an operator might add one day. */
	const UNKNOWN = { enquiryType: 'ENQUIRY_TYPE_AUCTION', novelty: { deep: [1, 'two'] }, score: 7 };

	test('Simplify off: applicants as the service sent them, the unknown included', async () => {
		const here = agency();
		const lead = addLead(here, 'raw', Date.now() - MINUTE, UNKNOWN);

		const execution = await execute(here, { simplify: false });

		expect(execution.json(NODE)).toEqual([{ leadType: 'applicant', ...lead }]);
		expect(execution.json(NODE)).toMatchObject([UNKNOWN]);
	});

	test('Simplify on: a flat dozen of fields, unknown values included', async () => {
		const here = agency();
		const lead = addLead(here, 'simple', Date.now() - MINUTE, UNKNOWN);

		const [item] = (await execute(here, {})).json(NODE);

		const { firstName, lastName, email, phoneNumber } = lead.contact;
		expect(item).toMatchObject({
			leadType: 'applicant',
			id: 'simple',
			createdAt: lead.createdAt,
			enquiryType: UNKNOWN.enquiryType,
			firstName,
			lastName,
			email,
			phoneNumber,
			message: lead.message,
		});
		expectFlatDozen(item);
		expect(Object.values(item ?? {})).toContain(lead.listingDetails.url);
	});

	test('Appraisal leads come from their own path, raw and simple', async () => {
		const here = agency();
		const lead = stage.sandbox.addLead('appraisal', UNKNOWN, {
			branchId: here.branchId,
			isOdd: true,
		});
		addLead(here, 'an applicant', Date.now() - MINUTE);
		const resource = 'appraisalLead';

		const raw = await execute(here, { resource, simplify: false });
		const simple = await execute(here, { resource });

		expect(raw.json(NODE)).toEqual([{ leadType: 'appraisal', ...lead }]);
		const [item] = simple.json(NODE);
		expect(simple.json(NODE)).toHaveLength(1);
		expect(item).toMatchObject({
			leadType: 'appraisal',
			id: lead.id,
			lastName: lead.contact.lastName,
			urgency: lead.urgency,
		});
		expectFlatDozen(item);
		expect(stage.leadsRequests(here.client).map(({ path }) => path)).toEqual([
			APPRAISALS_PATH,
			APPRAISALS_PATH,
		]);
	});

	function expectFlatDozen(item: object | undefined): void {
		const values: unknown[] = Object.values(item ?? {});
		expect(values.filter((value) => typeof value === 'object' && value !== null)).toEqual([]);
		expect(values.length).toBeGreaterThanOrEqual(12);
		expect(values.length).toBeLessThanOrEqual(15);
	}

	test('every lead is paired with the item that asked for it', async () => {
		const client = stage.addClient({ branches: ['p1', 'p2'] });
		const now = Date.now();
		addLead({ branchId: 'p1' }, 'first', now - MINUTE);
		addLead({ branchId: 'p2' }, 'second', now - 2 * MINUTE);
		const splitOut = {
			name: 'Split Out',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.ids', options: { destinationFieldName: 'id' } },
		};
		const node = agentLeads(await stage.saveCredential(client), {
			filterBy: 'branch',
			filterId: '={{ $json.id }}',
		});
		const workflow = await stage.webhookWorkflow([splitOut, node]);

		const execution = await stage.execute(workflow, { ids: ['p2', 'p1'] });

		expect(ids(execution)).toEqual(['second', 'first']);
		expect(execution.items(NODE)).toMatchObject([
			{ pairedItem: { item: 0 } },
			{ pairedItem: { item: 1 } },
		]);
	});
});

describe('bad input', () => {
	const range = (from: string, to: string) => ({ period: 'range', from, to });
	const recent = (recentAmount: unknown) => ({
		period: 'recent',
		recentAmount,
		recentUnit: 'days',
	});

	test.each<[string, string, Record<string, unknown>]>([
		['a stray comma', 'Filter IDs', { filterBy: 'branch', filterId: 'b1,,b2' }],
		['a comma at the end', 'Filter IDs', { filterBy: 'branch', filterId: 'b1, ' }],
		['no id', 'Filter IDs', { filterBy: 'group', filterId: "={{ '' }}" }],
		['an unknown filter', 'Filter By', { filterBy: "={{ 'town' }}", filterId: 'b1' }],
		['from after to', 'From', range('2026-06-02T00:00:00', '2026-06-01T00:00:00')],
		['from in the future', 'From', range('2999-01-01T00:00:00', '')],
		['from is no date', 'From', range("={{ 'yesterday' }}", '')],
		['no from', 'From', range("={{ '' }}", '')],
		['to is no date', 'To', range('2026-06-01T00:00:00', "={{ '31/12/2026' }}")],
		['a negative amount', 'Amount', recent(-3)],
		['an amount of zero', 'Amount', recent(0)],
		['half an amount', 'Amount', recent(1.5)],
		['an amount that is a word', 'Amount', recent("={{ 'many' }}")],
		['a limit of zero', 'Limit', { returnAll: false, limit: 0 }],
		['a negative limit', 'Limit', { returnAll: false, limit: -1 }],
		['no tries', 'Max Tries', { options: { maxTries: 0 } }],
		['a negative wait', 'Max Wait', { options: { maxWait: -1 } }],
		[
			'a query name that is none',
			'From Time Parameter Name',
			{ options: { fromTimeParameter: 'from&to' } },
		],
	])('%s is refused before any request, and “%s” is named', async (_, field, parameters) => {
		const { client } = agency();

		const execution = await execute({ client }, parameters as INode['parameters']);

		expect(execution.status).toBe('error');
		expect(errorText(execution)).toContain(`“${field}”`);
		expect(execution.nodeError(NODE)).toMatchObject({ context: { itemIndex: 0 } });
		expect(stage.leadsRequests(client)).toEqual([]);
		expect(stage.tokenRequests(client)).toEqual([]);
	});
});

describe('as a tool of an AI agent', () => {
	test('the editor offers it', async () => {
		const tool = (await stage.n8n.nodeTypes()).find(
			({ name }) => name === 'n8n-nodes-agent-integration.agentLeadsTool',
		);

		expect(tool).toMatchObject({ inputs: [], outputs: ['ai_tool'] });
		expect(tool?.credentials).toMatchObject([{ name: 'agentLeadsApi' }]);
	});

	test('a call of the tool, as a model makes it, gives the leads', async () => {
		const here = agency();
		const now = Date.now();
		addLead(here, 'two hours ago', now - 2 * HOUR);
		addLead(here, 'four hours ago', now - 4 * HOUR);
		const url = await toolServer(here);

		const tools = await ask(url, 'tools/list');
		expect(tools).toMatchObject({ tools: [{ name: 'Agent_Leads' }] });
		expect(JSON.stringify(tools)).toContain('How many hours to look back');

		const called = await ask(url, 'tools/call', {
			name: 'Agent_Leads',
			arguments: { hours: 3 },
		});
		expect(JSON.stringify(called)).toContain('two hours ago');
		expect(JSON.stringify(called)).not.toContain('four hours ago');
		const { from, to } = spanOf(here.client);
		expect(to - from).toBe(3 * HOUR);
	});

	/** n8n's own server for tools: it calls a tool just as an agent does, without a model to choose it. */
	async function toolServer({ client }: Agency): Promise<string> {
		const path = randomUUID();
		const node = agentLeads(await stage.saveCredential(client), {
			period: 'recent',
			recentAmount: "={{ $fromAI('hours', 'How many hours to look back', 'number') }}",
			recentUnit: 'hours',
		});
		const workflow: WorkflowJson = {
			name: 'Tool server',
			nodes: [
				{
					id: randomUUID(),
					name: 'Server',
					type: '@n8n/n8n-nodes-langchain.mcpTrigger',
					typeVersion: 2,
					webhookId: path,
					position: [0, 0],
					parameters: { path, authentication: 'none' },
				},
				{
					...node,
					id: randomUUID(),
					type: `${node.type}Tool`,
					typeVersion: 1,
					position: [0, 200],
					parameters: { ...node.parameters },
				},
			],
			connections: { [NODE]: { ai_tool: [[{ node: 'Server', type: 'ai_tool', index: 0 }]] } },
		};
		await stage.n8n.activate(await stage.save(workflow));
		return `${stage.n8n.url}/mcp/${path}`;
	}

	/** One call of the server (JSON-RPC), in a session of its own. */
	async function ask(url: string, method: string, params: object = {}): Promise<unknown> {
		const accept = 'application/json, text/event-stream';
		const message = { jsonrpc: '2.0', id: 1 };
		const opened = await send(url, {
			method: 'POST',
			headers: { accept },
			body: {
				...message,
				method: 'initialize',
				params: {
					protocolVersion: '2025-03-26',
					capabilities: {},
					clientInfo: { name: 'test', version: '1' },
				},
			},
		});
		const session = { accept, 'mcp-session-id': String(opened.headers['mcp-session-id']) };
		const answer = await send(url, {
			method: 'POST',
			headers: session,
			body: { ...message, method, params },
		});
		const data = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text;
		return (JSON.parse(data) as { result: unknown }).result;
	}
});
