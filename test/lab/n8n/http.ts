import { request } from 'node:http';

export interface HttpRequest {
	method?: string;
	headers?: Record<string, string>;
	/** Sent as JSON. */
	body?: unknown;
}

export interface HttpAnswer {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
}

/** One request on a connection of its own: n8n is killed and restarted under the tests, and a kept connection would fail. */
export async function send(
	url: string,
	{ method = 'GET', headers = {}, body }: HttpRequest = {},
): Promise<HttpAnswer> {
	const payload = body === undefined ? undefined : JSON.stringify(body);
	return await new Promise((resolve, reject) => {
		const outgoing = request(url, {
			method,
			agent: false,
			headers: { ...headers, ...(payload !== undefined && { 'content-type': 'application/json' }) },
		});
		outgoing.once('error', reject);
		outgoing.once('response', (response) => {
			const chunks: Buffer[] = [];
			response.on('data', (chunk: Buffer) => chunks.push(chunk));
			response.once('error', reject);
			response.once('end', () =>
				resolve({
					status: response.statusCode ?? 0,
					headers: response.headers,
					text: Buffer.concat(chunks).toString('utf8'),
				}),
			);
		});
		outgoing.end(payload);
	});
}
