import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { MINUTE_MS } from '../../service/basics/times';
import { shortKeyOf } from '../../service/leads/lead';
import { leadJson } from '../common/leads/simplifyLead';
import { runKeyOf } from '../common/runs/runKey';
import { starterFor } from '../common/runs/starters';
import { deliver } from './delivery';
import type { Door } from './door';
import { mayPush } from './door';
import type { PushedLead } from './pushedLead';
import { pushedLeadIn } from './pushedLead';
import { readDoor, readSettings } from './settings';
import { answerTokenRequest } from './tokenRequest';

/** When a sender may come again if n8n could not say in time that it has the lead (seconds). */
const COME_AGAIN_AFTER = 30;

/** By then a process of n8n has started its triggers, unless it never does. */
const STARTED_WITHIN_MS = 2 * MINUTE_MS;

const loadedAt = Date.now();

/** The address that tokens are had from; the other one takes leads. */
const TOKEN_WEBHOOK = 'setup';

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
	if (!mayPush(door, authorization, Date.now())) return answer(context, 401);
	// n8n reads no other JSON, such as application/problem+json, for a node above version 1.
	if (!/^application\/json\b/i.test(contentType)) {
		return refuse(context, 415, 'its content type is not JSON');
	}
	const settings = readSettings(context);
	const pushed = pushedLeadIn(context.getBodyData(), settings.names);
	if (!pushed) return refuse(context, 400, 'it holds no lead');
	if (!settings.leadTypes.includes(pushed.leadType)) return answer(context, 200);
	return await startRun(context, pushed, settings.simplify);
}

async function startRun(
	context: IWebhookFunctions,
	{ leadType, lead }: PushedLead,
	simplify: boolean,
): Promise<IWebhookResponseData> {
	const item = { json: leadJson(lead, leadType, simplify) };
	// In a test by hand n8n starts the run.
	if (context.getMode() === 'manual') return { workflowData: [[item]] };
	const starter = starterFor(context);
	if (!starter) return comeAgain(context, reasonForNoStarter());
	const key = runKeyOf(context.getWorkflow().id, { leadType, key: shortKeyOf(lead) }, 1);
	const storage = await deliver(starter, item, key);
	if (storage === 'stored') return answer(context, 200);
	return comeAgain(context, storage === 'unknown' ? undefined : 'n8n could not store its run');
}

/**
 * Without a starter nobody would refuse a second run of the lead: not at a repeat, and not when the poll finds it. After a
 * start n8n takes calls before it has started the triggers; some processes of it never start any.
 */
function reasonForNoStarter(): string | undefined {
	if (Date.now() - loadedAt < STARTED_WITHIN_MS) return undefined;
	return 'this process of n8n has not started the trigger. Have its address routed to a main process';
}

function comeAgain(context: IWebhookFunctions, reason?: string): IWebhookResponseData {
	context.getResponseObject().set('Retry-After', String(COME_AGAIN_AFTER));
	return reason === undefined ? answer(context, 503) : refuse(context, 503, reason);
}

/** @param reason for n8n's log: never anything of what was sent */
function refuse(context: IWebhookFunctions, status: number, reason: string): IWebhookResponseData {
	const { name } = context.getNode();
	context.logger.warn(`A lead that was pushed to “${name}” was answered ${status}: ${reason}.`);
	return answer(context, status);
}

function answer(context: IWebhookFunctions, status: number): IWebhookResponseData {
	context.getResponseObject().status(status).end();
	return { noWebhookResponse: true };
}
