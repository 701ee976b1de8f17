import type { IncomingMessage, ServerResponse } from 'node:http';

import { LocalServer } from '../localServer';
import inventoryContract from '../contract/inventory.json';
import productsContract from '../contract/products.json';

/** What a server sees of a request, as far as it matters; what may differ in spelling is in one. */
export interface Recorded {
	method: string;
	path: string;
	/** Decoded, in the order of the alphabet: the order of parameters means nothing. */
	query: string[][];
	headers: Record<'authorization' | 'agencyref' | 'content-type' | 'accept', string | null>;
	/** A form as its fields in order, JSON as what it says; null without a body. */
	body: unknown;
}

/** Stands where all of the service is, answers what the contract has as examples, and keeps what it was asked. */
export class Recorder {
	/** How many pages a list has. */
	pages = 1;

	private seen: Recorded[] = [];

	private constructor(private readonly server: LocalServer) {}

	static async start(): Promise<Recorder> {
		const server = await LocalServer.start((...call) => recorder.serve(...call));
		const recorder = new Recorder(server);
		return recorder;
	}

	async stop(): Promise<void> {
		await this.server.stop();
	}

	get url(): string {
		return this.server.url;
	}

	/** What was asked since the last call, in order. */
	take(): Recorded[] {
		const taken = this.seen;
		this.seen = [];
		return taken;
	}

	private serve(request: IncomingMessage, response: ServerResponse, body: string): void {
		const url = new URL(request.url ?? '', this.url);
		this.seen.push(recordOf(request, url, body));
		const { status, body: answer } = this.answer(request.method ?? '', url);
		// The clock of the tests, which Node's own header does not follow.
		response.sendDate = false;
		response.setHeader('Date', new Date().toUTCString());
		response.setHeader('Content-Type', 'application/json');
		response.writeHead(status).end(JSON.stringify(answer));
	}

	private answer(
		method: string,
		{ pathname, searchParams }: URL,
	): { status: number; body: unknown } {
		if (method === 'PATCH') return { status: 202, body: PREMIUM };
		if (method === 'POST') return pathname.includes('/products/') ? ORDERED : ISSUED;
		return { status: 200, body: this.read(pathname, searchParams) };
	}

	private read(path: string, query: URLSearchParams): unknown {
		if (path.endsWith('/applicant-leads')) return { applicants: [] };
		if (path.endsWith('/appraisal-leads')) return { appraisals: [] };
		if (path.includes('/products/')) return /-[0-9a-f]{12}$/.test(path) ? PREMIUM : [];
		if (path.endsWith('/inventory/items')) return itemsOf(query.getAll('inventory-id'));
		if (path.endsWith('/search') || path.endsWith('/filter'))
			return this.page((inventoryId) => ({ ...ROW, inventoryId }), query);
		if (path.endsWith('/branches')) return BRANCHES;
		if (path.endsWith('/negotiators')) return NEGOTIATORS;
		if (path.endsWith('/partners/integration')) return INTEGRATION;
		if (path.endsWith('/inventory')) return this.page((id) => ({ ...HIT, id }), query);
		return { ...ITEM, id: path.slice(path.lastIndexOf('/') + 1) };
	}

	/** Each page has a row of its own. */
	private page(row: (id: string) => object, query: URLSearchParams) {
		const page = Number(query.get('nextToken') ?? query.get('next-token') ?? 1);
		const nextToken = page < this.pages ? String(page + 1) : null;
		return { meta: { nextToken }, items: [row(String(5000 + page))] };
	}
}

const {
	Item: { value: ITEM },
	BranchList: { value: BRANCHES },
	NegotiatorList: { value: NEGOTIATORS },
	Integration: { value: INTEGRATION },
	Hits,
	Rows,
} = inventoryContract.components.examples;
const [HIT = {}] = Hits.value.items;
const [ROW = {}] = Rows.value.items;
const {
	PremiumActivation: { value: PREMIUM },
} = productsContract.components.examples;
const ORDERED = { status: 202, body: { ...PREMIUM, status: { result: 'PENDING' } } };
const ISSUED = {
	status: 200,
	body: { access_token: 'token-of-the-recorder', token_type: 'Bearer', expires_in: 3600 },
};

/** The token that every client here has. */
export const TOKEN = ISSUED.body.access_token;

function itemsOf(ids: string[]) {
	return { totalCount: ids.length, items: ids.map((id) => ({ ...ITEM, id })) };
}

function recordOf({ method = '', headers }: IncomingMessage, url: URL, body: string): Recorded {
	const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? null;
	const { agencyref } = headers;
	return {
		method,
		path: url.pathname,
		query: sorted(url.searchParams),
		headers: {
			authorization: headers.authorization ?? null,
			agencyref: typeof agencyref === 'string' ? agencyref : null,
			'content-type': type,
			accept: headers.accept ?? null,
		},
		body: bodyOf(type, body),
	};
}

function sorted(parameters: URLSearchParams): string[][] {
	return [...parameters].sort(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

function bodyOf(type: string | null, body: string): unknown {
	if (body === '') return null;
	if (type === 'application/x-www-form-urlencoded') return sorted(new URLSearchParams(body));
	return type === 'application/json' ? JSON.parse(body) : body;
}
