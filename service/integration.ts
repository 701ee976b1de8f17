import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import type { Grant } from './auth/grant';
import type { HttpAnswer } from './http/answer';
import type { ApiWords } from './words';

/**
 * One API of the service with its credential: all that the session and the credential test know about it.
 * To add an API is to add a folder with one of these.
 */
export interface Integration {
	/** n8n's name of the credential type. */
	credentialType: string;
	/**
	 * The API's base address, without a slash at its end.
	 *
	 * @throws ServiceError of kind `credential` when the field is empty or holds no address
	 */
	address: (credentials: ICredentialDataDecryptedObject) => string;
	/**
	 * How the API issues tokens.
	 *
	 * @throws ServiceError of kind `credential` when a field is empty or cannot be right
	 */
	grant: (credentials: ICredentialDataDecryptedObject) => Grant;
	/** @throws ServiceError of kind `credential` when a field is empty or cannot be right */
	probe: (credentials: ICredentialDataDecryptedObject) => Probe;
	words: ApiWords;
}

/** A small request that shows whether the API takes a token. */
export interface Probe {
	/** Below the base address, with a leading slash. */
	path: string;
	query?: IDataObject;
	headers?: Record<string, string>;
	/** Whether the body of a 2xx answer is the API's. */
	isShape: (body: unknown) => boolean;
	/** Whether another answer than 2xx shows it as well. */
	isGoodEnough?: (answer: HttpAnswer) => boolean;
}
