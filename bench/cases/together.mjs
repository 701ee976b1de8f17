// @ts-check
import { median, timed } from '../lib/measure.mjs';
import { whole } from '../lib/report.mjs';
import { inTurn, total } from '../lib/scene.mjs';
import {
	agentLeads,
	httpRequest,
	leadsCredential,
	limit,
	oauth2ForLeads,
} from '../lib/subjects.mjs';

/**
 * @typedef {import('../lib/scene.mjs').Scene} Scene
 * @typedef {import('../lib/scene.mjs').StoredWorkflow} StoredWorkflow
 */

/**
 * @param {import('../lib/scene.mjs').Bench} bench
 * @param {Scene} scene
 * @returns {Promise<import('../lib/report.mjs').Result>}
 */
export async function together(bench, scene) {
	const { n8n, sandbox } = scene;
	const executions = bench.quick ? 20 : 60;

	/** @param {StoredWorkflow} workflow */
	const burst = async (workflow) => {
		sandbox.resetCounts();
		const { ms, result } = await timed(
			async () =>
				await Promise.all(
					Array.from({ length: executions }, async () => await n8n.runByWebhook(workflow)),
				),
		);
		const failed = result.filter(({ status, items }) => status !== 200 || items().length !== 1);
		if (failed[0]) throw new Error(`${failed.length} executions failed: ${failed[0].text}`);
		return { ms, tokens: total(sandbox.counts.tokens) };
	};

	/** @param {StoredWorkflow} workflow */
	const coldThenWarm = async (workflow) => ({
		cold: await burst(workflow),
		warm: await burst(workflow),
	});

	const runs = await inTurn(bench, {
		'HTTP Request': async () => {
			const credentials = await oauth2ForLeads(n8n, sandbox, scene.client('leads'));
			const request = httpRequest(credentials, { url: `${sandbox.leadsUrl}/applicant-leads` });
			return await coldThenWarm(await scene.workflow('HTTP Request', [request, limit()]));
		},
		'Agent Leads': async () => {
			const credentials = await leadsCredential(n8n, sandbox, scene.client('leads'));
			const node = agentLeads(credentials, {});
			return await coldThenWarm(await scene.workflow('Agent Leads', [node, limit()]));
		},
	});
	const figures = [...runs].map(([name, all]) => ({
		name,
		cold: all.map(({ cold }) => cold),
		warm: all.map(({ warm }) => warm),
	}));
	const ours = figures.find(({ name }) => name === 'Agent Leads');
	if (!ours) throw new Error('Agent Leads was not measured');
	/** @param {Array<{ tokens: number }>} bursts */
	const mostTokens = (bursts) => Math.max(...bursts.map(({ tokens }) => tokens));

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
		rows: figures.map(({ name, cold, warm }) => [
			name,
			whole(mostTokens(cold)),
			whole(mostTokens(warm)),
			whole(median(cold.map(({ ms }) => ms))),
			whole(median(warm.map(({ ms }) => ms))),
		]),
		goals: [
			{
				text: '1 token from cold, then none',
				figure: `${mostTokens(ours.cold)}, then ${mostTokens(ours.warm)}`,
				isMet: ours.cold.every(({ tokens }) => tokens === 1) && mostTokens(ours.warm) === 0,
			},
		],
	};
}
