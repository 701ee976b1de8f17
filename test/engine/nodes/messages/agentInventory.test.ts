import { describe } from '@jest/globals';

import { always, holdsMessages, inventory, status } from '../../../lab/engine/messages';

describe('messages of Agent Inventory', () => {
	holdsMessages([
		[
			'The service refused the AgencyRef, or …',
			inventory({ options: { agencyRef: 'c0ffee00-1234-4abc-8def-0123456789ab' } }),
		],
		[
			'The service found no such property (404)',
			inventory({ operation: 'get', propertyId: 'nobody-has-it' }),
		],
		['The service answered without …', inventory({}, status('/inventory/filter', 200, 'json'))],
		[
			'The service answered without …',
			inventory({ resource: 'branch' }, status('/branches', 200, 'json')),
		],
		[
			'The service answered without …',
			inventory({ operation: 'get', propertyId: '5001' }, async ({ stored }) => {
				stored.inventoryUrl = await always({ status: 'ok' });
			}),
		],
		[
			'The service’s list ended early: …',
			inventory({ returnAll: true }, ({ sandbox }) => {
				sandbox.faults.add({ kind: 'status', status: 404, path: '/inventory/filter', after: 1 });
			}),
		],
		[
			'The service’s list never ends: …',
			inventory({ returnAll: true }, async ({ stored }) => {
				stored.inventoryUrl = await always({ meta: { nextToken: 'same' }, items: [{ id: '1' }] });
			}),
		],
	]);
});

describe('messages of Agent Inventory on its fields', () => {
	holdsMessages([
		['“…” is …', inventory({ operation: 'search', query: ' ' })],
		['“…” is …', inventory({ operation: 'search', query: 'x', searchBy: '={{ "name" }}' })],
		['“…” has …', inventory({ filters: { status: [] } })],
		['“…” contains …', inventory({ filters: { branchIds: [] } })],
		['“UPRN” is empty, and so are …', inventory({ operation: 'findForLead' })],
		['“…” is …', inventory({ operation: 'get', propertyId: '={{ "" }}' })],
		['“…” is …', inventory({ operation: 'get', propertyId: '..' })],
		['“…” has …', inventory({ options: { agencyRef: 'AG\n1' } })],
	]);
});
