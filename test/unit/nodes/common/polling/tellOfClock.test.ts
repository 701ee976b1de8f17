import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IPollFunctions } from 'n8n-workflow';

import { PollMemory } from '../../../../../nodes/common/polling/pollMemory';
import { tellOfClock } from '../../../../../nodes/common/polling/tellOfClock';
import { HOUR, MINUTE } from '../../../../lab/polling/leadsModel';
import { useModelTime } from '../../../../lab/polling/modelTime';
import { NOON } from '../../../../lab/polling/progress';

useModelTime();

let memory: PollMemory;
let warned: string[];

beforeEach(() => {
	jest.setSystemTime(NOON);
	[memory, warned] = [new PollMemory(), []];
});

/** Polls once, with a service whose clock is ahead of the host's. */
function poll(aheadMs: number): void {
	memory.clock.read(new Date(Date.now() + aheadMs).toUTCString(), Date.now());
	const logger = { warn: (text: string) => warned.push(text) };
	const context = { logger } as unknown as IPollFunctions;
	tellOfClock({ context, memory, isActivation: false });
}

describe('a clock that is wrong', () => {
	it.each([
		[-2 * HOUR, '120 minutes ahead of the service’s'],
		[2 * HOUR, '120 minutes behind the service’s'],
		[-20 * MINUTE - 40_000, '21 minutes ahead of the service’s'],
	])('is told of by how far the service is ahead: %d ms', (aheadMs, expected) => {
		poll(aheadMs);

		expect(warned).toEqual([
			`The clock of the machine that n8n runs on is ${expected}. Check it: one of the two is wrong.`,
		]);
	});

	it('is not told of if it is off by little', () => {
		poll(10 * MINUTE);

		expect(warned).toEqual([]);
	});

	it('is told of by a name of its own', () => {
		poll(2 * HOUR);

		expect([memory.isToTell('clock'), memory.isToTell('')]).toEqual([false, true]);
	});

	it('is told of once an hour', () => {
		for (let minutes = 0; minutes <= 60; minutes += 10) {
			poll(2 * HOUR);
			jest.setSystemTime(Date.now() + 10 * MINUTE);
		}

		expect(warned).toHaveLength(2);
	});
});

describe('what goes on', () => {
	it('is told once an hour, each thing by itself', () => {
		const told = ['a', 'b', 'a'].map((what) => memory.isToTell(what));
		jest.setSystemTime(NOON + HOUR - 1);
		const soon = memory.isToTell('a');
		jest.setSystemTime(NOON + HOUR);

		expect([told, soon, memory.isToTell('a')]).toEqual([[true, true, false], false, true]);
	});

	it('is told again if the host’s clock went back by hours', () => {
		memory.isToTell('a');
		jest.setSystemTime(NOON - 2 * HOUR);

		expect(memory.isToTell('a')).toBe(true);
	});
});
