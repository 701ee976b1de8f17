import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MINUTE_MS } from '../service/basics/times';
import { Failure } from '../test/lab/failure';
import { nodeForN8n } from '../test/lab/n8n';
import { DEFAULT_N8N } from '../test/lab/n8n/installation';
import { bareLimit } from './cases/bareLimit';
import { busyService } from './cases/busyService';
import { catchUp } from './cases/catchUp';
import { limitedService } from './cases/limitedService';
import { manyBranches } from './cases/manyBranches';
import { manyLeads } from './cases/manyLeads';
import { manyProperties } from './cases/manyProperties';
import { push } from './cases/push';
import { quietPoll } from './cases/quietPoll';
import { start } from './cases/start';
import { together } from './cases/together';
import { addLeads } from './lib/branches';
import { print, renew, write, type Draw } from './lib/report';
import type { Result, Settings } from './lib/result';
import { Scene } from './lib/scene';

/** A case is alone with what it starts, or shares one n8n with the others. */
type Case =
	| { alone: (settings: Settings) => Promise<Result> }
	| { shared: (settings: Settings, scene: Scene) => Promise<Result> };

export interface Options {
	/** One round and fewer sizes, which prove no goal. */
	isQuick: boolean;
	/** The name of the one case to measure. */
	only?: string;
	draw: Draw;
}

const ROUNDS = 5;

/** In the order of the page, each under the name of its file. */
const CASES: Record<string, Case> = {
	manyLeads: { alone: manyLeads },
	bareLimit: { alone: bareLimit },
	manyBranches: { shared: manyBranches },
	manyProperties: { shared: manyProperties },
	quietPoll: { alone: quietPoll },
	catchUp: { alone: catchUp },
	push: { alone: push },
	together: { shared: together },
	busyService: { shared: busyService },
	limitedService: { shared: limitedService },
	start: { alone: start },
};

/**
 * Measures, prints the figures, and writes the page, or the part of one case, if all rounds were measured.
 *
 * @throws Failure if a goal is missed, unless it was quick
 */
export async function bench({ isQuick, only, draw }: Options): Promise<void> {
	const settings = { isQuick, rounds: isQuick ? 1 : ROUNDS };
	const names = only === undefined ? Object.keys(CASES) : [only];
	const startedAt = performance.now();
	const results = await measure(settings, names);
	const minutes = Math.ceil((performance.now() - startedAt) / MINUTE_MS);
	for (const result of results) print(result, !isQuick);
	if (isQuick) return;
	if (only === undefined) await write(results, { rounds: ROUNDS, minutes, ...versions() }, draw);
	else for (const result of results) await renew(result, draw);
	assertMet(results);
}

async function measure(settings: Settings, names: string[]): Promise<Result[]> {
	const chosen = Object.entries(CASES).filter(([name]) => names.includes(name));
	const results = new Map<string, Result>();
	for (const [name, each] of chosen)
		if ('alone' in each) results.set(name, await each.alone(settings));
	const shared = chosen.flatMap(([name, each]) => ('shared' in each ? [{ name, ...each }] : []));
	if (shared.length > 0) {
		await Scene.play(async (scene) => {
			addLeads(scene);
			for (const each of shared) results.set(each.name, await each.shared(settings, scene));
		});
	}
	return names.flatMap((name) => results.get(name) ?? []);
}

function versions(): { n8nVersion: string; n8nNode: string } {
	const n8nNode = execFileSync(nodeForN8n(), ['--version'], { encoding: 'utf8' }).trim();
	const manifest = readFileSync(join(DEFAULT_N8N, 'n8n', 'package.json'), 'utf8');
	const { version } = JSON.parse(manifest) as { version: string };
	return { n8nVersion: version, n8nNode };
}

function assertMet(results: Result[]): void {
	const missed = results.flatMap(({ goals }) => goals).filter(({ isMet }) => !isMet);
	if (missed.length === 0) return;
	throw new Failure(
		`Missed: ${missed.map(({ text, figure }) => `${text} (${figure})`).join('; ')}.`,
	);
}
