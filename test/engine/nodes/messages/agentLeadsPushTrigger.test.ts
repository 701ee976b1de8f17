import { describe, jest } from '@jest/globals';
import type { Request, Response } from 'express';
import { TriggerContext, WebhookContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IDataObject,
	INodeParameters,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { NodeOperationError, Workflow } from 'n8n-workflow';

import { AgentLeadsPushApi } from '../../../../credentials/AgentLeadsPushApi.credentials';
import { AgentLeadsPushTrigger } from '../../../../nodes/AgentLeadsPushTrigger/AgentLeadsPushTrigger.node';
import { CredentialsTable } from '../../../lab/engine/credentials';
import { additionalDataOf, nodeTypesOf } from '../../../lab/engine/engine';
import { holdsMessages, seenIn } from '../../../lab/engine/messages';

const KEY = 'a key of the agency, 2f8c1d90';
const NODE = 'Push';
const node = new AgentLeadsPushTrigger();

function placeOf(parameters: INodeParameters) {
	const workflow = new Workflow({
		id: 'workflow',
		nodes: [
			{
				id: 'push',
				name: NODE,
				type: 'node',
				typeVersion: 1,
				position: [0, 0],
				parameters: { leadTypes: ['applicant', 'appraisal'], simplify: true, ...parameters },
				credentials: { agentLeadsPushApi: { id: 'credential', name: '' } },
			},
		],
		connections: {},
		active: true,
		nodeTypes: nodeTypesOf(node),
	});
	const place = workflow.getNode(NODE);
	if (!place) throw new Error('No node');
	const credentials = new CredentialsTable([new AgentLeadsPushApi()], {
		credential: { authentication: 'apiKey', apiKey: KEY },
	});
	return { workflow, place, additionalData: additionalDataOf({ credentials }, workflow) };
}

/** What n8n shows while the workflow is published. */
const published = (parameters: INodeParameters) => async () => {
	const { workflow, place, additionalData } = placeOf(parameters);
	const mode: [WorkflowExecuteMode, WorkflowActivateMode] = ['trigger', 'activate'];
	const context = new TriggerContext(workflow, place, additionalData, ...mode);
	const [outcome] = await Promise.allSettled([node.trigger.call(context)]);
	const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
	return error instanceof NodeOperationError ? seenIn(error) : undefined;
};

/** What n8n's log is told of a push with the right key. */
const logged =
	(body: IDataObject, contentType = 'application/json', parameters: INodeParameters = {}) =>
	async () => {
		const { workflow, place, additionalData } = placeOf(parameters);
		const [webhookDescription] = node.description.webhooks ?? [];
		if (!webhookDescription) throw new Error('No address');
		const headers = { authorization: KEY, 'content-type': contentType };
		const { path } = webhookDescription;
		const webhook = {
			httpMethod: 'POST' as const,
			node: NODE,
			path,
			webhookDescription,
			workflowId: workflow.id,
			workflowExecuteAdditionalData: additionalData,
		};
		const http = {
			httpRequest: { headers, body } as unknown as Request,
			httpResponse: answers() as unknown as Response,
		};
		const surroundings = { ...additionalData, ...http };
		const context = new WebhookContext(workflow, place, surroundings, 'webhook', webhook, [], null);
		const warn = jest.spyOn(context.logger, 'warn');
		await node.webhook.call(context);
		return warn.mock.calls[0]?.[0];
	};

function answers() {
	const response = { status: () => response, set: () => response, json: () => response };
	return response;
}

/** What the test of the credential says. */
const tested = (data: ICredentialDataDecryptedObject) => async () => {
	const credentials = { id: 'credential', name: '', type: 'agentLeadsPushApi', data };
	const asked = {} as ICredentialTestFunctions;
	const test = node.methods.credentialTest.agentLeadsPushApiTest;
	return (await test.call(asked, credentials)).message;
};

describe('messages of Agent Leads Push Trigger', () => {
	const byKey = (apiKey: string) => tested({ authentication: 'apiKey', apiKey });

	holdsMessages([
		['A lead that was pushed to “…” was answered …', logged({})],
		[
			'A lead that was pushed to “…” was answered …',
			logged({ applicant: { id: '1' } }, 'text/plain'),
		],
		[
			'A lead that was pushed to “…” was answered …',
			logged({ applicant: { id: '1' } }, undefined, { leadTypes: [] }),
		],
		['“Client ID” is empty. …', tested({ authentication: 'clientCredentials', clientSecret: KEY })],
		['… must have 24 or more letters, …', byKey('')],
		['… must have 24 or more letters, …', byKey('short')],
		['… must have 24 or more letters, …', byKey(`${KEY} `)],
		['The fields are complete. …', byKey(KEY)],
	]);
});

describe('messages of Agent Leads Push Trigger on its fields', () => {
	holdsMessages([
		['“…” has …', published({ leadTypes: [] })],
		['“…” has …', published({ leadTypes: ['buyer'] })],
		['“…” is …', published({ options: { applicantKey: ' ' } })],
		['“…” is …', published({ options: { appraisalKey: ' ' } })],
	]);
});
