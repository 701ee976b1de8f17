import { isRecord } from '../values';
import omit from 'lodash/omit';

import type { FaultRule } from './faults';
import type { Sandbox } from './index';
import type { ChangeLag } from './inventory';
import { AGENCY_REFS } from './inventory';
import type { LagFor } from './lag';
import type { LeadKind } from './leadBodies';
import type { WildSettings } from './wild';

type Input = Record<string, unknown>;

const FAULT_KINDS: unknown[] = [
	'status',
	'html',
	'reset',
	'hang',
	'truncate',
	'cutJson',
	'latency',
];

export function text(input: Input, name: string): string {
	const value = input[name];
	if (typeof value !== 'string') throw new Error(`${name} is a string`);
	return value;
}

export function whole(input: Input, name: string): number {
	const value = input[name];
	if (typeof value !== 'number' || !Number.isInteger(value))
		throw new Error(`${name} is an integer`);
	return value;
}

/**
 * Adds that many leads, or one that came just now.
 *
 * @returns what adds them and tells their ids
 */
export function parseLeads(input: Input): (sandbox: Sandbox) => unknown {
	const { count, overrides = {}, ...options } = input;
	const kind = leadKind(input);
	if (!isRecord(overrides)) throw new Error('overrides is an object');
	if (count === undefined) {
		return (sandbox) => ({ ids: [sandbox.addLead(kind, overrides, options).id] });
	}
	const number = whole(input, 'count');
	return (sandbox) => ({
		ids: sandbox.addLeads(kind, number, { ...options, overrides }).map((lead) => lead.id),
	});
}

export function leadKind({ kind }: Input): LeadKind {
	if (kind === 'applicant' || kind === 'appraisal') return kind;
	throw new Error('kind is applicant or appraisal');
}

export function parseRule(input: Input): FaultRule {
	const { pathPattern, times, ...rest } = input;
	const rule = {
		...rest,
		...(pathPattern === undefined ? {} : { path: new RegExp(text(input, 'pathPattern')) }),
		...(times === undefined ? {} : { times: Number(times) }),
	};
	if (!isRule(rule)) throw new Error('kind is unknown');
	return rule;
}

/** @throws Error if a number is missing that the kind needs */
function isRule(rule: Input): rule is FaultRule {
	const kind = text(rule, 'kind');
	if (kind === 'status') whole(rule, 'status');
	if (kind === 'latency') whole(rule, 'ms');
	return FAULT_KINDS.includes(kind);
}

export function parseClient(input: Input): (sandbox: Sandbox) => void {
	const clientId = text(input, 'clientId');
	const { integration } = input;
	const patch = omit(input, ['clientId', 'integration']);
	return (sandbox) => {
		if (sandbox.clients.find(clientId) !== undefined) {
			sandbox.updateClient(clientId, patch);
			return;
		}
		if (integration !== 'leads' && integration !== 'products' && integration !== 'inventory') {
			throw new Error('integration is leads, products or inventory');
		}
		sandbox.addClient({
			...patch,
			integration,
			clientId,
			clientSecret: text(input, 'clientSecret'),
		});
	};
}

/**
 * Changes a property, or adds one.
 *
 * @returns what does it and tells the property
 */
export function parseProperty(input: Input): (sandbox: Sandbox) => unknown {
	const { id, changes = {}, lag } = input;
	const agencyRef = parseAgencyRef(input);
	if (!isRecord(changes)) throw new Error('changes is an object');
	const lags = parseLag(lag);
	if (id === undefined) {
		return ({ inventory }) => inventory.create(agencyRef, changes, lags);
	}
	return ({ inventory }) => inventory.change(agencyRef, text(input, 'id'), changes, lags);
}

export function parseAgencyRef({ agencyRef = AGENCY_REFS[0] }: Input): string {
	return text({ agencyRef }, 'agencyRef');
}

function parseLag(lag: unknown = {}): ChangeLag {
	if (!isRecord(lag)) throw new Error('lag is an object');
	const { rows, records } = lag;
	return {
		...(rows !== undefined && { rows: parseLagFor(rows) }),
		...(records !== undefined && { records: parseLagFor(records) }),
	};
}

function parseLagFor(input: unknown): LagFor {
	if (!isRecord(input)) throw new Error('a lag has ms or reads');
	return {
		...(input.ms !== undefined && { ms: whole(input, 'ms') }),
		...(input.reads !== undefined && { reads: whole(input, 'reads') }),
	};
}

export function parseWild(input: Input): WildSettings {
	const { seed, dripMs, rate, strength, only, without, ...rest } = input;
	const [unknown] = Object.keys(rest);
	if (unknown !== undefined) throw new Error(`${unknown} is unknown`);
	if (strength !== undefined && strength !== 'allowed' && strength !== 'misbehaving') {
		throw new Error('strength is allowed or misbehaving');
	}
	if (rate !== undefined && (typeof rate !== 'number' || rate < 0 || rate > 1)) {
		throw new Error('rate is a number from 0 to 1');
	}
	return {
		...(seed !== undefined && { seed: whole(input, 'seed') }),
		...(dripMs !== undefined && { dripMs: whole(input, 'dripMs') }),
		...(rate !== undefined && { rate }),
		...(strength !== undefined && { strength }),
		...(only !== undefined && { only: texts(input, 'only') }),
		...(without !== undefined && { without: texts(input, 'without') }),
	};
}

export function texts(input: Input, name: string): string[] {
	const value = input[name];
	if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
	throw new Error(`${name} is a list of strings`);
}
