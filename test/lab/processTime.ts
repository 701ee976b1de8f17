const realNow = performance.now.bind(performance);

/** By how much the process's own time is ahead of the real one, in milliseconds. */
let passedMs = 0;

Object.defineProperty(performance, 'now', { value: () => realNow() + passedMs });

/** Lets the process's own time pass, which nobody can set back: tests move the host's clock by themselves. */
export function passProcessTime(ms: number): void {
	passedMs += Math.max(0, ms);
}
