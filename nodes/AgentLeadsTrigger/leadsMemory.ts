import { memories, NodeMemory } from '../common/polling/nodeMemory';
import type { LeadToRun, LeadTracker } from './leadTracker';
import type { Progress } from './progress/storedProgress';
import { readProgress, writeProgress } from './progress/storedProgress';

const FORMAT = {
	read: readProgress,
	write: writeProgress,
	isEmpty: ({ targets }: Progress) => targets.size === 0,
};

/** What a process remembers of a leads trigger. */
export type LeadsMemory = NodeMemory<Progress, LeadToRun, LeadTracker>;

export const memoryOfNode = memories((): LeadsMemory => new NodeMemory(FORMAT));
