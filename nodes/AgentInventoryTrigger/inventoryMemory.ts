import { memories, NodeMemory } from '../common/polling/nodeMemory';
import type { ChangeHandOver, ChangeToRun } from './runs/changeHandOver';
import type { Progress } from './target/storedProgress';
import { readProgress, writeProgress } from './target/storedProgress';

const FORMAT = {
	read: readProgress,
	write: writeProgress,
	isEmpty: ({ agencies }: Progress) => agencies.size === 0,
};

/** What a process remembers of an inventory trigger. */
export type InventoryMemory = NodeMemory<Progress, ChangeToRun, ChangeHandOver>;

export const memoryOfNode = memories((): InventoryMemory => new NodeMemory(FORMAT));
