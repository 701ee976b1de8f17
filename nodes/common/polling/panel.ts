import type { TriggerPanelDefinition } from 'n8n-workflow';

export const LISTED_RUNS =
	'These runs appear in the <a data-key="executions">executions list</a>, not here.';

/**
 * The panel of a polling trigger in n8n's editor. It replaces n8n's own text, which promises a single mock event.
 *
 * @param shown the items of a test, such as “the newest leads”
 */
export function pollPanel(shown: string, checksFor: string): TriggerPanelDefinition {
	return {
		activationHint: `A test fetches up to five of ${shown}. They are real, and <b>Execute workflow really sends</b>: the nodes after this one do for them what they do once the workflow is published.`,
		executionsHelp: `<b>While you build the workflow</b>, choose <b>Fetch Test Event</b>. Up to five of ${shown} appear here. They are real.<br /><br /><b>Once the workflow is published</b>, n8n checks for ${checksFor} at the poll times, and starts it as it was last published. ${LISTED_RUNS}`,
	};
}
