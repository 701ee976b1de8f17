import type { Explanation } from '../nodeErrors';
import type { Task } from './queue';

/** The words for a node's tasks in messages. A task is what one run of the workflow handles, such as a lead. */
export interface TaskWords<T> {
	one: string;
	/** Names one task, such as “the applicant lead 3f1c”. */
	readonly title: (task: T) => string;
}

/** The report on a task, such as a lead, whose runs have all failed. */
export function givenUpNotice<T extends Task>(
	{ one, title }: TaskWords<T>,
	task: T,
	runs: number,
): Explanation {
	return {
		message: `The workflow failed ${runs} times for ${title(task)}, and is not started for it again`,
		advice: `The failed executions of this ${one} show why. Once that is corrected, open the last of them (not this report) and choose “Retry with currently saved workflow”: it continues with the step that failed. Nothing else is delayed.`,
		code: 'runFailed',
	};
}

/** The report on a task, such as a lead, for which n8n does not start a run. */
export function notStartedNotice<T>({ one, title }: TaskWords<T>, task: T): Explanation {
	return {
		message: `n8n could not start the workflow for ${title(task)}, and keeps trying`,
		advice: `The failed execution under Executions, or n8n’s log, shows why, for example that a node has no credential, or that the database is locked or full. The trigger keeps the ${one} and tries again at least every 16 minutes, and soon after you publish the workflow again. Nothing else is delayed.`,
		code: 'runNotStarted',
	};
}
