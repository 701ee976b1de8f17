import { MOST_REQUESTS_AT_ONCE } from '../basics/concurrency';

const FIRST_WIDTH = 4;

/** A request that departed, counted from 1. */
interface Numbered {
	readonly number: number;
	/** Whether it was the last one that might be under way. */
	readonly isLast: boolean;
}

/** How many requests may be under way at once: the service shows by and by what it can bear. */
export class Width {
	most = FIRST_WIDTH;

	/** How many requests have departed. */
	departures = 0;

	private goodInRound = 0;

	/** The last departure before it was halved: those up to it do not halve it again. */
	private lastBeforeHalving = 0;

	/** Whether it is not known yet what the service can bear, or it has shown that this is less. */
	get isLearning(): boolean {
		return this.most < MOST_REQUESTS_AT_ONCE;
	}

	depart(underWay: number): Numbered {
		this.departures++;
		return { number: this.departures, isLast: underWay + 1 >= this.most };
	}

	/** One more after each round in which all places were taken and all went well. */
	grow({ number, isLast }: Numbered): void {
		if (number <= this.lastBeforeHalving) return;
		this.goodInRound++;
		if (this.goodInRound < this.most || !isLast) return;
		this.most = Math.min(MOST_REQUESTS_AT_ONCE, this.most + 1);
		this.goodInRound = 0;
	}

	halveAfter({ number }: Numbered): void {
		this.goodInRound = 0;
		if (number <= this.lastBeforeHalving) return;
		this.most = Math.max(1, Math.floor(this.most / 2));
		this.lastBeforeHalving = this.departures;
	}
}
