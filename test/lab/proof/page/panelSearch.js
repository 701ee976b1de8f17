// @ts-check
// Runs inside the page: asks n8n's node panel itself, by the store behind it.

/**
 * @typedef {{ type: string, key: string, children?: Entry[] }} Entry a node, or a section with nodes in it
 * @typedef {{
 *   updateCurrentViewStack(changes: { search: string }): void,
 *   activeViewStack: { items?: Entry[] },
 *   globalSearchItemsDiff: Entry[],
 * }} Panel
 * @typedef {{ config: { globalProperties: { $pinia: { _s: Map<string, Panel> } } } }} Vue
 */

/**
 * The types of the nodes that the open panel finds for some words, in the order in which it lists them.
 * @param {string} words
 * @returns {string[]}
 */
function foundInPanel(words) {
	const panel = openPanel();
	panel.updateCurrentViewStack({ search: words });
	const entries = [...(panel.activeViewStack.items ?? []), ...panel.globalSearchItemsDiff];
	return entries.flatMap(nodesIn);
}

/** @returns {Panel} */
function openPanel() {
	const app = /** @type {(Element & { __vue_app__?: Vue }) | null} */ (
		document.querySelector('#app')
	);
	const panel = app?.__vue_app__?.config.globalProperties.$pinia._s.get('nodeCreatorViewStacks');
	if (!panel) throw new Error('This editor keeps its node panel elsewhere');
	return panel;
}

/**
 * @param {Entry} entry
 * @returns {string[]}
 */
function nodesIn({ type, key, children }) {
	if (type === 'section') return (children ?? []).flatMap(nodesIn);
	return type === 'node' ? [key] : [];
}
