// Each lead that was submitted, against what the executions of a workflow were started with.
import countBy from 'lodash/countBy';

import { isFinished, type Execution } from '../test/lab/n8n';
import type { Flow } from './play';

export interface Finding {
	what: 'lost' | 'doubled' | 'made up' | 'shared' | 'unfinished';
	/** What it is about: the ID of a lead, or a property. */
	key: string;
	detail: string;
	/** What is missing may still come. */
	isOpen?: boolean;
}

export interface Ledger {
	/** How many leads or properties are as they have to be. */
	right: number;
	/** What must not be. */
	findings: Finding[];
	/** What may be. */
	notes: string[];
}

/** A lead, and whether a workflow owes it a run. */
export interface Expected {
	id: string;
	isOwed: boolean;
}

interface Terms {
	leads: Expected[];
	runAgain: number;
	/** When n8n was killed, in epoch milliseconds. */
	kills: number[];
}

/** @param executions of the workflow, oldest first */
export function reckonLeads(flow: Flow, executions: Execution[], terms: Terms): Ledger {
	const { leads, runAgain } = terms;
	const runs = new Map<string, Execution[]>();
	const startedBy: string[] = [];
	const findings: Finding[] = [];
	for (const execution of executions) {
		const received = leadsOf(flow, execution);
		const odd = { key: `execution ${execution.id}`, detail: '' };
		if (received.length > 1) findings.push({ ...odd, what: 'shared' });
		// n8n makes up an execution for a failed poll; any other is of a lead.
		const isNameless = isFinished(execution.summary) && execution.status !== 'error';
		if (received.length === 0 && isNameless) findings.push({ ...odd, what: 'made up' });
		for (const { id, trigger } of received) {
			runs.set(id, [...(runs.get(id) ?? []), execution]);
			startedBy.push(trigger);
		}
	}
	const runsOf = ({ id }: Pick<Expected, 'id'>) => runs.get(id) ?? [];
	for (const lead of leads) findings.push(...judge(lead, runsOf(lead), terms));
	const known = new Set(leads.map(({ id }) => id));
	for (const [id, of] of runs) {
		if (known.has(id)) continue;
		findings.push({ what: 'made up', key: id, detail: executionsOf(of) });
	}
	const notOwed = leads.filter(({ isOwed }) => !isOwed);
	const wrong = new Set(findings.map(({ key }) => key));
	const again = leads.filter((lead) => runsOf(lead).length > 1).length;
	return {
		right: leads.filter((lead) => !wrong.has(lead.id) && runsOf(lead).length > 0).length,
		findings,
		notes: [
			`${leads.length} leads, ${notOwed.length} of them owed no run, ${notOwed.filter((lead) => runsOf(lead).length > 0).length} of those with one`,
			`started by ${JSON.stringify(countBy(startedBy))}`,
			...(runAgain > 0 ? [`${again} were run more than once`] : []),
		],
	};
}

/** The leads that an execution was started with, and by which trigger. */
function leadsOf({ triggers }: Flow, execution: Execution): Array<{ id: string; trigger: string }> {
	return triggers.flatMap((trigger) =>
		execution
			.triggerItems(trigger)
			.flatMap(({ json: { id } }) => (typeof id === 'string' ? [{ id, trigger }] : [])),
	);
}

function judge(lead: Expected, runs: Execution[], { runAgain, kills }: Terms): Finding[] {
	const about = { key: lead.id, detail: executionsOf(runs) };
	const open = { ...about, isOpen: true };
	if (runs.length === 0) return lead.isOwed ? [{ ...open, what: 'lost' }] : [];
	if (isDoubled(runs, runAgain, kills)) return [{ ...about, what: 'doubled' }];
	const isDone = runAgain === 0 || runs.some(({ status }) => status === 'success');
	return isDone ? [] : [{ ...open, what: 'unfinished' }];
}

/**
 * A failed run is repeated so many times. If n8n was killed before it had stored how a run ended, the run may be repeated
 * once more.
 *
 * @param runs of one lead, oldest first
 */
function isDoubled(runs: Execution[], runAgain: number, kills: number[]): boolean {
	let excused = 0;
	for (const [index, next] of runs.entries()) {
		const before = runs[index - 1];
		if (!before) continue;
		const isKilled = kills.some((kill) => startOf(before) < kill && kill < startOf(next));
		if (isKilled && runAgain > 0) excused = 1;
		else if (before.status !== 'error' && before.status !== 'crashed') return true;
	}
	return runs.length > runAgain + 1 + excused;
}

function executionsOf(runs: Execution[]): string {
	return `executions ${runs.map(({ id, status }) => `${id} (${status})`).join(', ') || 'none'}`;
}

function startOf({ summary }: Execution): number {
	return Date.parse(summary.createdAt);
}
