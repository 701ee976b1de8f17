import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { NodeInput, StoredWorkflow } from '..';
import type { Client, LoggedRequest, SavedCredential, Stage } from '.';
import { agentProducts, PREMIUM_PATH } from '.';

/** A client of the products API, with its credential in n8n. */
export interface ProductsAccount {
	client: Client;
	credential: SavedCredential;
}

/** What agencies have activated on a stage, each with an account of its own. */
export class ProductsAccounts {
	private newest = 1_000;

	constructor(private readonly stage: Stage) {}

	async account(changes: ICredentialDataDecryptedObject = {}): Promise<ProductsAccount> {
		const client = this.stage.addProductsClient();
		return { client, credential: await this.stage.saveCredential(client, changes) };
	}

	/** A workflow that activates each listing of the body's list. */
	async activating(
		{ credential }: ProductsAccount,
		parameters: NodeInput['parameters'] = {},
		settings: Partial<NodeInput> = {},
	): Promise<StoredWorkflow> {
		const splitOut = {
			name: 'Split Out',
			type: 'n8n-nodes-base.splitOut',
			parameters: {
				fieldToSplitOut: 'body.listings',
				options: { destinationFieldName: 'listing' },
			},
		};
		const node = agentProducts(credential, { listingId: '={{ $json.listing }}', ...parameters });
		return await this.stage.webhookWorkflow([splitOut, { ...node, ...settings }]);
	}

	/** A listing that no test has had yet. */
	newListing(): number {
		return ++this.newest;
	}

	/** Credits spent on these listings, in their order. */
	credits(...listings: number[]): number[] {
		const spent = this.stage.sandbox.counts.creditsBy['premium-listings'] ?? {};
		return listings.map((listing) => spent[String(listing)] ?? 0);
	}

	/** What a client's node did: “POST 202”, “GET id 200”. */
	exchanges({ client }: ProductsAccount): string[] {
		return this.stage
			.productsRequests(client)
			.map(({ method, path, status }) =>
				[method, ...(path === PREMIUM_PATH ? [] : ['id']), status].join(' '),
			);
	}
}

/** Whether a request looks at what was ordered. */
export const isLookOf =
	({ client }: ProductsAccount) =>
	({ clientId, method, path }: LoggedRequest): boolean =>
		clientId === client.clientId && method === 'GET' && path !== PREMIUM_PATH;
