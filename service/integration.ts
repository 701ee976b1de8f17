import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { Grant } from './auth/grant';
import type { HttpAnswer } from './http/answer';
import type { AddressLabels, ApiWords } from './words';

/**
 * One API of the service with its credential: all that the session and the credential test need to know. To add an
 * API, add a folder with one of these.
 */
export interface Integration {
	/** n8n's name of the credential type. */
	credentialType: string;
	addressLabels: AddressLabels;
	/**
	 * Reads from the credential where the API is and how it issues tokens.
	 *
	 * @throws ServiceError of kind `credential` when a field is empty or cannot be right
	 */
	grant: (credentials: ICredentialDataDecryptedObject) => Grant;
	/** @throws ServiceError of kind `credential` when a field is empty or cannot be right */
	probe: (credentials: ICredentialDataDecryptedObject) => Probe;
	words: ApiWords;
}

/** A small request below the base address. Its answer shows whether the API accepts a token. */
export interface Probe {
	/** The path below the base address, with a leading slash. */
	path: string;
	query?: IDataObject;
	headers?: Record<string, string>;
	/** True if the body of a 2xx answer has the shape of this API. */
	isShape: (body: unknown) => boolean;
	/** True if an answer with another status shows as well that the API accepted the token. */
	isGoodEnough?: (answer: HttpAnswer) => boolean;
}
