import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';

/** How a push travels; left out, as usual. */
export interface PushTravel {
	/** The body in pieces with pauses, so that it takes this long (ms). */
	takesMs?: number;
	/** The connection breaks after so many bytes of the body. */
	cutAfter?: number;
}

/** What a receiver answered; 0: nothing. */
export interface PushAnswer {
	status: number;
	retryAfter?: string;
	body: string;
	/** Milliseconds from the first byte sent. */
	ms: number;
}

const PIECES = 10;

/** Sends a POST, however it is to travel. Never rejects. */
export async function sendPush(
	url: string,
	headers: Record<string, string>,
	text: string,
	{ takesMs = 0, cutAfter }: PushTravel = {},
): Promise<PushAnswer> {
	const bytes = Buffer.from(text);
	const startedAt = performance.now();
	const sent = request(url, {
		method: 'POST',
		agent: false,
		headers: { ...headers, 'Content-Length': bytes.length },
	});
	const answered = new Promise<PushAnswer>((resolve) => {
		const told = (status: number, body = '', retryAfter?: string) =>
			resolve({ status, body, retryAfter, ms: performance.now() - startedAt });
		sent.on('error', () => told(0));
		sent.on('response', (response) => {
			const pieces: Buffer[] = [];
			response.on('data', (piece: Buffer) => pieces.push(piece));
			response.on('error', () => told(0));
			response.on('end', () => {
				const { statusCode = 0 } = response;
				told(statusCode, Buffer.concat(pieces).toString(), response.headers['retry-after']);
			});
		});
	});
	const end = cutAfter ?? bytes.length;
	const size = Math.max(1, Math.ceil(end / (takesMs > 0 ? PIECES : 1)));
	for (let at = 0; at < end && !sent.destroyed; at += size) {
		sent.write(bytes.subarray(at, Math.min(at + size, end)));
		if (takesMs > 0) await setTimeout(takesMs / PIECES);
	}
	if (cutAfter === undefined) sent.end();
	else setImmediate(() => sent.destroy());
	return await answered;
}
