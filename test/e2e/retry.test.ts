import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OnError } from 'n8n-workflow';

import { Sandbox } from '../lab/sandbox';
import { chain, freePort, manualTrigger, until, type StoredWorkflow } from '../lab/n8n';
import {
	agentLeads,
	APPLICANTS_PATH,
	errorText,
	HOUR,
	MINUTE,
	NODE,
	statuses,
	TOKEN_PATH,
	tokenIndexes,
	type Client,
	type Fault,
	type LoggedRequest,
} from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';

const LEADS = 3;

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });

beforeAll(() => stage.addRecentLeads(LEADS));

/** What a person reads besides the link to the entry of troubleshooting, which is there. */
function withoutLink(text: string): string {
	const link =
		/<a href="https:[^"<>]+troubleshooting\.md#\w+" target="_blank">Troubleshooting: \w+<\/a>$/;
	expect(text).toMatch(link);
	return text.replace(link, '');
}

/** A client whose requests for leads fail: the first one, or as the fault says. */
function clientWith(fault: Fault): Client {
	const client = stage.addClient();
	stage.sandbox.faults.add({ path: APPLICANTS_PATH, clientId: client.clientId, ...fault });
	return client;
}

/** @returns milliseconds between two requests */
function pause(requests: LoggedRequest[]): number {
	const [first, second] = requests;
	if (!first || !second) throw new Error(`${requests.length} requests`);
	return second.at - first.at;
}

describe('a request that fails once', () => {
	it.each<[string, Fault]>([
		['429', { kind: 'status', status: 429 }],
		[
			'429 and a Retry-After that is neither form',
			{ kind: 'status', status: 429, retryAfter: 'x' },
		],
		['500', { kind: 'status', status: 500 }],
		['500 without a body', { kind: 'status', status: 500, body: 'empty' }],
		['502 and a web page', { kind: 'html', status: 502 }],
		['503', { kind: 'status', status: 503 }],
		['504', { kind: 'status', status: 504 }],
		['a connection reset', { kind: 'reset' }],
		['a body that ends early', { kind: 'truncate' }],
		['JSON cut in the middle', { kind: 'cutJson' }],
	])('%s: it is repeated and the run succeeds', async (_, fault) => {
		const client = clientWith(fault);
		const workflow = await stage.leadsWorkflow(client);

		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);

		expect(stage.leadsRequests(client)).toHaveLength(2);
		expect(stage.tokenRequests(client)).toHaveLength(1);
	});

	it.each<[string, Fault, number]>([
		['429, in seconds', { kind: 'status', status: 429, retryAfter: 2 }, 2_000],
		['429, as a date', { kind: 'status', status: 429, retryAfter: { dateInMs: 2_000 } }, 2_000],
		['503, in seconds', { kind: 'status', status: 503, retryAfter: 1 }, 1_000],
	])('Retry-After with %s: it is repeated no sooner', async (_, fault, askedMs) => {
		const client = clientWith(fault);
		const workflow = await stage.leadsWorkflow(client);

		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);

		expect(stage.leadsRequests(client)).toHaveLength(2);
		expect(pause(stage.leadsRequests(client))).toBeGreaterThanOrEqual(askedMs);
	});

	it('a date in Retry-After is read by the clock of the service', async () => {
		const sandbox = await Sandbox.start({ clockOffsetMs: HOUR });
		sandbox.addLead('applicant');
		const retryAfter = { dateInMs: 1_000 };
		sandbox.faults.add({ kind: 'status', status: 429, path: APPLICANTS_PATH, retryAfter });
		const { authUrl, leadsUrl, leadsClient } = sandbox;
		const credential = await stage.saveCredential(leadsClient, { authUrl, leadsUrl });
		const workflow = await stage.webhookWorkflow([agentLeads(credential)]);

		const run = await stage.run(workflow);
		const requests = sandbox.requests.filter(({ path }) => path === APPLICANTS_PATH);

		await sandbox.stop();

		expect(run.items()).toHaveLength(1);
		expect(statuses(requests)).toEqual([429, 200]);
		expect(pause(requests)).toBeGreaterThanOrEqual(1_000);
	});

	it('a token that expires during the wait is replaced, not tried again', async () => {
		const client = stage.addClient({ tokenLifetime: 2 });
		const { clientId } = client;
		const path = APPLICANTS_PATH;
		stage.sandbox.faults.add({ kind: 'status', status: 429, retryAfter: 3, path, clientId });
		const workflow = await stage.leadsWorkflow(client);

		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);

		expect(statuses(stage.leadsRequests(client))).toEqual([429, 200]);
		expect(tokenIndexes(stage.leadsRequests(client))).toEqual([1, 2]);
		expect(stage.tokenRequests(client)).toHaveLength(2);
	});

	it('several faults in a row, and a refused token among them', async () => {
		const client = stage.addClient();
		const workflow = await stage.leadsWorkflow(client);
		await stage.run(workflow);
		stage.sandbox.revokeTokens(client.clientId);
		for (const fault of [{ kind: 'status', status: 503 }, { kind: 'reset' }] satisfies Fault[]) {
			stage.sandbox.faults.add({ path: APPLICANTS_PATH, clientId: client.clientId, ...fault });
		}

		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);

		expect(statuses(stage.leadsRequests(client))).toEqual([200, 503, 0, 401, 200]);
		expect(stage.tokenRequests(client)).toHaveLength(2);
	});
});

describe('the bounds', () => {
	it('tries: past them the error says what, how often and what to do', async () => {
		const client = clientWith({ kind: 'status', status: 429, times: Infinity });
		const workflow = await stage.leadsWorkflow(client, { options: { maxTries: 3 } });

		const execution = await stage.execute(workflow);

		expect(execution.status).toBe('error');
		expect(errorText(execution)).toMatch(
			/service is busy.*\(429\).*Tried 3 times, waiting \d+ seconds? in total.*Run the workflow again/,
		);
		expect(execution.nodeError(NODE)).toMatchObject({
			httpCode: '429',
			context: { itemIndex: 0, code: 'busy' },
			failure: { cause: 'rate-limited' },
		});
		expect(stage.leadsRequests(client)).toHaveLength(3);
	});

	it('a wait: past all that is allowed together there is no further try', async () => {
		const client = clientWith({ kind: 'status', status: 429, retryAfter: 1, times: Infinity });
		const options = { maxTries: 10, maxWait: 2.5 };
		const workflow = await stage.leadsWorkflow(client, { options });

		const execution = await stage.execute(workflow);

		expect(errorText(execution)).toMatch(/busy.*Tried 3 times.*asked for a wait of 1 second/);
		expect(stage.leadsRequests(client)).toHaveLength(3);
	});

	it('a Retry-After beyond the bounds: no second try, and the wait is told', async () => {
		const client = clientWith({ kind: 'status', status: 429, retryAfter: 120, times: Infinity });
		const workflow = await stage.leadsWorkflow(client, { options: { maxWait: 10 } });

		const execution = await stage.execute(workflow);

		expect(errorText(execution)).toMatch(
			/busy.*Tried once.*asked for a wait of 120 seconds.*Max Wait/,
		);
		expect(execution.nodeError(NODE)).toMatchObject({
			failure: { cause: 'rate-limited', retryAfterMs: 120_000 },
		});
		expect(stage.leadsRequests(client)).toHaveLength(1);
	});

	it('a Retry-After beyond the default bounds fails at once as well', async () => {
		const client = clientWith({ kind: 'status', status: 429, retryAfter: 3_600, times: Infinity });

		const execution = await stage.execute(await stage.leadsWorkflow(client));

		expect(errorText(execution)).toMatch(/busy.*asked for a wait of 1 hour/);
		expect(stage.leadsRequests(client)).toHaveLength(1);
	});

	it.each<[string, Fault, RegExp]>([
		['503', { kind: 'status', status: 503 }, /cannot answer just now \(503\).*Tried 2 times/],
		['a reset', { kind: 'reset' }, /connection to the service was lost.*Tried 2 times/],
		['a short body', { kind: 'truncate' }, /connection to the service was lost.*Tried 2 times/],
		['cut JSON', { kind: 'cutJson' }, /answer was cut short.*Tried 2 times/],
		['a web page', { kind: 'html', status: 502 }, /cannot answer just now \(502\).*Tried 2 times/],
	])('%s that goes on: the error says so', async (_, fault, text) => {
		const client = clientWith({ ...fault, times: Infinity });
		const workflow = await stage.leadsWorkflow(client, { options: { maxTries: 2 } });

		const execution = await stage.execute(workflow);

		expect(execution.status).toBe('error');
		expect(errorText(execution)).toMatch(text);
		expect(withoutLink(errorText(execution))).not.toMatch(/[<>{}]|undefined/);
		expect(execution.nodeError(NODE)).toMatchObject({
			failure: { cause: 'temporarily-unavailable' },
		});
		expect(stage.leadsRequests(client)).toHaveLength(2);
	});

	it('a service that is not there: the error says so', async () => {
		const leadsUrl = `http://127.0.0.1:${await freePort()}`;
		const client = stage.addClient({ audience: leadsUrl });
		const credential = await stage.saveCredential(client, { leadsUrl });
		const workflow = await stage.webhookWorkflow([
			agentLeads(credential, { options: { maxTries: 2 } }),
		]);

		expect(errorText(await stage.execute(workflow))).toMatch(
			/refused the connection.*Tried 2 times.*check the addresses/,
		);
	});
});

describe('a stopped execution', () => {
	it.each<[string, string, Fault, number | null]>([
		['waits to ask again', APPLICANTS_PATH, { kind: 'status', status: 429, retryAfter: 50 }, 429],
		[
			'waits for a busy token service',
			TOKEN_PATH,
			{ kind: 'status', status: 429, retryAfter: 50 },
			429,
		],
		['waits for an answer', APPLICANTS_PATH, { kind: 'hang' }, null],
	])('that %s ends at once and sends nothing more', async (_, path, fault, status) => {
		const client = stage.addClient();
		const { clientId } = client;
		stage.sandbox.faults.add({ ...fault, path, clientId });
		const node = {
			...agentLeads(await stage.saveCredential(client)),
			name: `Leads of ${clientId}`,
		};
		const workflow = await stage.save(chain(`Stopped ${clientId}`, manualTrigger(), node));
		const id = await stage.n8n.startManually(workflow);
		const isWaiting = (request: LoggedRequest) =>
			request.clientId === clientId && request.path === path && request.status === status;
		await stage.sandbox.waitForRequest(isWaiting, { timeoutMs: 20_000 });

		await stage.n8n.stopExecution(id);

		expect((await stage.n8n.waitForExecution(workflow, id)).status).toBe('canceled');

		// n8n calls an execution canceled while its node still runs; this line comes when that has ended.
		const ended = `Running node "${node.name}" finished`;
		await until('the node to end', 20_000, async () =>
			Promise.resolve(stage.n8n.logs().includes(ended) ? true : undefined),
		);

		const sent = [...stage.tokenRequests(client), ...stage.leadsRequests(client)];

		expect(sent.filter((request) => request.path === path)).toHaveLength(1);
	});
});

describe('an answer that waiting does not cure', () => {
	it('the service’s own error: its words, its code, the status and the item', async () => {
		const client = stage.addClient({ branches: ['b1', 'b2'] });

		const execution = await stage.execute(await stage.leadsWorkflow(client));

		expect(errorText(execution)).toMatch(
			/refused the request \(400\).*“an id of one branch is needed” \(code filter_required\).*set “Filter By”/,
		);
		expect(execution.nodeError(NODE)).toMatchObject({
			httpCode: '400',
			context: { itemIndex: 0, code: 'badRequest' },
			failure: { cause: 'configuration-invalid' },
		});
		expect(stage.leadsRequests(client)).toHaveLength(1);
	});

	it.each<[string, Fault, RegExp]>([
		[
			'a code that is a number',
			{ kind: 'status', status: 400 },
			/refused the request \(400\).*“Bad Request” \(code 4000001\)/,
		],
		[
			'an empty body',
			{ kind: 'status', status: 400, body: 'empty' },
			/refused the request \(400\)/,
		],
		['JSON of another shape', { kind: 'status', status: 400, body: 'json' }, /“Bad Request”/],
		[
			'a refusal as a web page',
			{ kind: 'status', status: 400, body: 'html' },
			/refused the request \(400\)/,
		],
		['a web page as data', { kind: 'html' }, /web page instead of data.*Check the address/],
		[
			'nothing as data',
			{ kind: 'status', status: 200, body: 'empty' },
			/answer.*Check the address/,
		],
		['a redirect', { kind: 'status', status: 302 }, /redirects elsewhere \(302\)/],
		['not found', { kind: 'html', status: 404 }, /\(404\).*Check the address/],
	])('%s: one request and a readable error', async (_, fault, text) => {
		const client = clientWith({ ...fault, times: Infinity });

		const execution = await stage.execute(await stage.leadsWorkflow(client));

		expect(execution.status).toBe('error');
		expect(errorText(execution)).toMatch(text);
		expect(withoutLink(errorText(execution))).not.toMatch(/[<>{}]|undefined/);
		expect(execution.nodeError(NODE)).toMatchObject({ context: { itemIndex: 0 } });
		expect(stage.leadsRequests(client)).toHaveLength(1);
	});
});

describe('several input items', () => {
	const IDS = ['b1', 'unknown', 'b1,', 'b2', 'b3'];

	/** The second is refused by the service, the third by the node, and the fifth meets a failing service. */
	async function workflowWith(onError: OnError): Promise<StoredWorkflow> {
		const client = stage.addClient({ branches: ['b1', 'b2', 'b3'] });
		const { clientId } = client;
		stage.sandbox.faults.add({
			kind: 'status',
			status: 500,
			path: APPLICANTS_PATH,
			clientId,
			after: 3,
		});
		const splitOut = {
			name: 'Split Out',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.ids', options: { destinationFieldName: 'id' } },
		};
		const leads = agentLeads(await stage.saveCredential(client), {
			filterBy: 'branch',
			filterId: '={{ $json.id }}',
			// One at once: the fault is for the last of them.
			options: { maxTries: 1, requestsAtOnce: 1 },
		});
		return await stage.webhookWorkflow([splitOut, { ...leads, onError }]);
	}

	const GOOD = [
		{ leadType: 'applicant', id: 'lead-b1' },
		{ leadType: 'applicant', id: 'lead-b2' },
	];
	const REFUSED = {
		error: 'The service refused the request (400)',
		message: expect.stringMatching(
			/unknown_branchId.* See https:.*troubleshooting\.md#badrequest$/,
		),
		code: 'badRequest',
	};
	const BAD_INPUT = { error: expect.stringContaining('Filter IDs'), code: 'field' };
	const FAILED = { error: expect.stringContaining('(500)'), code: 'serviceFault' };

	beforeAll(() => {
		const receivedAt = stage.sandbox.now() - MINUTE;
		for (const branchId of ['b1', 'b2', 'b3']) {
			stage.sandbox.addLead('applicant', { id: `lead-${branchId}` }, { branchId, receivedAt });
		}
	});

	it('On Error: Continue gives one item for each that failed, in its place', async () => {
		const workflow = await workflowWith('continueRegularOutput');

		const execution = await stage.execute(workflow, { ids: IDS });

		expect(execution.status).toBe('success');
		expect(execution.json(NODE)).toMatchObject([GOOD[0], REFUSED, BAD_INPUT, GOOD[1], FAILED]);
		expect(execution.items(NODE).map((item) => item.pairedItem)).toMatchObject(
			[0, 1, 2, 3, 4].map((item) => ({ item })),
		);
	});

	it('On Error: Continue (using error output) parts them from the good ones', async () => {
		const workflow = await workflowWith('continueErrorOutput');

		const execution = await stage.execute(workflow, { ids: IDS });

		expect(execution.status).toBe('success');
		expect(execution.json(NODE)).toMatchObject(GOOD);
		expect(execution.items(NODE).map((item) => item.pairedItem)).toMatchObject(
			[0, 3].map((item) => ({ item })),
		);
		expect(execution.json(NODE, 1)).toMatchObject([REFUSED, BAD_INPUT, FAILED]);
		expect(execution.items(NODE, 1).map((item) => item.pairedItem)).toMatchObject(
			[1, 2, 4].map((item) => ({ item })),
		);
	});

	it('On Error: Stop names the item that failed', async () => {
		const workflow = await workflowWith('stopWorkflow');

		const execution = await stage.execute(workflow, { ids: IDS });

		expect(execution.status).toBe('error');
		// Several fail, and the one with bad input first: nobody has to be asked to know that.
		expect(execution.nodeError(NODE)).toMatchObject({ context: { itemIndex: 2 } });
	});
});
