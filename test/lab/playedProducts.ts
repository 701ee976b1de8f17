import type {
	ICredentialDataDecryptedObject,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { authenticate, renewToken } from '../../service/auth/n8nHooks';
import type { RetryLimits } from '../../service/http/retry';
import { PRODUCTS_INTEGRATION } from '../../service/products/integration';
import { Products } from '../../service/products/products';
import type { SessionContext } from '../../service/session';
import { DEFAULT_LIMITS, Session } from '../../service/session';

/** What is played of a service. */
export interface Played {
	/** Unlike that of any other: its client and its host have a pace of their own. */
	number: number;
	/** What it answers who asks for a token. */
	issue: () => Promise<IN8nHttpFullResponse>;
	/** What it answers a request that has a token. */
	answer: (options: IHttpRequestOptions) => Promise<IN8nHttpFullResponse>;
}

/** An execution that asks for them. */
interface PlayedRun {
	limits?: RetryLimits;
	cancelled?: AbortSignal;
	/** What its credential has in place of the usual. */
	credential?: ICredentialDataDecryptedObject;
}

/**
 * The products of a service, with the real session of an execution of its own: the pace decides when each request
 * departs. Only n8n's HTTP helper is played, since no real one knows of fake time.
 */
export function playedProducts(
	{ number, issue, answer }: Played,
	{ limits = DEFAULT_LIMITS, cancelled, credential: changes }: PlayedRun = {},
): Products {
	const credential: ICredentialDataDecryptedObject = {
		clientId: `client-${number}`,
		clientSecret: 'secret',
		authUrl: 'https://auth.example.com',
		productsUrl: `https://products-${number}.example.com`,
		accessToken: '',
		...changes,
	};
	const grant = PRODUCTS_INTEGRATION.grant(credential);
	const httpRequestWithAuthentication = async (
		_type: string,
		options: IHttpRequestOptions,
		used: { credentialsDecrypted: { data: ICredentialDataDecryptedObject } },
	) => {
		const { data } = used.credentialsDecrypted;
		if (data.accessToken === '') Object.assign(data, await renewToken(issue, grant, data));
		authenticate(grant, data, options);
		return await answer(options);
	};
	const context = {
		helpers: { httpRequestWithAuthentication },
		logger: { warn: () => undefined },
		getExecutionCancelSignal: () => cancelled,
	} as unknown as SessionContext;
	const session = new Session(context, PRODUCTS_INTEGRATION, credential, limits);
	return new Products(session, 'premium-listings');
}
