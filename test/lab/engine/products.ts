import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { AgentProductsApi } from '../../../credentials/AgentProductsApi.credentials';
import { AgentProducts } from '../../../nodes/AgentProducts/AgentProducts.node';
import { credentialOf } from '../credentialOf';
import { Sandbox } from '../sandbox';
import { Bench } from './bench';
import { CredentialsTable } from './credentials';
import type { NodeRun, NodeUnderTest } from './engine';

export const PREMIUM_PATH = '/products-api/products/premium-listings';

export type Fault = Parameters<Sandbox['faults']['add']>[0];

/** Agent Products in n8n's engine against a sandbox of its own. */
export class ProductsBench extends Bench {
	static async start(): Promise<ProductsBench> {
		const sandbox = await Sandbox.start();
		const { data } = credentialOf(sandbox, sandbox.productsClient);
		return new ProductsBench(
			sandbox,
			new CredentialsTable([new AgentProductsApi()], { credential: data }),
			new AgentProducts().methods.credentialTest.agentProductsApiTest,
		);
	}

	/** A premium listing that somebody has ordered before, and what became of it. */
	somebodys(listingId: number, result?: 'ACTIVATED' | 'SCHEDULED' | 'ERROR', order = {}): string {
		const { products } = this.sandbox;
		const { id } = products.activate('premium-listings', { listingId, ...order }, this.clientId);
		if (result) products.settle(id, { result });
		return id;
	}

	/** What the products API was asked, in order: “POST 202”. */
	get exchanges(): string[] {
		return this.productRequests.map(({ method, path, status }) => {
			const isById = /[0-9a-f-]{36}$/.test(path);
			return `${method}${isById ? ' id' : ''} ${status}`;
		});
	}

	get productRequests() {
		return this.sandbox.requests.filter(({ path }) => path.includes('/products/'));
	}

	/** Over both products. */
	get creditsByListing(): Record<string, number> {
		const { creditsBy } = this.sandbox.counts;
		return { ...creditsBy['premium-listings'], ...creditsBy['weekly-featured-properties'] };
	}

	get credits(): number {
		return this.sandbox.counts.credits;
	}

	test(parameters: INodeParameters = {}, more: Partial<NodeUnderTest> = {}): NodeUnderTest {
		return {
			node: new AgentProducts(),
			credentials: this.credentials,
			parameters: {
				resource: 'premiumListing',
				operation: 'activate',
				listingId: 123,
				...parameters,
			},
			...more,
		};
	}

	/** Activates each of these listings, one item each. */
	async activate(
		listings: unknown[],
		parameters: INodeParameters = {},
		more: Partial<NodeUnderTest> = {},
	): Promise<NodeRun> {
		const input: INodeExecutionData[] = listings.map((listing) => ({
			json: { listing: listing as string },
		}));
		return await this.run({ listingId: '={{ $json.listing }}', ...parameters }, { input, ...more });
	}
}

export function outcomesOf(run: NodeRun): unknown[] {
	return run.items.map(({ json }) => json.outcome);
}
