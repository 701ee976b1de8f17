/**
 * Takes elements of a list out of an answer while it arrives, so that a long one is never held as a whole.
 */
export interface Intake {
	/** The field of the answer's object that holds the list. */
	list: string;
	/**
	 * Called for each answer, of which only the last counts.
	 *
	 * @returns what takes elements, in the answer's order; those that it was not called with are in the body
	 */
	begin: () => (elements: unknown[]) => void;
}

const PIECE = 64 * 1024;

/** So many seams are tried in a piece: the last ones may lie in lists within an element. */
const MOST_SEAMS = 8;

/**
 * Reads the text of an answer piece by piece. If it begins with the list, elements are parsed and handed on as soon
 * as enough of them are there; any other text is left as it is.
 */
export class ArrivingList {
	private readonly take: (elements: unknown[]) => void;

	/** What comes before the first element, once the text has turned out to be the list. */
	private opening = '';

	/** How every element begins: `{"id"`, with white space as in the first one. */
	private key = '';

	/** What was not handed on. */
	private rest = '';

	private nextAttempt = 0;

	/** @param piece so many characters are worth an attempt to parse */
	constructor(
		private readonly intake: Intake,
		private readonly piece = PIECE,
	) {
		this.take = intake.begin();
	}

	add(text: string): void {
		this.rest += text;
		if (this.rest.length >= Math.max(this.piece, this.nextAttempt)) this.attempt();
	}

	/** @returns JSON of the answer without what was taken, if it is one */
	end(): string {
		return this.opening + this.rest;
	}

	private attempt(): void {
		if (this.key === '' && !this.begins()) {
			this.nextAttempt = Infinity;
			return;
		}
		// Without a seam, only much more text is worth the next attempt.
		this.nextAttempt = this.takeUpToSeam() ? 0 : 2 * this.rest.length;
	}

	private begins(): boolean {
		const { list } = this.intake;
		const beginning = new RegExp(`^(\\s*\\{\\s*"${list}"\\s*:\\s*\\[\\s*)(\\{\\s*"[^"\\\\]*")`);
		const [, opening = '', key = ''] = beginning.exec(this.rest) ?? [];
		this.opening = opening;
		this.key = key;
		this.rest = this.rest.slice(opening.length);
		return key !== '';
	}

	/**
	 * The rest begins with an element of the list. If what comes before a comma is elements, so is what comes after it:
	 * a comma within an element or a text would leave a bracket or a quotation mark open.
	 */
	private takeUpToSeam(): boolean {
		for (const seam of this.seams()) {
			const elements = elementsIn(this.rest.slice(0, seam));
			if (!elements) continue;
			this.rest = this.rest.slice(seam + 1);
			this.take(elements);
			return true;
		}
		return false;
	}

	/** Where commas are that may lie between two elements: the last one first. */
	private *seams(): Generator<number> {
		let at = this.rest.length;
		for (let tries = 0; tries < MOST_SEAMS; tries++) {
			at = this.rest.lastIndexOf(this.key, at - 1);
			if (at <= 0) return;
			const before = this.rest.slice(0, at).trimEnd();
			if (before.endsWith(',')) yield before.length - 1;
		}
	}
}

function elementsIn(text: string): unknown[] | undefined {
	try {
		const elements: unknown = JSON.parse(`[${text}]`);
		return Array.isArray(elements) ? elements : undefined;
	} catch {
		return undefined;
	}
}
