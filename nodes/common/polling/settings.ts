import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../../../service/basics/times';
import { objectOf } from '../../../service/basics/values';
import type { RetryLimits } from '../../../service/http/retry';
import { readChoice, readRetryLimits, wholeNumber } from '../readers';
import { DEFAULT_LOOK_BACK_MINUTES, DEFAULT_MAX_WAIT_SECONDS, MOST_RUNS_AGAIN } from './fields';

/** The parameters of a polling trigger, after they were checked. */
export interface PollingSettings {
	limits: RetryLimits;
	lookBackMs: number;
	simplify: boolean;
	/** True if each task, such as a lead, has a run of its own. Otherwise one run gets all tasks that a poll finds. */
	hasOwnRuns: boolean;
	/** How many more times the workflow is run for a task, such as a lead, if its run fails. */
	runAgain: number;
}

/** The node's options that a person has set; an empty object if an expression returns none. */
export function givenOptions(context: IPollFunctions): IDataObject {
	return objectOf(context.getNodeParameter('options', {}));
}

/**
 * Reads and checks the parameters of a polling trigger.
 *
 * @param mostLookBackMs the largest value of “Look Back”, in milliseconds
 * @param ownRuns the value of “Runs” for one run per task, such as `onePerLead`
 * @throws FieldError
 */
export function readPollingSettings(
	context: IPollFunctions,
	mostLookBackMs: number,
	ownRuns: string,
): PollingSettings {
	const { lookBack, runAgain, ...requests }: IDataObject = {
		maxWait: DEFAULT_MAX_WAIT_SECONDS,
		lookBack: DEFAULT_LOOK_BACK_MINUTES,
		runAgain: 0,
		...givenOptions(context),
	};
	const minutes = wholeNumber('Look Back', lookBack, 1, mostLookBackMs / MINUTE_MS);
	return {
		limits: readRetryLimits(requests),
		lookBackMs: minutes * MINUTE_MS,
		simplify: context.getNodeParameter('simplify', '') === true,
		hasOwnRuns: readChoice('Runs', context.getNodeParameter('runs', ''), {
			[ownRuns]: true,
			onePerPoll: false,
		}),
		runAgain: wholeNumber('Repeat Failed Runs', runAgain, 0, MOST_RUNS_AGAIN),
	};
}
