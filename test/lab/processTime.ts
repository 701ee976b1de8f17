/** The clock itself, whichever test file has put its own time in front of it: files of one worker share the object. */
const original = Object.getPrototypeOf(performance) as typeof performance;

/** By how much the process's own time is ahead of the real one, in milliseconds. */
let passedMs = 0;

Object.defineProperty(performance, 'now', {
	configurable: true,
	writable: true,
	value: () => original.now.call(performance) + passedMs,
});

/** Lets the process's own time pass, which nobody can set back: tests move the host's clock by themselves. */
export function passProcessTime(ms: number): void {
	passedMs += Math.max(0, ms);
}
