import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const DROP_EVERY_MS = 10;

/**
 * How an answer goes on without end: not a byte of it comes, or one now and then, of its headers or
 * of its body. `taken` is a body without end after the service has done the work.
 */
export type Drip = 'nothing' | 'headers' | 'body' | 'taken';

/** A request that is answered in drips. */
export interface DrippingRequest {
	method: string;
	path: string;
	/** Settled once the one who asked has closed the connection. */
	closed: Promise<void>;
}

interface Rule {
	path: RegExp;
	drip: Drip;
	times: number;
}

/** A hop in front of a service whose answers may come in drips, which never end by themselves. */
export class Dripping {
	/** What was passed on, in order. */
	readonly passed: string[] = [];

	private rules: Rule[] = [];

	private readonly requests: DrippingRequest[] = [];

	private waiting: Array<() => void> = [];

	private taken = 0;

	/** Its port may have been another test's a moment ago: a late request to that one is not for this hop. */
	private readonly root = `/${randomUUID()}`;

	private constructor(
		private readonly port: number,
		private readonly server: Server,
	) {}

	/** @param port the service's */
	static async start(port: number): Promise<Dripping> {
		const server = createServer();
		server.keepAliveTimeout = 0;
		const dripping = new Dripping(port, server);
		server.on('request', (request, response) => void dripping.serve(request, response));
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return dripping;
	}

	async stop(): Promise<void> {
		const closed = new Promise((resolve) => this.server.close(resolve));
		this.server.closeAllConnections();
		await closed;
	}

	/** An address of the service, as it is to be had here. */
	urlOf(address: string): string {
		const { port } = this.server.address() as AddressInfo;
		return address.replace(String(this.port), `${port}${this.root}`);
	}

	/** Answers in drips, so many times, what is asked at such a path. */
	drip(path: RegExp, drip: Drip, times = 1): void {
		this.rules.push({ path, drip, times });
	}

	/** The next request that is answered in drips, once it is there. */
	async next(): Promise<DrippingRequest> {
		for (;;) {
			const request = this.requests[this.taken];
			if (request) {
				this.taken++;
				return request;
			}
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
	}

	private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = await text(request);
		const { method = '', url = '' } = request;
		if (!url.startsWith(`${this.root}/`)) return void response.writeHead(404).end();
		const path = url.slice(this.root.length);
		const rule = this.rules.find((each) => each.times > 0 && each.path.test(path));
		if (rule) rule.times--;
		if (!rule || rule.drip === 'taken') {
			this.passed.push(`${method} ${path}`);
			const answer = await this.pass(request, path, body);
			if (!rule) {
				response.writeHead(answer.status, answer.headers).end(answer.body);
				return;
			}
		}
		drop(response, rule.drip);
		const closed = new Promise<void>((resolve) => response.once('close', resolve));
		this.requests.push({ method, path, closed });
		for (const tell of this.waiting.splice(0)) tell();
	}

	private async pass({ method, headers }: IncomingMessage, path: string, body: string) {
		return await new Promise<{ status: number; headers: Record<string, string>; body: string }>(
			(resolve, reject) => {
				const options = { host: '127.0.0.1', port: this.port, method, path, headers, agent: false };
				const passed = sendRequest(options, (answer) => {
					const { statusCode: status = 0, headers: sent } = answer;
					const type = sent['content-type'];
					const kept = { ...(type !== undefined && { 'content-type': type }) };
					text(answer).then(
						(received) => resolve({ status, headers: kept, body: received }),
						reject,
					);
				});
				passed.on('error', reject);
				passed.end(body);
			},
		);
	}
}

/** Sends a byte now and then until the connection is closed. */
function drop(response: ServerResponse, drip: Drip): void {
	if (drip === 'nothing') return;
	const { socket } = response;
	if (!socket) return;
	if (drip === 'headers') socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
	else response.writeHead(200, { 'content-type': 'application/json' });
	const timer = setInterval(() => {
		if (drip === 'headers') socket.write('a');
		else response.write(' ');
	}, DROP_EVERY_MS);
	response.once('close', () => clearInterval(timer));
}
