import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Serve = (
	request: IncomingMessage,
	response: ServerResponse,
	body: string,
) => Promise<void> | void;

/** An HTTP server on this machine, for one test. */
export class LocalServer {
	private constructor(private readonly server: Server) {}

	static async start(serve: Serve): Promise<LocalServer> {
		const server = createServer((request, response) => {
			void text(request).then(async (body) => await serve(request, response, body));
		});
		server.keepAliveTimeout = 0;
		server.unref();
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return new LocalServer(server);
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	async stop(): Promise<void> {
		const closed = new Promise((resolve) => this.server.close(resolve));
		this.server.closeAllConnections();
		await closed;
	}
}
