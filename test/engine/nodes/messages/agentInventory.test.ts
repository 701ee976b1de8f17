import { describe } from '@jest/globals';

import { always, holdsMessages, inventory, status } from '../../../lab/engine/messages';

describe('docs/troubleshooting.md: Of Agent Inventory', () => {
	holdsMessages(
		'troubleshooting',
		[
			[
				'The service refused the AgencyRef, or this client may not read properties (403)',
				inventory({ options: { agencyRef: 'AG9999' } }),
			],
			[
				'The service found no such property (404)',
				inventory({ operation: 'get', propertyId: 'nobody-has-it' }),
			],
			[
				'The service answered without a list of …',
				inventory({}, status('/inventory/filter', 200, 'json')),
			],
			[
				'The service answered without a list of …',
				inventory({ resource: 'branch' }, status('/branches', 200, 'json')),
			],
			[
				'The service answered without the record of a property',
				inventory({ operation: 'get', propertyId: '5001' }, async ({ stored }) => {
					stored.inventoryUrl = await always({ status: 'ok' });
				}),
			],
			[
				'The service’s list broke off: it does not know its own next page (404)',
				inventory({ returnAll: true }, ({ sandbox }) => {
					sandbox.faults.add({ kind: 'status', status: 404, path: '/inventory/filter', after: 1 });
				}),
			],
			[
				'The service left open whether there is this property',
				inventory(
					{ operation: 'get', propertyId: '={{ 5000 + $itemIndex }}' },
					async ({ stored }) => {
						stored.inventoryUrl = await always({});
					},
					2,
				),
			],
			[
				'The service’s list does not end: it repeats a page, or sends one empty page after another',
				inventory({ returnAll: true }, async ({ stored }) => {
					stored.inventoryUrl = await always({ meta: { nextToken: 'same' }, items: [{ id: '1' }] });
				}),
			],
		],
		'Of Agent Inventory',
	);
});

describe('docs/agent-inventory.md', () => {
	holdsMessages('agent-inventory', [
		['“Query” is empty', inventory({ operation: 'search', query: ' ' })],
		[
			'“Search By” is unknown',
			inventory({ operation: 'search', query: 'x', searchBy: '={{ "name" }}' }),
		],
		['“…” has nothing chosen', inventory({ filters: { status: [] } })],
		['“…” has nothing chosen', inventory({ filters: { branchIds: [] } })],
		[
			'“UPRN” is empty, and so are “Reference” and “Address”',
			inventory({ operation: 'findForLead' }),
		],
		['“Property” is empty', inventory({ operation: 'get', propertyId: '={{ "" }}' })],
		['“Property” is not the ID of a property', inventory({ operation: 'get', propertyId: '..' })],
		[
			'“AgencyRef” contains characters that are not allowed',
			inventory({ options: { agencyRef: 'AG\n1' } }),
		],
	]);
});
