/** The ways in which n8n keeps the progress of a polling trigger, each with the settings that choose it. */
export const HOSTS = {
	/** In memory and with the workflow, saved beside the execution. */
	default: {},
	/** In a row of its own, saved together with the execution. */
	durable: {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
		N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
		// So that the first polls after an activation come as soon as they are due.
		N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
		N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
	},
} satisfies Record<string, Record<string, string>>;

export type Host = keyof typeof HOSTS;

/**
 * The "Poll Times" of a polling trigger, a divisor of 60 apart; n8n refuses one that names several seconds of a minute.
 * @param first the second of the minute at which they begin
 */
export const everySeconds = (seconds: number, first = 0) => ({
	item: Array.from({ length: 60 / seconds }, (_, index) => ({
		mode: 'custom',
		cronExpression: `${first + index * seconds} * * * * *`,
	})),
});

export const EVERY_FIVE_SECONDS = everySeconds(5);

/** How often n8n has refused to start a run with a key that it knew. */
export function refusedRunsIn(logs: string): number {
	return logs.split('Scheduled execution skipped: duplicate deduplication key').length - 1;
}
