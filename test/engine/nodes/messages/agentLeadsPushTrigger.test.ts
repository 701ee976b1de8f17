import { describe, jest } from '@jest/globals';
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestFunctions,
	IDataObject,
	INodeParameters,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { AgentLeadsPushTrigger } from '../../../../nodes/AgentLeadsPushTrigger/AgentLeadsPushTrigger.node';
import { holdsMessages, seenIn } from '../../../lab/engine/messages';
import { JSON_TYPE, KEY, PushHost } from '../../../lab/engine/push';

const node = new AgentLeadsPushTrigger();

/** What n8n shows while the workflow is published. */
const published = (parameters: INodeParameters) => async () => {
	const [outcome] = await Promise.allSettled([new PushHost({ parameters }).publish()]);
	const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
	return error instanceof NodeOperationError ? seenIn(error) : undefined;
};

/** What n8n's log is told of a push with the right key. */
const logged =
	(body: IDataObject, headers = JSON_TYPE, parameters: INodeParameters = {}) =>
	async () => {
		const host = new PushHost({ parameters });
		const warn = jest.spyOn(host.logger, 'warn');
		await host.push(body, headers);
		return warn.mock.calls[0]?.[0];
	};

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
			logged({ applicant: { id: '1' } }, { 'Content-Type': 'text/plain' }),
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
		['“…” is …', published({ options: { applicantKey: 'lead', appraisalKey: 'lead' } })],
	]);
});
