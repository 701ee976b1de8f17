import { expect, it } from '@jest/globals';

import { pollInTurn } from '../../../../../nodes/common/polling/pollInTurn';
import { PollMemory } from '../../../../../nodes/common/polling/pollMemory';

class Memory extends PollMemory {
	handed?: string;
}

/** A poll that goes on until the test ends it. */
function longPoll() {
	let end: () => void = () => {};
	let fail: () => void = () => {};
	const ended = new Promise<string>((resolve, reject) => {
		end = () => resolve('first');
		fail = () => reject(new Error('No'));
	});
	return { begin: async () => await ended, end, fail };
}

it('a tick gives way to a poll under way, and the next one has its turn', async () => {
	const memory = new Memory();
	const long = longPoll();
	const first = pollInTurn(memory, false, long.begin);

	expect(await pollInTurn(memory, false, async () => await Promise.resolve('tick'))).toBeNull();
	long.end();

	expect(await first).toBe('first');
	expect(await pollInTurn(memory, false, async () => await Promise.resolve('next'))).toBe('next');
});

it.each(['ends', 'fails'])('an activation waits until the poll under way %s', async (how) => {
	const memory = new Memory();
	memory.handed = 'before';
	const long = longPoll();
	const first = pollInTurn(memory, false, long.begin).catch(() => 'failed');
	const steps: string[] = [];
	const second = pollInTurn(memory, true, async () => {
		steps.push('second');
		return await Promise.resolve('second');
	});

	await Promise.resolve();
	expect(steps).toEqual([]);
	// n8n drops what it is handed while the workflow is published anew.
	memory.handed = 'dropped';
	if (how === 'ends') long.end();
	else long.fail();

	expect([await first, await second]).toEqual([how === 'ends' ? 'first' : 'failed', 'second']);
	expect(memory.handed).toBe('before');
});
