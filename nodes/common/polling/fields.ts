import type { INodeProperties } from 'n8n-workflow';

import type { TaskWords } from '../runs/notices';

export const DEFAULT_LOOK_BACK_MINUTES = 60;

/** The default of Max Wait in a poll. It is short, because the next poll asks again. */
export const DEFAULT_MAX_WAIT_SECONDS = 10;

export const MOST_RUNS_AGAIN = 5;

type Words = Pick<TaskWords<unknown>, 'one' | 'many'>;

/**
 * The options of a trigger that polls.
 *
 * @param options the options of the trigger's requests
 * @param ownRuns the value of “Runs” with which each task has a run of its own
 */
export function pollingOptions(
	options: INodeProperties[],
	words: Words,
	ownRuns: string,
): INodeProperties[] {
	return [runAgainOption(words, ownRuns), lookBackOption(words), ...options.map(forPolls)];
}

function forPolls(option: INodeProperties): INodeProperties {
	if (option.name !== 'maxWait') return option;
	return {
		...option,
		default: DEFAULT_MAX_WAIT_SECONDS,
		description:
			'Up to how many seconds to wait between the attempts of one request, in total. What takes longer is left to the next poll.',
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
		description: `How many minutes to look back beyond the previous poll, to catch ${many} that appear late. ${Many} already delivered are not repeated.`,
	};
}

function runAgainOption({ one }: Words, ownRuns: string): INodeProperties {
	return {
		displayName: 'Repeat Failed Runs',
		name: 'runAgain',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MOST_RUNS_AGAIN, numberPrecision: 0 },
		displayOptions: { show: { '/runs': [ownRuns] } },
		default: 0,
		hint: `0 means never. The maximum is ${MOST_RUNS_AGAIN}.`,
		description: `How many more times to start the workflow for a ${one} if its run fails: after 1 minute, then 2, 4, 8 and 16. The item’s ‘attempt’ field counts the runs. Each run starts from the first node, so use this only if repeating a step does no harm.`,
	};
}
