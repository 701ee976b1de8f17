import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { baseAddress, tokenUrlBelowAuthUrl } from '../auth/addresses';
import { text } from '../auth/credentialFields';
import type { Grant } from '../auth/grant';
import { grantOf } from '../auth/grant';
import { isList } from '../basics/values';
import type { Integration } from '../integration';
import { CREDENTIAL_LABELS } from '../labels';
import type { ApiWords } from '../words';

/** The OAuth scope of the token request, unless the operator of the service gave the agency another scope. */
export const DEFAULT_SCOPE = 'api/api_access';

/** Matches the path of a request at the end of a pasted Products URL. */
const REQUEST_PATH = /\/products(\/(premium-listings|weekly-featured-properties))?\/*$/;

const LONG_AGO = '2000-01-01T00:00:00Z';

const PRODUCTS_WORDS: ApiWords = {
	scopeRefused: { message: 'The service refused the scope, or this client ID at this address' },
	tokenRefused: {
		remedy:
			'Check that the scope in the credential is the one that the operator of the service gave you, then test the credential.',
	},
	forbidden: {
		message: 'The service refused access to the listing or the product (403)',
		remedy:
			'Check that the listing is one of this agency; if it is, ask the operator of the service to give this client ID access to the product and the listing.',
	},
};

export const PRODUCTS_INTEGRATION: Integration = {
	credentialType: 'agentProductsApi',
	addressLabels: { token: CREDENTIAL_LABELS.authUrl, data: CREDENTIAL_LABELS.productsUrl },
	grant: productsGrant,
	/**
	 * Makes the request that tests the credential. It lists the activations of one moment long ago, so it costs no
	 * credit and its answer is empty.
	 */
	probe: () => ({
		path: '/products/premium-listings',
		query: { date_from: LONG_AGO, date_to: LONG_AGO },
		isShape: isList,
	}),
	words: PRODUCTS_WORDS,
};

/**
 * Makes the token request of the products API: it sends the client ID and secret with HTTP Basic, and the scope in a
 * form.
 */
function productsGrant(credentials: ICredentialDataDecryptedObject): Grant {
	return grantOf(credentials, {
		words: PRODUCTS_WORDS,
		tokenUrl: tokenUrlBelowAuthUrl(credentials),
		address: baseAddress(credentials, 'productsUrl', REQUEST_PATH),
		purpose: { scope: text(credentials, 'scope') || DEFAULT_SCOPE },
	});
}
