// @ts-check
/** @typedef {import('./host.mjs').Figures} Figures */
/** @typedef {import('./host.mjs').FlowFigures} FlowFigures */
/** @typedef {import('./ledger.mjs').Finding} Finding */

/** @type {Array<[string, (figures: Figures, flow: FlowFigures) => string | number]>} */
const ROWS = [
	['mode', ({ host }) => host],
	['workflow', (_, { title }) => title],
	['submitted', ({ submitted }) => submitted],
	['received once', (_, { ledger }) => ledger.once],
	['lost', (_, { ledger }) => ledger.lost.length],
	['doubled', (_, { ledger }) => ledger.doubled.length],
	["lost in the host's own gap", (_, { ledger }) => ledger.lostInHostsGap.length],
	["doubled in the host's own gap", (_, { ledger }) => ledger.doubledInHostsGap.length],
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

/** @type {Array<[string, (figures: Figures) => string | number]>} */
const HOST_ROWS = [
	['kills', ({ kills }) => kills],
	['re-activations', ({ reactivations }) => reactivations],
	['data requests', ({ dataRequests }) => dataRequests],
	['token requests', ({ tokenRequests }) => tokenRequests],
	['faults fired', ({ faultsFired }) => counts(faultsFired)],
];

/** @param {Figures[]} all */
export function table(all) {
	const columns = all.flatMap((figures) => figures.flows.map((flow) => ({ figures, flow })));
	const cells = ROWS.map(([label, value]) => [
		label,
		...columns.map(({ figures, flow }) => String(value(figures, flow))),
	]);
	const widths = (cells[0] ?? []).map((_, column) =>
		Math.max(...cells.map((row) => row[column]?.length ?? 0)),
	);
	return [
		...cells.map((row) =>
			row
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join('  ')
				.trimEnd(),
		),
		...all.map((figures) => {
			const rows = HOST_ROWS.map(([label, value]) => `${label}: ${value(figures)}`);
			return `${figures.host}: ${rows.join('; ')}`;
		}),
		...columns.flatMap(({ figures: { host }, flow: { title, ledger } }) =>
			Object.entries(ledger.byError).map(
				([error, count]) => `${host}, ${title}: ${count} executions failed: ${error}`,
			),
		),
	].join('\n');
}

/**
 * What must not be.
 *
 * @param {Figures} figures
 * @returns {string[]} a line for each
 */
export function failures({ host, flows }) {
	return flows.flatMap(({ title, ledger }) => {
		/** @param {string} what */
		const line =
			(what) =>
			(/** @type {Finding} */ { id, executions }) =>
				`${host}, ${title}: ${id} ${what}${executions.length > 0 ? ` (executions ${executions.join(', ')})` : ''}`;
		return [
			...ledger.lost.map(line('was lost')),
			...ledger.doubled.map(line('was doubled')),
			...ledger.fromBefore.map(line('is from before the activation')),
			...ledger.unknown.map(line('was never submitted')),
		];
	});
}

/** @param {Record<string, number>} by */
function counts(by) {
	const entries = Object.entries(by).map(([name, count]) => `${count} ${name}`);
	return entries.join(', ') || '0';
}
