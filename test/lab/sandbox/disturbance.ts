import { SECOND } from './clock';
import type { Faults } from './faults';
import { BASES } from './paths';

/** What the service can be for a while, and the status that every request for data is then answered with. */
export const DISTURBANCES = { busy: 429, broken: 500, 'refusing access': 403 } as const;

export type DisturbanceName = keyof typeof DISTURBANCES;

/** Requests for tokens are answered as usual. */
const DATA = new RegExp(`^(${[BASES.leads, BASES.inventory, BASES.products].join('|')})/`);

/** A minute of trouble, which people can order to see what n8n makes of it. */
export class Disturbance {
	private now: { state: DisturbanceName; until: number; end: () => void } | undefined;

	/** @param clock epoch milliseconds */
	constructor(
		private readonly faults: Faults,
		private readonly clock: () => number,
	) {}

	/** In place of the one before. */
	begin(state: DisturbanceName, seconds: number): void {
		this.end();
		const until = this.clock() + seconds * SECOND;
		const status = DISTURBANCES[state];
		const { remove } = this.faults.add({
			kind: 'status',
			status,
			path: DATA,
			times: Infinity,
			until,
		});
		this.now = { state, until, end: remove };
	}

	end(): void {
		this.now?.end();
		this.now = undefined;
	}

	status(): { state: DisturbanceName; until: string } | { state: 'normal' } {
		if (this.now === undefined || this.now.until <= this.clock()) return { state: 'normal' };
		const { state, until } = this.now;
		return { state, until: new Date(until).toISOString() };
	}
}
