import type { INodeTypeDescription, NodeHint } from 'n8n-workflow';

import type { TaskWords } from '../runs/notices';

export const LISTED_RUNS =
	'These runs appear in the <a data-key="executions">executions list</a>, not here.';

/**
 * What n8n's editor shows beside a trigger that polls. n8n's own words promise a single mock event.
 *
 * @param shown in a test, such as “the newest leads”
 */
export function pollPanel(
	{ many }: Pick<TaskWords<never>, 'many'>,
	shown: string,
): Pick<INodeTypeDescription, 'triggerPanel'> & { hints: NodeHint[] } {
	const building = `<b>While you build the workflow</b>, choose <b>Fetch Test Event</b>. Up to five of ${shown} appear here. They are real.<br /><br /><b>Execute workflow really sends</b>: the nodes after this one do for them what they do once the workflow is published.<br /><br />`;
	const inactive = `${building}<b>When the workflow is ready</b>, publish it. n8n then checks for ${many} at the poll times. ${LISTED_RUNS}`;
	const active = `${building}<b>Published</b>: n8n checks for ${many} at the poll times, and runs the workflow as it was last published. ${LISTED_RUNS}`;
	const message = `A test shows up to five of ${shown}, which are real. Execute workflow sends them on, as a published workflow does.`;
	return {
		triggerPanel: { executionsHelp: { inactive, active } },
		hints: [{ message, location: 'outputPane', whenToDisplay: 'always' }],
	};
}
