export type Verdict = 'as expected' | 'differs' | 'not tried';

/** What became of a rule, in one line of plain words; values of the service are never among them. */
export interface Outcome {
	verdict: Verdict;
	why: string;
}

export interface Finding extends Outcome {
	area: string;
	rule: string;
}

/** The service gave no answer that a rule could be judged by; the message is for people. */
export class NoAnswer extends Error {}

/** An area cannot be tried at all: its addresses, its pair or its key do not serve. */
export class Blocked extends Error {}

export const expected = (why: string): Outcome => ({ verdict: 'as expected', why });
export const differs = (why: string): Outcome => ({ verdict: 'differs', why });
export const notTried = (why: string): Outcome => ({ verdict: 'not tried', why });

/** What was found, rule by rule, told as it comes. */
export class Findings {
	readonly all: Finding[] = [];

	/** Whether something that was asked for could not be tried. */
	isBlocked = false;

	constructor(private readonly tell: (finding: Finding) => void) {}

	/** Tries one rule; what goes wrong on the way never ends the others. */
	async rule(area: string, rule: string, judge: () => Promise<Outcome>): Promise<void> {
		const [outcome] = await Promise.allSettled([judge()]);
		this.add(area, rule, outcome.status === 'fulfilled' ? outcome.value : failed(outcome.reason));
	}

	add(area: string, rule: string, outcome: Outcome): void {
		const finding = { area, rule, ...outcome };
		this.all.push(finding);
		this.tell(finding);
	}

	/** Notes that an area could not be tried, and why. */
	block(area: string, why: string): void {
		this.isBlocked = true;
		this.add(area, 'the area can be tried', notTried(why));
	}

	count(verdict: Verdict): number {
		return this.all.filter((finding) => finding.verdict === verdict).length;
	}

	/** 0: as expected; 1: something differs; 2: something that was asked for could not be tried. */
	get exitCode(): number {
		if (this.isBlocked) return 2;
		return this.count('differs') > 0 ? 1 : 0;
	}
}

/** Nothing is told of an error that is not ours: it may hold an address or what the service sent. */
function failed(reason: unknown): Outcome {
	return notTried(reason instanceof NoAnswer ? reason.message : 'the check itself failed here');
}
