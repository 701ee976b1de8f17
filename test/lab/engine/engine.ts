import { ExecutionLifecycleHooks, WorkflowExecute, LoadOptionsContext } from 'n8n-core';
import type {
	IConnections,
	INode,
	INodeCredentials,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRun,
	IWorkflowExecuteAdditionalData,
	NodeApiError,
	NodeExecutionHint,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeHelpers, Workflow } from 'n8n-workflow';

import type { CredentialsTable } from './credentials';

/** What one run of the node under test came to. */
export interface NodeRun {
	/** Items by output; the second one is the error output where the node has it. */
	outputs: INodeExecutionData[][];
	items: INodeExecutionData[];
	error?: NodeApiError;
	hints: NodeExecutionHint[];
	status: IRun['status'];
	/** Everything that n8n would store about the execution. */
	stored: string;
}

export interface NodeUnderTest {
	node: INodeType;
	parameters: INodeParameters;
	credentials?: CredentialsTable;
	/** Defaults to one empty item. */
	input?: INodeExecutionData[];
	onError?: INode['onError'];
	/** n8n's “Retry On Fail”, without a pause between the tries. */
	retryOnFail?: { maxTries: number };
	timezone?: string;
	credentialId?: string;
}

const START = 'Start';
const NODE = 'Node';

/** Hands the test's items to the node under test. */
class Start implements INodeType {
	description = {
		displayName: START,
		name: 'start',
		group: ['trigger' as const],
		version: 1,
		description: '',
		defaults: { name: START },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	};

	async execute() {
		return await Promise.resolve([[{ json: {} }]]);
	}
}

/**
 * Runs a node through n8n-core's engine: its contexts, its HTTP client, its handling of errors.
 *
 * @returns the run, and `cancel`, which ends it as the Stop button does
 */
export function startNode(test: NodeUnderTest): { run: Promise<NodeRun>; cancel: () => void } {
	const workflow = workflowOf(test);
	const additionalData = additionalDataOf(test, workflow);
	const execution = new WorkflowExecute(additionalData, 'manual').run({
		workflow,
		startNode: workflow.getNode(START) ?? undefined,
		pinData: { [START]: test.input ?? [{ json: {} }] },
	});
	return { run: execution.then(toNodeRun), cancel: () => execution.cancel() };
}

/** Runs a node to its end. */
export async function runNode(test: NodeUnderTest): Promise<NodeRun> {
	return await startNode(test).run;
}

/** The context in which n8n asks a node for the choices of a field. */
export function loadOptionsContextOf(test: NodeUnderTest): LoadOptionsContext {
	const workflow = workflowOf(test);
	const node = workflow.getNode(NODE);
	if (!node) throw new Error('No node');
	return new LoadOptionsContext(workflow, node, additionalDataOf(test, workflow), '');
}

/** A node that is alone in a published workflow, and what n8n asks for around it. */
export function publishedNode(
	type: INodeType,
	named: Pick<INode, 'id' | 'name' | 'parameters'>,
	{ workflowId: id, credentials }: { workflowId: string; credentials: CredentialsTable },
) {
	const place: Pick<INode, 'position' | 'typeVersion'> = { position: [0, 0], typeVersion: 1 };
	const node: INode = { ...named, ...place, type: 'node', credentials: credentialsOf(type) };
	const workflow = new Workflow({
		...{ id, nodes: [node], connections: {}, active: true, nodeTypes: nodeTypesOf(type) },
		settings: { executionOrder: 'v1', timezone: 'UTC' },
	});
	return { workflow, node, additionalData: additionalDataOf({ credentials }, workflow) };
}

function credentialsOf({ description }: INodeType, id = 'credential'): INodeCredentials {
	const [credential] = description.credentials ?? [];
	return credential ? { [credential.name]: { id, name: '' } } : {};
}

function workflowOf({
	node,
	parameters,
	onError,
	retryOnFail,
	timezone,
	credentialId,
}: NodeUnderTest): Workflow {
	const connections: IConnections = {
		[START]: { main: [[{ node: NODE, type: NodeConnectionTypes.Main, index: 0 }]] },
	};
	return new Workflow({
		id: 'workflow',
		nodes: [
			{ id: '1', name: START, type: 'start', typeVersion: 1, position: [0, 0], parameters: {} },
			{
				id: '2',
				name: NODE,
				type: 'node',
				typeVersion: 1,
				position: [200, 0],
				parameters,
				...(onError && { onError }),
				...(retryOnFail && { ...retryOnFail, retryOnFail: true, waitBetweenTries: 1 }),
				credentials: credentialsOf(node, credentialId),
			},
		],
		connections,
		active: false,
		nodeTypes: nodeTypesOf(node),
		settings: { executionOrder: 'v1', timezone: timezone ?? 'UTC' },
	});
}

export function nodeTypesOf(node: INodeType): INodeTypes {
	const types: Record<string, INodeType> = { start: new Start(), node };
	const find = (name: string): INodeType => {
		const type = types[name];
		if (!type) throw new Error(`No node type ${name}`);
		return type;
	};
	return {
		getByName: find,
		getByNameAndVersion: (name) => NodeHelpers.getVersionedNodeType(find(name)),
		getKnownTypes: () => ({}),
	};
}

/** The part of n8n's server that the engine asks for in these runs. */
export function additionalDataOf(
	{ credentials }: Pick<NodeUnderTest, 'credentials'>,
	{ id, name, nodes, connectionsBySourceNode: connections }: Workflow,
): IWorkflowExecuteAdditionalData {
	const workflow = {
		id,
		name: name ?? '',
		nodes: Object.values(nodes),
		connections,
		active: false,
		isArchived: false,
		activeVersionId: null,
		createdAt: new Date(),
		updatedAt: new Date(),
	};
	const part: Partial<IWorkflowExecuteAdditionalData> = {
		credentialsHelper: credentials,
		hooks: new ExecutionLifecycleHooks('manual', 'execution', workflow),
		executionId: 'execution',
		restApiUrl: '',
		instanceBaseUrl: '',
		variables: {},
		formWaitingBaseUrl: 'http://127.0.0.1/form',
		webhookBaseUrl: 'http://127.0.0.1/',
		webhookWaitingBaseUrl: 'http://127.0.0.1/waiting',
		webhookTestBaseUrl: 'http://127.0.0.1/test',
	};
	return part as IWorkflowExecuteAdditionalData;
}

function toNodeRun(run: IRun): NodeRun {
	const { resultData } = run.data;
	const [taskData] = resultData.runData[NODE] ?? [];
	const outputs = (taskData?.data?.main ?? []).map((items) => items ?? []);
	const error = taskData?.error ?? resultData.error;
	return {
		outputs,
		items: outputs[0] ?? [],
		...(error && { error: error as NodeApiError }),
		hints: taskData?.hints ?? [],
		status: run.status,
		stored: JSON.stringify(run.data),
	};
}
