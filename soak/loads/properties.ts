import { SECOND_MS } from '../../service/basics/times';
import { credentialOf } from '../../test/lab/credentialOf';
import {
	agentInventoryTrigger,
	INVENTORY_TRIGGER,
	NO_OPERATION,
} from '../../test/lab/n8n/stage/nodes';
import { AGENCY_REFS } from '../../test/lab/sandbox/inventory';
import { createRandom, pick } from '../../test/lab/sandbox/random';
import { Agencies, deedsOf } from '../agencies';
import { usualDisturbances } from '../plan';
import { createFlow, type Flow, type Load, type Stage } from '../play';
import { deliveriesOf, reckon } from '../propertyLedger';
import { TOKEN_LIFETIME_S } from './leads';

const TITLE = 'changes';
/** In which the baseline is read: what changes before is no change to the trigger. */
const BASELINE_MS = 20 * SECOND_MS;

/** Properties of two agencies that change. */
export function properties(stage: Stage): Load {
	const { sandbox, course, seed, durationMs } = stage;
	const agencies = new Agencies(sandbox);
	return {
		create: async () => {
			const random = createRandom(seed + 4);
			const orders = ['stored', 'oldestModified', 'newestModified'] as const;
			sandbox.inventory.paging.order = pick(random, orders);
			sandbox.inventory.mostOnPage = pick(random, [7, 20, Infinity]);
			return [await create(stage)];
		},
		begun: async () => await course.pause(BASELINE_MS),
		disturbances: usualDisturbances(seed, durationMs),
		failing: [/\/inventory\/(filter|items)$/, '/identity/connect/token'],
		bringing: /\/items$/,
		submit: async () => {
			for (const deed of deedsOf(createRandom(seed), durationMs)) {
				await course.waitUntil(deed.at);
				agencies.do(deed);
			}
		},
		reckon: (_flow, executions, { absences }) =>
			reckon(
				[...agencies.histories.values()],
				deliveriesOf(executions, INVENTORY_TRIGGER),
				absences,
			),
	};
}

async function create(stage: Stage): Promise<Flow> {
	const { n8n, sandbox } = stage;
	const client = sandbox.addClient({
		integration: 'inventory',
		clientId: 'properties-client',
		clientSecret: 'properties-secret',
		agencyRefs: AGENCY_REFS,
		tokenLifetime: TOKEN_LIFETIME_S,
	});
	const { type, data } = credentialOf(sandbox, client);
	const trigger = agentInventoryTrigger(await n8n.createCredential(type, TITLE, data), {
		events: ['created', 'priceChanged', 'statusChanged', 'updated'],
		options: { agencyRefs: AGENCY_REFS.join(', ') },
	});
	return await createFlow(stage, TITLE, [trigger], NO_OPERATION);
}
