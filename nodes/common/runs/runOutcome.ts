/** What became of a run, or of the attempt to start it. */
export type RunEnd =
	/** It succeeded, or waits for a person or a time. */
	| 'succeeded'
	/** It ended in an error, or was lost with its process or its queue worker. */
	| 'failed'
	/** A person has stopped it. */
	| 'stopped'
	/** Another trigger of the workflow has started it. */
	| 'taken'
	/** n8n knows a run of the same key, and started none. */
	| 'refused'
	/** n8n lists it as failed without having begun it: it keeps its key, and nothing of its lead. */
	| 'barred'
	/** n8n may not have stored it. */
	| 'unstored';

/** What became of a run, and where it was carried out. */
export interface RunOutcome {
	end: RunEnd;
	/** Whether another process carried it out, as in n8n's queue mode; unset if n8n does not say. */
	isElsewhere?: boolean;
}
