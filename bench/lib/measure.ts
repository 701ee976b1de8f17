// What is measured, and how: monotonic time in this process, CPU time of n8n from the operating system.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { sum } from './figures';

export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
	const startedAt = performance.now();
	const result = await work();
	return { ms: performance.now() - startedAt, result };
}

/** The CPU time of a process since it started, in milliseconds, of the threads that run now. */
export function cpuMs(pid: number): number {
	const tasks = `/proc/${pid}/task`;
	const spans = readdirSync(tasks).map((thread) =>
		Number(readFileSync(join(tasks, thread, 'schedstat'), 'utf8').split(' ')[0]),
	);
	return sum(spans) / 1e6;
}
