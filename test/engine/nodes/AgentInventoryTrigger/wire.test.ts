import { beforeEach, expect, it } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { AGENCY, InventoryBench, OTHER_AGENCY } from '../../../lab/engine/inventory';
import { InventoryHost } from '../../../lab/engine/inventoryPoll';
import { useBench } from '../../../lab/engine/useBench';
import { MINUTE } from '../../../lab/times';

const NOW = Date.parse('2026-03-29T12:00:00.789Z');

const bench = useBench(InventoryBench);

let id = '';

beforeEach(() => {
	bench.setClock(NOW);
	const [house] = bench.fill(1);
	id = house?.id ?? '';
	bench.sandbox.inventory.change(AGENCY, id, { archived: false, modifiedDate: null });
	bench.fill(0, OTHER_AGENCY);
});

const asked = () =>
	bench.dataRequests.map(({ path, query }) => [
		path.replace('/inventory-api/inventory', ''),
		query,
	]);

/** What the activation asks for, and what the poll five minutes later asks for. */
async function pollsOf(parameters: INodeParameters = {}) {
	const host = new InventoryHost(bench, parameters);
	await host.activate();
	const first = asked();
	bench.sandbox.resetCounts();
	bench.setClock(NOW + 5 * MINUTE);
	await host.tick();
	return { first, second: asked() };
}

/** The lists of a poll: all that was modified since, and what was created. */
function lists(since: string, more: Record<string, string[]> = {}) {
	const usual = { ...more, 'max-results': ['250'] };
	return [
		['/filter', { archived: ['false'], 'modified-from': [since], ...usual }],
		['/filter', { archived: ['true'], 'modified-from': [since], ...usual }],
		['/filter', { archived: ['false'], 'created-from': [since], ...usual }],
	];
}

it('a poll asks for all properties and their records at first, and then for what was modified or created since', async () => {
	const { first, second } = await pollsOf();

	expect(first).toEqual([
		['/filter', { archived: ['false'], 'max-results': ['250'] }],
		['/items', { 'inventory-id': [id] }],
		['/filter', { archived: ['true'], 'max-results': ['250'] }],
	]);
	// An hour of Look Back before the minute before the activation, which belongs to it.
	expect(second).toEqual(lists('2026-03-29T10:59:00Z'));
});

it('a poll asks with every filter but the status, which the node looks at itself', async () => {
	const { second } = await pollsOf({
		filters: {
			...{ recordType: 'Rent', category: 'Commercial', branchIds: ['11', 'A1&b=2+3'] },
			status: ['LetAgreed'],
		},
		options: { lookBack: 90 },
	});
	const more = {
		...{ recordType: ['Rent'], categoryType: ['Commercial'], branchIds: ['11', 'A1&b=2+3'] },
	};

	expect(second).toEqual(lists('2026-03-29T10:29:00Z', more));
});

it('a poll asks for each agency with its AgencyRef', async () => {
	await pollsOf({ options: { agencyRefs: [AGENCY, OTHER_AGENCY].join(', ') } });

	expect(bench.dataRequests.map(({ agencyRef }) => agencyRef).sort()).toEqual(
		[AGENCY, OTHER_AGENCY].sort().flatMap((each) => [each, each, each]),
	);
});

it('a manual test asks for current properties and their records', async () => {
	await new InventoryHost(bench).test();

	expect(asked()).toEqual([
		['/filter', { archived: ['false'], 'max-results': ['5'] }],
		['/items', { 'inventory-id': [id] }],
	]);
});
