import type { ITriggerFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../../../service/basics/times';
import { toOperationError } from '../nodeErrors';
import type { PollMemory } from './memory';

/**
 * Matches the types of n8n's nodes that only pass items on: they send nothing, and write nothing outside the workflow.
 */
const PASSES_ON =
	/^n8n-nodes-base\.(aggregate|dateTime|filter|if|limit|merge|noOp|removeDuplicates|renameKeys|set|sort|splitInBatches|splitOut|summarize|switch)$/;

/**
 * Reports a failed execution if a person publishes a workflow that receives leads or changes but sends nothing: at
 * least one node behind the trigger is deactivated, and all others only pass items on. A node of any other type counts
 * as one that sends.
 */
export function reportNothingSent(context: ITriggerFunctions, memory: PollMemory): void {
	// When n8n starts, it publishes workflows by itself, and no person waits for a report.
	if (!['activate', 'update'].includes(context.getActivationMode())) return;
	const node = context.getNode();
	const behind = context.getChildNodes(node.name);
	const idle = behind.filter(({ disabled }) => disabled).map(({ name }) => `“${name}”`);
	const isSending = behind.some(({ disabled, type }) => !disabled && !PASSES_ON.test(type));
	if (idle.length === 0 || isSending) return;
	// An n8n with durable cursors calls `trigger()` twice while it publishes a workflow. Only the first call reports that
	// nothing is sent.
	if (!memory.mayLog('nothing sent', MINUTE_MS)) return;
	const notice = {
		message: `The workflow is published and sends nothing: ${idle.join(', ')} is deactivated`,
		advice:
			'n8n runs the workflow and shows each run as succeeded, but no active node sends anything. What comes until you change that is not sent later. Activate the node that sends, then publish again.',
		code: 'nothingSent',
	} as const;
	context.saveFailedExecution(toOperationError(node, notice));
}
