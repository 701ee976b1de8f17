import { jest } from '@jest/globals';

interface Clock {
	ms: number;
	controller: AbortController;
}

/**
 * Has time pass when a test says so: what would wait for `AbortSignal.timeout` waits for the test.
 * `jest.restoreAllMocks` ends it.
 */
export class Clocks {
	private readonly clocks: Clock[] = [];

	private waiting: Array<() => void> = [];

	constructor() {
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
			const controller = new AbortController();
			this.clocks.push({ ms, controller });
			for (const tell of this.waiting.splice(0)) tell();
			return controller.signal;
		});
	}

	/** Lets the time of all those pass that run so long; waits for one if there is none. */
	async pass(ms: number | ((ms: number) => boolean)): Promise<void> {
		const isMeant = typeof ms === 'number' ? (each: number) => each === ms : ms;
		for (;;) {
			const meant = this.clocks.filter(
				(clock) => isMeant(clock.ms) && !clock.controller.signal.aborted,
			);
			for (const { controller } of meant) {
				controller.abort(new DOMException('The time is over', 'TimeoutError'));
			}
			if (meant.length > 0) return;
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		}
	}
}
