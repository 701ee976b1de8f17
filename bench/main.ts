import { Failure } from '../test/lab/failure';
import { agency } from './cases/agency';
import { branches } from './cases/branches';
import { limitedService } from './cases/limitedService';
import { manyLeads } from './cases/manyLeads';
import { push } from './cases/push';
import { quietPoll } from './cases/quietPoll';
import { size } from './cases/size';
import { together } from './cases/together';
import { print, renew, type Result, type Settings } from './lib/report';

export interface Options {
	/** Two cases, one round and fewer leads, which prove no goal. */
	isQuick: boolean;
	/** The name of the one case to measure. */
	only?: string;
}

const ROUNDS = 5;

/** The cases that show most in two minutes. */
const QUICK = ['manyLeads', 'together'];

/** In the order of the page, each under the name of its file. */
const CASES: Record<string, (settings: Settings) => Promise<Result> | Result> = {
	manyLeads,
	branches,
	together,
	limitedService,
	quietPoll,
	agency,
	push,
	size,
};

/**
 * Measures, prints the figures, and writes them into the page if all rounds were measured.
 *
 * @throws Failure if a goal is missed, unless it was quick
 */
export async function bench({ isQuick, only }: Options): Promise<void> {
	const missed: string[] = [];
	for (const [name, measure] of Object.entries(CASES)) {
		if (only === undefined ? isQuick && !QUICK.includes(name) : only !== name) continue;
		const result = await measure({ isQuick, rounds: isQuick ? 1 : ROUNDS });
		print(result, !isQuick);
		if (isQuick) continue;
		renew(result);
		for (const { text, figure, isMet } of result.goals)
			if (!isMet) missed.push(`${text} (${figure})`);
	}
	if (missed.length > 0) throw new Failure(`Missed: ${missed.join('; ')}.`);
}
