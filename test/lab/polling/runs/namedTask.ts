import type { Task } from '../../../../nodes/common/runs/queue';

/** Of the tests: a task that is known by its name. */
export interface NamedTask extends Task {
	name: string;
}
