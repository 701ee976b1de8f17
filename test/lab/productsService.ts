import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** An activation as the service keeps it. */
export interface Kept {
	id: string;
	listingId: number;
	createdAt: string;
	status: Record<string, unknown>;
	[field: string]: unknown;
}

/** One request to the products API. */
export interface Call {
	method: string;
	url: URL;
	token: string;
	body: Record<string, unknown>;
	/** How many of its method came before it. */
	earlier: number;
	isList: boolean;
	isOfOne: boolean;
}

export interface Reply {
	status: number;
	body?: unknown;
	headers?: Record<string, string>;
	/** Written as it is, instead of an answer. */
	raw?: string;
}

/** What a test has the service do: a reply of its own, or undefined for the usual one. */
export type Manner = (
	call: Call,
	usual: () => Reply,
) => Reply | undefined | Promise<Reply | undefined>;

const PRODUCTS = '/products/premium-listings';

/**
 * A service of products as small as the contract lets it be, and with nothing of the sandbox in it: it
 * takes every order, refuses one while another waits or is active and not while one is planned, and
 * shows what it has after as long as a test says.
 */
export class ProductsService {
	readonly kept: Kept[] = [];

	/** “POST 202”, in order; 0 if there was no answer. */
	readonly exchanges: string[] = [];

	readonly calls: Call[] = [];

	readonly tokens: string[] = [];

	/** What an order becomes at once. */
	result = 'PENDING';

	/** How long after an order the lists show it. */
	lagMs = 0;

	/** For how long the node has waited although no time went by. */
	waitedMs = 0;

	/** The answer's Date header, if it has one. */
	date: (() => string) | undefined = () => new Date().toUTCString();

	manner: Manner = () => undefined;

	tokenReply: (issued: string) => Reply = (issued) => ({
		status: 200,
		body: { access_token: issued, expires_in: 3_600, token_type: 'Bearer' },
	});

	private constructor(private readonly server: Server) {}

	static async start(): Promise<ProductsService> {
		const server = createServer();
		server.keepAliveTimeout = 0;
		const service = new ProductsService(server);
		server.on('request', (request, response) => void service.serve(request, response));
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return service;
	}

	async stop(): Promise<void> {
		const closed = new Promise((resolve) => this.server.close(resolve));
		this.server.closeAllConnections();
		await closed;
	}

	get url(): string {
		const { port } = this.server.address() as AddressInfo;
		return `http://127.0.0.1:${port}`;
	}

	/** How many orders it has taken. */
	get credits(): number {
		return this.kept.filter(({ createdBy }) => createdBy === 'me').length;
	}

	get posts(): string[] {
		return this.exchanges.filter((exchange) => exchange.startsWith('POST'));
	}

	keep(listingId: number, result: string, more: Partial<Kept> = {}): Kept {
		const kept: Kept = {
			id: randomUUID(),
			listingId,
			createdAt: new Date().toISOString(),
			status: { result },
			...more,
		};
		this.kept.push(kept);
		return kept;
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const sent = await text(request);
		const url = new URL(request.url ?? '', this.url);
		const reply =
			url.pathname === '/oauth2/token' ? this.token() : await this.data(request, url, sent);
		if (this.date) response.setHeader('date', this.date());
		else response.sendDate = false;
		if (reply.raw !== undefined) {
			const socket = request.socket;
			if (reply.raw === '') socket.destroy();
			else socket.end(reply.raw);
			return;
		}
		const { status, body, headers = {} } = reply;
		const isText = typeof body === 'string';
		response.writeHead(status, {
			...(body !== undefined && { 'content-type': isText ? 'text/html' : 'application/json' }),
			...headers,
		});
		response.end(isText ? body : body === undefined ? '' : JSON.stringify(body));
	}

	private token(): Reply {
		const issued = `token-${this.tokens.length + 1}-${randomUUID()}`;
		this.tokens.push(issued);
		return this.tokenReply(issued);
	}

	private async data(request: IncomingMessage, url: URL, sent: string): Promise<Reply> {
		const { method = '' } = request;
		const call: Call = {
			method,
			url,
			token: (request.headers.authorization ?? '').replace(/^Bearer /, ''),
			body: sent === '' ? {} : (JSON.parse(sent) as Record<string, unknown>),
			earlier: this.calls.filter((each) => each.method === method).length,
			isList: method === 'GET' && url.pathname === PRODUCTS,
			isOfOne: url.pathname !== PRODUCTS,
		};
		this.calls.push(call);
		const usual = () => this.usual(call);
		const reply = (await this.manner(call, usual)) ?? usual();
		const status = reply.raw === undefined ? reply.status : 0;
		this.exchanges.push(`${method}${call.isOfOne ? ' id' : ''} ${status}`);
		return reply;
	}

	private usual(call: Call): Reply {
		if (call.method === 'POST') return this.order(call);
		if (call.isList) return this.list(call);
		const id = call.url.pathname.split('/').at(-1);
		const kept = this.kept.find((each) => each.id === id);
		return kept ? { status: 200, body: kept } : { status: 404 };
	}

	private order({ body }: Call): Reply {
		const listingId = listingOf(body.customerListingId) ?? Number(body.listingId);
		const open = this.kept.find(
			({ listingId: of, status: { result } }) =>
				of === listingId && (result === 'PENDING' || result === 'ACTIVATED'),
		);
		if (open) {
			return { status: 303, body: open, headers: { location: `/premium-listings/${open.id}` } };
		}
		return { status: 202, body: this.keep(listingId, this.result, { createdBy: 'me' }) };
	}

	private list({ url: { searchParams } }: Call): Reply {
		const own = searchParams.get('customerListingId');
		const wanted = own === null ? Number(searchParams.get('listingId')) : listingOf(own);
		if (wanted === undefined) {
			return { status: 400, body: { errors: [{ reason: 'no match', code: 1_011_061 }] } };
		}
		const shown = this.kept.filter(
			({ listingId, createdAt }) =>
				listingId === wanted && Date.parse(createdAt) + this.lagMs <= Date.now() + this.waitedMs,
		);
		return { status: 200, body: shown };
	}
}

/** Which listing an agency's own ID means; undefined for one that matches none. */
function listingOf(own: unknown): number | undefined {
	const [, number] = /^EX-(\d+)$/.exec(typeof own === 'string' ? own : '') ?? [];
	return number === undefined ? undefined : Number(number);
}
