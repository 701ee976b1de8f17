import { afterAll, afterEach, beforeAll, beforeEach, jest } from '@jest/globals';

import { useInAll, useInEach } from '../standIn';
import type { Bench } from './bench';
import { shortenBackoff } from './bench';
import { Relay } from './relay';
import { useVirtualTime } from './virtualTime';

interface Kind<B extends Bench> {
	start(): Promise<B>;
}

/** A bench of this kind for each test, on which no wait is long; clocks and mocks end with the test. */
export function useBench<B extends Bench>(kind: Kind<B>): B {
	beforeEach(shortenBackoff);
	afterEach(() => {
		jest.useRealTimers();
		jest.restoreAllMocks();
	});
	return useInEach(async () => await kind.start());
}

/** One bench for all tests here, in virtual time: for properties, each of which is many runs. */
export function useBenchInVirtualTime<B extends Bench>(kind: Kind<B>): B {
	afterAll(() => {
		jest.restoreAllMocks();
		jest.useRealTimers();
	});
	const bench = useInAll(async () => await kind.start());
	beforeAll(() => useVirtualTime(bench.sandbox));
	return bench;
}

/** A relay in front of the bench's sandbox; it passes everything on when a test begins. */
export function useRelay(bench: Bench): Relay {
	const relay = new Relay();
	beforeEach(() => relay.standBefore(bench.sandbox));
	return relay;
}
