import { jest } from '@jest/globals';
import mapValues from 'lodash/mapValues';
import maxBy from 'lodash/maxBy';
import sortBy from 'lodash/sortBy';
import * as luxon from 'luxon';
import * as n8nWorkflow from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
	INodeExecutionData,
	IPollFunctions,
} from 'n8n-workflow';

import type { pollLeads } from '../../../nodes/AgentLeadsTrigger/poll';
import type { Settings } from '../../../nodes/AgentLeadsTrigger/settings';
import { LEADS_INTEGRATION } from '../../../service/leads/integration';
import type { LeadType } from '../../../service/leads/leads';
import { DEFAULT_QUERY_NAMES } from '../../../service/leads/leads';
import type { PollOutcome, Setup } from './leadsLedger';
import type { ModelService } from './leadsModel';
import { nameOf } from './leadsModel';
import { workflowNode } from '../workflowNode';

const ACTIVATION_BUDGET = 300_000;
const TICK_BUDGET = 36_000;

/** What n8n keeps of the process and of the database. */
export interface HostKind {
	/** A context and a copy of the stored state for each tick, and every tick stored. */
	isDurable: boolean;
	/** Whether the state that a quiet activation wrote is stored; never on durable hosts. */
	storesActivation: boolean;
}

export const HOSTS: Array<{ name: string; kind: HostKind }> = [
	{ name: 'keeps a context', kind: { isDurable: false, storesActivation: false } },
	{
		name: 'keeps a context and stores the activation',
		kind: { isDurable: false, storesActivation: true },
	},
	{ name: 'has durable cursors', kind: { isDurable: true, storesActivation: false } },
];

const NODE = workflowNode({
	name: 'Agent Leads Trigger',
	type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
});

/** The trigger's poll in a stand-in for n8n: both its kinds of hosts. */
export class HostedTrigger {
	/** What the last poll handed over. */
	items: INodeExecutionData[] = [];

	/** What the last poll failed of. */
	failure?: string;

	/** What n8n has in its database. */
	stored: IDataObject = {};

	/** What n8n's log was told, and what was reported as a failed execution. */
	readonly log: string[] = [];
	readonly reports: string[] = [];

	private poll?: typeof pollLeads;
	private context?: IPollFunctions;

	constructor(
		private readonly service: ModelService,
		private readonly kind: HostKind,
	) {}

	get reloads(): boolean {
		return !this.kind.isDurable;
	}

	readonly hasBaseline = ({ startFrom }: Setup) => startFrom === 'activation';

	/** A process has nothing of what our modules remembered in the last one; libraries remember nothing. */
	async restart(): Promise<void> {
		delete this.context;
		await jest.isolateModulesAsync(async () => {
			jest.doMock('n8n-workflow', () => n8nWorkflow);
			jest.doMock('luxon', () => luxon);
			jest.doMock('lodash/mapValues', () => mapValues);
			jest.doMock('lodash/maxBy', () => maxBy);
			jest.doMock('lodash/sortBy', () => sortBy);
			this.poll = (await import('../../../nodes/AgentLeadsTrigger/poll')).pollLeads;
		});
	}

	async activate(setup: Setup): Promise<PollOutcome> {
		const state = structuredClone(this.stored);
		const context = this.contextOn(state, ACTIVATION_BUDGET);
		const isStored = this.kind.storesActivation && !this.kind.isDurable;
		const outcome = await this.run(context, setup, state, isStored);
		if (outcome.names && !this.kind.isDurable) this.context = context;
		return outcome;
	}

	async tick(setup: Setup): Promise<PollOutcome> {
		const { context } = this;
		if (!context && !this.kind.isDurable) return await this.activate(setup);
		if (context) return await this.run(context, setup, context.getWorkflowStaticData(''), false);
		const state = structuredClone(this.stored);
		return await this.run(this.contextOn(state, TICK_BUDGET), setup, state, true);
	}

	private async run(
		context: IPollFunctions,
		setup: Setup,
		state: IDataObject,
		isQuietStored: boolean,
	): Promise<PollOutcome> {
		if (!this.poll) await this.restart();
		const before = JSON.stringify(state);
		const [outcome] = await Promise.allSettled([this.poll?.(context, settingsOf(setup))]);
		delete this.failure;
		if (outcome.status === 'rejected') {
			if (JSON.stringify(state) !== before) throw new Error('A poll that failed has written');
			if (isOfTheTests(outcome.reason)) throw outcome.reason;
			this.failure = String(outcome.reason);
			return { isStored: false };
		}
		this.items = outcome.value?.[0] ?? [];
		const isStored = this.items.length > 0 || isQuietStored;
		if (isStored) this.stored = structuredClone(state);
		return { names: this.items.map(({ json }) => nameOf(json)), isStored };
	}

	private contextOn(state: IDataObject, budgetMs: number): IPollFunctions {
		const context: IsPartOf<IPollFunctions> = {
			getNode: () => NODE,
			getWorkflow: () => ({ id: 'workflow-1', active: true }),
			getActivationMode: () => 'activate',
			getWorkflowStaticData: () => state,
			getCredentials: async () => await Promise.resolve(credentialsOf('client-1')),
			...(this.kind.isDurable && { getPollBudgetMs: () => budgetMs }),
			logger: { warn: (message: string) => this.log.push(message) },
			__emitError: (error: Error) => this.reports.push(error.message),
			helpers: {
				httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) =>
					await answerOf(this.service, options),
			},
		};
		return context as unknown as IPollFunctions;
	}
}

/** An error of n8n's own, such as a domain that its rules forbid. */
const CRASH = 'Forbidden by the host';

/** What the model of the service answers to a request. */
export async function answerOf(
	service: ModelService,
	{ url, qs = {} }: IHttpRequestOptions,
): Promise<IDataObject> {
	const leadType: LeadType = url.endsWith('/applicant-leads') ? 'applicant' : 'appraisal';
	const branch = qs['branch-id'] as string | undefined;
	const target = targetOf(leadType, branch);
	const window = { from: timeOf(qs['from-time']), to: timeOf(qs['to-time']) };
	const { answer, mishap, retryAfter } = service.answer(target, window);
	if (mishap === 'crash') throw new Error(CRASH);
	if (mishap === 'lost') throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
	return await Promise.resolve({
		statusCode: mishap ?? 200,
		headers: {
			...(answer.date && { date: answer.date }),
			...(mishap === 429 && retryAfter && { 'retry-after': String(retryAfter) }),
		},
		body: mishap ? { errors: [{ message: 'No' }] } : { [`${leadType}s`]: answer.leads },
	});
}

/** A stand-in has as much of n8n's as is asked for. */
export type IsPartOf<T> = { [K in keyof T]?: unknown };

/** What is not an error of the trigger's is one of these tests. */
function isOfTheTests(error: unknown): boolean {
	return error instanceof Error && error.name === 'Error' && error.message !== CRASH;
}

export function targetOf(leadType: LeadType, branch?: string): Settings['targets'][number] {
	if (branch === undefined) return { key: leadType, leadType };
	const key = `${leadType} · branch ${branch}`;
	return { key, leadType, filter: { by: 'branch', id: branch } };
}

export function settingsOf({ targets, lookBackMs, startFrom }: Setup): Settings {
	return {
		targets,
		lookBackMs,
		startFrom,
		names: DEFAULT_QUERY_NAMES,
		limits: { maxTries: 5, maxWaitMs: 0 },
		simplify: false,
		runs: 'onePerPoll',
		runAgain: 0,
	};
}

/** @returns undefined where the request names no time */
function timeOf(value: unknown): number | undefined {
	if (value === undefined) return undefined;
	if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) {
		throw new Error(`Not a time in the service's form: ${JSON.stringify(value)}`);
	}
	return Date.parse(value);
}

export function credentialsOf(clientId: string): ICredentialDataDecryptedObject {
	const pair = {
		clientId,
		clientSecret: 'secret-1',
		authUrl: 'https://auth.example.com',
		leadsUrl: 'https://leads.example.com',
	};
	return {
		...pair,
		accessToken: 'token-1',
		tokenFingerprint: LEADS_INTEGRATION.grant(pair).fingerprint,
		tokenExpiresAt: Date.UTC(2100, 0),
	};
}
