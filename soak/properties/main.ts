import { writeFileSync } from 'node:fs';

import { MINUTE_MS } from '../../service/basics/times';
import type { Host } from '../../test/lab/n8n';
import { endOf } from '../lib/endOf';
import { runOn, type Figures, type Settings } from './run';

export interface Options {
	seeds: number[];
	durationMs: number;
	hosts: Host[];
	/** The file to write all figures to. */
	json?: string;
}

interface Outcome {
	seed: number;
	host: Host;
	figures?: Figures;
	/** What must not be, a line for each. */
	findings: string[];
}

/** Of one run, beside the time in which properties change. */
const EXTRA_MS = 15 * MINUTE_MS;

/**
 * One run for each seed on each host: is each lasting change delivered once?
 *
 * @returns whether they are
 */
export async function soakProperties({
	seeds,
	durationMs,
	hosts,
	json,
}: Options): Promise<boolean> {
	const all: Outcome[] = [];
	for (const seed of seeds) {
		for (const host of hosts) all.push(await outcomeOf({ host, seed, durationMs }));
	}
	if (json !== undefined) writeFileSync(json, `${JSON.stringify(all, null, '\t')}\n`);
	const failed = all.filter(({ findings }) => findings.length > 0);
	console.log(`${all.length - failed.length} of ${all.length} runs passed`);
	return failed.length === 0;
}

async function outcomeOf(settings: Omit<Settings, 'signal'>): Promise<Outcome> {
	const { host, seed, durationMs } = settings;
	const outcome: Outcome = { seed, host, findings: [] };
	try {
		outcome.figures = await runOn({ ...settings, signal: endOf(durationMs + EXTRA_MS) });
		for (const line of linesOf(outcome.figures)) console.log(line);
		outcome.findings = findingsOf(outcome.figures);
	} catch (error) {
		// The other runs tell something all the same.
		outcome.findings = [`not done: ${error instanceof Error ? error.stack : String(error)}`];
	}
	for (const finding of outcome.findings) console.log(finding);
	console.log(`seed ${seed}, ${host}: ${outcome.findings.length === 0 ? 'passed' : 'FAILED'}\n`);
	return outcome;
}

function linesOf({ host, properties, changes, kills, refusedRuns, faultsFired, flows }: Figures) {
	const faults = Object.values(faultsFired).reduce((total, count) => total + count, 0);
	return [
		`${host}: ${changes} changes of ${properties} properties, ${kills} kills, ${refusedRuns} refused runs, ${faults} faults`,
		...flows.map(({ runs, ledger, inHostsGap }) => {
			const count = (what: string) => ledger.findings.filter((each) => each.what === what).length;
			return (
				`${host}, ${runs}: ${ledger.delivered} delivered, ${ledger.right} properties right, ` +
				`${count('lost')} lost, ${count('doubled')} doubled, ${count('made up')} made up; ` +
				`${inHostsGap.length} in the host's own gap`
			);
		}),
	];
}

/** What must not be, a line for each. */
function findingsOf({ host, flows }: Figures): string[] {
	return flows.flatMap(({ runs, ledger }) => [
		...ledger.findings.map(
			({ what, key, detail }) => `${host}, ${runs}: ${key} ${what}: ${detail}`,
		),
		...(runs === 'onePerChange'
			? ledger.shared.map((id) => `${host}, ${runs}: execution ${id} has several changes`)
			: []),
	]);
}
