import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';

import type { Mode } from '../conformance/schemas';
import { ContractWitness } from '../conformance/witness';
import { Clients } from './clients';
import { Clock } from './clock';
import { CONTROL_BASE, Control } from './control';
import { Exchange } from './exchange';
import { Faults } from './faults';
import { readCall } from './http';
import { AGENCY_REFS, Inventory } from './inventory';
import { inventoryRequests } from './inventoryApi';
import type { Counts, LoggedRequest } from './journal';
import { Journal } from './journal';
import type { LeadKind } from './leadBodies';
import type { BulkOptions, LeadOptions } from './leads';
import { Leads } from './leads';
import { leadsRequests } from './leadsApi';
import type { Overrides } from './overrides';
import { Products } from './products';
import { productsRequests } from './productsApi';
import type { PushOptions } from './push/pushes';
import { Pushes } from './push/pushes';
import { BASES, Routes } from './routes';
import { Tokens } from './tokens';
import type { Client, ClientSettings } from './types';
import { Wild } from './wild';

type Contract = Mode | 'unchecked';

export interface SandboxOptions {
	/** Default 0: a free one. */
	port?: number;
	/** Default 1: of all data and of the faults with a probability. */
	seed?: number;
	/** How far the service's clock is off; default 0. */
	clockOffsetMs?: number;
	/**
	 * Whether every answer is held against the contract, and in which mode. The environment variable
	 * SANDBOX_CONTRACT sets the default; without it, nothing is checked.
	 */
	contract?: Contract;
}

/** A stand-in for the service on 127.0.0.1 that refuses whatever the contract does not allow. */
export class Sandbox {
	readonly clock: Clock;
	readonly journal = new Journal();
	readonly faults: Faults;
	readonly tokens: Tokens;
	readonly clients: Clients;
	readonly leads: Leads;
	readonly inventory: Inventory;
	readonly products: Products;
	readonly wild: Wild;
	readonly pushes = new Pushes();
	readonly witness: ContractWitness | undefined;
	readonly exchange: Exchange;
	readonly waitForRequest = this.journal.waitForRequest.bind(this.journal);
	private readonly control = new Control(this);
	private readonly server = createServer((request, response) => void this.serve(request, response));
	port = 0;

	constructor(options: SandboxOptions) {
		const { seed = 1, contract = defaultContract() } = options;
		const { journal } = this;
		this.clock = new Clock(options.clockOffsetMs ?? 0);
		const now = () => this.clock.now();
		this.faults = new Faults(seed);
		this.tokens = new Tokens(now);
		this.clients = new Clients(this.tokens, () => ({
			audience: this.leadsUrl,
			agencyRefs: AGENCY_REFS,
		}));
		this.leads = new Leads(seed, now);
		this.inventory = new Inventory(seed, now);
		this.products = new Products(seed, now, (...spent) => journal.creditSpent(...spent));
		this.witness = contract === 'unchecked' ? undefined : new ContractWitness(contract);
		this.wild = new Wild(this.tokens);
		const requests = {
			leads: leadsRequests(this.leads, seed, now),
			inventory: inventoryRequests(this.inventory),
			products: productsRequests(this.products),
		};
		const routes = new Routes(this.clients, this.tokens, requests, (clientId) =>
			journal.tokenIssued(clientId),
		);
		this.exchange = new Exchange({ ...this, routes });
		// A kept connection must never close just as a client uses it again; a fault can do that on purpose.
		this.server.keepAliveTimeout = 0;
	}

	/** @returns listening, with a client for each integration */
	static async start(options: SandboxOptions = {}): Promise<Sandbox> {
		const sandbox = new Sandbox(options);
		await sandbox.listen(options.port ?? 0);
		sandbox.addUsualClients();
		return sandbox;
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
		this.witness?.testify();
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	get authUrl(): string {
		return this.url + BASES.auth;
	}

	get tokenUrl(): string {
		return this.url + BASES.token;
	}

	get leadsUrl(): string {
		return this.url + BASES.leads;
	}

	get inventoryUrl(): string {
		return this.url + BASES.inventory;
	}

	get productsUrl(): string {
		return this.url + BASES.products;
	}

	get leadsClient(): Client {
		return this.clients.get('leads-client');
	}

	get productsClient(): Client {
		return this.clients.get('products-client');
	}

	get inventoryClient(): Client {
		return this.clients.get('inventory-client');
	}

	addClient(settings: ClientSettings): Client {
		return this.clients.add(settings);
	}

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

	addLead<K extends LeadKind>(
		kind: K,
		overrides?: Overrides,
		options?: LeadOptions,
		push?: PushOptions,
	) {
		const lead = this.leads.add(kind, overrides, options);
		this.pushes.announce(kind, lead, push);
		return lead;
	}

	addLeads<K extends LeadKind>(kind: K, count: number, options?: BulkOptions) {
		return this.leads.addMany(kind, count, options);
	}

	clearLeads(): void {
		this.leads.clear();
	}

	/** The counts since the start or the last reset; the object goes on counting. */
	get counts(): Counts {
		return this.journal.counts;
	}

	/** The last requests, oldest first. */
	get requests(): LoggedRequest[] {
		return this.journal.requests;
	}

	resetCounts(): void {
		this.journal.reset();
	}

	/** The service's time passes only by `advance`, until `goOn`. */
	standStill(): void {
		this.clock.standStill();
	}

	goOn(): void {
		this.clock.goOn();
	}

	/** @param ms may be negative */
	advance(ms: number): void {
		this.clock.advance(ms);
	}

	/** @returns epoch milliseconds by the service's clock */
	now(): number {
		return this.clock.now();
	}

	/** What another process needs to know to use the sandbox. */
	addresses() {
		const { url, authUrl, tokenUrl, leadsUrl, inventoryUrl, productsUrl } = this;
		const clients = [...this.clients.byId.values()];
		return { url, authUrl, tokenUrl, leadsUrl, inventoryUrl, productsUrl, clients };
	}

	private async listen(port: number): Promise<void> {
		await new Promise((resolve, reject) => {
			this.server.once('error', reject);
			this.server.listen(port, '127.0.0.1', () => resolve(undefined));
		});
		const address = this.server.address();
		if (address === null || typeof address === 'string') throw new Error('no port');
		this.port = address.port;
	}

	/** The secrets hold characters that break if they are encoded twice or not at all. */
	private addUsualClients(): void {
		const add = (integration: Client['integration'], clientSecret: string) =>
			this.addClient({ integration, clientId: `${integration}-client`, clientSecret });
		add('leads', 'l+e%41a:d é&s=/?#"secret');
		add('products', 'p%2Br:o d+ü&ct=s~secret€');
		add('inventory', 'i:n%25v+e ñ&t=o;ry-secret');
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		try {
			const call = await readCall(request);
			if (call.path.startsWith(CONTROL_BASE)) this.control.handle(call, response);
			else await this.exchange.handle(call, response);
		} catch (error) {
			// A client that has gone is no failure. Anything else is a defect of the sandbox, and must be seen.
			if (request.destroyed && !request.complete) return;
			if (response.headersSent) response.destroy();
			else response.writeHead(500).end(error instanceof Error ? error.stack : 'unknown failure');
		}
	}
}

function defaultContract(): Contract {
	const { SANDBOX_CONTRACT: wanted } = process.env;
	return wanted === 'closed' || wanted === 'open' ? wanted : 'unchecked';
}
