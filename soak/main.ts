import { writeFileSync } from 'node:fs';

import { MINUTE_MS } from '../service/basics/times';
import type { Host } from '../test/lab/n8n';
import { endOf } from './lib/endOf';
import type { Figures } from './lib/figures';
import type { HandOver } from './lib/flows';
import { failures, table } from './lib/report';
import { runOn } from './lib/run';

export interface Options {
	seed: number;
	/** How long leads come. */
	durationMs: number;
	hosts: Host[];
	handOver: HandOver;
	/** The file to write all figures to. */
	json?: string;
}

/** Beside the time in which leads come: starts, restarts, and the wait for the last lead and its runs. */
const EXTRA_MS = 15 * MINUTE_MS;

/**
 * One run on each host, and what they have shown.
 *
 * @returns whether each lead reached the workflow once
 */
export async function soak({ seed, durationMs, hosts, handOver, json }: Options): Promise<boolean> {
	const all: Figures[] = [];
	for (const host of hosts) {
		const signal = endOf(durationMs + EXTRA_MS);
		all.push(await runOn({ host, seed, durationMs, handOver, signal }));
	}
	const findings = all.flatMap(failures);
	if (json !== undefined) {
		const report = { seed, durationMs, handOver, findings, hosts: all };
		writeFileSync(json, `${JSON.stringify(report, null, '\t')}\n`);
	}
	console.log(`\n${table(all)}\n`);
	for (const finding of findings) console.log(finding);
	console.log(`seed ${seed}: ${findings.length === 0 ? 'passed' : 'FAILED'}`);
	return findings.length === 0;
}
