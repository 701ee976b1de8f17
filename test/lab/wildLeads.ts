import { findOperation } from './conformance/operations';
import { REFUSALS } from './sandbox/http';
import type { LeadKind } from './sandbox/leadBodies';
import { leadBody } from './sandbox/leadBodies';
import { createRandom, shuffled } from './sandbox/random';
import { VALUE_WILDNESS } from './sandbox/wildness/values';
import { isRecord } from './values';

type Lead = Record<string, unknown>;

/** Leads as the service may write them by its contract: fields missing or new, empty, odd, in other forms. */
export function wildLeads(kind: LeadKind, seed: number, count = 3): Lead[] {
	const now = Date.UTC(2026, 2, 2, 9);
	const random = createRandom(seed);
	const createdAt = new Date(now).toISOString();
	const operation = findOperation('leads', { method: 'GET', path: `/${kind}-leads` });
	const route = { kind: 'data', api: 'leads', operation, clientId: null } as const;
	const call = { headers: {}, body: '' };
	const situation = { call, route: { ...route, refuse: REFUSALS.leads }, random };
	const leads: Lead[] = Array.from({ length: count }, () => leadBody(kind, random, createdAt, {}));
	const reply = {
		status: 200,
		headers: {},
		value: { [`${kind}s`]: leads },
		wire: 'whole' as const,
	};
	for (const { apply } of shuffled(random, VALUE_WILDNESS).slice(0, 3)) apply(reply, situation);
	return leads.filter(isRecord);
}
