// @ts-check
// What is measured, and how: monotonic time in this process, CPU time and memory of n8n from the operating system.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { Failure } from '../../scripts/lib/run.mjs';

/** n8n times its nodes by the system clock: a clock that is set meanwhile would spoil them. */
const CLOCK_TOLERANCE_MS = 100;

/** Linux counts the CPU time of a process in hundredths of a second. */
const TICK_MS = 10;

/** @param {number[]} values */
export function median(values) {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] ?? NaN;
	return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? NaN)) / 2;
}

/** How far apart the middle half of the values lies. @param {number[]} values */
export function spread(values) {
	const sorted = [...values].sort((a, b) => a - b);
	const quarter = Math.floor(sorted.length / 4);
	return (sorted.at(-1 - quarter) ?? NaN) - (sorted[quarter] ?? NaN);
}

/** @param {number[]} values */
export const sum = (values) => values.reduce((total, value) => total + value, 0);

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<{ ms: number, result: T }>}
 */
export async function timed(work) {
	const clockBefore = Date.now();
	const startedAt = performance.now();
	const result = await work();
	const ms = performance.now() - startedAt;
	if (Math.abs(Date.now() - clockBefore - ms) > CLOCK_TOLERANCE_MS)
		throw new Failure('The system clock was set during a measurement. Run the benchmark again.');
	return { ms, result };
}

/**
 * User and system time of a process since it started.
 * @param {number} pid
 */
export function cpuMs(pid) {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/**
 * CPU milliseconds per second of time, over each of several windows.
 * @param {number} pid
 * @param {{ windows: number, seconds: number }} plan
 */
export async function cpuRates(pid, { windows, seconds }) {
	const rates = [];
	for (let window = 0; window < windows; window++) {
		const before = cpuMs(pid);
		const { ms } = await timed(async () => await sleep(seconds * 1_000));
		rates.push(((cpuMs(pid) - before) / ms) * 1_000);
	}
	return rates;
}
