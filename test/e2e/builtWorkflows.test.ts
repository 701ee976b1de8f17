import { beforeAll, describe, expect, it } from '@jest/globals';
import type { INode, INodeTypeDescription } from 'n8n-workflow';

import { PACKAGE_NAME, type StoredWorkflow, type WorkflowJson } from '../lab/n8n';
import { scriptOf, type Assistant } from '../lab/n8n/assistant/assistant';
import { REQUESTS } from '../lab/n8n/assistant/requests';
import { essenceOf } from '../lab/n8n/essence';
import { exampleFiles, readExample } from '../lab/n8n/stage';
import { useStage } from '../lab/n8n/stage/useStage';
import { misfits } from '../lab/n8n/typeDefinition';

/** That what is built does what the example does is tested with the examples. */
describe('at n8n’s MCP server', () => {
	const stage = useStage();
	let assistant: Assistant;
	let types: INodeTypeDescription[];

	beforeAll(async () => {
		assistant = await stage.assistant();
		types = await stage.n8n.nodeTypes();
	}, 60_000);

	it('each example is asked for', () => {
		expect(REQUESTS.map(({ example }) => example).sort()).toEqual(exampleFiles().sort());
	});

	describe.each(REQUESTS)('“$sentence”', ({ example, searches }) => {
		const script = scriptOf(example);
		const ours = nodesOfPackage(readExample(example));

		it('comes to our nodes', async () => {
			const found = await assistant.find(searches);

			expect(found).toEqual(expect.arrayContaining(ours.map(({ type }) => type)));
		});

		it('is written as n8n describes our nodes, and n8n has nothing to say against them', async () => {
			const { valid, warnings = [] } = await assistant.validate(script);
			const names = ours.map(({ name }) => name);

			expect(valid).toBe(true);
			expect(warnings.filter(({ nodeName = '' }) => names.includes(nodeName))).toEqual([]);

			for (const { type, parameters } of nodesOfPackage(await build(script)))
				expect(misfits(await assistant.definition(type, parameters), parameters)).toEqual([]);
		});

		it('becomes the workflow of the example', async () => {
			const built = await build(script);

			const imported = await stage.n8n.createWorkflow(readExample(example));

			expect(essenceOf(built, types)).toEqual(essenceOf(imported, types));
			expect(built.nodes).toContainEqual(
				expect.objectContaining({ name: 'Set It Up', type: 'n8n-nodes-base.stickyNote' }),
			);
		});
	});

	describe('is left to people', () => {
		const script = scriptOf('instant-lead-response.json');

		it('which credential is right: of several n8n takes the same one, whatever the script calls it', async () => {
			const names = ['Littleford', 'Wexbourne'];
			for (const name of names) await stage.saveCredential(stage.addClient({ clientId: name }));

			const taken: string[] = [];
			for (const name of names) {
				const named = script.replace('Agent Leads account', name);
				const { autoAssignedCredentials } = await assistant.create(named);
				taken.push(...autoAssignedCredentials.map(({ credentialName }) => credentialName));
			}

			expect(taken).toHaveLength(2);
			expect(new Set(taken).size).toBe(1);
		});

		it('to make a credential that is missing: nothing is published before', async () => {
			const { workflowId } = await assistant.create(script);

			await expect(assistant.publish(workflowId)).rejects.toThrow(
				'Missing required credential: agentLeadsPushApi',
			);
		});

		it('to look for settings that do not exist: n8n validates no parameter of a community node', async () => {
			const wrong = script.replace("runs: 'onePerLead'", "run: 'onePerLead'");
			const definition = await assistant.definition(`${PACKAGE_NAME}.agentLeadsTrigger`, {});

			expect(wrong).not.toBe(script);
			expect(await assistant.validate(wrong)).toMatchObject({ valid: true });
			expect(misfits(definition, { runs: 'onePerLead' })).toEqual([]);
			expect(misfits(definition, { run: 'onePerLead' })).toEqual([
				expect.stringContaining(`'"run"' does not exist`),
			]);
			expect(misfits(definition, { runs: 'perLead' })).toEqual([
				expect.stringContaining('"perLead"'),
			]);
		});
	});

	async function build(script: string): Promise<StoredWorkflow> {
		return await stage.n8n.getWorkflow((await assistant.create(script)).workflowId);
	}
});

function nodesOfPackage({ nodes }: WorkflowJson): INode[] {
	return nodes.filter(({ type }) => type.startsWith(`${PACKAGE_NAME}.`));
}
