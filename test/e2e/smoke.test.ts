import { describe, expect, it } from '@jest/globals';

import { chain, PACKAGE_NAME as PACKAGE, send } from '../lab/n8n';
import { useStage } from '../lab/n8n/stage/useStage';
import { exampleFiles, readExample } from '../lab/n8n/stage/examples';
import { CREDENTIALS, NODES } from '../lab/publishedTypes';

/** docs/installation.md says to set it before an upgrade to n8n 3. Without it, the report below has an issue of the instance. */
const VERSION_3 = { N8N_UNVERIFIED_PACKAGES_ENABLED: 'true' };

describe('the package in a real n8n', () => {
	const stage = useStage({ env: VERSION_3 });

	it('its nodes and credentials are offered in the editor, icons included, and to AI agents what spends nothing', async () => {
		const types = await stage.n8n.nodeTypes();
		const ours = types.filter(({ name }) => name.startsWith(`${PACKAGE}.`));
		const names = ours.map(({ name }) => name.slice(PACKAGE.length + 1));
		const credentials = (await stage.n8n.credentialTypes()).map(({ name }) => name);

		expect(names).toEqual(expect.arrayContaining(NODES.map(({ description: { name } }) => name)));
		expect(names.filter((name) => name.endsWith('Tool')).sort()).toEqual([
			'agentInventoryTool',
			'agentLeadsTool',
		]);
		expect(credentials).toEqual(expect.arrayContaining(CREDENTIALS.map(({ name }) => name)));

		for (const icon of ours.flatMap(({ iconUrl = '' }) =>
			typeof iconUrl === 'string' ? iconUrl : Object.values(iconUrl),
		)) {
			const { status, headers } = await send(`${stage.n8n.url}/${icon}`);
			expect([icon, status, headers['content-type']]).toEqual([icon, 200, 'image/svg+xml']);
		}
	});

	it('n8n loads it without a complaint', () => {
		const lines = stage.n8n.logs().split('\n');

		expect(lines.filter((line) => line.includes(PACKAGE))).toEqual([]);
		expect(lines.filter((line) => /failed to load|skipping package/i.test(line))).toEqual([]);
	});

	/** n8n's own report on what its next major version breaks, in the workflows and in the instance. */
	async function breakingChanges() {
		type Result = { ruleId: string; nbAffectedWorkflows?: number };
		const path = '/rest/breaking-changes/report/refresh?version=v3';
		const { report } = await stage.n8n.rest.post<{
			report: { instanceResults: Result[]; workflowResults: Result[] };
		}>(path);
		return report;
	}

	it('n8n’s report on version 3 finds nothing in the examples and in a workflow of each node, and something where there is', async () => {
		const all = NODES.map(({ description: { name, displayName } }) => ({
			name: displayName,
			type: `${PACKAGE}.${name}`,
		}));
		for (const file of exampleFiles()) await stage.n8n.createWorkflow(readExample(file));
		await stage.n8n.createWorkflow(chain('Each node', ...all));

		const { instanceResults, workflowResults } = await breakingChanges();

		expect(workflowResults).toEqual([]);
		const instanceIssues = instanceResults.map(({ ruleId }) => ruleId);
		expect(instanceIssues).not.toContain('unverified-packages-v3');
		// Every instance has this one.
		expect(instanceIssues).toContain('workflow-import-url-removed-v3');

		const removed = { keepOnlySet: false, values: {}, options: {}, note: '={{ $getPairedItem }}' };
		await stage.n8n.createWorkflow(
			chain('Removed', { name: 'Set', type: 'n8n-nodes-base.set', parameters: removed }),
		);

		expect((await breakingChanges()).workflowResults).toMatchObject([
			{ ruleId: 'get-paired-item-v3', nbAffectedWorkflows: 1 },
		]);
	});
});
