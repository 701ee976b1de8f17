/** What n8n logs when a trigger asks for a run with a key that it knows. */
const REFUSED_RUN = 'Scheduled execution skipped: duplicate deduplication key';

/** How often n8n has refused to start a run. */
export function refusedRunsIn(logs: string): number {
	return logs.split(REFUSED_RUN).length - 1;
}
