import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from '@jest/globals';

import { until, type NodeInput, type StoredWorkflow } from '../lab/n8n';
import { agentLeads, agentLeadsTrigger, APPLICANTS_PATH } from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';
import { root } from '../lab/paths';

const stage = useStage();

/** What a page tells people to enter. */
const expressionIn = (page: string, pattern: RegExp): string => {
	const [, text] = pattern.exec(readFileSync(join(root, 'docs', page), 'utf8')) ?? [];
	if (text === undefined) throw new Error(`docs/${page} has no such expression`);
	return text;
};

const TEXT = expressionIn('faq.md', /`(\{\{ \$json\.workflow\.name \}\}.*?)`/s);
const CODE = expressionIn('troubleshooting.md', /In an error workflow: `(.*?)`/s);

const ERROR_TRIGGER: NodeInput = { name: 'Error Trigger', type: 'n8n-nodes-base.errorTrigger' };

const MAIL: NodeInput = {
	name: 'Mail',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		assignments: {
			assignments: [
				{ id: '1', name: 'text', value: `=${TEXT}`, type: 'string' },
				{ id: '2', name: 'code', value: `=${CODE}`, type: 'string' },
			],
		},
	},
};

/** What the error workflow would send of the first failure of a workflow. */
async function told(by: StoredWorkflow): Promise<unknown> {
	return await until('the error workflow to run', 60_000, async () => {
		const [execution] = await stage.n8n.executions(by);
		return execution?.json('Mail')[0];
	});
}

/** What the text says besides: an error workflow is told of no run if a poll failed, but what to do. */
const MORE: Record<string, string> = {
	'a poll': '  Ask the operator of the service [^<]* Troubleshooting: forbidden',
	'a run': 'Agent Leads http\\S+/workflow/\\w+/executions/\\d+ ',
};

it.each(Object.keys(MORE))(
	'an error workflow as the pages have it tells why %s failed',
	async (what) => {
		const tell = await stage.publish(`Tell of ${what}`, [ERROR_TRIGGER, MAIL]);
		const polled = stage.addClient({ branches: [what] });
		const other = stage.addClient({ branches: [what] });
		const name = `Failing at ${what}`;
		const nodes = [
			agentLeadsTrigger(await stage.saveCredential(polled)),
			agentLeads(await stage.saveCredential(other)),
		];
		const workflow = await stage.publish(name, nodes, { errorWorkflow: tell.id });

		const { clientId } = what === 'a poll' ? polled : other;
		const path = APPLICANTS_PATH;
		stage.sandbox.faults.add({ kind: 'status', status: 403, path, clientId, times: Infinity });
		stage.sandbox.addLead('applicant', {}, { branchId: what });
		const mail = await told(tell);
		await stage.n8n.deactivate(workflow);

		expect(mail).toEqual({
			text: expect.stringMatching(
				new RegExp(`^${name}: .*The service refused access \\(403\\) ${MORE[what]}$`),
			),
			code: 'forbidden',
		});
	},
);
