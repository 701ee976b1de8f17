import { describe } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { AGENCY, InventoryBench } from '../../../lab/engine/inventory';
import { InventoryHost } from '../../../lab/engine/inventoryPoll';
import { holdsMessages, used } from '../../../lab/engine/messages';

/** What the manual test shows, of an agency without properties. */
const shown = (parameters: INodeParameters) => async () =>
	await used(InventoryBench.start(), async (bench) => {
		bench.sandbox.inventory.fill(AGENCY, 0);
		const host = new InventoryHost(bench, parameters);
		return (await host.failure(host.test())).message;
	});

describe('docs/agent-inventory-trigger.md', () => {
	holdsMessages('agent-inventory-trigger', [
		['There is no property to show', shown({})],
		['“Events” has nothing chosen', shown({ events: [] })],
		['“Events” has an unknown value', shown({ events: ['sold'] })],
		['“Status” has an unknown value', shown({ filters: { status: 'Under Offer' } })],
		['“Start From” has an unknown value', shown({ startFrom: 'ever' })],
		['“Runs” has an unknown value', shown({ runs: 'onePerDay' })],
		[
			'“Run Again If It Fails” must be a whole number of at least 0 and at most 5',
			shown({ runs: 'onePerChange', options: { runAgain: 6 } }),
		],
	]);
});
