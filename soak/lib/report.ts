import type { Figures, FlowFigures } from './figures';
import type { Finding } from './ledger';

type Cell = string | number;

/** A line of the table: what it says of each workflow. */
const ROWS: Array<[string, (figures: Figures, flow: FlowFigures) => Cell]> = [
	['mode', ({ host }) => host],
	['workflow', (_, { title }) => title],
	['submitted', ({ submitted }) => submitted],
	['received as they should be', (_, { ledger }) => ledger.right],
	['lost', (_, { ledger }) => ledger.lost.length],
	['doubled', (_, { ledger }) => ledger.doubled.length],
	["lost in the host's own gap", (_, { ledger }) => ledger.lostInHostsGap.length],
	["doubled in the host's own gap", (_, { ledger }) => ledger.doubledInHostsGap.length],
	['without a run that succeeded', (_, { ledger }) => ledger.unfinished.length],
	['run again after success, by a kill', (_, { ledger }) => ledger.repeated.length],
	['run more than once', (_, { ledger }) => ledger.again],
	[
		'from before activation',
		({ earlier }, { ledger }) => `${ledger.fromBefore.length} of ${earlier}`,
	],
	['received by a killed execution only', (_, { ledger }) => ledger.cutShort.length],
	['polls', (_, { polls }) => polls],
	['polls after the last lead', (_, { quietPolls }) => quietPolls],
	['executions', (_, { ledger }) => counts(ledger.byStatus)],
	['kills right after a hand-over', (_, { killsAtHandOver }) => killsAtHandOver.length],
];

/** Below the table: what is said of each host. */
const HOST_ROWS: Array<[string, (figures: Figures) => Cell]> = [
	['kills', ({ kills }) => kills],
	['re-activations', ({ reactivations }) => reactivations],
	['data requests', ({ dataRequests }) => dataRequests],
	['refused runs', ({ refusedRuns }) => refusedRuns],
	['token requests', ({ tokenRequests }) => tokenRequests],
	['faults fired', ({ faultsFired }) => counts(faultsFired)],
];

export function table(all: Figures[]): string {
	const columns = all.flatMap((figures) => figures.flows.map((flow) => ({ figures, flow })));
	const cells = ROWS.map(([label, value]) => [
		label,
		...columns.map(({ figures, flow }) => String(value(figures, flow))),
	]);
	return [...aligned(cells), ...all.map(hostLine), ...all.flatMap(errorLines)].join('\n');
}

function aligned(cells: string[][]): string[] {
	const widths = (cells[0] ?? []).map((_, column) =>
		Math.max(...cells.map((row) => row[column]?.length ?? 0)),
	);
	return cells.map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join('  ')
			.trimEnd(),
	);
}

function hostLine(figures: Figures): string {
	const rows = HOST_ROWS.map(([label, value]) => `${label}: ${value(figures)}`);
	return `${figures.host}: ${rows.join('; ')}`;
}

function errorLines({ host, flows }: Figures): string[] {
	return flows.flatMap(({ title, ledger }) =>
		Object.entries(ledger.byError).map(
			([error, count]) => `${host}, ${title}: ${count} executions failed: ${error}`,
		),
	);
}

/** What must not be, a line for each. */
export function failures({ host, flows }: Figures): string[] {
	return flows.flatMap(({ title, ledger }) => {
		const line = (what: string) => (finding: Finding) =>
			`${host}, ${title}: ${finding.id} ${what}${receiversOf(finding)}`;
		return [
			...ledger.lost.map(line('was lost')),
			...ledger.doubled.map(line('was doubled')),
			...ledger.unfinished.map(line('had no run that succeeded')),
			...ledger.shared.map((id) => `${host}, ${title}: execution ${id} has several leads`),
			...ledger.fromBefore.map(line('is from before the activation')),
			...ledger.unknown.map(line('was never submitted')),
		];
	});
}

function receiversOf({ executions }: Finding): string {
	return executions.length > 0 ? ` (executions ${executions.join(', ')})` : '';
}

function counts(by: Record<string, number>): string {
	const entries = Object.entries(by).map(([name, count]) => `${count} ${name}`);
	return entries.join(', ') || '0';
}
