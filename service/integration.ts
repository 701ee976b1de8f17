import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { Grant } from './auth/grant';
import type { HttpAnswer } from './http/answer';
import type { ReadRequest } from './http/request';
import type { AddressLabels, ApiWords } from './words';

/**
 * One API of the service, with everything that requests for data and the credential test need to know about it. Another
 * API needs another object of this type, in a folder of its own.
 */
export interface Integration {
	/** n8n's name of the credential type. */
	credentialType: string;
	addressLabels: AddressLabels;
	/**
	 * Reads from the credential the addresses of the API and the way in which it issues tokens.
	 *
	 * @throws ServiceError of kind `credential` if a field is empty or cannot be right
	 */
	grant: (credentials: ICredentialDataDecryptedObject) => Grant;
	/**
	 * Makes the small request that tests the credential.
	 *
	 * @throws ServiceError of kind `credential` if a field is empty or cannot be right
	 */
	probe: (credentials: ICredentialDataDecryptedObject) => Probe;
	words: ApiWords;
}

/** A small request that tests a credential. Its answer shows whether the API accepts the token. */
export interface Probe extends ReadRequest {
	/** True if the body of a 2xx answer has the shape of this API. */
	isShape: (body: unknown) => boolean;
	/** True if an answer with a status other than 2xx also shows that the API accepted the token. */
	isGoodEnough?: (answer: HttpAnswer) => boolean;
}
