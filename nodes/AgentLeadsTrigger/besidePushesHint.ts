import type { NodeHint } from 'n8n-workflow';

/**
 * Beside pushes each lead needs a run of its own. n8n's expressions find another node by its name alone, and throw if there is
 * none: so the trigger finds the push trigger under its default name.
 */
export const besidePushesHint: NodeHint = {
	message:
		'A lead that is both pushed and polled has two runs here. In Agent Leads Trigger, set “Runs” to “One per Lead”: then each lead starts one run, whichever trigger gets it first.',
	type: 'warning',
	location: 'outputPane',
	whenToDisplay: 'always',
	displayCondition:
		'={{ (() => { try { return $parameter.runs !== "onePerLead" && $node["Agent Leads Push Trigger"].parameter !== undefined } catch { return false } })() }}',
};
