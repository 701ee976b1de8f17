import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';

import { ContractWitness } from '../conformance/witness';
import { Clients } from './clients';
import { Clock } from './clock';
import { Control } from './control';
import { Exchange } from './exchange';
import { Faults } from './faults';
import { readCall } from './http';
import { AGENCY_REFS, Inventory } from './inventory';
import { inventoryRequests } from './inventoryApi';
import type { Counts, LoggedRequest } from './journal';
import { Journal } from './journal';
import type { LeadKind } from './leadBodies';
import type { LeadOptions } from './leads';
import { Leads } from './leads';
import { leadsRequests } from './leadsApi';
import { BASE } from './markup';
import type { Overrides } from './overrides';
import { Products } from './products';
import { productsRequests } from './productsApi';
import { Pushes } from './push/pushes';
import { BASES, Routes } from './routes';
import { Tokens } from './tokens';
import type { Client, ClientSettings } from './types';
import { Wild } from './wild';

export interface SandboxOptions {
	/** Default 0: a free one. */
	port?: number;
	/** Default 1: of all data and of the faults with a probability. */
	seed?: number;
}

/** A stand-in for the service on 127.0.0.1 that refuses whatever the contract does not allow. */
export class Sandbox {
	readonly clock = new Clock();
	readonly journal = new Journal();
	readonly faults: Faults;
	readonly tokens: Tokens;
	readonly clients: Clients;
	readonly leads: Leads;
	readonly inventory: Inventory;
	readonly products: Products;
	readonly wild = new Wild();
	readonly pushes = new Pushes();
	readonly url: string;
	readonly authUrl: string;
	readonly tokenUrl: string;
	readonly leadsUrl: string;
	readonly inventoryUrl: string;
	readonly productsUrl: string;
	readonly leadsClient: Client;
	readonly productsClient: Client;
	readonly inventoryClient: Client;
	readonly waitForRequest = this.journal.waitForRequest.bind(this.journal);
	private readonly witness = new ContractWitness();
	readonly exchange: Exchange;
	readonly control = new Control(this);

	private constructor(
		private readonly server: Server,
		readonly port: number,
		{ seed = 1 }: SandboxOptions,
	) {
		this.url = `http://127.0.0.1:${port}`;
		this.authUrl = this.url + BASES.auth;
		this.tokenUrl = this.url + BASES.token;
		this.leadsUrl = this.url + BASES.leads;
		this.inventoryUrl = this.url + BASES.inventory;
		this.productsUrl = this.url + BASES.products;
		const { journal, now } = this;
		this.faults = new Faults(seed);
		this.tokens = new Tokens(now);
		this.clients = new Clients(this.tokens, { audience: this.leadsUrl, agencyRefs: AGENCY_REFS });
		this.leads = new Leads(seed, now);
		this.inventory = new Inventory(seed, now);
		this.products = new Products(seed, now, (...spent) => journal.creditSpent(...spent));
		const requests = {
			leads: leadsRequests(this.leads, seed, now),
			inventory: inventoryRequests(this.inventory),
			products: productsRequests(this.products),
		};
		const routes = new Routes(this.clients, this.tokens, requests, (clientId) =>
			journal.tokenIssued(clientId),
		);
		this.exchange = new Exchange({ ...this, routes, witness: this.witness });
		// The secrets hold characters that break if they are encoded twice or not at all.
		this.leadsClient = this.addUsualClient('leads', 'l+e%41a:d é&s=/?#"secret');
		this.productsClient = this.addUsualClient('products', 'p%2Br:o d+ü&ct=s~secret€');
		this.inventoryClient = this.addUsualClient('inventory', 'i:n%25v+e ñ&t=o;ry-secret');
		server.on('request', (request, response) => void this.serve(request, response));
	}

	/** @returns listening, with a client for each integration */
	static async start(options: SandboxOptions = {}): Promise<Sandbox> {
		const server = createServer();
		// A kept connection must never close just as a client uses it again; a fault can do that on purpose.
		server.keepAliveTimeout = 0;
		await once(server.listen(options.port ?? 0, '127.0.0.1'), 'listening');
		const address = server.address();
		if (address === null || typeof address === 'string') throw new Error('no port');
		return new Sandbox(server, address.port, options);
	}

	/**
	 * Ends all requests that are still open, even those that hang.
	 *
	 * @throws Error if an answer broke the contract, in a sandbox that checks it
	 */
	async stop(): Promise<void> {
		const closed = new Promise((resolve) => this.server.close(resolve));
		this.server.closeAllConnections();
		await this.pushes.stop();
		await closed;
		this.witness.testify();
	}

	readonly addClient = (settings: ClientSettings) => this.clients.add(settings);

	updateClient(clientId: string, patch: Partial<Omit<Client, 'clientId' | 'integration'>>): Client {
		return Object.assign(this.clients.get(clientId), patch);
	}

	revokeTokens(clientId: string): void {
		this.tokens.revokeAll(this.clients.get(clientId).clientId);
	}

	/** The client's ID and secret are refused from now on, and so are its tokens. */
	revokeClient(clientId: string): void {
		this.updateClient(clientId, { revoked: true });
		this.tokens.revokeAll(clientId);
	}

	addLead<K extends LeadKind>(kind: K, overrides?: Overrides, options?: LeadOptions) {
		const lead = this.leads.add(kind, overrides, options);
		this.pushes.announce(kind, lead);
		return lead;
	}

	readonly addLeads: Leads['addMany'] = (...given) => this.leads.addMany(...given);

	/** The counts since the start or the last reset; the object goes on counting. */
	get counts(): Counts {
		return this.journal.counts;
	}

	/** The last requests, oldest first. */
	get requests(): LoggedRequest[] {
		return this.journal.requests;
	}

	readonly resetCounts = () => this.journal.reset();

	/** @param ms may be negative */
	readonly advance = (ms: number) => this.clock.advance(ms);

	/** @returns epoch milliseconds by the service's clock */
	readonly now = () => this.clock.now();

	/** What another process needs to know to use the sandbox. */
	addresses() {
		const { url, authUrl, tokenUrl, leadsUrl, inventoryUrl, productsUrl } = this;
		const clients = [...this.clients.byId.values()];
		return { url, authUrl, tokenUrl, leadsUrl, inventoryUrl, productsUrl, clients };
	}

	private addUsualClient(integration: Client['integration'], clientSecret: string): Client {
		return this.addClient({ integration, clientId: `${integration}-client`, clientSecret });
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		try {
			const call = await readCall(request);
			if (call.path.startsWith(BASE)) this.control.handle(call, response);
			else await this.exchange.handle(call, response);
		} catch (error) {
			// A client that has gone is no failure. Anything else is a defect of the sandbox, and must be seen.
			if (request.destroyed && !request.complete) return;
			if (response.headersSent) response.destroy();
			else response.writeHead(500).end(error instanceof Error ? error.stack : 'unknown failure');
		}
	}
}
