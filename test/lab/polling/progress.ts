import type {
	FreshLead,
	TargetProgress,
} from '../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import { HOUR } from './leadsModel';

export const NOON = Date.UTC(2026, 5, 30, 12);
export const LOOK_BACK = HOUR;

/** The progress of a target that was polled up to a time with the usual look-back. */
export function polledUpTo(watermark: number, more: Partial<TargetProgress> = {}): TargetProgress {
	const seenFrom = watermark - LOOK_BACK;
	return { client: 'c', watermark, start: seenFrom, seenFrom, seen: new Map(), ...more };
}

export function lead(id: string, time: number) {
	return { id, createdAt: `${new Date(time).toISOString().slice(0, 19)}Z` };
}

/** What both clocks say. */
export const at = (now: number) => ({ earliest: now, latest: now });

export const ids = (fresh: FreshLead[]) => fresh.map(({ lead: { id } }) => id);
