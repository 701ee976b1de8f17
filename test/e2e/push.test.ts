import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';

import { chain, N8n, type StoredWorkflow } from '../lab/n8n';

jest.setTimeout(150_000);

const PACKAGE = 'n8n-nodes-agent-integration';
let n8n: N8n;
let workflow: StoredWorkflow;
let url: string;

beforeAll(async () => {
	n8n = await N8n.start();
	const credential = await n8n.createCredential('agentLeadsPushApi', 'Push', {
		authentication: 'apiKey',
		apiKey: 'k-1',
	});
	const webhookId = randomUUID();
	workflow = await n8n.createWorkflow(
		chain(
			'Pushed',
			{
				name: 'Push',
				type: `${PACKAGE}.agentLeadsPushTrigger`,
				webhookId,
				parameters: { leadTypes: ['applicant', 'appraisal'], simplify: true },
				credentials: { agentLeadsPushApi: { id: credential.id, name: 'Push' } },
			},
			{
				name: 'Wait',
				type: 'n8n-nodes-base.wait',
				typeVersion: 1.1,
				parameters: { amount: 20, unit: 'seconds' },
			},
		),
	);
	await n8n.activate(workflow);
	url = `${n8n.url}/webhook/${webhookId}`;
}, 240_000);

afterAll(async () => await n8n.stop(), 60_000);

const push = async (body: unknown, key = 'k-1') => {
	const at = Date.now();
	const answer = await fetch(`${url}/leads`, {
		method: 'POST',
		headers: { authorization: key, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	return [answer.status, await answer.text(), Date.now() - at];
};

describe('a pushed lead', () => {
	it('starts a run', async () => {
		console.log(await push({ applicant: { id: 'a', createdAt: '2026-06-30T12:00:00Z' } }));
		console.log(await push({ applicant: { id: 'a', createdAt: '2026-06-30T12:00:00Z' } }));
		console.log(
			await Promise.all(
				Array.from({ length: 12 }, async () => await push({ appraisal: { id: 'b' } })),
			),
		);
		console.log(await push({ applicant: { id: 'c' } }, 'no'));
		console.log((await n8n.listExecutions(workflow)).map(({ status, id }) => [id, status]));
		console.log(n8n.logs().split('\n').slice(-12).join('\n'));
		expect(1).toBe(1);
	});
});
