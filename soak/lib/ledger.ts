// Each lead that was submitted, against what the executions of the workflow were started with.
import type { Execution, Host } from '../../test/lab/n8n';
import type { HandOver } from './flows';
import { fateOfRuns, type RunsFate } from './runs';

/** A lead, and the executions that received it. */
export interface Finding {
	id: string;
	executions: string[];
}

/** All times are in epoch milliseconds. */
export interface Evidence {
	host: Host;
	handOver: HandOver;
	/** The name of the trigger node. */
	trigger: string;
	/** Ids of leads that the service received after the activation. */
	submitted: string[];
	/** Ids of leads that it had before. */
	earlier: string[];
	/** Oldest first. */
	executions: Execution[];
	/** When n8n was killed. */
	kills: number[];
	/** When a poll handed leads to n8n, by n8n's own log. */
	handOvers: number[];
	/** When the service first sent a lead whole. */
	answeredAt: (id: string) => number | undefined;
}

export interface Ledger {
	/** How many leads were received as often as they should be. */
	right: number;
	lost: Finding[];
	doubled: Finding[];
	lostInHostsGap: Finding[];
	doubledInHostsGap: Finding[];
	unfinished: Finding[];
	repeated: Finding[];
	fromBefore: Finding[];
	unknown: Finding[];
	/** Leads of executions that were killed before the trigger's run was saved. */
	cutShort: string[];
	/** Executions of several leads, if each lead is to have a run of its own. */
	shared: string[];
	/** How many leads were run again. */
	again: number;
	/** How many executions ended in each status. */
	byStatus: Record<string, number>;
	/** How many executions failed with each message. */
	byError: Record<string, number>;
}

/** What became of a lead. */
export type Fate = 'right' | 'lost' | 'doubled' | 'lostInHostsGap' | 'doubledInHostsGap' | RunsFate;

type ByLead = Map<string, Execution[]>;

/** How long after it was handed leads n8n may need to save the execution and, apart from it, the progress. */
const HOSTS_GAP_MS = 2_000;

export function reckon(evidence: Evidence): Ledger {
	const { submitted, earlier, executions, handOver } = evidence;
	const { byLead, cutShort, shared } = receiptsOf(evidence);
	const receivers = (id: string) => byLead.get(id) ?? [];
	const finding = (id: string) => ({ id, executions: receivers(id).map((each) => each.id) });
	const fates = new Map(submitted.map((id) => [id, fateOf(id, evidence, receivers(id))]));
	const all = (fate: Fate) => submitted.filter((id) => fates.get(id) === fate).map(finding);
	const known = new Set([...submitted, ...earlier]);
	return {
		right: all('right').length,
		lost: all('lost'),
		doubled: all('doubled'),
		lostInHostsGap: all('lostInHostsGap'),
		doubledInHostsGap: all('doubledInHostsGap'),
		unfinished: all('unfinished'),
		repeated: all('repeated'),
		fromBefore: earlier.map(finding).filter((each) => each.executions.length > 0),
		unknown: [...byLead.keys()].filter((id) => !known.has(id)).map(finding),
		cutShort,
		shared: handOver.runs === 'onePerLead' ? shared : [],
		again: submitted.filter((id) => receivers(id).length > 1).length,
		byStatus: countBy(executions.map(({ status }) => status)),
		byError: countBy(executions.flatMap(({ error }) => error?.message ?? [])),
	};
}

function fateOf(id: string, evidence: Evidence, receivers: Execution[]): Fate {
	const { handOver, kills } = evidence;
	if (receivers.length === 0) return isHostsGap(id, evidence, []) ? 'lostInHostsGap' : 'lost';
	if (handOver.runAgain > 0) return fateOfRuns(receivers, handOver.runAgain, kills);
	if (receivers.length === 1) return 'right';
	return isHostsGap(id, evidence, receivers) ? 'doubledInHostsGap' : 'doubled';
}

function receiptsOf({ executions, trigger }: Evidence) {
	const byLead: ByLead = new Map();
	const cutShort: string[] = [];
	const shared: string[] = [];
	for (const execution of executions) {
		const { items, wasSavedAsRun } = execution.triggerItems(trigger);
		if (items.length > 1) shared.push(execution.id);
		for (const { json } of items) {
			// The execution that n8n makes up for a failed poll has one empty item.
			if (typeof json.id !== 'string') continue;
			byLead.set(json.id, [...(byLead.get(json.id) ?? []), execution]);
			if (!wasSavedAsRun) cutShort.push(json.id);
		}
	}
	return { byLead, cutShort, shared };
}

/** A hand-over of leads, and the kill that came before n8n may have dealt with them to the end. */
interface Interruption {
	at: number;
	kill: number;
}

/**
 * The hand-overs of leads that n8n may not have dealt with to the end when it was killed; all times
 * are in epoch milliseconds.
 */
export function interruptedBy(kill: number, handOvers: number[]): Interruption[] {
	return handOvers
		.filter((at) => at <= kill && kill - at <= HOSTS_GAP_MS)
		.map((at) => ({ at, kill }));
}

/**
 * A default n8n saves the execution and the progress of a poll apart from each other. If it is killed in between, one
 * of them is missing. So a lead counts as lost or doubled in that gap only if n8n's log shows that it was handed
 * leads right before a kill, and the lead was among them as far as the executions tell. A lead with a run of its own has
 * no such gap.
 */
function isHostsGap(id: string, evidence: Evidence, receivers: Execution[]): boolean {
	const { host, handOver, kills, handOvers } = evidence;
	if (host !== 'default' || handOver.runs === 'onePerLead') return false;
	const interruptions = kills.flatMap((kill) => interruptedBy(kill, handOvers));
	return receivers.length === 0
		? isLostInGap(id, evidence, interruptions)
		: isDoubledInGap(receivers, interruptions);
}

function isLostInGap(
	id: string,
	{ handOvers, answeredAt, executions }: Evidence,
	interruptions: Interruption[],
): boolean {
	const answered = answeredAt(id);
	if (answered === undefined) return false;
	// Handed over by that poll, not by one before it: those would have left an execution.
	const first = handOvers.find((at) => at >= answered);
	return interruptions.some(
		(each) => each.at === first && !executions.some((execution) => isWithin(execution, each)),
	);
}

function isDoubledInGap(receivers: Execution[], interruptions: Interruption[]): boolean {
	const [first, second, ...more] = receivers;
	if (!first || !second || more.length > 0 || first === second) return false;
	return interruptions.some((each) => isWithin(first, each) && startOf(second) > each.kill);
}

function isWithin(execution: Execution, { at, kill }: Interruption): boolean {
	const start = startOf(execution);
	return start >= at && start <= kill;
}

function startOf({ summary }: Execution): number {
	return Date.parse(summary.createdAt);
}

function countBy(values: string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
	return counts;
}
