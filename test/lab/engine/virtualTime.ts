import { jest } from '@jest/globals';

import type { Sandbox } from '../sandbox';
import { passProcessTime } from '../processTime';
import { EVERYTHING_BUT_DATE } from './bench';

let sandbox: Sandbox | undefined;

/** How far the host's clock is ahead of the service's, in milliseconds. */
let skewMs = 0;

/**
 * The host's clock stands still and moves only while the package waits, and the service's with it:
 * a wait of an hour takes no time, and everything happens at the time at which it would happen.
 */
export function useVirtualTime(service: Sandbox): void {
	sandbox = service;
	skewMs = 0;
	jest.useFakeTimers({ now: service.now(), doNotFake: [...EVERYTHING_BUT_DATE] });
}

/** Both clocks show the same again; the service's has gone on meanwhile, and the process's goes on as far. */
export function alignClocks(): void {
	if (!sandbox) return;
	passProcessTime(sandbox.now() + skewMs - Date.now());
	jest.setSystemTime(sandbox.now() + skewMs);
}

/** Puts the host's clock ahead of the service's, or behind. */
export function setSkew(ms: number): void {
	skewMs = ms;
	if (sandbox) jest.setSystemTime(sandbox.now() + ms);
}

/** n8n's library as it is, but for its `sleep`. */
export function withoutWaits(): { sleep: typeof passTime } {
	return { ...jest.requireActual<object>('n8n-workflow'), sleep: passTime };
}

async function passTime(ms: number): Promise<void> {
	const whole = Math.ceil(ms);
	jest.setSystemTime(Date.now() + whole);
	sandbox?.advance(whole);
	passProcessTime(whole);
	// Whoever waits lets others go first.
	await new Promise((resolve) => setImmediate(resolve));
}

/** What goes on behind a poll has come as far as it can. */
export async function settled(turns = 60): Promise<void> {
	for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}
