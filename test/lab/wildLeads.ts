import { BASES, dataArea } from './sandbox/areas';
import { Clients } from './sandbox/clients';
import type { LeadKind } from './sandbox/leadBodies';
import { leadBody } from './sandbox/leadBodies';
import { createRandom, shuffled } from './sandbox/random';
import { Tokens } from './sandbox/tokens';
import { VALUE_WILDNESS } from './sandbox/wildness/values';
import { isRecord } from './values';

type Lead = Record<string, unknown>;

/** Leads as the service may write them by its contract: fields missing or new, empty, odd, in other forms. */
export function wildLeads(kind: LeadKind, seed: number, count = 3): Lead[] {
	const now = Date.UTC(2026, 2, 2, 9);
	const random = createRandom(seed);
	const createdAt = new Date(now).toISOString();
	const tokens = new Tokens(() => now);
	const path = `${BASES.leads}/${kind}-leads`;
	const situation = {
		call: {
			...{ method: 'GET', path, search: '', headers: {}, body: '' },
			query: new URLSearchParams(),
		},
		area: dataArea(
			'leads',
			new Clients(tokens, () => ({ audience: '', agencyRefs: [] })),
			tokens,
			{},
		),
		...{ template: path, clientId: null, random, tokens },
	};
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
