import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { addressAsEntered, baseAddress } from '../auth/addresses';
import type { Grant } from '../auth/grant';
import { grantOf } from '../auth/grant';
import { isOwnNotFound } from '../http/answer';
import type { Integration } from '../integration';
import { CREDENTIAL_LABELS } from '../labels';
import type { ApiWords } from '../words';
import { agencyRefOf } from './agencyRef';
import { isPropertyList } from './records';

/** Matches the path of a request at the end of a pasted Inventory URL. */
const REQUEST_PATH = /\/inventory(\/(filter|items|search))?\/*$/;

const INVENTORY_WORDS: ApiWords = {
	scopeRefused: { message: 'The service refused this client ID at this address' },
	tokenRefused: {
		remedy:
			'Check that the “Token URL” and the “Inventory URL” in the credential belong to the same service, then test the credential.',
	},
	forbidden: {
		message: 'The service refused the AgencyRef, or this client ID may not read properties (403)',
		remedy:
			'Check the AgencyRef that the operator emailed (36 letters, digits and hyphens), in the options of this node or in the credential; if it is right, ask the operator to give this client ID access to that agency.',
	},
};

export const INVENTORY_INTEGRATION: Integration = {
	credentialType: 'agentInventoryApi',
	addressLabels: { token: CREDENTIAL_LABELS.tokenUrl, data: CREDENTIAL_LABELS.inventoryUrl },
	grant: inventoryGrant,
	/**
	 * Makes the request that tests the credential. It asks for one property of the agency. If the service itself
	 * answers 404, the agency has no property, and the credential is correct.
	 */
	probe: (credentials) => ({
		path: '/inventory',
		query: { maxResults: 1 },
		headers: { AgencyRef: agencyRefOf(credentials) },
		isShape: isPropertyList,
		isGoodEnough: isOwnNotFound,
	}),
	words: INVENTORY_WORDS,
};

/**
 * Makes the token request of the inventory API. It is sent to exactly the address that was entered, with the client ID
 * and secret in HTTP Basic, and only the grant type in a form.
 */
function inventoryGrant(credentials: ICredentialDataDecryptedObject): Grant {
	return grantOf(credentials, {
		words: INVENTORY_WORDS,
		tokenUrl: addressAsEntered(credentials, 'tokenUrl'),
		address: baseAddress(credentials, 'inventoryUrl', REQUEST_PATH),
	});
}
