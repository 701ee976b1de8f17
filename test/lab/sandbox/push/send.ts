import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';

import { request } from 'undici';

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

/** Sends a POST on a connection of its own, however it is to travel. Never rejects. */
export async function sendPush(
	url: string,
	headers: Record<string, string>,
	text: string,
	travel: PushTravel = {},
): Promise<PushAnswer> {
	const bytes = Buffer.from(text);
	const startedAt = performance.now();
	const sent = { ...headers, 'Content-Length': String(bytes.length) };
	const body = Readable.from(piecesOf(bytes, travel));
	const answered = await request(url, { method: 'POST', headers: sent, body, reset: true })
		.then(async (answer) => ({
			status: answer.statusCode,
			retryAfter: answer.headers['retry-after']?.toString(),
			body: await answer.body.text(),
		}))
		.catch(() => ({ status: 0, body: '' }));
	return { ...answered, ms: performance.now() - startedAt };
}

async function* piecesOf(bytes: Buffer, { takesMs = 0, cutAfter }: PushTravel) {
	const end = cutAfter ?? bytes.length;
	const size = Math.max(1, Math.ceil(end / (takesMs > 0 ? PIECES : 1)));
	for (let at = 0; at < end; at += size) {
		yield bytes.subarray(at, Math.min(at + size, end));
		if (takesMs > 0) await setTimeout(takesMs / PIECES);
	}
	if (cutAfter !== undefined) throw new Error('The connection breaks here');
}
