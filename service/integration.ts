import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { Grant } from './auth/grant';
import type { HttpAnswer } from './http/answer';
import type { AddressLabels, ApiWords } from './words';

/**
 * One API of the service with its credential: all that the session and the credential test know about it.
 * To add an API is to add a folder with one of these.
 */
export interface Integration {
	/** n8n's name of the credential type. */
	credentialType: string;
	addressLabels: AddressLabels;
	/**
	 * Where the API is, and how it issues tokens.
	 *
	 * @throws ServiceError of kind `credential` when a field is empty or cannot be right
	 */
	grant: (credentials: ICredentialDataDecryptedObject) => Grant;
	/** @throws ServiceError of kind `credential` when a field is empty or cannot be right */
	probe: (credentials: ICredentialDataDecryptedObject) => Probe;
	words: ApiWords;
}

/** A small request below the base address that shows whether the API takes a token. */
export interface Probe {
	/** With a leading slash. */
	path: string;
	query?: IDataObject;
	headers?: Record<string, string>;
	/** Whether the body of a 2xx answer is the API's. */
	isShape: (body: unknown) => boolean;
	/** Whether another answer than 2xx shows it as well. */
	isGoodEnough?: (answer: HttpAnswer) => boolean;
}
