import { expect } from '@jest/globals';

import { MANNERS } from '../../../lab/check/asker';
import { checkService } from '../../../lab/check/main';
import type { Api, Environment } from '../../../lab/check/settings';
import { HOUR } from '../../../lab/engine/bench';
import type { Answer } from '../../../lab/engine/relay';
import { Relay, json } from '../../../lab/engine/relay';
import { Sandbox } from '../../../lab/sandbox';

/** In a hurry, since the service here is ours. */
export const HURRIED = { ...MANNERS, between: 0, busy: 1, failed: 1, deadline: 5_000 };

const APIS: Api[] = ['leads', 'inventory', 'products'];

export type Row = Record<string, unknown>;

/** A sandbox that is checked as a real service would be, behind a relay that changes its answers. */
export class CheckedService {
	/** Everything that the check has written. */
	written = '';

	private constructor(
		readonly sandbox: Sandbox,
		readonly relay: Relay,
	) {}

	/** With leads of two days, two that have no time, and an activation of each product. */
	static async start(): Promise<CheckedService> {
		const sandbox = await Sandbox.start();
		const service = new CheckedService(sandbox, await Relay.start(sandbox));
		for (const kind of ['applicant', 'appraisal'] as const) {
			for (const hours of [1, 5, 9, 20, 30, 40]) service.addLead(kind, hours);
			sandbox.addLead(kind, { createdAt: '0001-01-01T00:00Z' });
		}
		const { clientId } = sandbox.productsClient;
		for (const product of ['premium-listings', 'weekly-featured-properties'] as const) {
			sandbox.products.activate(product, { listingId: 80000001 }, clientId);
		}
		return service;
	}

	/** Sees to it that nothing was written that is secret or somebody's. */
	async stop(): Promise<void> {
		const secrets = this.secrets();
		await this.relay.stop();
		await this.sandbox.stop();
		for (const secret of secrets) expect(this.written).not.toContain(secret);
		expect(this.written).not.toMatch(/@example\.com|07700/);
	}

	addLead(kind: 'applicant' | 'appraisal', hoursAgo: number, more: object = {}) {
		const createdAt = new Date(this.sandbox.now() - hoursAgo * HOUR).toISOString().slice(0, 19);
		return this.sandbox.addLead(kind, { createdAt: `${createdAt}Z`, ...more });
	}

	/**
	 * The variables for the sandbox behind the relay.
	 *
	 * @param apis none: all of them
	 */
	environment(...apis: Api[]): Environment {
		const all: Record<Api, Environment> = {
			leads: this.leadsEnvironment(),
			inventory: this.inventoryEnvironment(),
			products: this.productsEnvironment(),
		};
		const wanted = apis.length > 0 ? apis : APIS;
		return Object.fromEntries(wanted.flatMap((api) => Object.entries(all[api])));
	}

	private leadsEnvironment(): Environment {
		const { authUrl, leadsUrl, leadsClient } = this.sandbox;
		return {
			AGENT_LEADS_AUTH_URL: this.behindFront(authUrl),
			AGENT_LEADS_URL: this.behindFront(leadsUrl),
			AGENT_LEADS_AUDIENCE: leadsUrl,
			AGENT_LEADS_CLIENT_ID: leadsClient.clientId,
			AGENT_LEADS_CLIENT_SECRET: leadsClient.clientSecret,
		};
	}

	private inventoryEnvironment(): Environment {
		const { tokenUrl, inventoryUrl, inventoryClient } = this.sandbox;
		return {
			AGENT_INVENTORY_TOKEN_URL: this.behindFront(tokenUrl),
			AGENT_INVENTORY_URL: this.behindFront(inventoryUrl),
			AGENT_INVENTORY_AGENCY_REF: inventoryClient.agencyRefs[0],
			AGENT_INVENTORY_CLIENT_ID: inventoryClient.clientId,
			AGENT_INVENTORY_CLIENT_SECRET: inventoryClient.clientSecret,
		};
	}

	private productsEnvironment(): Environment {
		const { authUrl, productsUrl, productsClient } = this.sandbox;
		return {
			AGENT_PRODUCTS_AUTH_URL: this.behindFront(authUrl),
			AGENT_PRODUCTS_URL: this.behindFront(productsUrl),
			AGENT_PRODUCTS_CLIENT_ID: productsClient.clientId,
			AGENT_PRODUCTS_CLIENT_SECRET: productsClient.clientSecret,
		};
	}

	private behindFront(url: string): string {
		return url.replace(this.sandbox.url, new URL(this.relay.productsUrl).origin);
	}

	/** The values of the variables and what they become on the wire, and the host of the addresses. */
	private secrets(): string[] {
		const values = Object.values(this.environment()).filter((value) => value !== undefined);
		return [...values, ...values.map(encodeURIComponent), new URL(this.relay.productsUrl).host];
	}

	async check(variables: Environment, manners = HURRIED) {
		const lines: string[] = [];
		const code = await checkService(variables, (line) => lines.push(line), manners);
		this.written += lines.join('\n');
		const differs = lines.filter((line) => line.startsWith('differs'));
		return { code, text: lines.join('\n'), differs };
	}

	/** The check names a difference by this line, and tells no data of it. */
	async expectDifference(api: Api, line: string): Promise<void> {
		const { code, differs } = await this.check(this.environment(api));
		expect(differs.join('\n')).toContain(line);
		expect(code).toBe(1);
		expect(this.written).not.toContain('Robin A.');
	}

	/** Changes what one path answers. */
	at(end: string, change: (answer: Answer) => Answer): void {
		this.relay.answer(async ({ path }, pass) => {
			const answer = await pass();
			return path.endsWith(end) && answer !== 'lost' ? change(answer) : answer;
		});
	}

	/** Changes the JSON of what one path answers with 200. */
	bodyAt(end: string, change: (body: Row) => unknown): void {
		this.at(end, (answer) =>
			answer.status === 200 ? json(200, change(JSON.parse(answer.body) as Row)) : answer,
		);
	}

	/** Changes what is asked for by its ID and is there. */
	one(change: (body: Row) => Row): void {
		this.relay.answer(async ({ path }, pass) => {
			const answer = await pass();
			const isOne = /\/(\d{4}|[0-9a-f-]{36})$/.test(path);
			if (!isOne || answer === 'lost' || answer.status !== 200) return answer;
			return json(200, change(JSON.parse(answer.body) as Row));
		});
	}

	/** Changes every applicant that the service shows. */
	eachApplicant(change: (lead: Row) => Row): void {
		this.bodyAt('/applicant-leads', ({ applicants }) => ({
			applicants: (applicants as Row[]).map(change),
		}));
	}
}
