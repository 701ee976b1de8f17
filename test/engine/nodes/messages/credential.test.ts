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

describe('messages about the credential', () => {
	holdsMessages([
		['“…” is empty in the credential', leads({}, credential({ clientId: ' ' }))],
		['“…” is empty in the credential', inventory({}, credential({ agencyRef: '' }))],
		[
			'“…” in the credential is not a web address: …',
			products({}, credential({ productsUrl: 'products.example.com' })),
		],
		[
			'“…” in the credential is not a web address: …',
			inventory({}, credential({ tokenUrl: 'auth.example.com/token' })),
		],
		[
			'“…” in the credential contains characters that are not allowed',
			inventory({}, credential({ agencyRef: 'Größe' })),
		],
		[
			'“…” in the credential has an invisible character …',
			inventory({}, credential({ agencyRef: 'AG\u200b1' })),
		],
		[
			'“…” in the credential begins with the label …',
			leads({}, credential({ clientSecret: 'Client Secret = s3cret' })),
		],
		[
			'The service refused the client ID and client secret',
			leads({}, credential({ clientSecret: 'wrong' })),
		],
		[
			'The service refused “Leads URL” for this client ID …',
			leads({}, credential({ audience: 'https://other.example.com' })),
		],
		['The service refused this client ID at this address', inventory({}, status(TOKEN, 403))],
		[
			'The service refused the scope, …',
			products({ operation: 'getAll' }, credential({ scope: 'another' })),
		],
		['The service refused to issue a token (…)', leads({}, status(TOKEN, 400, 'empty'))],
		[
			'There is no token service at this address (…)',
			leads({}, ({ stored, sandbox }) =>
				Object.assign(stored, { authUrl: `${sandbox.url}/nowhere` }),
			),
		],
		['The service is too busy to issue a token (…)', leads({}, status(TOKEN, 429))],
		['The service answered without …', leads({}, status(TOKEN, 200, 'json'))],
	]);
});

describe('messages only while you test a credential', () => {
	holdsMessages([
		[
			'The service issued a token, but refused it (401)',
			tested(LeadsBench, status('/appraisal-leads', 401)),
		],
		[
			'The service issued a token, but refused it (401)',
			tested(InventoryBench, status('/inventory', 401)),
		],
		[
			'The service issued a token, but refused it (401)',
			tested(ProductsBench, status('/premium-listings', 401)),
		],
	]);
});
