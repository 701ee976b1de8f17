import { credentialOf } from '../../test/lab/credentialOf';
import { chain, EVERY_FIVE_SECONDS, PACKAGE_NAME, type StoredWorkflow } from '../../test/lab/n8n';
import { NO_OPERATION } from '../../test/lab/n8n/stage/nodes';
import type { Both } from '../../test/lab/n8n/withN8n';
import { AGENCY_REFS } from '../../test/lab/sandbox/inventory';

export const TRIGGER = 'Agent Inventory Trigger';

const TOKEN_LIFETIME_S = 20;

/** A workflow that is told of every change of its agencies. */
export interface Flow {
	runs: 'onePerPoll' | 'onePerChange';
	clientId: string;
	workflow: StoredWorkflow;
}

interface Watch {
	agencyRefs: string[];
	pollTimes: typeof EVERY_FIVE_SECONDS;
}

/** Saves the workflow, not active yet, with a credential of its own. */
export async function createFlow(
	both: Both,
	runs: Flow['runs'],
	{ agencyRefs = AGENCY_REFS, pollTimes = EVERY_FIVE_SECONDS }: Partial<Watch> = {},
): Promise<Flow> {
	const { sandbox, n8n } = both;
	const client = sandbox.addClient({
		integration: 'inventory',
		clientId: `${runs}-client`,
		clientSecret: `${runs}-secret`,
		agencyRefs,
		tokenLifetime: TOKEN_LIFETIME_S,
	});
	const { type, data } = credentialOf(sandbox, client);
	const workflow = chain(
		runs,
		{
			name: TRIGGER,
			type: `${PACKAGE_NAME}.agentInventoryTrigger`,
			parameters: {
				pollTimes,
				events: ['created', 'priceChanged', 'statusChanged', 'updated'],
				filters: {},
				startFrom: 'activation',
				runs,
				simplify: true,
				options: { agencyRefs: agencyRefs.join(', ') },
			},
			credentials: { [type]: await n8n.createCredential(type, runs, data) },
		},
		NO_OPERATION,
	);
	const settings = {
		...workflow.settings,
		saveDataSuccessExecution: 'all',
		saveDataErrorExecution: 'all',
		saveExecutionProgress: true,
	} as const;
	return {
		runs,
		clientId: client.clientId,
		workflow: await n8n.createWorkflow({ ...workflow, settings }),
	};
}
