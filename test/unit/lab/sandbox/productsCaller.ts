import { expect } from '@jest/globals';

import { Sandbox } from '../../../lab/sandbox';
import type { Product } from '../../../lab/sandbox/products';
import type { Client, Reply } from './helpers';
import { bearer, body, request } from './helpers';

export interface Activation {
	id: string;
	listingId: number;
	createdAt: string;
	highlights?: unknown[];
	startAt?: string;
	expiryAt?: string;
	status: { result: string; currently?: string; errors?: unknown };
}

/** A client of a sandbox's products API. */
export class ProductsCaller {
	/** Say who asks. */
	headers: Record<string, string> = {};

	private constructor(readonly sandbox: Sandbox) {}

	/** With a sandbox of its own. */
	static async start(): Promise<ProductsCaller> {
		const caller = new ProductsCaller(await Sandbox.start());
		await caller.actAs(caller.sandbox.productsClient);
		return caller;
	}

	async actAs(client: Client): Promise<void> {
		this.headers = await bearer(this.sandbox, client);
	}

	/** @param path below that of the products */
	async call(method: string, path: string, value?: unknown): Promise<Reply> {
		return await request(`${this.sandbox.productsUrl}/products/${path}`, {
			method,
			headers: {
				...this.headers,
				...(value === undefined ? {} : { 'Content-Type': 'application/json' }),
			},
			body: value === undefined ? undefined : JSON.stringify(value),
		});
	}

	async activate(value: unknown, product: Product = 'premium-listings'): Promise<Activation> {
		const reply = await this.call('POST', product, value);
		expect(reply.status).toBe(202);
		return body<Activation>(reply);
	}

	async result(id: string, product: Product = 'premium-listings'): Promise<string> {
		return body<Activation>(await this.call('GET', `${product}/${id}`)).status.result;
	}

	/** @returns the status and the code of a refusal, whose shape is checked */
	async refusal(method: string, path: string, value?: unknown): Promise<[number, string]> {
		const reply = await this.call(method, path, value);
		const { errors } = body<{ errors: { reason: string; code: number }[] }>(reply);
		expect(errors).toEqual([{ reason: expect.any(String), code: expect.any(Number) }]);
		const code = String(errors[0]?.code);
		expect(code).toMatch(/^\d{7}$/);
		return [reply.status, code];
	}
}
