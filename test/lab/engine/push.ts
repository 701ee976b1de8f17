import { afterEach, beforeEach, jest } from '@jest/globals';
import type { Request, Response } from 'express';
import mapKeys from 'lodash/mapKeys';
import { ExecuteContext, TriggerContext, WebhookContext } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	INodeExecutionData,
	INodeParameters,
	ITriggerResponse,
	IWebhookDescription,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { createRunExecutionData } from 'n8n-workflow';

import { AgentLeadsPushApi } from '../../../credentials/AgentLeadsPushApi.credentials';
import { AgentLeadsPushTrigger } from '../../../nodes/AgentLeadsPushTrigger/AgentLeadsPushTrigger.node';
import { useInEach } from '../standIn';
import { jsonIn } from '../values';
import { EVERYTHING_BUT_DATE } from './bench';
import { CredentialsTable } from './credentials';
import { publishedNode } from './engine';
import type { StoredRun } from './executions';
import { ExecutionsTable } from './executions';
import { useLog } from './wild';

/** A key as an agency might make it up. */
export const KEY = 'a key of the agency, 2f8c1d90';

/** What a caller of one of the node's addresses got. */
export interface PushAnswer {
	status: number;
	/** Their names in lower case. */
	headers: Record<string, string>;
	body: string;
}

export interface PushSetup {
	parameters?: INodeParameters;
	credential?: ICredentialDataDecryptedObject;
	workflowId?: string;
	nodeId?: string;
	executions?: ExecutionsTable;
}

const NODE = 'Agent Leads Push Trigger';

let workflows = 0;

/**
 * Stands for n8n's server in front of the node: it reads a JSON body before the node is asked, and stores runs. The contexts are n8n-core's own. The tests in a real n8n use the real server.
 */
export class PushHost {
	/** Whether a run begins as soon as it is stored; in queue mode it begins in another process. */
	beginsHere = true;

	mode: WorkflowExecuteMode = 'webhook';

	readonly executions: ExecutionsTable;

	readonly parameters: INodeParameters;

	readonly credentials: CredentialsTable;

	readonly id: string;

	private readonly node = new AgentLeadsPushTrigger();

	private close?: ITriggerResponse['closeFunction'];

	constructor(private readonly setup: PushSetup = {}) {
		const { parameters, credential, executions = new ExecutionsTable(), workflowId } = setup;
		this.parameters = { leadTypes: ['applicant', 'appraisal'], simplify: true, ...parameters };
		const stored = { authentication: 'apiKey', apiKey: KEY, ...credential };
		this.credentials = new CredentialsTable([new AgentLeadsPushApi()], { credential: stored });
		this.executions = executions;
		this.id = workflowId ?? `pushed-${++workflows}`;
		executions.begin = (item, run) => void this.begin(item, run);
	}

	async stop(): Promise<void> {
		await this.close?.();
	}

	/** n8n starts the trigger, as it does once it takes calls. */
	async publish(): Promise<void> {
		const { workflow, node, additionalData } = this.surroundings();
		const emit = this.executions.emitOn({});
		const context = new TriggerContext(workflow, node, additionalData, 'trigger', 'activate', emit);
		({ closeFunction: this.close } = await this.node.trigger.call(context));
	}

	/** Posts a lead with the key; a header that is undefined is left out. */
	async push(body: unknown, headers: Headers = {}): Promise<PushAnswer> {
		return await this.post('leads', body, { Authorization: KEY, ...JSON_TYPE, ...headers });
	}

	async post(path: string, sent: unknown, headers: Headers): Promise<PushAnswer> {
		const webhook = this.node.description.webhooks?.find((each) => each.path === path);
		if (!webhook) throw new Error(`No webhook ${path}`);
		const answer: PushAnswer = { status: 200, headers: {}, body: '' };
		const named = mapKeys(headers, (_, name) => name.toLowerCase());
		const raw = typeof sent === 'string' ? sent : (JSON.stringify(sent) ?? '');
		const body = bodyOf(named['content-type'], raw);
		const call = { headers: named, body, rawBody: Buffer.from(raw) };
		const context = this.contextOf(webhook, call, answeringInto(answer));
		const { noWebhookResponse, workflowData } = await this.node.webhook.call(context);
		for (const { json } of workflowData?.flat() ?? []) this.executions.rows.push({ json });
		if (!noWebhookResponse) answer.body = '{"message":"Workflow was started"}';
		return answer;
	}

	/** n8n's log, which all of its contexts share. */
	get logger(): TriggerContext['logger'] {
		const { workflow, node, additionalData } = this.surroundings();
		return new TriggerContext(workflow, node, additionalData, 'trigger', 'activate').logger;
	}

	private contextOf(webhookDescription: IWebhookDescription, call: object, response: Response) {
		const { workflow, node, additionalData } = this.surroundings();
		const { path, httpMethod } = webhookDescription;
		return new WebhookContext(
			workflow,
			node,
			{
				...additionalData,
				httpRequest: call as Request,
				httpResponse: response,
			},
			this.mode,
			{
				httpMethod: httpMethod === 'POST' ? httpMethod : 'GET',
				node: NODE,
				path,
				webhookDescription,
				workflowId: this.id,
				workflowExecuteAdditionalData: additionalData,
			},
			[],
			null,
		);
	}

	/** The node is the first of its run. */
	private async begin(item: INodeExecutionData, { response }: StoredRun): Promise<void> {
		if (!this.beginsHere) return;
		const { workflow, node, additionalData } = this.surroundings();
		additionalData.hooks?.addHandler('sendResponse', (told) => response?.resolve(told));
		const data = { main: [[item]] };
		const stack = { node, data, source: null };
		const run = createRunExecutionData();
		const context = new ExecuteContext(
			workflow,
			node,
			additionalData,
			'trigger',
			run,
			0,
			[item],
			data,
			stack,
			[],
		);
		await this.node.execute.call(context);
	}

	private surroundings() {
		const { id: workflowId, node, parameters, credentials } = this;
		const { nodeId = 'push' } = this.setup;
		return publishedNode(node, { id: nodeId, name: NODE, parameters }, { workflowId, credentials });
	}
}

/** A published push trigger for each test, by a clock that stands still, and what n8n's log was told. */
export function usePushHost(setup: PushSetup = {}) {
	const others: PushHost[] = [];
	beforeEach(() => {
		jest.useFakeTimers({ doNotFake: [...EVERYTHING_BUT_DATE] });
	});
	const host = useInEach(async () => await Promise.resolve(new PushHost(setup)));
	const logged = useLog(() => host.logger);
	beforeEach(async () => await host.publish());

	afterEach(async () => {
		await Promise.all(others.splice(0).map(async (each) => await each.stop()));
		jest.useRealTimers();
		jest.restoreAllMocks();
	});

	/** Another node beside the one of the test. */
	const another = async (more: PushSetup) => {
		const other = new PushHost(more);
		others.push(other);
		await other.publish();
		return other;
	};
	const pass = (ms: number) => {
		jest.setSystemTime(Date.now() + ms);
	};
	return { host, logged, another, pass };
}

type Headers = Record<string, string | undefined>;

export const JSON_TYPE = { 'Content-Type': 'application/json' };

/** n8n reads bodies by their media type; of what it does not know it makes an empty object. */
function bodyOf(contentType = '', sent: string): unknown {
	const [type = ''] = contentType.toLowerCase().split(';');
	if (sent === '') return {};
	if (type === 'application/json') return jsonIn(sent);
	if (type === 'text/plain') return sent;
	const isForm = type === 'application/x-www-form-urlencoded';
	return isForm ? Object.fromEntries(new URLSearchParams(sent)) : {};
}

/** What the node uses of Express, which is n8n's server. */
function answeringInto(answer: PushAnswer): Response {
	const response = {
		status: (code: number) => {
			answer.status = code;
			return response;
		},
		set: (given: string | Record<string, string>, value = '') => {
			const headers = typeof given === 'string' ? { [given]: value } : given;
			Object.assign(
				answer.headers,
				mapKeys(headers, (_, name) => name.toLowerCase()),
			);
			return response;
		},
		json: (body: unknown) => {
			answer.body = JSON.stringify(body);
			return response;
		},
		end: () => response,
	};
	return response as unknown as Response;
}
