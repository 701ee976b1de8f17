import { memories, NodeMemory } from '../common/polling/memory';
import type { ChangeToRun, ChangeTracker } from './changeTracker';
import type { Progress } from './progress/storedProgress';
import { readInventoryProgress, writeInventoryProgress } from './progress/storedProgress';

const INVENTORY_FORMAT = {
	read: readInventoryProgress,
	write: writeInventoryProgress,
	isEmpty: ({ agencies }: Progress) => agencies.size === 0,
};

/** What a process remembers of an inventory trigger. */
export type InventoryMemory = NodeMemory<Progress, ChangeToRun, ChangeTracker>;

export const inventoryMemoryOf = memories((): InventoryMemory => new NodeMemory(INVENTORY_FORMAT));
