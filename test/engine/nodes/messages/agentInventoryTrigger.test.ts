import { describe } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { AGENCY, InventoryBench } from '../../../lab/engine/inventory';
import { InventoryHost } from '../../../lab/engine/inventoryPoll';
import { holdsMessages, seenIn, used } from '../../../lab/engine/messages';

/** What the manual test shows, of an agency without properties. */
const shown = (parameters: INodeParameters) => async () =>
	await used(InventoryBench.start(), async (bench) => {
		bench.sandbox.inventory.fill(AGENCY, 0);
		const host = new InventoryHost(bench, parameters);
		return seenIn(await host.failure(host.test()));
	});

describe('messages of Agent Inventory Trigger on its fields', () => {
	holdsMessages([
		['There is nothing to show', shown({})],
		['“…” has …', shown({ events: [] })],
		['“…” has …', shown({ events: ['sold'] })],
		['“…” has …', shown({ filters: { status: 'Under Offer' } })],
		['“…” is …', shown({ startFrom: 'ever' })],
		['“…” is …', shown({ runs: 'onePerDay' })],
		['“…” must be …', shown({ runs: 'onePerChange', options: { runAgain: 6 } })],
	]);
});
