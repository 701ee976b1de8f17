// A leads service that takes so many requests a second and no more.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { LocalServer } from './localServer';

const SECOND_MS = 1_000;

/** How a service counts. */
export interface Limit {
	perSecond: number;
	/** The last second at any time, or each second of the clock for itself. */
	counts: 'the last second' | 'each second';
	/** Whether a 429 says how long to wait. */
	saysWhen: boolean;
	/** What each answer takes, a 429 too. */
	latencyMs: number;
}

/** What one of its services has seen. */
export interface Seen {
	/** When each request came that was answered with a lead. */
	taken: number[];
	refused: number;
	tokens: number;
}

/** A service that nobody has asked yet. */
export async function startLimited(limit: Limit) {
	const seen: Seen = { taken: [], refused: 0, tokens: 0 };
	const server = await LocalServer.start(async ({ url = '' }, response) => {
		const { pathname, searchParams } = new URL(url, 'http://localhost');
		if (pathname.startsWith('/oauth2')) {
			seen.tokens++;
			const token = { access_token: 'token', expires_in: 3_600, token_type: 'Bearer' };
			return answerWith(response, 200, token);
		}
		const waitMs = admit(limit, seen, Date.now());
		await sleep(limit.latencyMs);
		if (waitMs === 0)
			return answerWith(response, 200, { applicants: [{ id: searchParams.get('branch-id') }] });
		if (limit.saysWhen) response.setHeader('Retry-After', Math.ceil(waitMs / SECOND_MS));
		answerWith(response, 429, { errors: [{ message: 'too many requests', code: 'busy' }] });
	});
	return { url: server.url, seen, stop: async () => await server.stop() };
}

/** @returns how long to wait, in milliseconds; 0 if the request is taken */
function admit({ perSecond, counts }: Limit, seen: Seen, now: number): number {
	const second = now - (now % SECOND_MS);
	const from = counts === 'each second' ? second : now - SECOND_MS + 1;
	const counted = seen.taken.filter((time) => time >= from);
	if (counted.length < perSecond) {
		seen.taken.push(now);
		return 0;
	}
	seen.refused++;
	const free = counts === 'each second' ? second : (counted[0] ?? now);
	return free + SECOND_MS - now;
}

function answerWith(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
