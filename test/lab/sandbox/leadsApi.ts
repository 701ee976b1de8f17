import { DAY } from '../times';
import { json, REFUSALS, Refusal } from './http';
import type { LeadKind, LeadOwner } from './leadBodies';
import type { Leads } from './leads';
import { createRandom, shuffled } from './random';
import type { Requests } from './routes';
import type { Answer, Client, DataCall } from './types';

const LEVELS = [
	{ name: 'branch-id', field: 'branchId', ids: 'branches' },
	{ name: 'brand-id', field: 'brandId', ids: 'brands' },
	{ name: 'company-id', field: 'companyId', ids: 'companies' },
	{ name: 'group-id', field: 'groupId', ids: 'groups' },
] as const;

/** The two requests for leads. */
export function leadsRequests(leads: Leads, seed: number, now: () => number): Requests {
	const list = (kind: LeadKind, { query, client }: DataCall): Answer => {
		const { from, to } = windowOf(query, now());
		const isVisible = visibility(query, client);
		const found = leads.between(kind, from, to).filter(({ owner }) => isVisible(owner));
		// No order is promised, so none is given.
		const texts = shuffled(createRandom(seed + found.length), found).map(({ text }) => text);
		const body = `{"${kind}s":[${texts.join(',')}]}`;
		return { ...json(200, {}), body, isOdd: found.some(({ isOdd }) => isOdd) };
	};
	return {
		'GET /applicant-leads': (call) => list('applicant', call),
		'GET /appraisal-leads': (call) => list('appraisal', call),
	};
}

function refusal(code: string, message: string): Refusal {
	return new Refusal(REFUSALS.leads(400, message, code));
}

/** @returns epoch milliseconds, inclusive */
function windowOf(query: URLSearchParams, now: number): { from: number; to: number } {
	const [fromTime, toTime] = [query.get('from-time'), query.get('to-time')];
	if (fromTime === null && toTime === null) return { from: now - DAY, to: now };
	if (fromTime === null || toTime === null) throw refusal('missing_time', 'one time is missing');
	const [from, to] = [Date.parse(fromTime), Date.parse(toTime)];
	if (from > to) throw refusal('invalid_time_range', 'from-time is after to-time');
	return { from, to };
}

/** Without a filter, a client with one ID sees the leads of that ID and those of nobody; a client without IDs sees all. */
function visibility(query: URLSearchParams, client: Client): (owner: LeadOwner) => boolean {
	const asked = LEVELS.find(({ name }) => query.has(name));
	if (asked !== undefined) {
		const { name, field, ids } = asked;
		const id = query.get(name) ?? '';
		if (!client[ids].includes(id)) throw refusal(`unknown_${field}`, `unknown ${name}`);
		return (owner) => owner[field] === id;
	}
	const [only, ...others] = LEVELS.flatMap(({ field, ids }) =>
		client[ids].map((id) => ({ field, id })),
	);
	if (others.length > 0) throw refusal('filter_required', 'an id of one branch is needed');
	if (only === undefined) return () => true;
	return ({ [only.field]: id }) => id === undefined || id === only.id;
}
