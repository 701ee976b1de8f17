import type { NodeInput, StoredWorkflow } from '../../test/lab/n8n';
import { oauth2ForLeads, ourCredential } from '../lib/credentials';
import { figureOf, figuresOf, medianOf, mostOf } from '../lib/figures';
import { timed } from '../lib/measure';
import { agentLeads, httpRequest, limit } from '../lib/nodes';
import { whole, type Result, type Settings } from '../lib/result';
import { inTurn, tokensIn, type Scene } from '../lib/scene';

/** Executions at once. */
interface Burst {
	/** From the first call to the last answer. */
	ms: number;
	tokens: number;
}

interface Figures {
	name: string;
	cold: Burst;
	warm: Burst;
	/** Whether each cold burst took one token. */
	isOneTokenEach: boolean;
}

const OURS = 'Agent Leads';
const THEIRS = 'HTTP Request';

export async function together(settings: Settings, scene: Scene): Promise<Result> {
	const executions = settings.isQuick ? 20 : 60;
	return report(await measure(settings, scene, executions), executions);
}

async function measure({ rounds }: Settings, scene: Scene, executions: number): Promise<Figures[]> {
	const runs = await inTurn(rounds, {
		[THEIRS]: async () => {
			const url = `${scene.sandbox.leadsUrl}/applicant-leads`;
			const node = httpRequest(await oauth2ForLeads(scene), { url });
			return await coldThenWarm(scene, THEIRS, node, executions);
		},
		[OURS]: async () => {
			const node = agentLeads(await ourCredential(scene, 'leads'), {});
			return await coldThenWarm(scene, OURS, node, executions);
		},
	});
	return figuresOf(runs, (all) => {
		const cold = all.map((each) => each.cold);
		return {
			cold: burstOf(cold),
			warm: burstOf(all.map((each) => each.warm)),
			isOneTokenEach: cold.every(({ tokens }) => tokens === 1),
		};
	});
}

/** One burst without a token, and one more. */
async function coldThenWarm(scene: Scene, name: string, node: NodeInput, executions: number) {
	const workflow = await scene.workflow(name, [node, limit()]);
	return {
		cold: await burst(scene, workflow, executions),
		warm: await burst(scene, workflow, executions),
	};
}

async function burst(
	{ n8n, sandbox }: Scene,
	workflow: StoredWorkflow,
	executions: number,
): Promise<Burst> {
	sandbox.resetCounts();
	const { ms, result } = await timed(
		async () =>
			await Promise.all(
				Array.from({ length: executions }, async () => await n8n.runByWebhook(workflow)),
			),
	);
	const failed = result.filter((run) => run.status !== 200 || run.items().length !== 1);
	if (failed[0]) throw new Error(`${failed.length} executions failed: ${failed[0].text}`);
	return { ms, tokens: tokensIn(sandbox) };
}

/** The bursts of all rounds in one. */
function burstOf(bursts: Burst[]): Burst {
	return { ms: medianOf(bursts, 'ms'), tokens: mostOf(bursts, 'tokens') };
}

function report(figures: Figures[], executions: number): Result {
	const { cold, warm, isOneTokenEach } = figureOf(figures, OURS);
	return {
		title: `${executions} executions at once`,
		about:
			'From cold, without a token, and then once more. The tokens are the most of any round, the wall times are from the first call to the last answer.',
		columns: [
			'Nodes',
			'Tokens, cold',
			'Tokens, warm',
			'Wall time, cold (ms)',
			'Wall time, warm (ms)',
		],
		rows: figures.map((each) => [
			each.name,
			whole(each.cold.tokens),
			whole(each.warm.tokens),
			whole(each.cold.ms),
			whole(each.warm.ms),
		]),
		goals: [
			{
				text: '1 token from cold, then none',
				figure: `${cold.tokens}, then ${warm.tokens}`,
				isMet: isOneTokenEach && warm.tokens === 0,
			},
		],
	};
}
