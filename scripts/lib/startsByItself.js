// @ts-check

/** It is of the same group as what starts by itself. */
const BY_HAND = 'n8n-nodes-base.manualTrigger';

/**
 * Whether a workflow starts without a person, so that n8n publishes it.
 *
 * @param {{ nodes: Array<{ type: string; disabled?: boolean }> }} workflow
 * @param {string[]} triggers node types of n8n's group of triggers
 */
function startsByItself({ nodes }, triggers) {
	return nodes.some(
		({ type, disabled }) => !disabled && type !== BY_HAND && triggers.includes(type),
	);
}

module.exports = { startsByItself };
