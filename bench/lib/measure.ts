// What is measured, and how: monotonic time in this process, CPU time of n8n from the operating system.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { Failure } from '../../test/lab/failure';
import { sum } from './figures';

/** n8n times its nodes by the system clock: if it is set meanwhile, their times are wrong. */
const CLOCK_TOLERANCE_MS = 100;

/** Linux counts the CPU time of a process in hundredths of a second. */
const TICK_MS = 10;

/** How long to watch a process. */
export interface Windows {
	windows: number;
	seconds: number;
}

export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
	const clockBefore = Date.now();
	const startedAt = performance.now();
	const result = await work();
	const ms = performance.now() - startedAt;
	if (Math.abs(Date.now() - clockBefore - ms) > CLOCK_TOLERANCE_MS)
		throw new Failure('The system clock was set during a measurement. Run the benchmark again.');
	return { ms, result };
}

/** User and system time of a process since it started. */
export function cpuMs(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** The same to the nanosecond, for a short span: only of the threads that run now. */
export function fineCpuMs(pid: number): number {
	const tasks = `/proc/${pid}/task`;
	const spans = readdirSync(tasks).map((thread) =>
		Number(readFileSync(join(tasks, thread, 'schedstat'), 'utf8').split(' ')[0]),
	);
	return sum(spans) / 1e6;
}

/** CPU milliseconds per second of time, over each of several windows. */
export async function cpuRates(pid: number, { windows, seconds }: Windows): Promise<number[]> {
	const rates: number[] = [];
	for (let window = 0; window < windows; window++) {
		const before = cpuMs(pid);
		const { ms } = await timed(async () => await sleep(seconds * 1_000));
		rates.push(((cpuMs(pid) - before) / ms) * 1_000);
	}
	return rates;
}

/** What a process has written since it started, to files, pipes and sockets, whether or not it is on the disk yet. */
export function bytesWritten(pid: number): number {
	const io = readFileSync(`/proc/${pid}/io`, 'utf8');
	return Number(/^wchar: (\d+)$/m.exec(io)?.[1] ?? NaN);
}
