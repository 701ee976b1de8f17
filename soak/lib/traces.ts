// What the service's log and n8n's log tell of a run.
import type { Sandbox } from '../../test/lab/sandbox';
import type { Flow } from './flows';

/** What n8n logs when a poll has handed it leads. */
const HANDED_OVER = 'Received event to trigger execution for workflow';

/**
 * Polls that asked for leads: all requests of one poll, repeats included, ask for the same time.
 *
 * @param since epoch milliseconds
 */
export function pollsIn({ requests }: Sandbox, { client }: Flow, since: number): number {
	const ends = requests
		.filter((request) => request.clientId === client.clientId && request.at >= since)
		.flatMap(({ query }) => query['to-time'] ?? []);
	return new Set(ends).size;
}

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
