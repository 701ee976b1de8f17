// @ts-check
// Each lead that was submitted, against what the executions of the workflow were started with.

/**
 * @typedef {import('../../test/lab/n8n/index.js').Execution} Execution
 * @typedef {import('../../test/lab/n8n/index.js').Host} Host
 * @typedef {{ id: string, executions: string[] }} Finding a lead, and the executions that received it
 * @typedef {object} Evidence
 * @property {Host} host
 * @property {string} trigger the name of the trigger node
 * @property {string[]} submitted ids of leads received by the service after the activation
 * @property {string[]} earlier ids of leads that it had before
 * @property {Execution[]} executions oldest first
 * @property {number[]} kills when n8n was killed, in epoch milliseconds
 * @property {number[]} handOvers when n8n was handed leads by a poll, in epoch milliseconds, by its own log
 * @property {(id: string) => number | undefined} answeredAt when the service first sent a lead whole
 *
 * @typedef {object} Ledger
 * @property {number} once
 * @property {Finding[]} lost
 * @property {Finding[]} doubled
 * @property {Finding[]} lostInHostsGap not in `lost`
 * @property {Finding[]} doubledInHostsGap not in `doubled`
 * @property {Finding[]} fromBefore
 * @property {Finding[]} unknown
 * @property {string[]} cutShort leads of executions that were killed before the trigger's run was saved
 * @property {Record<string, number>} byStatus executions
 * @property {Record<string, number>} byError executions
 */

/** How long after it was handed leads n8n may need to save the execution and, apart from it, the progress. */
const HOSTS_GAP_MS = 2_000;

/**
 * @param {Evidence} evidence
 * @returns {Ledger}
 */
export function reckon(evidence) {
	const receipts = receiptsOf(evidence);
	const { submitted, earlier } = evidence;
	/** @param {string} id @returns {Finding} */
	const finding = (id) => ({ id, executions: (receipts.byLead.get(id) ?? []).map(({ id }) => id) });
	const found = submitted.map(finding);
	const lost = found.filter(({ executions }) => executions.length === 0);
	const doubled = found.filter(({ executions }) => executions.length > 1);
	const known = new Set([...submitted, ...earlier]);
	/** @param {Finding} each */
	const excused = (each) => isHostsGap(each, evidence, receipts.byLead.get(each.id) ?? []);
	return {
		once: found.length - lost.length - doubled.length,
		lost: lost.filter((each) => !excused(each)),
		lostInHostsGap: lost.filter(excused),
		doubled: doubled.filter((each) => !excused(each)),
		doubledInHostsGap: doubled.filter(excused),
		fromBefore: earlier.map(finding).filter(({ executions }) => executions.length > 0),
		unknown: [...receipts.byLead.keys()].filter((id) => !known.has(id)).map(finding),
		cutShort: receipts.cutShort,
		byStatus: countBy(evidence.executions.map(({ status }) => status)),
		byError: countBy(evidence.executions.flatMap(({ error }) => error?.message ?? [])),
	};
}

/** @param {Evidence} evidence */
function receiptsOf({ executions, trigger }) {
	/** @type {Map<string, Execution[]>} */
	const byLead = new Map();
	/** @type {string[]} */
	const cutShort = [];
	for (const execution of executions) {
		const { items, wasSavedAsRun } = execution.triggerItems(trigger);
		for (const { json } of items) {
			// The execution that n8n makes up for a failed poll has one empty item.
			if (typeof json.id !== 'string') continue;
			byLead.set(json.id, [...(byLead.get(json.id) ?? []), execution]);
			if (!wasSavedAsRun) cutShort.push(json.id);
		}
	}
	return { byLead, cutShort };
}

/**
 * The hand-overs of leads that n8n may not have dealt with to the end when it was killed.
 *
 * @param {number} kill epoch milliseconds
 * @param {number[]} handOvers epoch milliseconds
 */
export function interruptedBy(kill, handOvers) {
	return handOvers.filter((at) => at <= kill && kill - at <= HOSTS_GAP_MS);
}

/**
 * A default n8n saves the execution and the progress of a poll apart from each other. If it is killed in between, one
 * of them is missing. So a lead counts as lost or doubled in that gap only if n8n's log shows that it was handed
 * leads right before a kill, and the lead was among them as far as the executions tell.
 *
 * @param {Finding} finding
 * @param {Evidence} evidence
 * @param {Execution[]} receivers
 */
function isHostsGap(finding, evidence, receivers) {
	const { host, kills, handOvers, answeredAt } = evidence;
	if (host !== 'default') return false;
	const interrupted = kills.flatMap((kill) =>
		interruptedBy(kill, handOvers).map((at) => ({ at, kill })),
	);
	if (receivers.length === 0) {
		const answered = answeredAt(finding.id);
		if (answered === undefined) return false;
		// Handed over by that poll, not by one before it: those would have left an execution.
		const first = handOvers.find((at) => at >= answered);
		return interrupted.some(
			({ at, kill }) =>
				at === first && !evidence.executions.some((each) => isBetween(each, at, kill)),
		);
	}
	const [first, second, ...more] = receivers;
	if (!first || !second || more.length > 0 || first === second) return false;
	return interrupted.some(({ at, kill }) => isBetween(first, at, kill) && startOf(second) > kill);
}

/**
 * @param {Execution} execution
 * @param {number} from
 * @param {number} to
 */
function isBetween(execution, from, to) {
	const start = startOf(execution);
	return start >= from && start <= to;
}

/** @param {Execution} execution */
function startOf({ summary }) {
	return Date.parse(summary.createdAt);
}

/** @param {string[]} values */
function countBy(values) {
	/** @type {Record<string, number>} */
	const counts = {};
	for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
	return counts;
}
