import type { IDataObject, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isObject } from '../../service/basics/values';
import { LEAD_TYPES, type LeadType, leadKey, readPush } from '../../service/leads/leads';
import { quoted } from '../common/labels';
import { leadJson } from '../common/leads/simplifyLead';
import { inLog } from '../common/nodeErrors';
import { emitterFor } from '../common/runs/emitter';
import { runKeyOf } from '../common/runs/runKey';
import type { PushAuth } from './auth';
import { answerTokenRequest, isAuthorized } from './auth';
import { deliver } from './delivery';
import type { Settings } from './settings';
import { readAuth, readPushSettings } from './settings';

/** The seconds after which the sender may push a lead again, if n8n could not confirm in time that it has the lead. */
const RETRY_AFTER_SECONDS = 30;

/** The name of the webhook that issues tokens. The other webhook receives leads. */
const TOKEN_WEBHOOK = 'setup';

/**
 * The texts of the answers to a push, by HTTP status. They are for a person who sends a push by hand: the operator's
 * software does not need them. They contain no part of the push.
 */
const TEXTS: Partial<Record<number, string>> = {
	400: 'The body must hold one lead as application/json, under “applicant” or “appraisal” unless the trigger has other field names. Nothing was stored.',
	401: 'The key or token in Authorization is missing, wrong or expired. Nothing was stored.',
	503: 'n8n cannot take this now. Send it again later.',
};

const STORED = 'The lead has a run. This push, an earlier push or a poll has started it.';

const NOT_SELECTED = `${quoted('Trigger On')} does not include leads of this type, so nothing was started.`;

const IN_EDITOR = 'The test run in the editor has the lead.';

/**
 * The reasons, for n8n's log, why a lead has no run. `unknown` (n8n has not confirmed the run in time) has no text,
 * because the run may still start and nobody has to act.
 */
const REASONS = {
	unknown: undefined,
	notStored: 'n8n could not store its run',
	notStarted: 'n8n did not begin its run, and says under Executions why',
	/**
	 * n8n accepts calls of a webhook some moments before it starts the triggers of the workflow, and some processes of
	 * n8n start no triggers at all. Such a process can receive a push, but cannot start a run for it.
	 */
	noEmitter:
		'this process of n8n has not started the trigger. If that goes on, have its address routed to a main process',
};

interface PushedLead {
	leadType: LeadType;
	lead: IDataObject;
}

/**
 * Receives a push or a token request. It never throws, because n8n would answer an error with status 500 and list a
 * failed run.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		const auth = await readAuth(context);
		if (context.getWebhookName() === TOKEN_WEBHOOK) return giveToken(context, auth);
		return await receiveLead(context, auth);
	} catch (error) {
		// The log gets only the type of an unexpected error, because its text may contain parts of the push.
		const kind = error instanceof Error ? error.name : typeof error;
		return retryLater(context, `it could not be taken in (${kind})`);
	}
}

function giveToken(context: IWebhookFunctions, auth: PushAuth): IWebhookResponseData {
	if (auth.authentication !== 'clientCredentials') return answer(context, 404);
	const { authorization } = context.getRequestObject().headers;
	const request = { authorization, body: context.getBodyData() };
	const { status, body, challenge } = answerTokenRequest(auth, request, Date.now());
	const response = context.getResponseObject();
	// No proxy may store an answer that contains a token (RFC 6749 §5.1).
	response.status(status).set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
	if (challenge) response.set('WWW-Authenticate', challenge);
	response.json(body);
	return { noWebhookResponse: true };
}

async function receiveLead(
	context: IWebhookFunctions,
	auth: PushAuth,
): Promise<IWebhookResponseData> {
	const { headers, rawBody: body } = context.getRequestObject();
	if (!isAuthorized(auth, headers.authorization, Date.now())) {
		// The WWW-Authenticate header names the scheme Bearer. For some senders this is the signal to get a new token
		// (RFC 6750 §3).
		const isToken = auth.authentication === 'clientCredentials';
		if (isToken) context.getResponseObject().set('WWW-Authenticate', 'Bearer');
		return answer(context, 401);
	}
	const settings = readPushSettings(context);
	const read = pushedLeadIn(context.getBodyData(), settings);
	// n8n parses a body as JSON only if its content type is application/json.
	if (!read) return refuse(context, 400, 'it holds no lead, or is not sent as application/json');
	const pushed = pushedLeadIn(readPush(headers, body), settings) ?? read;
	if (!settings.leadTypes.includes(pushed.leadType)) return answer(context, 200, NOT_SELECTED);
	return await startRun(context, pushed, settings.simplify);
}

/**
 * Finds the lead in the body of a push.
 *
 * @returns undefined if the body contains no lead, or more than one
 */
function pushedLeadIn(body: unknown, { names }: Settings): PushedLead | undefined {
	if (!isObject(body)) return undefined;
	const found = LEAD_TYPES.flatMap((leadType) => {
		const lead = body[names[leadType]];
		const isLead = isObject(lead) && !Array.isArray(lead) && Object.keys(lead).length > 0;
		return isLead ? [{ leadType, lead }] : [];
	});
	return found.length === 1 ? found[0] : undefined;
}

async function startRun(
	context: IWebhookFunctions,
	{ leadType, lead }: PushedLead,
	simplify: boolean,
): Promise<IWebhookResponseData> {
	// The lead's key is made before `leadJson` runs, so that it depends only on the lead as it was sent: without
	// Simplify, `leadJson` adds the type of lead to the same object.
	const pushed = { leadType, key: leadKey(lead) };
	const keyOf = (attempt: number) => runKeyOf(context.getWorkflow().id, pushed, attempt);
	const item = { json: leadJson(lead, leadType, simplify) };
	// In a test in the editor, n8n itself starts the run with `workflowData`. The node answers the push itself, because
	// n8n's own answer would name one of n8n's settings.
	if (context.getMode() === 'manual') {
		return { ...answer(context, 200, IN_EDITOR), workflowData: [[item]] };
	}
	const emitter = emitterFor(context);
	// Without an emitter, which is the node's means to start runs with a key, a run could only be started without a
	// key. If the push was repeated or a poll found the lead, nothing would prevent a second run.
	if (!emitter) return retryLater(context, REASONS.noEmitter);
	const storage = await deliver(emitter, item, keyOf);
	if (storage === 'stored') return answer(context, 200, STORED);
	return retryLater(context, REASONS[storage]);
}

function retryLater(context: IWebhookFunctions, reason?: string): IWebhookResponseData {
	context.getResponseObject().set('Retry-After', String(RETRY_AFTER_SECONDS));
	return reason === undefined ? answer(context, 503) : refuse(context, 503, reason);
}

/**
 * Refuses a push, and writes the reason to n8n's log.
 *
 * @param reason a text that contains no part of the push
 */
function refuse(context: IWebhookFunctions, status: number, reason: string): IWebhookResponseData {
	const { name } = context.getNode();
	context.logger.warn(
		`A lead that was pushed to “${name}” was answered ${status}: ${reason}. ${inLog('pushRefused')}`,
	);
	return answer(context, status);
}

function answer(
	context: IWebhookFunctions,
	status: number,
	message = TEXTS[status],
): IWebhookResponseData {
	const response = context.getResponseObject().status(status);
	if (message === undefined) response.end();
	else response.json({ message });
	return { noWebhookResponse: true };
}
