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
	/** Asks whom the credential reaches; not every API can say. */
	introduction?: (credentials: ICredentialDataDecryptedObject) => Introduction;
	words: ApiWords;
}

/** A request below the base address. */
export interface TestRequest {
	/** With a leading slash. */
	path: string;
	query?: IDataObject;
	headers?: Record<string, string>;
}

/** The request that tells whom a credential reaches. */
export interface Introduction extends TestRequest {
	/**
	 * @param shown makes a text of the service fit to be shown
	 * @returns whom, in one sentence; undefined for an answer that does not tell it
	 */
	read: (body: unknown, shown: (text: unknown) => string | undefined) => string | undefined;
}

/** A small request that shows whether the API takes a token. */
export interface Probe extends TestRequest {
	/** Whether the body of a 2xx answer is the API's. */
	isShape: (body: unknown) => boolean;
	/** Whether another answer than 2xx shows it as well. */
	isGoodEnough?: (answer: HttpAnswer) => boolean;
}
