import { setTimeout as delay } from 'node:timers/promises';

const INTERVAL_MS = 50;

/**
 * Asks until there is an answer, and fails at the deadline with what was waited for.
 * @param ask answers undefined or false for "not yet"
 */
export async function until<T>(
	what: string,
	deadlineMs: number,
	ask: () => Promise<T | false | undefined> | T | false | undefined,
): Promise<T> {
	const deadline = Date.now() + deadlineMs;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined && answer !== false) return answer;
		if (Date.now() > deadline) throw new Error(`Waited ${deadlineMs / 1000} s in vain for ${what}`);
		await delay(INTERVAL_MS);
	}
}
