// A leads service that takes so many requests a second and no more.
import type { IncomingMessage, ServerResponse } from 'node:http';
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

/** Each limit has a service of its own, under a path of its own. */
export class LimitedServer {
	private readonly services: Array<{ limit: Limit; seen: Seen }> = [];

	private constructor(private readonly server: LocalServer) {}

	static async start(): Promise<LimitedServer> {
		const server = await LocalServer.start(
			async (request, response) => await limited.answer(request, response),
		);
		const limited = new LimitedServer(server);
		return limited;
	}

	async stop(): Promise<void> {
		await this.server.stop();
	}

	/** A service that nobody has asked yet. */
	add(limit: Limit): { url: string; seen: Seen } {
		const seen: Seen = { taken: [], refused: 0, tokens: 0 };
		this.services.push({ limit, seen });
		return { url: `${this.server.url}/${this.services.length - 1}`, seen };
	}

	private async answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
		const { pathname, searchParams } = new URL(url, 'http://localhost');
		const [, index, path] = pathname.split('/');
		const service = this.services[Number(index)];
		if (!service) return void response.writeHead(404).end();
		const { limit, seen } = service;
		if (path === 'oauth2') return this.issueToken(seen, response);
		const waitMs = admit(limit, seen, Date.now());
		await sleep(limit.latencyMs);
		if (waitMs === 0)
			return answerWith(response, 200, { applicants: [{ id: searchParams.get('branch-id') }] });
		if (limit.saysWhen) response.setHeader('Retry-After', Math.ceil(waitMs / SECOND_MS));
		answerWith(response, 429, { errors: [{ message: 'too many requests', code: 'busy' }] });
	}

	private issueToken(seen: Seen, response: ServerResponse): void {
		seen.tokens++;
		answerWith(response, 200, { access_token: 'token', expires_in: 3_600, token_type: 'Bearer' });
	}
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
