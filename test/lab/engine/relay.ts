import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';

import { LocalServer } from '../localServer';
import type { Sandbox } from '../sandbox';
import { jsonIn } from '../values';

/** What the node asks for. */
export interface Asked {
	method: string;
	path: string;
	query: URLSearchParams;
	headers: IncomingHttpHeaders;
	body: string;
	/** Whether it asks for a list. */
	isList: boolean;
	/** How many requests of its method came before it. */
	earlier: number;
}

/** An answer on its way to the node; a header that is undefined is left out, Date too; the body is zipped if one says so. */
export interface Answer {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	body: string;
}

/** An answer, or `lost` for a connection that is reset. */
type Reply = Answer | 'lost';

/**
 * Says what the node gets instead of an answer.
 *
 * @param pass hands the request on to the service, and returns what it answers
 */
export type Change = (asked: Asked, pass: () => Promise<Reply>) => Reply | Promise<Reply>;

/**
 * A hop in front of the sandbox that changes single answers: what the sandbox never says and the
 * service may.
 */
export class Relay {
	/** What the node asked for, in order. */
	asked: Asked[] = [];

	private changes: Change[] = [];

	private constructor(
		private readonly sandbox: Sandbox,
		private readonly server: LocalServer,
	) {}

	/** @returns a relay that passes everything on */
	static async start(sandbox: Sandbox): Promise<Relay> {
		const server = await LocalServer.start(
			async (request, response, body) => await relay.serve(request, response, body),
		);
		const relay: Relay = new Relay(sandbox, server);
		return relay;
	}

	async stop(): Promise<void> {
		await this.server.stop();
	}

	/** An address of the service as it is to be had here. */
	urlOf(address: string): string {
		return address.replace(String(this.sandbox.port), String(this.server.port));
	}

	/** Changes answers from now on; of several changes the last one has the last word. */
	answer(change: Change): void {
		this.changes.push(change);
	}

	/** Passes everything on again. */
	clear(): void {
		this.changes = [];
		this.asked = [];
	}

	private async serve(
		request: IncomingMessage,
		response: ServerResponse,
		body: string,
	): Promise<void> {
		const asked = this.read(request, body);
		const pass = async () => await this.pass(request, body);
		const answer = await this.changes.reduce<() => Promise<Reply>>(
			(inner, change) => async () => await change(asked, inner),
			pass,
		)();
		if (answer === 'lost') request.socket.destroy();
		else write(response, answer);
	}

	private read({ method = '', url = '', headers }: IncomingMessage, body: string): Asked {
		const earlier = this.asked.filter((before) => before.method === method).length;
		const { pathname: path, searchParams: query } = new URL(url, this.server.url);
		const isList = method === 'GET' && !/\/[0-9a-f-]{36}$/.test(path);
		const asked = { method, path, query, headers, body, isList, earlier };
		this.asked.push(asked);
		return asked;
	}

	private async pass(
		{ method, url: path, headers }: IncomingMessage,
		body: string,
	): Promise<Answer | 'lost'> {
		return await new Promise((resolve) => {
			const { port } = this.sandbox;
			const options = { host: '127.0.0.1', port, method, path, headers, agent: false };
			const passed = sendRequest(options, (answer) => {
				const { statusCode: status = 0, headers: sent } = answer;
				text(answer).then(
					(received) => resolve({ status, headers: withoutLength(sent), body: received }),
					() => resolve('lost'),
				);
			});
			passed.on('error', () => resolve('lost'));
			passed.end(body);
		});
	}
}

/** What is changed is as long as it is. */
function withoutLength(headers: IncomingHttpHeaders): Answer['headers'] {
	return { ...headers, 'content-length': undefined, 'transfer-encoding': undefined };
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
	response.sendDate = false;
	for (const [name, value] of Object.entries(headers)) {
		if (value !== undefined) response.setHeader(name, value);
	}
	const isZipped = headers['content-encoding'] === 'gzip';
	response.writeHead(status).end(isZipped ? gzipSync(body) : body);
}

/** An answer with JSON. */
export function json(status: number, body: unknown, headers: Answer['headers'] = {}): Answer {
	return {
		status,
		headers: { 'content-type': 'application/json', ...headers },
		body: JSON.stringify(body),
	};
}

/** An answer without a body. */
export function empty(status: number, headers: Answer['headers'] = {}): Answer {
	return { status, headers, body: '' };
}

/** An activation as the wire has it. */
export type Shown = Record<string, unknown>;

/** Lists of all that there is, whatever was asked for. */
export function listsOf(all: () => Shown[]): Change {
	return async ({ isList }, pass) => {
		const answer = await pass();
		if (!isList || typeof answer === 'string') return answer;
		if (!Array.isArray(jsonIn(answer.body))) return answer;
		return { ...answer, body: JSON.stringify(all()) };
	};
}
