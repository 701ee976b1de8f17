import { request } from 'undici';

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST';

/**
 * One request on a connection of its own: n8n is killed and restarted under the tests, and a kept connection would fail.
 *
 * @throws if there is no answer
 */
export async function send(
	url: string,
	method: Method = 'GET',
	json?: unknown,
	headers: Record<string, string> = {},
) {
	const answer = await request(url, {
		...{ method, reset: true, headersTimeout: 0, bodyTimeout: 0 },
		headers: { ...headers, ...(json !== undefined && { 'content-type': 'application/json' }) },
		body: JSON.stringify(json),
	});
	return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}
