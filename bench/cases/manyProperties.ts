import type { NodeInput } from '../../test/lab/n8n';
import { AGENCY_REFS } from '../../test/lab/sandbox/inventory';
import { oauth2ForInventory, ourCredential, type Credentials } from '../lib/credentials';
import { figureOf, figuresOf, medianOf, mostOf } from '../lib/figures';
import { agentInventory, httpRequest, itemsOf, limit } from '../lib/nodes';
import { times, whole, type Result, type Settings } from '../lib/result';
import { inTurn, type Run, type Scene } from '../lib/scene';

interface Figures {
	name: string;
	ms: number;
	requests: number;
	tokens: number;
}

const [AGENCY] = AGENCY_REFS;
const COUNT = 100;
const MOST_REQUESTS = 3;
const OURS = 'Agent Inventory';
const THEIRS = 'HTTP Request';

export async function manyProperties(settings: Settings, scene: Scene): Promise<Result> {
	return report(await measure(settings, scene));
}

async function measure({ rounds }: Settings, scene: Scene): Promise<Figures[]> {
	const runs = await inTurn(rounds, {
		[THEIRS]: async () => {
			const credentials = await oauth2ForInventory(scene);
			return await runWith(scene, THEIRS, theirNode(scene, credentials));
		},
		[OURS]: async () => {
			const credentials = await ourCredential(scene, 'inventory');
			return await runWith(scene, OURS, ourNode(credentials));
		},
	});
	return figuresOf(runs, (all) => ({
		ms: medianOf(all, 'ms'),
		requests: mostOf(all, 'requests'),
		tokens: mostOf(all, 'tokens'),
	}));
}

function theirNode({ sandbox }: Scene, credentials: Credentials): NodeInput {
	return httpRequest(credentials, {
		url: `=${sandbox.inventoryUrl}/inventory/{{ $json.id }}`,
		headers: { AgencyRef: AGENCY },
	});
}

function ourNode(credentials: Credentials): NodeInput {
	return agentInventory(credentials, {
		operation: 'get',
		propertyId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
	});
}

/** Runs a node with an item for each property. */
async function runWith(scene: Scene, name: string, node: NodeInput): Promise<Run> {
	const properties = scene.sandbox.inventory.of(AGENCY).slice(0, COUNT);
	const ids = properties.map(({ id }) => id);
	const workflow = await scene.workflow(name, [...itemsOf('id', ids), node, limit()]);
	return await scene.run(workflow, { node: node.name, items: COUNT });
}

function report(figures: Figures[]): Result {
	const [theirs, ours] = [figureOf(figures, THEIRS), figureOf(figures, OURS)];
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
