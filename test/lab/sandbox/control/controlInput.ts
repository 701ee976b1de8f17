import { isRecord } from '../../values';
import omit from 'lodash/omit';

import type { FaultRule } from '../faults';
import type { Sandbox } from '../index';
import type { ChangeLag } from '../inventory';
import { AGENCY_REFS } from '../inventory';
import type { LagFor } from '../lag';
import type { LeadKind } from '../leadBodies';
import { PROPERTY_FIELDS, RECORD_TYPES, STATUSES } from '../propertyData';
import type { WildSettings } from '../wild';
import type { Input } from './fields';
import { oneOf, record, requireOnly, text, texts, whole } from './fields';

/** What a fault of each kind may say of itself. */
const FAULT_FIELDS: Record<FaultRule['kind'], string[]> = {
	status: ['status', 'body', 'retryAfter'],
	html: ['status'],
	reset: [],
	hang: [],
	truncate: [],
	cutJson: [],
	latency: ['ms'],
};
const FAULT_KINDS = ['status', 'html', 'reset', 'hang', 'truncate', 'cutJson', 'latency'] as const;
const FAULT_BODIES = ['api', 'empty', 'html', 'json'];
const FAULT_TARGETS = ['method', 'path', 'clientId', 'times', 'after', 'probability', 'when'];
const INTEGRATIONS = ['leads', 'products', 'inventory'] as const;

/**
 * Adds that many leads, or one that came just now.
 *
 * @returns what adds them and tells their ids, and a single one as a whole
 */
export function parseLeads(input: Input): (sandbox: Sandbox) => unknown {
	const { count, ...options } = omit(input, ['kind', 'overrides']);
	const kind = leadKind(input);
	const overrides = record(input, 'overrides');
	if (count === undefined) {
		return (sandbox) => {
			const lead = sandbox.addLead(kind, overrides, options);
			return { ids: [lead.id], lead };
		};
	}
	const number = whole(input, 'count');
	return (sandbox) => ({
		ids: sandbox.addLeads(kind, number, { ...options, overrides }).map((lead) => lead.id),
	});
}

export function leadKind(input: Input): LeadKind {
	return oneOf(input, 'kind', ['applicant', 'appraisal']);
}

export function parseRule(input: Input): FaultRule {
	const { pathPattern, times, ...rest } = input;
	const kind = oneOf(input, 'kind', FAULT_KINDS);
	const own = FAULT_FIELDS[kind];
	requireOnly(rest, ['kind', ...own, ...FAULT_TARGETS], `field of the kind ${kind}`);
	if (input.when !== undefined) oneOf(input, 'when', ['before', 'after']);
	if (input.body !== undefined) oneOf(input, 'body', FAULT_BODIES);
	const rule = {
		...rest,
		...(pathPattern === undefined ? {} : { path: new RegExp(text(input, 'pathPattern')) }),
		...(times === undefined ? {} : { times: Number(times) }),
	};
	if (!isRule(rule)) throw new Error('kind is a string');
	return rule;
}

/** @throws Error if a number is missing that the kind needs */
function isRule(rule: Input): rule is FaultRule {
	if (rule.kind === 'status') whole(rule, 'status');
	if (rule.kind === 'latency') whole(rule, 'ms');
	return typeof rule.kind === 'string';
}

export function parseClient(input: Input): (sandbox: Sandbox) => void {
	const clientId = text(input, 'clientId');
	const patch = omit(input, ['clientId', 'integration']);
	return (sandbox) => {
		if (sandbox.clients.find(clientId) !== undefined) {
			sandbox.updateClient(clientId, patch);
			return;
		}
		const integration = oneOf(input, 'integration', INTEGRATIONS);
		const clientSecret = text(input, 'clientSecret');
		sandbox.addClient({ ...patch, integration, clientId, clientSecret });
	};
}

/**
 * Changes a property, or adds one.
 *
 * @returns what does it and tells the property
 */
export function parseProperty(input: Input): (sandbox: Sandbox) => unknown {
	const { id, lag } = input;
	const agencyRef = parseAgencyRef(input);
	const changes = parseChanges(record(input, 'changes'));
	const lags = parseLag(lag);
	if (id === undefined) {
		return ({ inventory }) => inventory.create(agencyRef, changes, lags);
	}
	return ({ inventory }) => inventory.change(agencyRef, text(input, 'id'), changes, lags);
}

function parseChanges(changes: Input): Input {
	requireOnly(changes, PROPERTY_FIELDS, 'field of a property');
	if (changes.inventoryStatus !== undefined) oneOf(changes, 'inventoryStatus', STATUSES);
	if (changes.recordType !== undefined) oneOf(changes, 'recordType', RECORD_TYPES);
	return changes;
}

export function parseAgencyRef({ agencyRef = AGENCY_REFS[0] }: Input): string {
	return text({ agencyRef }, 'agencyRef');
}

function parseLag(lag: unknown = {}): ChangeLag {
	if (!isRecord(lag)) throw new Error('lag is an object');
	requireOnly(lag, ['rows', 'records'], 'field of a lag');
	const { rows, records } = lag;
	return {
		...(rows !== undefined && { rows: parseLagFor(rows) }),
		...(records !== undefined && { records: parseLagFor(records) }),
	};
}

function parseLagFor(input: unknown): LagFor {
	if (!isRecord(input)) throw new Error('a lag has ms or reads');
	requireOnly(input, ['ms', 'reads'], 'field of a lag');
	return {
		...(input.ms !== undefined && { ms: whole(input, 'ms') }),
		...(input.reads !== undefined && { reads: whole(input, 'reads') }),
	};
}

export function parseWild(input: Input): WildSettings {
	const { seed, rate, strength, only, without } = input;
	if (rate !== undefined && (typeof rate !== 'number' || rate < 0 || rate > 1)) {
		throw new Error('rate is a number from 0 to 1');
	}
	return {
		...(seed !== undefined && { seed: whole(input, 'seed') }),
		...(rate !== undefined && { rate }),
		...(strength !== undefined && {
			strength: oneOf(input, 'strength', ['allowed', 'misbehaving']),
		}),
		...(only !== undefined && { only: texts(input, 'only') }),
		...(without !== undefined && { without: texts(input, 'without') }),
	};
}
