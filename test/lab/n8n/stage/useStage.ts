import { useInAll } from '../../standIn';
import type { N8nOptions } from '..';
import { Browser } from '../browser';
import { Stage, START_DEADLINE_MS, STOP_DEADLINE_MS } from './stage';

const DEADLINES = { start: START_DEADLINE_MS, stop: STOP_DEADLINE_MS };

/** A real n8n and a sandbox, for all tests here. */
export function useStage(options?: N8nOptions): Stage {
	return useInAll(async () => await Stage.start(options), DEADLINES);
}

/** A browser for all tests here. */
export function useBrowser(): Browser {
	return useInAll(async () => await Browser.start(), DEADLINES);
}
