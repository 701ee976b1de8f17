import type { NodeInput } from '../../test/lab/n8n';
import { agentLeads } from '../../test/lab/n8n/stage/nodes';
import { inTurn, medianOf } from '../lib/figures';
import { timed } from '../lib/measure';
import { httpRequest } from '../lib/nodes';
import { whole, type Result, type Settings } from '../lib/report';
import { Scene } from '../lib/scene';

interface Burst {
	/** From the first call to the last answer. */
	ms: number;
	tokens: number;
}

export async function together({ isQuick, rounds }: Settings): Promise<Result> {
	const count = isQuick ? 20 : 60;
	const runs = await Scene.play(async (scene) => {
		const now = Date.now();
		scene.sandbox.addLeads('applicant', 100, { from: now - 20 * 3_600_000, to: now });
		const url = `${scene.sandbox.leadsUrl}/applicant-leads`;
		return await inTurn(rounds, {
			'HTTP Request': async () =>
				await coldThenWarm(scene, count, httpRequest(await scene.oauth2(), url)),
			'Agent Leads': async () =>
				await coldThenWarm(scene, count, agentLeads(await scene.ourCredential())),
		});
	});
	const ours = runs['Agent Leads'];
	return {
		title: `${count} executions at once`,
		about:
			'From cold, without a token, and then once more. The tokens are the most of any round, the wall times are from the first call to the last answer.',
		columns: ['Nodes', 'Tokens, cold', 'warm', 'Wall time, cold (ms)', 'warm (ms)'],
		rows: Object.entries(runs).map(([name, all]) => {
			const [cold, warm] = [all.map((each) => each.cold), all.map((each) => each.warm)];
			const times = [medianOf(cold, 'ms'), medianOf(warm, 'ms')];
			return [name, ...[mostTokens(cold), mostTokens(warm), ...times].map(whole)];
		}),
		goals: [
			{
				text: '1 token from cold, then none',
				figure: ours.map(({ cold, warm }) => `${cold.tokens}, then ${warm.tokens}`).join('; '),
				isMet: ours.every(({ cold, warm }) => cold.tokens === 1 && warm.tokens === 0),
			},
		],
	};
}

function mostTokens(bursts: Burst[]): number {
	return Math.max(...bursts.map(({ tokens }) => tokens));
}

/** One burst without a token, and one more. */
async function coldThenWarm(scene: Scene, count: number, node: NodeInput) {
	const workflow = await scene.workflow(node.name, [node]);
	const burst = async (): Promise<Burst> => {
		scene.sandbox.resetCounts();
		const calls = Array.from({ length: count }, () => scene.n8n.runByWebhook(workflow));
		const { ms, result } = await timed(async () => await Promise.all(calls));
		const failed = result.find((run) => run.status !== 200 || run.items().length !== 1);
		if (failed) throw new Error(`An execution failed: ${failed.text}`);
		return { ms, tokens: scene.tokens };
	};
	return { cold: await burst(), warm: await burst() };
}
