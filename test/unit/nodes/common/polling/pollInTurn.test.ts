import { expect, it } from '@jest/globals';

import { pollInTurn } from '../../../../../nodes/common/polling/pollInTurn';
import { PollMemory } from '../../../../../nodes/common/polling/pollMemory';
import { createDeferredPromise } from '../../../../lab/deferred';

class Memory extends PollMemory {
	handed?: string;
}

/** A poll that goes on until the test ends it. */
function longPoll() {
	const { promise, resolve, reject } = createDeferredPromise<string>();
	return { begin: async () => await promise, end: resolve, fail: reject };
}

it('a tick gives way to a poll under way, and the next one has its turn', async () => {
	const memory = new Memory();
	const long = longPoll();
	const first = pollInTurn(memory, false, long.begin);

	expect(await pollInTurn(memory, false, async () => await Promise.resolve('tick'))).toBeNull();
	long.end('first');

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
	if (how === 'ends') long.end('first');
	else long.fail(new Error('No'));

	expect([await first, await second]).toEqual([how === 'ends' ? 'first' : 'failed', 'second']);
	expect(memory.handed).toBe('before');
});

it('an activation lets the process do other things while it waits', async () => {
	const memory = new Memory();
	const long = longPoll();
	const first = pollInTurn(memory, false, long.begin);
	setImmediate(() => long.end('first'));

	const second = pollInTurn(memory, true, async () => await Promise.resolve('second'));

	expect([await first, await second]).toEqual(['first', 'second']);
});
