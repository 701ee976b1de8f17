import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OnError } from 'n8n-workflow';

import { chain, manualTrigger, until, type StoredWorkflow } from '../lab/n8n';
import {
	agentLeads,
	APPLICANTS_PATH,
	MINUTE,
	NODE,
	TOKEN_PATH,
	type Fault,
	type LoggedRequest,
} from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });

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
});
