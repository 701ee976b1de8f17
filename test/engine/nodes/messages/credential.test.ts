import { describe } from '@jest/globals';

import { InventoryBench } from '../../../lab/engine/inventory';
import { LeadsBench } from '../../../lab/engine/leads';
import { ProductsBench } from '../../../lab/engine/products';
import {
	credential,
	holdsMessages,
	inventory,
	leads,
	products,
	status,
	tested,
	TOKEN,
} from '../../../lab/engine/messages';

describe('docs/troubleshooting.md: About the credential', () => {
	holdsMessages(
		'troubleshooting',
		[
			['“…” is empty in the credential', leads({}, credential({ clientId: ' ' }))],
			['“…” is empty in the credential', inventory({}, credential({ agencyRef: '' }))],
			[
				'“…” in the credential is not a web address: it must start with https:// or http:// and contain no user name, query or fragment',
				products({}, credential({ productsUrl: 'products.example.com' })),
			],
			[
				'“Token URL” in the credential is not a web address: it must start with https:// or http:// and contain no user name or fragment',
				inventory({}, credential({ tokenUrl: 'auth.example.com/token' })),
			],
			[
				'“…” in the credential ends in …, which each request adds to it',
				products({}, credential({ productsUrl: 'https://products.example.com/products' })),
			],
			[
				'“…” in the credential ends in …, which each request adds to it',
				inventory({}, credential({ inventoryUrl: 'https://inventory.example.com/inventory' })),
			],
			[
				'“Client Secret” has more than one line; a secret has only one',
				leads({}, credential({ clientSecret: 'secret\nexpires 2026' })),
			],
			[
				'“AgencyRef” in the credential contains characters that are not allowed',
				inventory({}, credential({ agencyRef: 'AG\n1' })),
			],
			[
				'The service refused the client ID and client secret',
				leads({}, credential({ clientSecret: 'wrong' })),
			],
			[
				'The service refused the audience (the Leads URL, if Audience is empty)',
				leads({}, credential({ audience: 'https://other.example.com' })),
			],
			['The service refused this client at this address', inventory({}, status(TOKEN, 403))],
			[
				'The service refused the scope, or this client at this address',
				products({ operation: 'getAll' }, credential({ scope: 'another' })),
			],
			['The service refused to issue a token (…)', leads({}, status(TOKEN, 400, 'empty'))],
			[
				'There is no token service at this address (…)',
				leads({}, ({ stored, sandbox }) =>
					Object.assign(stored, { authUrl: `${sandbox.url}/nowhere` }),
				),
			],
			['The service is too busy to issue a token (429)', leads({}, status(TOKEN, 429))],
			['The service answered without a token', leads({}, status(TOKEN, 200, 'json'))],
		],
		'About the credential',
	);
});

describe('docs/troubleshooting.md: Only while you test a credential', () => {
	holdsMessages(
		'troubleshooting',
		[
			[
				'The service issued a token, but the leads API refused it (401): the audience may be wrong',
				tested(LeadsBench, status('/appraisal-leads', 401)),
			],
			[
				'The service issued a token, but this client may not read leads (403)',
				tested(LeadsBench, status('/appraisal-leads', 403)),
			],
			[
				'The service issued a token, but the inventory API refused it (401): the Token URL and the Inventory URL may belong to different services',
				tested(InventoryBench, status('/inventory', 401)),
			],
			[
				'The service issued a token, but refused the AgencyRef, or this client may not read properties (403)',
				tested(InventoryBench, credential({ agencyRef: 'AG9999' })),
			],
			[
				'The service issued a token, but the products API refused it (401): the scope may be wrong',
				tested(ProductsBench, status('/premium-listings', 401)),
			],
			[
				'The service issued a token, but this client may not read activations (403)',
				tested(ProductsBench, status('/premium-listings', 403)),
			],
		],
		'Only while you test a credential',
	);
});
