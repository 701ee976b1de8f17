// What is measured, and how: monotonic time in this process, CPU time of n8n from the operating system.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Failure } from '../../test/lab/failure';
import { sum } from './figures';

/** n8n times its nodes by the system clock: if it is set meanwhile, their times are wrong. */
const CLOCK_TOLERANCE_MS = 100;

export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
	const clockBefore = Date.now();
	const startedAt = performance.now();
	const result = await work();
	const ms = performance.now() - startedAt;
	if (Math.abs(Date.now() - clockBefore - ms) > CLOCK_TOLERANCE_MS)
		throw new Failure('The system clock was set during a measurement. Run the benchmark again.');
	return { ms, result };
}

/** The CPU time of a process since it started, in milliseconds, of the threads that run now. */
export function cpuMs(pid: number): number {
	const tasks = `/proc/${pid}/task`;
	const spans = readdirSync(tasks).map((thread) =>
		Number(readFileSync(join(tasks, thread, 'schedstat'), 'utf8').split(' ')[0]),
	);
	return sum(spans) / 1e6;
}
