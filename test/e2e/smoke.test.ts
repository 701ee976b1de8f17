import { describe, expect, it } from '@jest/globals';

import { chain, N8n, send, webhook } from '../lab/n8n';
import { exampleFiles, readExample } from '../lab/n8n/stage';
import { NODES } from '../lab/publishedTypes';
import { useInAll } from '../lab/standIn';

const PACKAGE = 'n8n-nodes-agent-integration';

/** What docs/installation.md says to set before an upgrade to n8n 3. */
const VERSION_3 = { N8N_UNVERIFIED_PACKAGES_ENABLED: 'true' };

describe('the package in a real n8n', () => {
	const n8n = useInAll(async () => await N8n.start({ env: VERSION_3 }), {
		start: 240_000,
		stop: 60_000,
	});

	it('its nodes are offered in the editor, icons included', async () => {
		const ours = (await n8n.nodeTypes()).filter((type) => type.name.startsWith(`${PACKAGE}.`));

		expect(ours.map((type) => type.name)).toContain(`${PACKAGE}.agentLeads`);

		const icons = ours.flatMap((type) => iconUrls(type.iconUrl));

		expect(icons.length).toBeGreaterThanOrEqual(ours.length);
		for (const icon of icons) {
			const { status, headers } = await send(`${n8n.url}/${icon}`);
			expect([icon, status, headers['content-type']]).toEqual([icon, 200, 'image/svg+xml']);
		}
	});

	it('its credentials are offered in the editor', async () => {
		const names = (await n8n.credentialTypes()).map((type) => type.name);

		expect(names).toContain('agentLeadsApi');
	});

	it('n8n loads it without a complaint', () => {
		const lines = n8n.logs().split('\n');

		expect(lines.filter((line) => line.includes(PACKAGE))).toEqual([]);
		expect(lines.filter((line) => /failed to load|skipping package/i.test(line))).toEqual([]);
	});

	it('n8n’s report on version 3 finds nothing in the examples and in a workflow of each node, and something where there is', async () => {
		const all = NODES.map(({ description: { name, displayName } }) => ({
			name: displayName,
			type: `${PACKAGE}.${name}`,
		}));
		for (const file of exampleFiles()) await n8n.createWorkflow(readExample(file));
		await n8n.createWorkflow(chain('Each node', ...all));

		const { instanceResults, workflowResults } = await n8n.breakingChanges();

		expect(workflowResults).toEqual([]);
		expect(instanceResults.map(({ ruleId }) => ruleId)).not.toContain('unverified-packages-v3');

		const removed = { keepOnlySet: false, values: {}, options: {}, note: '={{ $getPairedItem }}' };
		await n8n.createWorkflow(
			chain('Removed', { name: 'Set', type: 'n8n-nodes-base.set', parameters: removed }),
		);

		expect((await n8n.breakingChanges()).workflowResults).toMatchObject([
			{ ruleId: 'get-paired-item-v3', nbAffectedWorkflows: 1 },
		]);
	}, 120_000);

	it('after a power cut n8n comes back with its workflows active', async () => {
		const workflow = await n8n.createWorkflow(
			chain('Echo', webhook(), { name: 'Echo', type: 'n8n-nodes-base.noOp' }),
		);
		await n8n.activate(workflow);

		expect((await n8n.runByWebhook(workflow, { round: 1 })).items()).toHaveLength(1);

		await n8n.kill9();
		await n8n.restart();

		const run = await n8n.runByWebhook(workflow, { round: 2 });

		expect(run.items()).toMatchObject([{ body: { round: 2 } }]);
		expect((await run.execution()).json('Webhook')).toMatchObject([{ body: { round: 2 } }]);
	}, 240_000);
});

/** A node has one icon, or one for each theme. */
function iconUrls(iconUrl: string | { light: string; dark: string } | undefined): string[] {
	if (iconUrl === undefined) return [];
	return typeof iconUrl === 'string' ? [iconUrl] : Object.values(iconUrl);
}
