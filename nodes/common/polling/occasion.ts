import type { IPollFunctions } from 'n8n-workflow';

import type { PollMemory } from './pollMemory';

/** What every poll goes by. */
export interface Occasion<M extends PollMemory = PollMemory> {
	context: IPollFunctions;
	memory: M;
	/** Whether a person is publishing the workflow. */
	isActivation: boolean;
}
