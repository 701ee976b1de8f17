import { isoSeconds } from '../../service/basics/times';
import { agentLeadsPushTrigger, postTo } from '../../test/lab/n8n/stage/nodes';
import { leadBody, type LeadKind } from '../../test/lab/sandbox/leadBodies';
import { Pushes, type Push } from '../../test/lab/sandbox/push/pushes';
import type { PushAuthentication, PushTarget } from '../../test/lab/sandbox/push/targets';
import {
	chance,
	createRandom,
	integer,
	pick,
	seedOf,
	type Random,
} from '../../test/lab/sandbox/random';
import { reckonLeads } from '../ledger';
import { BRANCHES, inTurn, moments, type Disturbance } from '../plan';
import { createFlow, type Load, type Stage } from '../play';
import { LEADS_FAIL_AT, LEADS_PATH, pollFlows, triggerOf, type PollFlow } from './leads';

interface PlannedLead {
	id: string;
	kind: LeadKind;
	branchId: string;
	/** When the service receives it, in milliseconds after the publication. */
	at: number;
	/** From then on, when a poll finds it first (ms); undefined: never. */
	polledAfter?: number;
	/** From then on, when it is pushed (ms), each time until it is taken. Empty: never. */
	pushedAfter: number[];
	/** How many times at once it is pushed. */
	copies: number;
}

const KEY = 'the key of an invented agency 5d21';
const PAIR = { clientId: 'operator', clientSecret: 'the secret of an invented agency 77fa' };

/** How long the operator tries to push a lead, 24 hours in life. */
const DAY_MS = 24_000;
const HOURS_24_MS = 24 * 3_600_000;
const MEAN_GAP_MS = 900;
const MOST_COPIES = 12;
const LATE_AT_MOST_MS = 9_000;

/** Leads that are pushed, polled or both, for two workflows: one for each way in which the operator shows who it is. */
export function pushes(stage: Stage): Load {
	const { sandbox, course, seed } = stage;
	const plan = planOf(stage);
	const operator = new Pushes();
	operator.compression = HOURS_24_MS / DAY_MS;
	// n8n takes some tens of calls a second: those of a whole day must not keep it from starting.
	operator.repeatEveryMinutes = 240;
	const urls = new Map<string, string>();
	return {
		create: async () => {
			const [first, second] = pollFlows(sandbox);
			const created = [await create(stage, first, 'key'), await create(stage, second, 'token')];
			for (const { flow, target } of created) {
				operator.add(target);
				urls.set(flow.title, target.url);
			}
			return created.map(({ flow }) => flow);
		},
		disturbances: disturbancesOf(stage),
		failing: LEADS_FAIL_AT,
		bringing: LEADS_PATH,
		submit: async () => {
			await Promise.all(
				plan.map(async (lead) => {
					const { at, kind, pushedAfter, copies } = lead;
					await course.waitUntil(at);
					const body = bodyOf(stage, lead);
					const announcements = pushedAfter.map(async (after) => {
						await course.waitUntil(at + after);
						operator.announce(kind, body, copies);
					});
					await Promise.all(announcements);
				}),
			);
			await operator.settled();
		},
		reckon: (flow, executions, { kills }) => {
			const own = operator.log.filter(({ url }) => url === urls.get(flow.title));
			const taken = new Set(own.filter(isTaken).map(({ id }) => String(id)));
			const expected = plan.map(({ id, polledAfter }) => ({
				id,
				isOwed: polledAfter !== undefined || taken.has(id),
			}));
			const ledger = reckonLeads(flow, executions, { leads: expected, runAgain: 0, kills });
			return { ...ledger, notes: [...ledger.notes, `${taken.size} taken, seed ${seed}`] };
		},
	};
}

/** For a moment at each start n8n answers every request “n8n is starting up”, before the node can see it. */
function isTaken({ answer: { status, text } }: Push): boolean {
	return status >= 200 && status < 300 && !/starting up/.test(text);
}

async function create(stage: Stage, poll: PollFlow, by: PushAuthentication['by']) {
	const { n8n } = stage;
	const data: Record<string, string> =
		by === 'key'
			? { authentication: 'apiKey', apiKey: KEY }
			: { authentication: 'clientCredentials', ...PAIR };
	const credential = await n8n.createCredential('agentLeadsPushApi', by, data);
	const push = agentLeadsPushTrigger(credential);
	const triggers = [push, await triggerOf(stage, poll)];
	const flow = await createFlow(stage, poll.title, triggers, postTo(stage.target));
	const at = (path: string) => `${n8n.url}/webhook/${push.webhookId}/${path}`;
	const authentication: PushAuthentication =
		by === 'key' ? { by, key: KEY } : { by, tokenUrl: at('token'), ...PAIR };
	const target: PushTarget = { url: at('leads'), authentication };
	return { flow, target };
}

function planOf({ seed, durationMs, host }: Stage): PlannedLead[] {
	const random = createRandom(seed);
	return [...moments(random, durationMs, MEAN_GAP_MS)].map((at, index) => ({
		id: `${host}-${String(index + 1).padStart(4, '0')}`,
		kind: pick<LeadKind>(random, ['applicant', 'appraisal']),
		branchId: pick(random, BRANCHES),
		at,
		...wayOf(random),
		copies: chance(random, 0.06) ? MOST_COPIES : 1,
	}));
}

/** Whichever way a lead comes first, and however often. */
function wayOf(random: Random): Pick<PlannedLead, 'polledAfter' | 'pushedAfter'> {
	const late = () => integer(random, 0, LATE_AT_MOST_MS);
	const again = chance(random, 0.3) ? [late()] : [];
	switch (pick(random, ['pushed', 'polled', 'pushFirst', 'pollFirst', 'both', 'both'])) {
		case 'pushed':
			return { pushedAfter: [0, ...again] };
		case 'polled':
			return { polledAfter: 0, pushedAfter: [] };
		case 'pushFirst':
			return { polledAfter: late(), pushedAfter: [0, ...again] };
		case 'pollFirst':
			return { polledAfter: 0, pushedAfter: [late(), ...again] };
		default:
			return { polledAfter: 0, pushedAfter: [0, ...again] };
	}
}

function disturbancesOf({ seed, durationMs }: Stage): Disturbance[] {
	const random = createRandom(seed + 1);
	const lock = () => ({ what: 'lock', ms: integer(random, 1_000, 7_000) }) as const;
	return inTurn(random, durationMs, [
		{ what: 'kill', ms: 0 },
		{ what: 'kill', ms: 0 },
		lock(),
		lock(),
		{ what: 'over', ms: 0 },
		{ what: 'unpublish', ms: integer(random, 0, 2_000) },
		// For a day: the operator gives up.
		{ what: 'unpublish', ms: DAY_MS + 6_000 },
	]);
}

/** The lead as it is pushed; a poll gets the same. */
function bodyOf({ sandbox }: Stage, lead: PlannedLead): { id?: unknown } {
	const { id, kind, branchId, polledAfter } = lead;
	const now = Date.now();
	const createdAt = isoSeconds(now);
	if (polledAfter === undefined)
		return { ...leadBody(kind, createRandom(seedOf(id)), createdAt, { branchId }), id };
	return sandbox.addLead(kind, { id, createdAt }, { receivedAt: now + polledAfter, branchId });
}
