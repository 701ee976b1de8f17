import { SECOND_MS } from '../../service/basics/times';
import { credentialOf } from '../../test/lab/credentialOf';
import { chain, EVERY_FIVE_SECONDS, PACKAGE_NAME } from '../../test/lab/n8n';
import { NO_OPERATION } from '../../test/lab/n8n/stage/nodes';
import { AGENCY_REFS } from '../../test/lab/sandbox/inventory';
import { createRandom, pick } from '../../test/lab/sandbox/random';
import { Agencies, deedsOf } from '../agencies';
import { usualDisturbances } from '../plan';
import type { Flow, Load, Stage } from '../play';
import { deliveriesOf, reckon } from '../propertyLedger';
import { STORE_ALL, TOKEN_LIFETIME_S } from './leads';

const TITLE = 'changes';
const TRIGGER = 'Agent Inventory Trigger';
/** In which the baseline is read: what changes before is no change to the trigger. */
const BASELINE_MS = 20 * SECOND_MS;

/** Properties of two agencies that change. */
export function properties(stage: Stage): Load {
	const { sandbox, course, seed, durationMs } = stage;
	const agencies = new Agencies(sandbox);
	return {
		create: async () => {
			const random = createRandom(seed + 4);
			Object.assign(sandbox.inventory.paging, {
				order: pick(random, ['stored', 'oldestModified', 'newestModified'] as const),
				tokens: pick(random, ['offset', 'cursor'] as const),
			});
			sandbox.inventory.mostOnPage = pick(random, [7, 20, Infinity]);
			return [await createFlow(stage)];
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
			reckon([...agencies.histories.values()], deliveriesOf(executions, TRIGGER), absences),
	};
}

async function createFlow({ n8n, sandbox }: Stage): Promise<Flow> {
	const client = sandbox.addClient({
		integration: 'inventory',
		clientId: 'properties-client',
		clientSecret: 'properties-secret',
		agencyRefs: AGENCY_REFS,
		tokenLifetime: TOKEN_LIFETIME_S,
	});
	const { type, data } = credentialOf(sandbox, client);
	const trigger = {
		name: TRIGGER,
		type: `${PACKAGE_NAME}.agentInventoryTrigger`,
		parameters: {
			pollTimes: EVERY_FIVE_SECONDS,
			events: ['created', 'priceChanged', 'statusChanged', 'updated'],
			filters: {},
			startFrom: 'activation',
			runs: 'onePerChange',
			simplify: true,
			options: { agencyRefs: AGENCY_REFS.join(', ') },
		},
		credentials: { [type]: await n8n.createCredential(type, TITLE, data) },
	};
	const workflow = chain(TITLE, trigger, NO_OPERATION);
	const settings = { ...workflow.settings, ...STORE_ALL };
	const stored = await n8n.createWorkflow({ ...workflow, settings });
	return { title: TITLE, triggers: [TRIGGER], workflow: stored };
}
