import type { Execution } from '../execution';
import type { StoredWorkflow } from '../workflow';
import type { ExampleSetup } from './examples';
import type { Stage } from './stage';

/** What is done with a workflow of an example before it is its own master. */
interface Maker {
	make(stage: Stage, file: string, setup: ExampleSetup): Promise<StoredWorkflow>;
	publish(stage: Stage, workflow: StoredWorkflow): Promise<void>;
	/** @param trigger the name of the node to start from; the Manual Trigger when not given */
	run(stage: Stage, workflow: StoredWorkflow, trigger?: string): Promise<Execution>;
}

/** How an agency comes to the workflow of an example: what holds for a file that is imported holds for what is built. */
const MAKERS = {
	imported: {
		make: async (stage, file, setup) => await stage.importExample(file, setup),
		publish: async ({ n8n }, workflow) => await n8n.activate(workflow),
		run: async ({ n8n }, workflow, trigger) => await n8n.runManually(workflow, trigger),
	},
	'built at the MCP server': {
		make: async (stage, file, setup) => await stage.buildExample(file, setup),
		publish: async (stage, { id }) => await (await stage.assistant()).publish(id),
		run: async (stage, workflow, trigger) => {
			const id = await (await stage.assistant()).execute(workflow.id, trigger);
			return await stage.n8n.waitForExecution(workflow, id);
		},
	},
} satisfies Record<string, Maker>;

export type Way = keyof typeof MAKERS;

export const EITHER_WAY: Way[] = ['imported', 'built at the MCP server'];

export function makerFor(way: Way): Maker {
	return MAKERS[way];
}
