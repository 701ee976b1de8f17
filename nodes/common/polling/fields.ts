import upperFirst from 'lodash/upperFirst';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

export const DEFAULT_LOOK_BACK_MINUTES = 60;

/** The default of the option “Max Wait” of a polling trigger. It is short, because the next poll asks again. */
export const DEFAULT_MAX_WAIT_SECONDS = 10;

export const MOST_RUNS_AGAIN = 5;

/** The words for a task in the texts of the form. A task is what one run of the workflow handles: “lead”, “leads”. */
interface Words {
	one: string;
	many: string;
}

/**
 * Makes the field “Start From” of a polling trigger, which sets how far back the first poll goes.
 *
 * @param targets the plural word for what the trigger polls separately, such as “agencies”: the field's text says that
 * the choice also applies to those added later
 * @param earlier the choices that start before the workflow was published
 */
export function startFromField(
	{ many }: Words,
	targets: string,
	earlier: INodePropertyOptions[],
): INodeProperties {
	return {
		displayName: 'Start From',
		name: 'startFrom',
		type: 'options',
		default: 'activation',
		description: `Which ${many} the first poll delivers. Also applies to ${targets} that you add later.`,
		options: [
			{
				name: 'When Published',
				value: 'activation',
				description: `Only ${many} since you first published the workflow. One from the minute before may be included.`,
			},
			...earlier,
		],
	};
}

/**
 * Makes the field “Runs” of a polling trigger, which sets whether each task, such as a lead, gets a run of its own.
 *
 * @param ownRuns the value for one run per task, such as `onePerLead`
 * @param note a further sentence of advice in favour of one run per task
 */
export function runsField({ one, many }: Words, ownRuns: string, note = ''): INodeProperties {
	return {
		displayName: 'Runs',
		name: 'runs',
		type: 'options',
		default: ownRuns,
		description: `Whether the ${many} of a poll share one execution (run) of the workflow or each have their own`,
		options: [
			{
				name: `One per ${upperFirst(one)}`,
				value: ownRuns,
				description: `Each ${one} starts a run of its own, and n8n’s stored executions prevent a second one. ${note}If a run fails, the other ${many} continue.`,
			},
			{
				name: 'One per Poll',
				value: 'onePerPoll',
				description: `All new ${many} of a poll start one run, as a list of items`,
			},
		],
	};
}

/**
 * Makes the options of a trigger that polls.
 *
 * @param options the options for the trigger's requests
 * @param ownRuns the value of “Runs” for one run per task, such as `onePerLead`
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
	return {
		displayName: 'Look Back',
		name: 'lookBack',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: DEFAULT_LOOK_BACK_MINUTES,
		hint: 'In minutes',
		description: `How many minutes to look back beyond the previous poll, to catch ${many} that appear late. ${upperFirst(many)} already delivered are not repeated.`,
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
