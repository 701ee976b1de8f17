import type { IncomingHttpHeaders } from 'node:http';

import { LocalServer } from '../localServer';

interface Request {
	path?: string;
	headers: IncomingHttpHeaders;
	body: Record<string, unknown>;
}

/** A system that workflows post JSON to, such as a CRM or a chat. */
export class HttpReceiver {
	/** Every request with the status of its answer, oldest first, those that were refused included. */
	readonly requests: Array<Request & { status: number }> = [];

	private constructor(private readonly server: LocalServer) {}

	/** The answer to a request: a status, or a body. All are taken until a test says otherwise. */
	answer: (request: Request) => number | object | Promise<number> = () => 200;

	static async start(): Promise<HttpReceiver> {
		const server = await LocalServer.start(async ({ url: path, headers }, response, text) => {
			const request = { path, headers, body: JSON.parse(text) as Request['body'] };
			const answer = await receiver.answer(request);
			const [status, body] = typeof answer === 'number' ? [answer, {}] : [200, answer];
			receiver.requests.push({ ...request, status });
			response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		});
		const receiver = new HttpReceiver(server);
		return receiver;
	}

	get url(): string {
		return this.server.url;
	}

	/** The bodies that were taken. */
	taken(): Array<Request['body']> {
		return this.requests.filter(({ status }) => status < 300).map(({ body }) => body);
	}

	async stop(): Promise<void> {
		await this.server.stop();
	}
}
