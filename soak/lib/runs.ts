import type { Execution } from '../../test/lab/n8n';

/** What became of a lead that is run again until a run succeeds. */
export type RunsFate =
	| 'right'
	/** A run too many. */
	| 'doubled'
	/** Run again although a run had succeeded: n8n was killed before it had stored that. */
	| 'repeated'
	/** No run has succeeded. */
	| 'unfinished';

/**
 * @param executions that were started with the lead, oldest first
 * @param kills when n8n was killed, in epoch milliseconds
 */
export function fateOfRuns(executions: Execution[], runAgain: number, kills: number[]): RunsFate {
	const isKilledBetween = (before: Execution, next: Execution) =>
		kills.some((kill) => startOf(before) < kill && kill < startOf(next));
	let isRepeated = false;
	let before: Execution | undefined;
	for (const next of executions) {
		if (before && !hasFailed(before)) {
			if (before.status !== 'success' || !isKilledBetween(before, next)) return 'doubled';
			isRepeated = true;
		}
		before = next;
	}
	if (executions.length > runAgain + 1) return 'doubled';
	if (!executions.some(({ status }) => status === 'success')) return 'unfinished';
	return isRepeated ? 'repeated' : 'right';
}

function hasFailed({ status }: Execution): boolean {
	return status === 'error' || status === 'crashed';
}

function startOf({ summary }: Execution): number {
	return Date.parse(summary.createdAt);
}
