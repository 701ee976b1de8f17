// What the service's log and n8n's log tell of a run.
import type { Sandbox } from '../test/lab/sandbox';

/** What n8n logs when a poll has handed it leads. */
const HANDED_OVER = 'Received event to trigger execution for workflow';

/** How long after it was handed leads n8n may need to save the execution and, apart from it, the progress. */
const HOSTS_GAP_MS = 2_000;

/** How often each kind of fault has struck. */
export function firedIn({ faults }: Sandbox): Record<string, number> {
	const fired: Record<string, number> = {};
	for (const { rule, fired: count } of faults.rules) {
		if (count === 0) continue;
		const name = rule.kind === 'status' ? String(rule.status) : rule.kind;
		fired[name] = (fired[name] ?? 0) + count;
	}
	return fired;
}

/**
 * When polls handed leads to n8n.
 *
 * @param workflow its name
 * @returns epoch milliseconds
 */
export function handOversIn(logs: string, workflow: string): number[] {
	return logs
		.split('\n')
		.filter((line) => line.includes(HANDED_OVER) && line.includes(workflow))
		.map((line) => Date.parse(/"timestamp":"([^"]+)"/.exec(line)?.[1] ?? ''));
}

/** Whether n8n may not have dealt with a hand-over to the end when it was killed; both in epoch milliseconds. */
export function isFatal(kill: number, handOvers: number[]): boolean {
	return handOvers.some((at) => at <= kill && kill - at <= HOSTS_GAP_MS);
}
