// Each lead that was pushed, polled or both, against the runs that n8n has stored.
import type { Execution } from '../../test/lab/n8n';
import type { Push } from '../../test/lab/sandbox/push/pushes';
import { TRIGGERS } from './flows';
import type { PlannedLead } from './plan';

export interface Finding {
	id: string;
	/** The runs that were started with it. */
	executions: string[];
}

/** Of one workflow. */
export interface Evidence {
	leads: PlannedLead[];
	executions: Execution[];
	/** Those to the address of the workflow. */
	pushes: Push[];
}

export interface Ledger {
	/** Leads with one run. */
	right: number;
	/** No run, though a push of it was taken, or polls find it. */
	lost: Finding[];
	doubled: Finding[];
	/** Pushed only, and never taken, before the operator gave up: nobody owes it a run. */
	givenUp: string[];
	/** Of these, how many have a run all the same. */
	givenUpWithRun: number;
	/** Leads of no plan. */
	unknown: Finding[];
	/** Runs that do not say of which lead they are. */
	nameless: string[];
	/** Leads of which a push was taken. */
	acknowledged: number;
	/** Of those given up, the ones that n8n itself answered 200 with a text of its own, before the node could see them. */
	answeredByN8n: string[];
	/** How many leads each trigger was first with. */
	startedBy: Record<string, number>;
	/** How many pushes each status answered; 0: nothing. */
	answers: Record<string, number>;
	byStatus: Record<string, number>;
}

export function reckon({ leads, executions, pushes }: Evidence): Ledger {
	const runs = runsByLead(executions);
	const finding = (id: string) => ({ id, executions: (runs.get(id) ?? []).map((run) => run.id) });
	const idsOf = (some: Push[]) => new Set(some.map(({ id }) => String(id)));
	const taken = idsOf(pushes.filter(isTaken));
	const seeminglyTaken = idsOf(pushes.filter(isAnsweredByN8n));
	const isOwed = (lead: PlannedLead) => lead.polledAfter !== undefined || taken.has(lead.id);
	const count = ({ id }: PlannedLead) => runs.get(id)?.length ?? 0;
	const givenUp = leads.filter((lead) => !isOwed(lead));
	const planned = new Set(leads.map(({ id }) => id));
	return {
		right: leads.filter((lead) => count(lead) === 1).length,
		lost: leads.filter((lead) => isOwed(lead) && count(lead) === 0).map(({ id }) => finding(id)),
		doubled: leads.filter((lead) => count(lead) > 1).map(({ id }) => finding(id)),
		givenUp: givenUp.map(({ id }) => id),
		givenUpWithRun: givenUp.filter((lead) => count(lead) > 0).length,
		unknown: [...runs.keys()].filter((id) => !planned.has(id)).map(finding),
		nameless: executions.filter(isNameless).map(({ id }) => id),
		acknowledged: leads.filter(({ id }) => taken.has(id)).length,
		answeredByN8n: givenUp.map(({ id }) => id).filter((id) => seeminglyTaken.has(id)),
		startedBy: countBy(executions.flatMap((run) => leadsOf(run).map(({ trigger }) => trigger))),
		answers: countBy(pushes.map(({ answer }) => String(answer.status))),
		byStatus: countBy(executions.map(({ status }) => status)),
	};
}

const isSuccess = ({ answer }: Push) => answer.status >= 200 && answer.status < 300;

/** For a moment at each start n8n answers every request “n8n is starting up”. The operator takes the lead for delivered. */
const isAnsweredByN8n = (push: Push) => isSuccess(push) && /starting up/.test(push.answer.body);

const isTaken = (push: Push) => isSuccess(push) && !isAnsweredByN8n(push);

/** The leads that a run was started with. */
export function leadsOf(execution: Execution): Array<{ id: string; trigger: string }> {
	return TRIGGERS.flatMap((trigger) =>
		execution
			.triggerItems(trigger)
			.items.flatMap(({ json }) => (typeof json.id === 'string' ? [{ id: json.id, trigger }] : [])),
	);
}

/** n8n makes up a run for a failed poll; any other is of a lead. */
function isNameless(execution: Execution): boolean {
	return leadsOf(execution).length === 0 && execution.status !== 'error';
}

function runsByLead(executions: Execution[]): Map<string, Execution[]> {
	const runs = new Map<string, Execution[]>();
	for (const execution of executions) {
		for (const { id } of leadsOf(execution)) runs.set(id, [...(runs.get(id) ?? []), execution]);
	}
	return runs;
}

function countBy(values: string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
	return counts;
}
