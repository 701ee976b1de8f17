import { afterEach, beforeEach, jest } from '@jest/globals';

import { EVERYTHING_BUT_DATE } from '../engine/bench';

/** In each test the host's clock shows what `ModelService` says. */
export function useModelTime(): void {
	beforeEach(() => {
		jest.useFakeTimers({ doNotFake: [...EVERYTHING_BUT_DATE] });
	});

	afterEach(() => {
		jest.useRealTimers();
	});
}
