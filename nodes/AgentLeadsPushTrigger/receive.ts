import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { shortKeyOf } from '../../service/leads/leads';
import { leadJson } from '../common/leads/simplifyLead';
import { inLog } from '../common/nodeErrors';
import { emitterFor, startsTriggers } from '../common/runs/emitter';
import { runKeyOf } from '../common/runs/runKey';
import { deliver } from './delivery';
import type { Door } from './door';
import { mayPush } from './door';
import type { PushedLead } from './pushedLead';
import { pushedLeadIn } from './pushedLead';
import { readDoor, readPushSettings } from './settings';
import { answerTokenRequest } from './tokenRequest';
import { quoted } from '../common/labels';

/** When a sender may come again if n8n could not say in time that it has the lead (seconds). */
const COME_AGAIN_AFTER = 30;

/** The only JSON that n8n reads before it calls the node. */
const READ_BY_N8N = /^application\/json(?:;|$)/i;

/** The address that tokens are had from; the other one takes leads. */
const TOKEN_WEBHOOK = 'setup';

/** For whoever tries a push by hand. No sender needs it, and it says nothing of what was sent. */
const TEXTS: Partial<Record<number, string>> = {
	400: 'The body must hold one lead, under “applicant” or “appraisal” unless the trigger sets other keys. Nothing was stored.',
	401: 'The key or token in Authorization is missing, wrong or expired. Nothing was stored.',
	415: 'Send the lead as application/json. Nothing was stored.',
	503: 'n8n cannot take this now. Send it again later.',
};

const STARTED = 'The lead has started a run.';

const HAD_BEFORE = 'The lead already had a run, so no other was started.';

const NOT_SELECTED = `${quoted('Trigger On')} does not include leads of this type, so nothing was started.`;

const IN_EDITOR = 'The test run in the editor has the lead.';

/** Why a lead is not stored, for n8n's log. One whose run may yet begin is not lost: nobody needs to be told. */
const REASONS = {
	unknown: undefined,
	notStored: 'n8n could not store its run',
	notStarted: 'n8n did not begin its run, and says under Executions why',
};

/** Never throws: n8n would answer 500, and list a failed run. */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		const door = await readDoor(context);
		if (context.getWebhookName() === TOKEN_WEBHOOK) return giveToken(context, door);
		return await take(context, door);
	} catch (error) {
		// Of an unexpected failure only its kind: its text may hold what was pushed.
		const kind = error instanceof Error ? error.name : typeof error;
		return comeAgain(context, `it could not be taken in (${kind})`);
	}
}

function giveToken(context: IWebhookFunctions, door: Door): IWebhookResponseData {
	if (door.authentication !== 'clientCredentials') return answer(context, 404);
	const { authorization } = context.getRequestObject().headers;
	const body: unknown = context.getBodyData();
	const told = answerTokenRequest(door, { authorization, body }, Date.now());
	const response = context.getResponseObject();
	// RFC 6749 §5.1: an answer with a token is not to be kept by anybody in between.
	response.status(told.status).set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
	if (told.challenge) response.set('WWW-Authenticate', told.challenge);
	response.json(told.body);
	return { noWebhookResponse: true };
}

async function take(context: IWebhookFunctions, door: Door): Promise<IWebhookResponseData> {
	const { authorization, 'content-type': contentType = '' } = context.getRequestObject().headers;
	if (!mayPush(door, authorization, Date.now())) return turnAway(context, door);
	if (!READ_BY_N8N.test(contentType)) {
		return refuse(context, 415, 'its content type is not JSON');
	}
	const settings = readPushSettings(context);
	const pushed = pushedLeadIn(context.getBodyData(), settings.names);
	if (!pushed) return refuse(context, 400, 'it holds no lead');
	if (!settings.leadTypes.includes(pushed.leadType)) return answer(context, 200, NOT_SELECTED);
	return await startRun(context, pushed, settings.simplify);
}

/** Tells nothing but the scheme, by which some senders know that they need a new token (RFC 6750 §3). */
function turnAway(context: IWebhookFunctions, { authentication }: Door): IWebhookResponseData {
	if (authentication === 'clientCredentials') {
		context.getResponseObject().set('WWW-Authenticate', 'Bearer');
	}
	return answer(context, 401);
}

async function startRun(
	context: IWebhookFunctions,
	{ leadType, lead }: PushedLead,
	simplify: boolean,
): Promise<IWebhookResponseData> {
	// As it was sent: the item of a raw lead is the lead itself, with the kind written into it.
	const pushed = { leadType, key: shortKeyOf(lead) };
	const keyOf = (attempt: number) => runKeyOf(context.getWorkflow().id, pushed, attempt);
	const item = { json: leadJson(lead, leadType, simplify) };
	// In a test by hand n8n starts the run. It would answer the sender with the name of a setting of its own.
	if (context.getMode() === 'manual') {
		return { ...answer(context, 200, IN_EDITOR), workflowData: [[item]] };
	}
	const emitter = emitterFor(context);
	if (!emitter) return comeAgain(context, reasonForNoEmitter());
	const storage = await deliver(emitter, item, keyOf);
	if (storage === 'stored') return answer(context, 200, STARTED);
	return storage === 'known'
		? answer(context, 200, HAD_BEFORE)
		: comeAgain(context, REASONS[storage]);
}

/**
 * Without an emitter nobody would prevent a second run of the lead: not at a repeat, and not when the poll finds it. n8n takes
 * calls for a workflow some moments before it starts its triggers, and some processes of it never start any.
 */
function reasonForNoEmitter(): string | undefined {
	if (startsTriggers()) return undefined;
	return 'this process of n8n has not started the trigger. Have its address routed to a main process';
}

function comeAgain(context: IWebhookFunctions, reason?: string): IWebhookResponseData {
	context.getResponseObject().set('Retry-After', String(COME_AGAIN_AFTER));
	return reason === undefined ? answer(context, 503) : refuse(context, 503, reason);
}

/** @param reason for n8n's log: never anything of what was sent */
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
