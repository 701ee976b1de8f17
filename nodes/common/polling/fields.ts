import type { INodeProperties } from 'n8n-workflow';

import type { TaskWords } from '../runs/notices';

export const DEFAULT_LOOK_BACK_MINUTES = 60;

/** In a poll a wait is short: what takes longer is left to the next one. */
export const DEFAULT_MAX_WAIT_SECONDS = 10;

export const MOST_RUNS_AGAIN = 5;

type Words = Pick<TaskWords<unknown>, 'one' | 'many'>;

/**
 * The options of a trigger that polls.
 *
 * @param options of its requests
 * @param ownRuns the value of Runs with which each task has a run of its own
 */
export function pollingOptions(
	options: INodeProperties[],
	words: Words,
	ownRuns: string,
): INodeProperties[] {
	return [...options.map(forPolls), lookBackOption(words), runAgainOption(words, ownRuns)];
}

function forPolls(option: INodeProperties): INodeProperties {
	if (option.name !== 'maxWait') return option;
	return {
		...option,
		default: DEFAULT_MAX_WAIT_SECONDS,
		description:
			'How many seconds to wait at most between the tries of one request. What takes longer is left to the next poll.',
	};
}

function lookBackOption({ many }: Words): INodeProperties {
	const Many = `${many.charAt(0).toUpperCase()}${many.slice(1)}`;
	return {
		displayName: 'Look Back',
		name: 'lookBack',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: DEFAULT_LOOK_BACK_MINUTES,
		hint: 'In minutes',
		description: `How many minutes each poll reaches back before the end of the last one, for ${many} that appear late. ${Many} that were delivered are not delivered again.`,
	};
}

function runAgainOption({ one }: Words, ownRuns: string): INodeProperties {
	return {
		displayName: 'Run Again If It Fails',
		name: 'runAgain',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MOST_RUNS_AGAIN, numberPrecision: 0 },
		displayOptions: { show: { '/runs': [ownRuns] } },
		default: 0,
		hint: 'Times',
		description: `How many more times the workflow is started for a ${one} if its run fails: 1 minute later, then 2, 4, 8 and 16. The field “attempt” of the item says which run it is. What a failed run has done is done again: use this if it does no harm.`,
	};
}
