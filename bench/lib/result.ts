/** What a run of the benchmark is asked for. */
export interface Settings {
	/** Fewer sizes, and one round of each. */
	isQuick: boolean;
	/** How often each variant is measured. */
	rounds: number;
}

/** What a case has found. */
export interface Result {
	title: string;
	/** What was done, in a sentence or two. */
	about: string;
	columns: string[];
	rows: string[][];
	goals: Goal[];
	/** What the figures do not say by themselves. */
	notes?: string[];
	plot?: Plot;
}

export interface Goal {
	text: string;
	figure: string;
	isMet: boolean;
}

/** A line for each series. */
export interface Plot {
	/** Its name in bench/images. */
	file: string;
	alt: string;
	points: Array<{ series: string; x: number; y: number }>;
	x: Axis;
	y: Axis;
}

export interface Axis {
	title: string;
	scale?: 'linear' | 'log';
}

/** A ratio as the reader sees it. */
export function times(ratio: number): string {
	return `${ratio.toFixed(2)}×`;
}

export function whole(value: number): string {
	return value.toLocaleString('en-GB', { maximumFractionDigits: 0 });
}

export function tenths(value: number): string {
	return value.toFixed(1);
}

/** Tells whoever watches what is being done. */
export function say(text: string): void {
	console.log(`${text} …`);
}
