import { expect, it } from '@jest/globals';

import { chain, manualTrigger, until } from '../lab/n8n';
import {
	agentLeads,
	APPLICANTS_PATH,
	EACH_ENTRY,
	MINUTE,
	NODE,
	TOKEN_PATH,
	type Fault,
} from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });

it.each<[string, string, Fault, number | null]>([
	['waits to ask again', APPLICANTS_PATH, { kind: 'status', status: 429, retryAfter: 50 }, 429],
	[
		'waits for a busy token service',
		TOKEN_PATH,
		{ kind: 'status', status: 429, retryAfter: 50 },
		429,
	],
	['waits for an answer', APPLICANTS_PATH, { kind: 'hang' }, null],
])(
	'an execution that %s ends at once when it is stopped, and sends nothing more',
	async (_, path, fault, status) => {
		const client = stage.addClient();
		const { clientId } = client;
		stage.sandbox.faults.add({ ...fault, path, clientId });
		const node = {
			...agentLeads(await stage.saveCredential(client)),
			name: `Leads of ${clientId}`,
		};
		const workflow = await stage.save(chain(`Stopped ${clientId}`, manualTrigger(), node));
		const id = await stage.n8n.startManually(workflow);
		await stage.sandbox.waitForRequest(
			(request) =>
				request.clientId === clientId && request.path === path && request.status === status,
			{ timeoutMs: 20_000 },
		);

		await stage.n8n.stopExecution(id);

		expect((await stage.n8n.waitForExecution(id)).status).toBe('canceled');

		// n8n calls an execution canceled while its node still runs; this line comes when that has ended.
		await until('the node to end', 20_000, () =>
			stage.n8n.logs().includes(`Running node "${node.name}" finished`),
		);

		const sent = [...stage.tokenRequests(client), ...stage.requestsOf(client, 'leads')];
		expect(sent.filter((request) => request.path === path)).toHaveLength(1);
	},
);

it('On Error: Continue (using error output) parts the items that failed from the good ones', async () => {
	const branches = ['b1', 'b2', 'b3'];
	const client = stage.addClient({ branches });
	const receivedAt = stage.sandbox.now() - MINUTE;
	for (const branchId of branches)
		stage.sandbox.addLead('applicant', { id: `lead-${branchId}` }, { branchId, receivedAt });
	const failing = { kind: 'status', status: 500, path: APPLICANTS_PATH, after: 3 } as const;
	stage.sandbox.faults.add({ ...failing, clientId: client.clientId });
	const leads = agentLeads(await stage.saveCredential(client), {
		filterBy: 'branch',
		filterId: '={{ $json.entry }}',
		// One at once: the fault is for the last of them.
		options: { maxTries: 1, requestsAtOnce: 1 },
	});
	const onError = 'continueErrorOutput';
	const workflow = await stage.webhookWorkflow(EACH_ENTRY, { ...leads, onError });

	// The second is refused by the service, the third by the node, and the fifth meets a failing service.
	const entries = ['b1', 'unknown', 'b1,', 'b2', 'b3'];
	const execution = await stage.n8n.execute(workflow, { entries });

	expect(execution.status).toBe('success');
	expect(execution.items(NODE)).toMatchObject([
		{ json: { leadType: 'applicant', id: 'lead-b1' }, pairedItem: { item: 0 } },
		{ json: { leadType: 'applicant', id: 'lead-b2' }, pairedItem: { item: 3 } },
	]);
	const message = expect.stringMatching(/unknown_branchId.* See https:.*#badrequest$/);
	const refused = { error: 'The service refused the request (400)', message, code: 'badRequest' };
	expect(execution.items(NODE, 1)).toMatchObject([
		{ json: refused, pairedItem: { item: 1 } },
		{
			json: { error: expect.stringContaining('Filter IDs'), code: 'field' },
			pairedItem: { item: 2 },
		},
		{
			json: { error: expect.stringContaining('(500)'), code: 'serviceFault' },
			pairedItem: { item: 4 },
		},
	]);
});
