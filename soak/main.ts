import { writeFileSync } from 'node:fs';

import type { Host } from '../test/lab/n8n';
import type { Finding } from './ledger';
import { leads } from './loads/leads';
import { properties } from './loads/properties';
import { pushes } from './loads/pushes';
import { play, type CreateLoad, type Outcome, type Settings } from './play';

export interface Options {
	load: 'leads' | 'pushes' | 'properties';
	seeds: number[];
	/** How long leads or changes come. */
	durationMs: number;
	hosts: Host[];
	/** Of the leads alone. */
	runAgain: number;
	/** The file to write all figures to. */
	json?: string;
}

const LOADS: Record<Options['load'], CreateLoad> = { leads, pushes, properties };

/**
 * One run for each seed on each host.
 *
 * @returns whether nothing was lost, doubled or made up
 */
export async function soak({ load, seeds, hosts, json, ...more }: Options): Promise<boolean> {
	console.log(`${load}, seeds ${seeds.join(', ')}`);
	const all: Array<{ isPassed: boolean }> = [];
	for (const seed of seeds) {
		for (const host of hosts) all.push(await tried(LOADS[load], { seed, host, ...more }));
	}
	if (json !== undefined) writeFileSync(json, `${JSON.stringify(all, null, '\t')}\n`);
	const passed = all.filter(({ isPassed }) => isPassed).length;
	console.log(`${passed} of ${all.length} runs passed`);
	return passed === all.length;
}

async function tried(load: CreateLoad, settings: Settings) {
	const { seed, host } = settings;
	const outcome = await play(load, settings).catch((error: unknown) => {
		// The other runs tell something all the same.
		console.log(`not done: ${error instanceof Error ? error.stack : String(error)}`);
		return undefined;
	});
	if (outcome) report(host, outcome);
	const isPassed = outcome?.flows.every(({ ledger }) => ledger.findings.length === 0) ?? false;
	console.log(`seed ${seed}, ${host}: ${isPassed ? 'passed' : 'FAILED'}\n`);
	return { seed, host, isPassed, outcome };
}

function report(host: Host, { kills, refusedRuns, faultsFired, flows }: Outcome): void {
	console.log(
		`${host}: ${kills} kills, ${refusedRuns} refused runs, faults ${counts(faultsFired)}`,
	);
	for (const { title, ledger, byStatus } of flows) {
		const { right, findings, notes } = ledger;
		console.log(
			`${host}, ${title}: ${right} right, ${count(findings, 'lost')} lost, ` +
				`${count(findings, 'doubled')} doubled; ${notes.join('; ')}; executions ${counts(byStatus)}`,
		);
		for (const { what, key, detail } of findings)
			console.log(`${host}, ${title}: ${key} was ${what}: ${detail}`);
	}
}

function count(findings: Finding[], what: Finding['what']): number {
	return findings.filter((each) => each.what === what).length;
}

function counts(by: Record<string, number>): string {
	return Object.entries(by)
		.map(([name, count]) => `${count} × ${name}`)
		.join(', ');
}
