import { setImmediate } from 'node:timers/promises';

import type {
	IDataObject,
	IHttpRequestOptions,
	INode,
	INodeExecutionData,
	IPollFunctions,
	IRun,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';

import { beginRuns, pollLeads } from '../../../nodes/AgentLeadsTrigger/poll';
import type { Settings } from '../../../nodes/AgentLeadsTrigger/settings';
import { DEFAULT_QUERY_NAMES } from '../../../service/leads/leads';
import { LEADS_INTEGRATION } from '../../../service/leads/integration';
import { workflowNode } from '../workflowNode';

/** A promise that somebody else settles. */
interface Deferred<T> {
	promise: Promise<T>;
	resolve(value: T): void;
	reject(error: Error): void;
}

/** A run that n8n was handed. */
interface HostedRun {
	key: string;
	ids: unknown[];
	items: INodeExecutionData[];
	end(status: IRun['status']): Promise<void>;
}

/** What n8n makes of a workflow each time that it is published. */
interface Published {
	staticData: IDataObject;
	context: IPollFunctions;
	response: ITriggerResponse;
}

type IsPartOf<T> = { [K in keyof T]?: unknown };

let workflows = 0;

/**
 * Stands for n8n without durable cursors: it refuses a key that it knows, loads the static data of a workflow when
 * the workflow is published, and stores all of it with each run that is to be started.
 */
export class RunsHost {
	/** What the service answers. */
	leads: IDataObject[] = [];

	/** The database: the runs in the order in which they came, and the static data. */
	readonly runs: HostedRun[] = [];
	stored: IDataObject = { node: {} };

	published?: Published;

	private readonly node = workflowNode({
		name: 'Agent Leads Trigger',
		type: 'n8n-nodes-agent-integration.agentLeadsTrigger',
	});

	private readonly workflowId = `runs-${++workflows}`;

	constructor(public settings: Partial<Settings> = {}) {}

	/** @param nodeSettings such as `alwaysOutputData` */
	async publish(nodeSettings: Partial<INode> = {}): Promise<INodeExecutionData[][] | null> {
		Object.assign(this.node, nodeSettings);
		await this.unpublish();
		const staticData = structuredClone(this.stored);
		const response = beginRuns(this.triggerContext(staticData));
		this.published = { staticData, response, context: this.pollContext(staticData) };
		return await this.tick();
	}

	async unpublish(): Promise<void> {
		await this.published?.response.closeFunction?.();
		delete this.published;
	}

	async tick(): Promise<INodeExecutionData[][] | null> {
		if (!this.published) throw new Error('The workflow is not published');
		const items = await pollLeads(this.published.context, { ...SETTINGS, ...this.settings });
		if (items) this.stored = structuredClone(this.published.staticData);
		await settled();
		return items;
	}

	/** Which leads had runs, in order. */
	get ids(): unknown[] {
		return this.runs.flatMap(({ ids }) => ids);
	}

	get last(): HostedRun {
		const run = this.runs.at(-1);
		if (!run) throw new Error('No run was started');
		return run;
	}

	private emitter(staticData: IDataObject): ITriggerFunctions['emit'] {
		return (data, _response, done, givenKey) => {
			const key = givenKey ?? '';
			this.stored = structuredClone(staticData);
			if (this.runs.some((run) => run.key === key)) {
				done?.resolve(undefined as unknown as IRun);
			} else this.start(data.flat(), done, key);
		};
	}

	private start(items: INodeExecutionData[], done: Deferred<IRun> | undefined, key: string): void {
		const ids = items.map(({ json }) => json.id);
		const end = async (status: IRun['status']) => {
			done?.resolve({ status, data: {} } as unknown as IRun);
			await settled();
		};
		this.runs.push({ key, ids, items, end });
	}

	private triggerContext(staticData: IDataObject): ITriggerFunctions {
		const context: IsPartOf<ITriggerFunctions> = {
			getNode: () => this.node,
			getWorkflow: () => ({ id: this.workflowId, active: true }),
			emit: this.emitter(staticData),
			helpers: { createDeferredPromise: deferred },
		};
		return context as unknown as ITriggerFunctions;
	}

	private pollContext(staticData: IDataObject): IPollFunctions {
		const context: IsPartOf<IPollFunctions> = {
			getNode: () => this.node,
			getWorkflow: () => ({ id: this.workflowId, active: true }),
			getActivationMode: () => 'activate',
			getWorkflowStaticData: () => staticData.node,
			getTimezone: () => 'Europe/London',
			getCredentials: async () => await Promise.resolve(CREDENTIALS),
			logger: { info: () => {}, warn: () => {} },
			__emitError: () => {},
			helpers: {
				httpRequestWithAuthentication: async (_type: string, { url }: IHttpRequestOptions) =>
					await this.answer(url),
			},
		};
		return context as unknown as IPollFunctions;
	}

	private async answer(url: string): Promise<IDataObject> {
		const field = url.endsWith('/applicant-leads') ? 'applicants' : 'appraisals';
		const headers = { date: new Date().toUTCString() };
		return await Promise.resolve({ statusCode: 200, headers, body: { [field]: this.leads } });
	}
}

function deferred<T>(): Deferred<T> {
	let settle: Omit<Deferred<T>, 'promise'> | undefined;
	const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
	if (!settle) throw new Error('A promise did not begin');
	return { promise, ...settle };
}

/** Whatever goes on in the background has come to where it waits for something. */
export async function settled(): Promise<void> {
	for (let turn = 0; turn < 5; turn++) await setImmediate();
}

const SETTINGS: Settings = {
	targets: [{ key: 'applicant', leadType: 'applicant' }],
	names: DEFAULT_QUERY_NAMES,
	limits: { maxTries: 5, maxWaitMs: 0 },
	lookBackMs: 60 * 60_000,
	startFrom: 'last24Hours',
	simplify: false,
	runs: 'onePerLead',
	runAgain: 0,
};

const PAIR = {
	clientId: 'client-1',
	clientSecret: 'secret-1',
	authUrl: 'https://auth.example.com',
	leadsUrl: 'https://leads.example.com',
};

const CREDENTIALS = {
	...PAIR,
	accessToken: 'token-1',
	tokenFingerprint: LEADS_INTEGRATION.grant(PAIR).fingerprint,
	tokenExpiresAt: Date.UTC(2100, 0),
};
