/** How long a view of the service still shows what was before a change: until either is over. */
export interface LagFor {
	/** The service's time. */
	ms?: number;
	/** How often the property is read meanwhile. */
	reads?: number;
}

interface Held<T> {
	/** Undefined: there was nothing yet. */
	was: T | undefined;
	/** Epoch milliseconds. */
	until: number;
	reads: number;
}

/** A view of things that follows their changes late, as one of several copies of a service's data does. */
export class LaggingView<T extends object> {
	private readonly held = new Map<T, Held<T>>();

	/** @param now epoch milliseconds */
	constructor(private readonly now: () => number) {}

	/** @param was what the view shows meanwhile, unless it already shows something older */
	hold(thing: T, was: T | undefined, { ms = Infinity, reads = Infinity }: LagFor): void {
		const older = this.held.get(thing);
		const shown = older !== undefined && this.isHeld(older) ? older.was : was;
		this.held.set(thing, { was: shown, until: this.now() + ms, reads });
	}

	/** Shows the thing as it is from now on. */
	release(thing: T): void {
		this.held.delete(thing);
	}

	/** @returns what a reader is shown now; undefined: nothing */
	show(thing: T): T | undefined {
		const held = this.held.get(thing);
		return held !== undefined && this.isHeld(held) ? held.was : thing;
	}

	/** The same, counted as a read. */
	read(thing: T): T | undefined {
		const shown = this.show(thing);
		const held = this.held.get(thing);
		if (held !== undefined) held.reads--;
		return shown;
	}

	private isHeld({ until, reads }: Held<T>): boolean {
		return this.now() < until && reads > 0;
	}
}
