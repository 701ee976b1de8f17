import { credentialOf } from '../../test/lab/credentialOf';
import type { NodeInput } from '../../test/lab/n8n';
import { agentLeadsTrigger, postTo } from '../../test/lab/n8n/stage/nodes';
import { HOUR_MS, isoSeconds, MINUTE_MS, SECOND_MS } from '../../service/basics/times';
import type { Sandbox } from '../../test/lab/sandbox';
import type { LeadKind } from '../../test/lab/sandbox/leadBodies';
import { chance, createRandom, integer, pick } from '../../test/lab/sandbox/random';
import type { Client } from '../../test/lab/sandbox/types';
import { reckonLeads, type Expected } from '../ledger';
import { BRANCHES, moments, usualDisturbances } from '../plan';
import { createFlow, type Flow, type Load, type Stage } from '../play';

/** How a lead is dated when it is received. */
const DATINGS = ['now', 'now', 'now', 'late', 'minutes', 'unset', 'future'] as const;

interface PlannedLead {
	id: string;
	kind: LeadKind;
	branchId: string;
	dating: (typeof DATINGS)[number];
	/** When it is received, in milliseconds after the publication. */
	at: number;
	/** How much earlier or later it is dated, in milliseconds. */
	shift: number;
}

/** A workflow that polls, and which leads it is for. */
export interface PollFlow {
	title: string;
	parameters: NonNullable<NodeInput['parameters']>;
	client: Client;
}

export const LEADS_PATH = /\/(applicant|appraisal)-leads$/;
export const LEADS_FAIL_AT = [LEADS_PATH, '/oauth2/token'];
export const TOKEN_LIFETIME_S = 20;

const MEAN_GAP_MS = 1_500;
const LATE_AT_MOST_S = 240;
const EARLIER_LEADS = 20;

/** Leads that are polled by two workflows: by one for all leads, and by one for each of the branches. */
export function leads(stage: Stage): Load {
	const { sandbox, course, seed, durationMs, runAgain } = stage;
	const submitted: Expected[] = [];
	return {
		create: async () => {
			addEarlier(sandbox);
			const flows: Flow[] = [];
			for (const flow of pollFlows(sandbox)) {
				const trigger = await triggerOf(stage, flow, { options: { runAgain } });
				flows.push(await createFlow(stage, flow.title, [trigger], postTo(stage.target)));
			}
			return flows;
		},
		disturbances: usualDisturbances(seed, durationMs),
		failing: LEADS_FAIL_AT,
		bringing: LEADS_PATH,
		submit: async () => {
			for (const lead of planOf(stage)) {
				await course.waitUntil(lead.at);
				submitted.push({ id: lead.id, isOwed: true });
				submit(stage, lead);
			}
		},
		reckon: (flow, executions, { kills }) =>
			reckonLeads(flow, executions, { leads: submitted, runAgain, kills }),
	};
}

/** Two that get every lead, in different ways. */
export function pollFlows(sandbox: Sandbox): [PollFlow, PollFlow] {
	const { clientId } = sandbox.leadsClient;
	const all = sandbox.updateClient(clientId, { tokenLifetime: TOKEN_LIFETIME_S });
	const branches = sandbox.addClient({
		integration: 'leads',
		clientId: 'branches-client',
		clientSecret: 'branches-secret',
		branches: BRANCHES,
		tokenLifetime: TOKEN_LIFETIME_S,
	});
	const filter = { filterBy: 'branch', filterId: BRANCHES.join(', ') };
	return [
		{ title: 'all leads', parameters: { filterBy: 'none' }, client: all },
		{ title: 'by branch', parameters: filter, client: branches },
	];
}

/** The trigger of such a workflow, with a credential of its own. */
export async function triggerOf(
	{ n8n, sandbox }: Stage,
	{ title, client, parameters }: PollFlow,
	more: PollFlow['parameters'] = {},
): Promise<NodeInput> {
	const { type, data } = credentialOf(sandbox, client);
	const credential = await n8n.createCredential(type, title, data);
	return agentLeadsTrigger(credential, { runs: 'onePerLead', ...parameters, ...more });
}

function planOf({ seed, durationMs, host }: Stage): PlannedLead[] {
	const random = createRandom(seed);
	// The first one comes between the publication and the first poll after it.
	return [...moments(random, durationMs, MEAN_GAP_MS)].flatMap((at, index) =>
		Array.from({ length: chance(random, 0.1) ? integer(random, 2, 4) : 1 }, (_, number) => ({
			id: `${host}-${index + 1}-${number}`,
			kind: pick<LeadKind>(random, ['applicant', 'appraisal']),
			branchId: pick(random, BRANCHES),
			dating: pick(random, DATINGS),
			at,
			shift: integer(random, 1, LATE_AT_MOST_S) * 1_000,
		})),
	);
}

/** Leads of the last day, but for those minutes in which somebody may already have published. */
function addEarlier(sandbox: Sandbox): void {
	const now = Date.now() - 2 * MINUTE_MS;
	for (let index = 0; index < EARLIER_LEADS; index++) {
		const receivedAt = now - (index * 23 * HOUR_MS) / EARLIER_LEADS;
		const branchId = BRANCHES[index % 2];
		const lead = { id: `earlier-${index + 1}`, createdAt: isoSeconds(receivedAt) };
		sandbox.addLead(index % 3 === 0 ? 'applicant' : 'appraisal', lead, { receivedAt, branchId });
	}
}

function submit({ sandbox, course }: Stage, lead: PlannedLead): void {
	const { id, kind, branchId, dating, shift } = lead;
	const receivedAt = Date.now();
	// Late, but not from before the publication: such a lead would not have to be delivered.
	const late = Math.max(receivedAt - shift, course.begunAt + SECOND_MS);
	const createdAt = {
		now: isoSeconds(receivedAt),
		late: isoSeconds(Math.min(late, receivedAt)),
		minutes: `${new Date(receivedAt).toISOString().slice(0, 16)}Z`,
		unset: '0001-01-01T00:00Z',
		future: isoSeconds(receivedAt + shift),
	}[dating];
	sandbox.addLead(kind, { id, createdAt }, { receivedAt, branchId });
}
