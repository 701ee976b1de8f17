import {
	createServer,
	type IncomingHttpHeaders,
	type Server,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
	headers: IncomingHttpHeaders;
	body: Record<string, unknown>;
	/** What it was answered with. */
	status: number;
}

/** A system that workflows post JSON to, such as a CRM or a chat. */
export class HttpReceiver {
	/** Every request, oldest first, those that were refused included. */
	readonly requests: Received[] = [];
	/** Decides how a request is answered; all are taken until a test says otherwise. */
	answer: (request: Omit<Received, 'status'>) => number | Promise<number> = () => 200;

	private constructor(private readonly server: Server) {}

	static async start(): Promise<HttpReceiver> {
		const server = createServer();
		const receiver = new HttpReceiver(server);
		server.on('request', (request, response) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => {
				const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Received['body'];
				void receiver.take({ headers: request.headers, body }, response);
			});
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return receiver;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** The bodies that were taken. */
	taken(): Array<Received['body']> {
		return this.requests.filter(({ status }) => status < 300).map(({ body }) => body);
	}

	private async take(request: Omit<Received, 'status'>, response: ServerResponse): Promise<void> {
		const status = await this.answer(request);
		this.requests.push({ ...request, status });
		response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
	}

	async stop(): Promise<void> {
		const closed = new Promise((resolve) => this.server.close(resolve));
		this.server.closeAllConnections();
		await closed;
	}
}
