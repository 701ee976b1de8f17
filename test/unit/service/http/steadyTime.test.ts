import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { ProcessTime } from '../../../../service/http/steadyTime';

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async () => await Promise.resolve(),
}));

const MINUTE = 60_000;

/** What the clocks of the process show. */
let steady: number;
let wall: number;

beforeEach(() => {
	steady = 5_000;
	wall = Date.parse('2026-03-10T09:30:00Z');
	jest.spyOn(performance, 'now').mockImplementation(() => steady);
	jest.spyOn(Date, 'now').mockImplementation(() => wall);
});

afterEach(() => {
	jest.restoreAllMocks();
});

/** Both clocks go on. */
function goOn(ms: number): void {
	steady += ms;
	wall += ms;
}

/** How much time passes for a process while this happens. */
async function passed(during: (time: ProcessTime) => void | Promise<void>): Promise<number> {
	const time = new ProcessTime();
	const before = time.now();
	await during(time);
	return time.now() - before;
}

describe('the time of a process', () => {
	it('goes on by itself', async () => {
		expect(await passed(() => goOn(1_500))).toBe(1_500);
	});

	it('does not go back with a clock that is set back', async () => {
		const set = () => {
			goOn(500);
			wall -= MINUTE;
		};

		expect(await passed(set)).toBe(500);
	});

	it('goes on with a clock that is set forward, as after a computer has slept', async () => {
		const set = () => {
			goOn(500);
			wall += MINUTE;
		};

		expect(await passed(set)).toBe(MINUTE + 500);
	});

	it('goes on once with it, however often it is read', async () => {
		const set = (time: ProcessTime) => {
			wall += MINUTE;
			time.now();
			time.now();
			goOn(100);
		};

		expect(await passed(set)).toBe(MINUTE + 100);
	});

	it('goes on with a clock that is set back, and then forward to the right time', async () => {
		const set = (time: ProcessTime) => {
			wall -= MINUTE;
			time.now();
			wall += MINUTE;
		};

		expect(await passed(set)).toBe(MINUTE);
	});

	it('does not go on with a clock that is a little fast', async () => {
		expect(await passed(() => void (wall += 1_000))).toBe(0);
	});

	it('goes on with each wait, even if no clock shows that it was so long', async () => {
		expect(await passed(async (time) => await time.sleep(2_500))).toBe(2_500);
	});

	it.each([
		[2, 1.5],
		[10.5, 8.625],
	])(
		'goes by its clocks after waits of %d ms that end after %d, as those of Node.js do',
		async (ms, tookMs) => {
			const wait = async (time: ProcessTime) => {
				for (let count = 0; count < 1_000; count++) {
					const over = time.sleep(ms);
					goOn(tookMs);
					await over;
				}
			};

			expect(await passed(wait)).toBe(1_000 * tookMs);
		},
	);

	it('goes on with the shortest wait', async () => {
		expect(await passed(async (time) => await time.sleep(0.5))).toBe(0.5);
	});

	it('goes on by a wait once, if the clocks show it as well', async () => {
		const wait = async (time: ProcessTime) => {
			const over = time.sleep(2_500);
			goOn(2_600);
			await over;
		};

		expect(await passed(wait)).toBe(2_600);
	});
});
