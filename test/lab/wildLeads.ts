import type { LeadKind } from './sandbox/leadBodies';
import { leadBody } from './sandbox/leadBodies';
import { createRandom } from './sandbox/random';
import { Tokens } from './sandbox/tokens';
import { Wild } from './sandbox/wild';
import { LISTS, VALUE_WILDNESS } from './sandbox/wildness/values';
import { isRecord } from './values';

type Lead = Record<string, unknown>;

const only = VALUE_WILDNESS.map(({ name }) => name);

/** Leads as the service may write them by its contract: fields missing or new, empty, odd, in other forms. */
export function wildLeads(kind: LeadKind, seed: number, count = 3): Lead[] {
	const now = () => Date.UTC(2026, 2, 2, 9);
	const wild = new Wild({ tokens: new Tokens(now) });
	wild.start({ seed, rate: 1, strength: 'allowed', only });
	const random = createRandom(seed);
	const createdAt = new Date(now()).toISOString();
	const leads = Array.from({ length: count }, () => leadBody(kind, random, createdAt, {}));
	const path = `/${kind}-leads`;
	const call = {
		method: 'GET',
		path,
		search: '',
		query: new URLSearchParams(),
		headers: {},
		body: '',
		bodyTooLarge: false,
	};
	const reply = wild
		.course({ integration: 'leads', method: 'GET', path, template: path, call, clientId: null })
		.after({ status: 200, body: JSON.stringify({ [`${kind}s`]: leads }) });
	return LISTS.flatMap((name) => (isRecord(reply.value) ? (reply.value[name] ?? []) : [])).filter(
		isRecord,
	);
}
