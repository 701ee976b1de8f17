import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

interface Stoppable {
	stop(): Promise<void>;
}

/** Something new for each test: started before the test, and stopped after it. */
export function useInEach<T extends Stoppable>(start: () => Promise<T>): T {
	const { standIn, begin, end } = lifeOf(start);
	beforeEach(begin);
	afterEach(end);
	return standIn;
}

/**
 * One for all tests of a file or of a `describe`: started before the first of them, and stopped after the last.
 *
 * @param deadlines the time that this may take, in milliseconds
 */
export function useInAll<T extends Stoppable>(
	start: () => Promise<T>,
	deadlines: { start?: number; stop?: number } = {},
): T {
	const { standIn, begin, end } = lifeOf(start);
	beforeAll(begin, deadlines.start);
	afterAll(end, deadlines.stop);
	return standIn;
}

/**
 * Tests are written down before anything runs, so they are given a stand-in: what they ask it goes to
 * whatever runs at that time.
 */
function lifeOf<T extends Stoppable>(start: () => Promise<T>) {
	let running: T | undefined;
	const now = (): T => {
		if (!running) throw new Error('It runs only while the tests do');
		return running;
	};
	const standIn = new Proxy({} as T, {
		get: (_, name): unknown => Reflect.get(now(), name),
		set: (_, name, value) => Reflect.set(now(), name, value),
	});
	const begin = async (): Promise<void> => {
		running = await start();
	};
	const end = async (): Promise<void> => {
		await running?.stop();
		running = undefined;
	};
	return { standIn, begin, end };
}
