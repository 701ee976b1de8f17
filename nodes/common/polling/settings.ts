import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../../../service/basics/times';
import { isObject } from '../../../service/basics/values';
import type { RetryLimits } from '../../../service/http/retry';
import { FieldError } from '../fieldError';
import type { FieldLabel } from '../labels';
import { readRetryLimits, wholeNumber } from '../readers';
import { DEFAULT_LOOK_BACK_MINUTES, DEFAULT_MAX_WAIT_SECONDS, MOST_RUNS_AGAIN } from './fields';

/** The parameters of a polling trigger, checked. */
export interface PollingSettings {
	limits: RetryLimits;
	lookBackMs: number;
	simplify: boolean;
	/** The most further runs of a task whose run fails. */
	runAgain: number;
}

/** The options that a person has set; empty if an expression returns none. */
export function givenOptions(context: IPollFunctions): IDataObject {
	const options: unknown = context.getNodeParameter('options', {});
	return isObject(options) ? options : {};
}

/**
 * @param mostLookBackMs the longest Look Back, in milliseconds
 * @throws FieldError
 */
export function readPollingSettings(
	context: IPollFunctions,
	mostLookBackMs: number,
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
		runAgain: wholeNumber('Repeat Failed Runs', runAgain, 0, MOST_RUNS_AGAIN),
	};
}

/** @throws FieldError */
export function oneOf<T extends string>(
	label: FieldLabel,
	choices: readonly T[],
	value: unknown,
): T {
	const choice = choices.find((each) => each === value);
	if (choice !== undefined) return choice;
	throw new FieldError(label, 'has an unknown value', `Use ${choices.join(' or ')}.`);
}
