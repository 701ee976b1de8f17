import { createRequire } from 'node:module';

import type { IRunExecutionData, INodeExecutionData, ITaskData } from 'n8n-workflow';

import { DEFAULT_N8N, n8nBin } from './installation';

export type ExecutionStatus =
	'canceled' | 'crashed' | 'error' | 'new' | 'running' | 'success' | 'unknown' | 'waiting';

/** A row of n8n's list of executions. */
export interface ExecutionSummary {
	id: string;
	workflowId: string;
	mode: string;
	status: ExecutionStatus;
	createdAt: string;
	startedAt: string;
	stoppedAt: string | null;
}

/** n8n stores the data of an execution flattened; this is the library it uses. */
const flatted = createRequire(n8nBin(DEFAULT_N8N))('flatted') as { parse(text: string): unknown };

/** An execution with its data. */
export class Execution {
	readonly id: string;
	readonly status: ExecutionStatus;
	readonly data: IRunExecutionData;

	constructor(
		readonly summary: ExecutionSummary,
		/** As it came over the REST API: what a test searches for a secret that must not be there. */
		readonly text: string,
	) {
		this.id = summary.id;
		this.status = summary.status;
		this.data = flatted.parse(text) as IRunExecutionData;
	}

	/** What went wrong with the whole execution; undefined when nothing did. */
	get error() {
		return this.data.resultData.error;
	}

	/** The runs of a node, in order. Empty when it did not run. */
	runs(node: string): ITaskData[] {
		return this.data.resultData.runData[node] ?? [];
	}

	/** What a node put out in its last run. */
	items(node: string, output = 0): INodeExecutionData[] {
		return this.runs(node).at(-1)?.data?.main?.[output] ?? [];
	}

	/** The JSON of what a node put out in its last run. */
	json(node: string, output = 0): Array<INodeExecutionData['json']> {
		return this.items(node, output).map((item) => item.json);
	}

	/**
	 * What a trigger started this execution with. Of an execution that was killed before the trigger's run was saved,
	 * n8n has kept it as the work to do.
	 */
	triggerItems(trigger: string): INodeExecutionData[] {
		const saved = this.items(trigger).filter(({ json }) => !json.isArtificialRecoveredEventItem);
		const stack = this.data.executionData?.nodeExecutionStack ?? [];
		const kept = stack.find(({ node }) => node.name === trigger)?.data.main?.[0] ?? [];
		return saved.length > 0 ? saved : kept;
	}

	/** The error of a node's last run. */
	nodeError(node: string) {
		return this.runs(node).at(-1)?.error;
	}
}

export function isFinished({ status }: ExecutionSummary): boolean {
	return ['canceled', 'crashed', 'error', 'success'].includes(status);
}
