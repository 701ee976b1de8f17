import { afterEach, beforeEach, jest } from '@jest/globals';

import { EVERYTHING_BUT_DATE } from '../engine/bench';

const realNow = performance.now.bind(performance);

/** By how much the process's own time is ahead of the real one, in milliseconds. */
let passedMs = 0;

/** In each test the host's clock shows what a model says, and the process's own time passes with the model's. */
export function useModelTime(): void {
	beforeEach(() => {
		jest.useFakeTimers({ doNotFake: [...EVERYTHING_BUT_DATE] });
		jest.spyOn(performance, 'now').mockImplementation(() => realNow() + passedMs);
	});

	afterEach(() => {
		jest.spyOn(performance, 'now').mockRestore();
		jest.useRealTimers();
	});
}

/** Lets the process's own time pass, which nobody can set back. */
export function passProcessTime(ms: number): void {
	passedMs += ms;
}
