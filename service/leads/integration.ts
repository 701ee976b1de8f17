import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { addressAsEntered, baseAddress, tokenUrlBelowAuthUrl } from '../auth/addresses';
import { text } from '../auth/credentialFields';
import type { Grant } from '../auth/grant';
import { grantOf } from '../auth/grant';
import { isObject } from '../basics/values';
import type { Integration } from '../integration';
import { CREDENTIAL_LABELS } from '../labels';
import type { ApiWords } from '../words';
import { isLeadList } from './leads';

/** Matches the path of a list at the end of a pasted Leads URL. */
const LIST_PATH = /\/(applicant|appraisal)-leads\/*$/;

const LEADS_WORDS: ApiWords = {
	scopeRefused: {
		message: `The service refused “${CREDENTIAL_LABELS.leadsUrl}” for this client ID (or “${CREDENTIAL_LABELS.audience}”, if you entered one)`,
	},
	tokenRefused: {
		remedy:
			'Check that the Leads URL (or the Audience, if you entered one) in the credential is the one for this client ID, then test the credential.',
	},
	forbidden: {
		message: 'The service refused access (403)',
		remedy: 'Ask the operator of the service to give this client ID access to leads.',
	},
};

export const LEADS_INTEGRATION: Integration = {
	credentialType: 'agentLeadsApi',
	addressLabels: { token: CREDENTIAL_LABELS.authUrl, data: CREDENTIAL_LABELS.leadsUrl },
	grant: leadsGrant,
	/**
	 * Makes the request that tests the credential. It asks for the appraisal leads of the last 24 hours, which are
	 * rarer than applicant leads. If the service itself answers 400, it has accepted the token: the request only lacks
	 * the filter that an agency with several branches must set.
	 */
	probe: () => ({
		path: '/appraisal-leads',
		isShape: (body) => isLeadList(body, 'appraisal'),
		isGoodEnough: ({ statusCode, body }) => statusCode === 400 && isOwnRefusal(body),
	}),
	words: LEADS_WORDS,
};

/**
 * Makes the token request of the leads API: it sends the client ID, the secret and the audience in a form, without an
 * Authorization header. If the credential has no audience, the request contains the Leads URL exactly as it was
 * entered, because the service compares the two as text.
 */
function leadsGrant(credentials: ICredentialDataDecryptedObject): Grant {
	const audience =
		text(credentials, 'audience') || addressAsEntered(credentials, 'leadsUrl', LIST_PATH);
	return grantOf(credentials, {
		words: LEADS_WORDS,
		tokenUrl: tokenUrlBelowAuthUrl(credentials),
		address: baseAddress(credentials, 'leadsUrl', LIST_PATH),
		isPairInForm: true,
		purpose: { audience },
	});
}

/**
 * True if a body was written by the service itself, not by a proxy: it contains a list of errors, or is the empty
 * object, which is possible because the API's contract requires no field.
 */
function isOwnRefusal(body: unknown): boolean {
	return isObject(body) && (Array.isArray(body.errors) || Object.keys(body).length === 0);
}
