import type { Clock } from './clock';
import { DAY } from './clock';
import { leadsError } from './errors';
import { Refusal } from './http';
import type { LeadKind, LeadOwner } from './leadBodies';
import type { Leads, StoredLead } from './leads';
import { createRandom, shuffled } from './random';
import type { Answer, Call, Client } from './types';

type Level = { field: keyof LeadOwner; ids: 'branches' | 'brands' | 'companies' | 'groups' };
type Filter = { level: Level; id: string };

const LEAD_FIELDS = ['fromTime', 'toTime', 'branchId', 'brandId', 'companyId', 'groupId'] as const;

/** The names of the query parameters. */
export type LeadParameters = Record<(typeof LEAD_FIELDS)[number], string>;

export const LEAD_PARAMETERS: LeadParameters = {
	fromTime: 'from-time',
	toTime: 'to-time',
	branchId: 'branch-id',
	brandId: 'brand-id',
	companyId: 'company-id',
	groupId: 'group-id',
};

/** @returns the usual name of each parameter, by the name that it has now */
export function usualNames(parameters: LeadParameters): Map<string, string> {
	return new Map(LEAD_FIELDS.map((field) => [parameters[field], LEAD_PARAMETERS[field]]));
}

const LEVELS: Level[] = [
	{ field: 'branchId', ids: 'branches' },
	{ field: 'brandId', ids: 'brands' },
	{ field: 'companyId', ids: 'companies' },
	{ field: 'groupId', ids: 'groups' },
];

const PATHS: Record<string, { kind: LeadKind; list: string }> = {
	'/applicant-leads': { kind: 'applicant', list: 'applicants' },
	'/appraisal-leads': { kind: 'appraisal', list: 'appraisals' },
};

const LEADS_IN_ONE_PIECE = 1000;
const LEADS_IN_A_CHUNK = 250;

/** The two requests for leads. */
export class LeadsApi {
	constructor(
		private readonly service: {
			leads: Leads;
			clock: Clock;
			seed: number;
			parameters: LeadParameters;
		},
	) {}

	/** @param path below the base address */
	template(path: string): string | undefined {
		return path in PATHS ? path : undefined;
	}

	/** @param path below the base address */
	handle(path: string, call: Call, client: Client): Answer {
		const target = PATHS[path];
		if (target === undefined) throw refusal(404, 'not_found', 'no such path');
		if (call.method !== 'GET') throw refusal(405, 'method_not_allowed', 'use GET');
		const { leads, parameters, seed } = this.service;
		requireKnown(call.query, parameters);
		const window = this.window(call.query);
		const filter = readFilter(call.query, parameters, client);
		const visible = visibility(filter, client);
		const found = leads
			.between(target.kind, window.from, window.to)
			.filter((lead) => visible(lead.owner));
		// No order is promised, so none is given.
		return leadsAnswer(target.list, shuffled(createRandom(seed + found.length), found));
	}

	/** @returns epoch milliseconds, inclusive */
	private window(query: URLSearchParams): { from: number; to: number } {
		const { fromTime, toTime } = this.service.parameters;
		const now = this.service.clock.now();
		if (!query.has(fromTime) && !query.has(toTime)) return { from: now - DAY, to: now };
		const from = readTime(query, fromTime);
		const to = readTime(query, toTime);
		if (from > to) throw refusal(400, 'invalid_time_range', `${fromTime} is after ${toTime}`);
		return { from, to };
	}
}

function refusal(status: number, code: string, message: string): Refusal {
	return new Refusal(leadsError(status, message, code));
}

function requireKnown(query: URLSearchParams, parameters: LeadParameters): void {
	const known = Object.values(parameters);
	for (const name of query.keys()) {
		if (!known.includes(name)) throw refusal(400, 'unknown_parameter', `unknown parameter ${name}`);
		if (query.getAll(name).length > 1) {
			throw refusal(400, 'repeated_parameter', `${name} is given more than once`);
		}
	}
}

/** @returns epoch milliseconds */
function readTime(query: URLSearchParams, name: string): number {
	const text = query.get(name);
	if (text === null) throw refusal(400, 'missing_time', `${name} is missing`);
	const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) ? Date.parse(text) : NaN;
	// Date.parse takes the 31st of a short month for the 1st of the next. Only a date comes back unchanged.
	if (Number.isNaN(time) || new Date(time).toISOString() !== text.replace('Z', '.000Z')) {
		throw refusal(400, 'invalid_time', `${name} is not a time in whole seconds, UTC`);
	}
	return time;
}

function readFilter(
	query: URLSearchParams,
	parameters: LeadParameters,
	client: Client,
): Filter | undefined {
	const given = LEVELS.filter((level) => query.has(parameters[level.field]));
	if (given.length > 1) throw refusal(400, 'too_many_filters', 'filter on exactly one id');
	const level = given[0];
	if (level === undefined) {
		if (configuredIds(client) > 1)
			throw refusal(400, 'filter_required', 'an id of one branch is needed');
		return undefined;
	}
	const name = parameters[level.field];
	const id = query.get(name) ?? '';
	if (!client[level.ids].includes(id))
		throw refusal(400, `unknown_${level.field}`, `unknown ${name}`);
	return { level, id };
}

function configuredIds(client: Client): number {
	return LEVELS.reduce((sum, { ids }) => sum + client[ids].length, 0);
}

/** Without a filter, a client with one ID sees the leads of that ID and those of nobody; a client without IDs sees all. */
function visibility(filter: Filter | undefined, client: Client): (owner: LeadOwner) => boolean {
	if (filter !== undefined) return (owner) => owner[filter.level.field] === filter.id;
	const only = LEVELS.find(({ ids }) => client[ids].length > 0);
	if (only === undefined) return () => true;
	const id = client[only.ids][0];
	return (owner) => owner[only.field] === undefined || owner[only.field] === id;
}

function leadsAnswer(name: string, leads: StoredLead[]): Answer {
	const body =
		leads.length > LEADS_IN_ONE_PIECE
			? chunks(name, leads)
			: `{"${name}":[${leads.map((lead) => lead.text).join(',')}]}`;
	const isOdd = leads.some((lead) => lead.isOdd);
	return {
		status: 200,
		headers: { 'Content-Type': 'application/json; charset=utf-8' },
		body,
		isOdd,
	};
}

function* chunks(name: string, leads: StoredLead[]) {
	yield `{"${name}":[`;
	for (let start = 0; start < leads.length; start += LEADS_IN_A_CHUNK) {
		const part = leads.slice(start, start + LEADS_IN_A_CHUNK).map((lead) => lead.text);
		yield (start === 0 ? '' : ',') + part.join(',');
	}
	yield ']}';
}
