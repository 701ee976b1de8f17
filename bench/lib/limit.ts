// What the same requests take without n8n: the floor of what a node can reach.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Failure } from '../../test/lab/failure';
import { nodeForN8n } from '../../test/lab/n8n';
import { root } from '../../test/lab/paths';
import { LEADS_PATH } from './branches';
import type { Scene } from './scene';

/** What bench/bare/limit.mjs is asked for. */
export interface Work {
	authUrl: string;
	leadsUrl: string;
	clientId: string;
	clientSecret: string;
	/** Of the requests for leads. */
	urls: string[];
	runs: number;
}

/** One of its runs. */
export interface Limit {
	ms: number;
	items: number;
}

/** The addresses that were asked for leads since the counts were reset, in their order. */
export function urlsAsked({ sandbox }: Scene): string[] {
	return sandbox.requests
		.filter(({ path }) => LEADS_PATH.test(path))
		.map(({ path, query }) => {
			const pairs = Object.entries(query).flatMap(([name, values]) =>
				values.map((value): [string, string] => [name, value]),
			);
			return `${sandbox.leadsUrl}/${path.split('/').at(-1)}?${new URLSearchParams(pairs).toString()}`;
		});
}

/**
 * The same requests, one token, in a fresh process of n8n's Node.js.
 *
 * @param items how many leads they have to bring
 */
export async function bareRuns(
	scene: Scene,
	{
		urls,
		runs,
		items,
		branches,
	}: Pick<Work, 'urls' | 'runs'> & { items: number; branches?: string[] },
): Promise<Limit[]> {
	const { authUrl, leadsUrl } = scene.sandbox;
	const { clientId, clientSecret } = scene.addClient('leads', branches);
	const work: Work = { authUrl, leadsUrl, clientId, clientSecret, urls, runs };
	const script = join(root, 'bench', 'bare', 'limit.mjs');
	const { stdout } = await promisify(execFile)(nodeForN8n(), [script, JSON.stringify(work)]);
	const limits = JSON.parse(stdout) as Limit[];
	// What lies at the seam of two windows comes twice.
	if (limits.some((limit) => limit.items < items))
		throw new Failure(`The bare requests brought fewer than ${items} leads.`);
	return limits;
}
