import { memories, NodeMemory } from '../common/polling/nodeMemory';
import type { HandOver, LeadToRun } from './runs/handOver';
import type { Progress } from './progress/storedProgress';
import { readProgress, writeProgress } from './progress/storedProgress';

const FORMAT = {
	read: readProgress,
	write: writeProgress,
	isEmpty: ({ targets }: Progress) => targets.size === 0,
};

/** What a process remembers of a leads trigger. */
export type LeadsMemory = NodeMemory<Progress, LeadToRun, HandOver>;

export const memoryOfNode = memories((): LeadsMemory => new NodeMemory(FORMAT));
