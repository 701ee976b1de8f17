/** How long a view of the service still shows what was before a change: until either is over. */
export interface LagFor {
	/** The service's time. */
	ms?: number;
	/** How often the property is read meanwhile. */
	reads?: number;
}

/** A view of things that follows their changes late, as one of several copies of a service's data does. */
export class LaggingView<T extends object> {
	/** What is shown in place of a thing (undefined: nothing yet), until when, and for how many reads. */
	private readonly held = new Map<T, { was: T | undefined; until: number; reads: number }>();

	/** @param now epoch milliseconds */
	constructor(private readonly now: () => number) {}

	/**
	 * @param was what the view shows meanwhile, unless it already shows something older
	 * @param lag undefined: the thing is shown as it is from now on
	 */
	follow(thing: T, was: T | undefined, lag?: LagFor): void {
		const { ms = Infinity, reads = Infinity } = lag ?? {};
		const shown = this.isHeld(thing) ? this.held.get(thing)?.was : was;
		if (lag === undefined) this.held.delete(thing);
		else this.held.set(thing, { was: shown, until: this.now() + ms, reads });
	}

	/** @returns what a reader is shown now; undefined: nothing */
	read(thing: T): T | undefined {
		const held = this.held.get(thing);
		if (held === undefined) return thing;
		const shown = this.isHeld(thing) ? held.was : thing;
		held.reads--;
		return shown;
	}

	private isHeld(thing: T): boolean {
		const held = this.held.get(thing);
		return held !== undefined && this.now() < held.until && held.reads > 0;
	}
}
