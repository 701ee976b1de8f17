import { jest } from '@jest/globals';

/** Counts the listeners of each event target from now on, and tells how many one had at most: Node warns of over ten. */
export function mostListeners(): () => number {
	const counts = new Map<EventTarget, number>();
	let most = 0;
	/** Counts a call of the method, and makes it. */
	const spyOn = (name: 'addEventListener' | 'removeEventListener', by: number) => {
		const method = Reflect.get(EventTarget.prototype, name) as (...args: unknown[]) => void;
		jest.spyOn(EventTarget.prototype, name).mockImplementation(function (
			this: EventTarget,
			...args: unknown[]
		) {
			const count = (counts.get(this) ?? 0) + by;
			counts.set(this, count);
			most = Math.max(most, count);
			method.apply(this, args);
		});
	};
	spyOn('addEventListener', 1);
	spyOn('removeEventListener', -1);
	return () => most;
}
