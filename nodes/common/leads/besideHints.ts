import type { NodeHint } from 'n8n-workflow';

/** The default names of the two triggers: n8n's expressions find another node by its name alone. */
const POLLING = 'Agent Leads Trigger';
const PUSHED = 'Agent Leads Push Trigger';

/** The hint of the trigger that polls: beside pushes, each lead needs a run of its own. */
export const besidePushesHint = hintIf(
	`$parameter.runs !== "onePerLead" && $node["${PUSHED}"].parameter !== undefined`,
);

/** The hint of the trigger to which leads are pushed. */
export const besidePollHint = hintIf(`$node["${POLLING}"].parameter.runs !== "onePerLead"`);

/** @param condition an expression that throws if the workflow has no such node; n8n then shows no hint */
function hintIf(condition: string): NodeHint {
	return {
		message: `A lead that is both pushed and polled has two runs here. In ${POLLING}, set “Runs” to “One per Lead”: then each lead starts one run, whichever trigger gets it first.`,
		type: 'warning',
		location: 'outputPane',
		whenToDisplay: 'always',
		displayCondition: `={{ (() => { try { return ${condition} } catch { return false } })() }}`,
	};
}
