/** A view of things that follows their changes late, as one of several copies of a service's data does. */
export class LaggingView<T extends object> {
	/** What is shown in place of a thing (undefined: nothing yet), and until when. */
	private readonly held = new Map<T, { was: T | undefined; until: number }>();

	/** @param now epoch milliseconds */
	constructor(private readonly now: () => number) {}

	/**
	 * @param was what the view shows meanwhile, unless it already shows something older
	 * @param lagMs for how long, of the service's time; undefined: the thing is shown as it is from now on
	 */
	follow(thing: T, was: T | undefined, lagMs?: number): void {
		const held = this.heldFor(thing);
		if (lagMs === undefined) this.held.delete(thing);
		else this.held.set(thing, { was: held ? held.was : was, until: this.now() + lagMs });
	}

	/** @returns what a reader is shown now; undefined: nothing */
	read(thing: T): T | undefined {
		const held = this.heldFor(thing);
		return held ? held.was : thing;
	}

	private heldFor(thing: T) {
		const held = this.held.get(thing);
		return held && this.now() < held.until ? held : undefined;
	}
}
