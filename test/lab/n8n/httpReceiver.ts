import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Request {
	path?: string;
	headers: IncomingHttpHeaders;
	body: Record<string, unknown>;
}

/** A system that workflows post JSON to, such as a CRM or a chat. */
export class HttpReceiver {
	/** Every request with the status of its answer, oldest first, those that were refused included. */
	readonly requests: Array<Request & { status: number }> = [];
	/** The answer to a request: a status, or a body. All are taken until a test says otherwise. */
	answer: (request: Request) => number | object | Promise<number> = () => 200;
	private readonly server = createServer((...exchange) => void this.take(...exchange));

	static async start(): Promise<HttpReceiver> {
		const receiver = new HttpReceiver();
		await once(receiver.server.listen(0, '127.0.0.1'), 'listening');
		return receiver;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** The bodies that were taken. */
	taken(): Array<Request['body']> {
		return this.requests.filter(({ status }) => status < 300).map(({ body }) => body);
	}

	private async take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
		const body = (await json(incoming)) as Request['body'];
		const request = { path: incoming.url, headers: incoming.headers, body };
		const answer = await this.answer(request);
		const [status, text] = typeof answer === 'number' ? [answer, {}] : [200, answer];
		this.requests.push({ ...request, status });
		response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(text));
	}

	async stop(): Promise<void> {
		const closed = once(this.server, 'close');
		this.server.close();
		this.server.closeAllConnections();
		await closed;
	}
}
