// @ts-check
import { median } from '../lib/measure.mjs';
import { times, whole } from '../lib/report.mjs';
import { inTurn } from '../lib/scene.mjs';
import {
	AGENCY,
	agentInventory,
	httpRequest,
	inventoryCredential,
	itemsOf,
	limit,
	oauth2ForInventory,
} from '../lib/subjects.mjs';

const COUNT = 100;
const MOST_REQUESTS = 3;
const OURS = 'Agent Inventory';
const THEIRS = 'HTTP Request';

/** @typedef {import('../lib/scene.mjs').Scene} Scene */

/**
 * @param {import('../lib/scene.mjs').Bench} bench
 * @param {Scene} scene
 * @returns {Promise<import('../lib/report.mjs').Result>}
 */
export async function manyProperties(bench, scene) {
	const { n8n, sandbox } = scene;
	const ids = sandbox.inventory
		.of(AGENCY)
		.slice(0, COUNT)
		.map(({ id }) => id);

	const runs = await inTurn(bench, {
		[THEIRS]: async () => {
			const credentials = await oauth2ForInventory(n8n, sandbox, scene.client('inventory'));
			const request = httpRequest(credentials, {
				url: `=${sandbox.inventoryUrl}/inventory/{{ $json.id }}`,
				headers: { AgencyRef: AGENCY },
			});
			const nodes = [...itemsOf('id', ids), request, limit()];
			const workflow = await scene.workflow(THEIRS, nodes);
			return await scene.run(workflow, { node: request.name, items: COUNT });
		},
		[OURS]: async () => {
			const credentials = await inventoryCredential(n8n, sandbox, scene.client('inventory'));
			const get = agentInventory(credentials, {
				operation: 'get',
				propertyId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			});
			const workflow = await scene.workflow(OURS, [...itemsOf('id', ids), get, limit()]);
			return await scene.run(workflow, { node: get.name, items: COUNT });
		},
	});
	const figures = [...runs].map(([name, all]) => ({
		name,
		ms: median(all.map(({ ms }) => ms)),
		requests: Math.max(...all.map(({ requests }) => requests)),
		tokens: Math.max(...all.map(({ tokens }) => tokens)),
	}));
	const [theirs, ours] = figures;
	if (!theirs || !ours) throw new Error('There is nothing to compare');

	return {
		title: `${COUNT} properties by ID`,
		about: `${COUNT} input items with a property ID each, from cold: without a token. The HTTP Request node sends the requests of all its items together. Requests and tokens are the most of any round.`,
		columns: ['Nodes', 'Requests', 'Tokens', 'Wall time (ms)', 'Ratio'],
		rows: figures.map(({ name, requests, tokens, ms }) => [
			name,
			whole(requests),
			whole(tokens),
			whole(ms),
			times(ms / theirs.ms),
		]),
		goals: [
			{
				text: `At most ${MOST_REQUESTS} data requests against ${COUNT}`,
				figure: `${ours.requests} against ${theirs.requests}`,
				isMet: ours.requests <= MOST_REQUESTS && theirs.requests === COUNT,
			},
		],
	};
}
