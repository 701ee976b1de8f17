import { expect, it } from '@jest/globals';

import { until, type NodeInput } from '../lab/n8n';
import { LeadRuns } from '../lab/n8n/stage';
import { useOnEachHost } from '../lab/n8n/stage/useStage';

/** As it is after somebody has deleted its credential: n8n begins no run of a workflow that has it. */
function lackingCredential(node: NodeInput): NodeInput {
	const authentication = 'genericCredentialType';
	return {
		...node,
		parameters: { ...node.parameters, authentication, genericAuthType: 'httpHeaderAuth' },
		credentials: { httpHeaderAuth: { id: null, name: 'Deleted' } },
	};
}

const onEach = useOnEachHost(async (env) => {
	const runs = await LeadRuns.start(env);
	await runs.publish('barred', { next: lackingCredential(runs.target.node) });
	return runs;
});

it('a lead whose run n8n does not begin has it once that is put right, even if n8n is killed meanwhile', async () => {
	await onEach(async (runs) => {
		const barred = runs.submit('barred');
		await until('a second run that n8n does not begin', 120_000, async () => {
			const executions = await runs.executions('barred');
			return executions.filter(({ status }) => status === 'error').length >= 2;
		});
		// Had n8n been killed before, the trigger would take the second for the lead's run (see operations.md).
		await until('that to be stored', 30_000, async () =>
			/"key":3,"failed":0/.test(await runs.progress('barred')),
		);

		await runs.stage.n8n.kill9();
		await runs.stage.n8n.restart();
		await runs.publishOver('barred', runs.target.node);

		await runs.waitFor(barred, 'success');
		expect(runs.target.attempts(barred)).toEqual([undefined]);
	});
});
