import type { NodeHint } from 'n8n-workflow';

/**
 * Warns if Agent Leads Push Trigger is in the same workflow and “Runs” is not set to “One per Lead”: a lead that both
 * triggers find would get two runs. n8n's expressions find another node only by its name, and throw if there is none,
 * so the hint works only if the push trigger has its default name.
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
