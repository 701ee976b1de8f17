import type {
	ICredentialDataDecryptedObject,
	ITriggerFunctions,
	ITriggerResponse,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { isObject } from '../../service/basics/values';
import { leadJson } from '../common/leads/simplifyLead';
import { nodeKey } from '../AgentLeadsTrigger/host';
import { runKeyOf } from '../AgentLeadsTrigger/runs/runKey';
import { Starter } from '../AgentLeadsTrigger/runs/startRun';
import { shortKey } from '../AgentLeadsTrigger/target/targetProgress';
import { deliver } from './delivery';
import type { Door } from './door';
import { mayPush } from './door';
import { pushedLeadIn } from './pushedLead';
import { answerTokenRequest } from './tokenRequest';

const starters = new Map<string, Starter>();

/** Keeps what starts runs for this node until its workflow is unpublished or published anew. */
export function keepPushStarter(context: ITriggerFunctions): ITriggerResponse {
	const starter = new Starter(context, {});
	const key = nodeKey(context);
	starters.set(key, starter);
	return {
		closeFunction: async () => {
			starter.isOpen = false;
			if (starters.get(key) === starter) starters.delete(key);
			return await Promise.resolve();
		},
	};
}

/** Never throws: n8n would list a failed run, and answer 500. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const door = doorOf(context, await context.getCredentials('agentLeadsPushApi'));
	return context.getWebhookName() === 'setup'
		? giveToken(context, door)
		: await take(context, door);
}

function giveToken(context: IWebhookFunctions, door: Door): IWebhookResponseData {
	if (door.authentication !== 'clientCredentials') return answer(context, 404);
	const { authorization } = context.getRequestObject().headers;
	const body: unknown = context.getBodyData();
	const {
		status,
		body: told,
		challenge,
	} = answerTokenRequest(door, { authorization, body }, Date.now());
	const response = context.getResponseObject();
	response.status(status).set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
	if (challenge) response.set('WWW-Authenticate', challenge);
	response.json(told);
	return { noWebhookResponse: true };
}

async function take(context: IWebhookFunctions, door: Door): Promise<IWebhookResponseData> {
	const { authorization } = context.getRequestObject().headers;
	if (!mayPush(door, authorization, Date.now())) return answer(context, 401);
	const options = context.getNodeParameter('options', {});
	const names = { applicant: 'applicant', appraisal: 'appraisal', ...(isObject(options) && {}) };
	const pushed = pushedLeadIn(context.getBodyData(), names);
	if (!pushed) return answer(context, 400);
	const { lead, leadType } = pushed;
	const item = { json: leadJson(lead, leadType, context.getNodeParameter('simplify') === true) };
	if (context.getMode() === 'manual') return { workflowData: [[item]] };
	const starter = starters.get(nodeKey(context));
	if (!starter) return { workflowData: [[item]] };
	const key = runKeyOf(context.getWorkflow().id, { leadType, key: shortKey(lead) }, 1);
	const storage = await deliver(starter, item, key);
	return storage === 'stored' ? answer(context, 200) : answer(context, 503, 30);
}

function answer(context: IWebhookFunctions, status: number, retryAfter?: number) {
	const response = context.getResponseObject();
	response.status(status);
	if (retryAfter !== undefined) response.set('Retry-After', String(retryAfter));
	response.end();
	return { noWebhookResponse: true };
}

function doorOf(context: IWebhookFunctions, credentials: ICredentialDataDecryptedObject): Door {
	const text = (name: string) => String(credentials[name] ?? '');
	if (credentials.authentication === 'clientCredentials') {
		const secrets = [text('clientSecret'), text('nextClientSecret')].filter(Boolean);
		return {
			authentication: 'clientCredentials',
			clients: secrets.map((clientSecret) => ({ clientId: text('clientId'), clientSecret })),
			audience: text('audience'),
			name: nodeKey(context),
		};
	}
	return { authentication: 'apiKey', keys: [text('apiKey'), text('nextApiKey')].filter(Boolean) };
}
