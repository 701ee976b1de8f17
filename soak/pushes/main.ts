import { writeFileSync } from 'node:fs';

import { MINUTE_MS } from '../../service/basics/times';
import type { Host } from '../../test/lab/n8n';
import { endOf } from '../lib/endOf';
import type { Finding } from './ledger';
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

/** Of one run, beside the time in which leads come. */
const EXTRA_MS = 20 * MINUTE_MS;

/**
 * One run for each seed on each host: do pushed and polled leads have one run each?
 *
 * @returns whether they have
 */
export async function soakPushes({ seeds, durationMs, hosts, json }: Options): Promise<boolean> {
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

function linesOf({ host, isNarrow, leads, kills, refusedRuns, faultsFired, flows }: Figures) {
	const narrow = isNarrow ? ', one run at a time' : '';
	const faults = `${kills} kills, ${refusedRuns} refused runs, faults: ${counts(faultsFired)}`;
	return [
		`${host}: ${leads} leads${narrow}, ${faults}`,
		...flows.map(
			({ title, ledger }) =>
				`${host}, ${title}: ${ledger.right} right, ${ledger.lost.length} lost, ` +
				`${ledger.doubled.length} doubled; ${ledger.acknowledged} taken; ` +
				`${ledger.givenUp.length} given up, ${ledger.givenUpWithRun} of them with a run, ${ledger.answeredByN8n.length} answered 200 by a starting n8n; ` +
				`started by ${counts(ledger.startedBy)}; answers ${counts(ledger.answers)}; ` +
				`runs ${counts(ledger.byStatus)}`,
		),
	];
}

/** What must not be, a line for each. */
function findingsOf({ host, flows }: Figures): string[] {
	return flows.flatMap(({ title, ledger }) => {
		const line = (what: string) => (finding: Finding) =>
			`${host}, ${title}: ${finding.id} ${what} (executions ${finding.executions.join(', ')})`;
		return [
			...ledger.lost.map(line('was lost')),
			...ledger.doubled.map(line('was doubled')),
			...ledger.unknown.map(line('was never submitted')),
			...ledger.nameless.map((id) => `${host}, ${title}: execution ${id} is of no known lead`),
		];
	});
}

function counts(by: Record<string, number>): string {
	const entries = Object.entries(by).map(([name, count]) => `${count} × ${name}`);
	return entries.join(', ') || 'none';
}
