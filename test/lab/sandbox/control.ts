import type { ServerResponse } from 'node:http';

import { isRecord } from '../values';
import {
	parseAgencyRef,
	parseClient,
	parseLeads,
	parseProperty,
	parseRule,
	parseWild,
	text,
	whole,
} from './controlInput';
import { controlPage } from './controlPage';
import { json, send } from './http';
import type { Sandbox } from './index';
import { parseCompression, parsePush, parsePushTarget } from './push/pushInput';
import type { Answer, Call } from './types';

type Input = Record<string, unknown>;

export const CONTROL_BASE = '/_sandbox';

/** What another process can do; each action is one call of the sandbox. */
const ACTIONS: Record<string, { takes: string; run: (sandbox: Sandbox, input: Input) => unknown }> =
	{
		'GET addresses': { takes: '', run: (sandbox) => sandbox.addresses() },
		'GET counts': { takes: '', run: (sandbox) => sandbox.counts },
		'GET requests': { takes: '', run: (sandbox) => sandbox.requests },
		'POST reset-counts': { takes: '', run: (sandbox) => sandbox.resetCounts() },
		'POST leads': {
			takes:
				'kind, count?, overrides?, from?, to?, receivedAt? (epoch ms), branchId?, brandId?, companyId?, groupId?',
			run: (sandbox, input) => parseLeads(input)(sandbox),
		},
		'GET push-addresses': { takes: '', run: (sandbox) => sandbox.pushes.addresses() },
		'POST push-addresses': {
			takes:
				'url, authentication ({ by: "key", key } or { by: "token", tokenUrl, clientId, clientSecret, pairIn?: basic, form or json, audience? }), without? (a list of applicant, appraisal, sales, lettings)',
			run: (sandbox, input) => sandbox.pushes.add(parsePushTarget(input)),
		},
		'DELETE push-addresses': { takes: '', run: (sandbox) => sandbox.pushes.clear() },
		'GET pushes': { takes: '', run: (sandbox) => sandbox.pushes.log },
		'POST pushes': {
			takes:
				'kind, id? (of a lead that is there), overrides?, branchId?, copies? (at once), takesMs?, cutAfter? (bytes), isWrong? (the key)',
			run: (sandbox, input) => parsePush(input)(sandbox),
		},
		'DELETE pushes': { takes: '', run: (sandbox) => sandbox.pushes.forget() },
		'POST push-speed': {
			takes: 'compression (how much faster than in life repeats come)',
			run: (sandbox, input) => void (sandbox.pushes.compression = parseCompression(input)),
		},
		'DELETE leads': { takes: '', run: (sandbox) => sandbox.clearLeads() },
		'POST faults': {
			takes:
				'kind and its fields, method?, path? or pathPattern?, clientId?, times? (a number or "Infinity"), after?, probability?, when?',
			run: (sandbox, input) => void sandbox.faults.add(parseRule(input)),
		},
		'DELETE faults': { takes: '', run: (sandbox) => sandbox.faults.clear() },
		'GET wild': { takes: '', run: (sandbox) => sandbox.wild.status() },
		'POST wild': {
			takes:
				'seed?, strength? (allowed or misbehaving), rate? (0 to 1), only?, without? (lists of names), dripMs?',
			run: (sandbox, input) => {
				sandbox.wild.start(parseWild(input));
				return sandbox.wild.status();
			},
		},
		'DELETE wild': { takes: '', run: (sandbox) => sandbox.wild.stop() },
		'POST clients': {
			takes: 'integration, clientId, clientSecret, … as addClient; a known clientId is updated',
			run: (sandbox, input) => parseClient(input)(sandbox),
		},
		'POST revoke-tokens': {
			takes: 'clientId',
			run: (sandbox, input) => sandbox.revokeTokens(text(input, 'clientId')),
		},
		'POST revoke-client': {
			takes: 'clientId',
			run: (sandbox, input) => sandbox.revokeClient(text(input, 'clientId')),
		},
		'POST clock': {
			takes: 'advanceMs',
			run: (sandbox, input) => {
				sandbox.advance(whole(input, 'advanceMs'));
				return { now: sandbox.now() };
			},
		},
		'POST products': {
			takes:
				'any of the products’ behaviour, such as result, settleAfterGets, settleAfterMs, duplicates',
			run: (sandbox, input) => sandbox.products.configure(input),
		},
		'POST settle': {
			takes: 'id?',
			run: (sandbox, input) =>
				sandbox.products.settle(input.id === undefined ? undefined : text(input, 'id')),
		},
		'DELETE products': { takes: '', run: (sandbox) => sandbox.products.clear() },
		'POST properties': {
			takes: 'agencyRef, count',
			run: (sandbox, input) => {
				sandbox.inventory.fill(text(input, 'agencyRef'), whole(input, 'count'));
			},
		},
		'POST property': {
			takes:
				'agencyRef? (default: the first one), id? (default: a new property), changes? (fields of the record; inventoryStatus brings the others of the status), lag? ({ rows, records }, each { ms?, reads? })',
			run: (sandbox, input) => parseProperty(input)(sandbox),
		},
		'DELETE property': {
			takes: 'agencyRef?, id',
			run: (sandbox, input) => sandbox.inventory.remove(parseAgencyRef(input), text(input, 'id')),
		},
	};

/** The HTTP interface by which other processes and people control the sandbox. */
export class Control {
	constructor(private readonly sandbox: Sandbox) {}

	handle(call: Call, response: ServerResponse): void {
		send(response, this.answer(call), this.sandbox.now());
	}

	private answer(call: Call): Answer {
		const name = call.path.slice(CONTROL_BASE.length).replace(/^\//, '');
		if (name === '' && call.method === 'GET') return this.page();
		const action = ACTIONS[`${call.method} ${name}`];
		if (action === undefined) return json(404, { message: `no ${call.method} ${name}` });
		try {
			return json(200, action.run(this.sandbox, readInput(call)) ?? {});
		} catch (error) {
			return json(400, { message: error instanceof Error ? error.message : 'refused' });
		}
	}

	private page(): Answer {
		const actions = Object.entries(ACTIONS).map(([name, { takes }]) => ({ name, takes }));
		return {
			status: 200,
			headers: { 'Content-Type': 'text/html; charset=utf-8' },
			body: controlPage(this.sandbox, CONTROL_BASE, actions),
		};
	}
}

function readInput(call: Call): Input {
	if (call.body === '') return {};
	const input: unknown = JSON.parse(call.body);
	if (!isRecord(input)) throw new Error('the body is not a JSON object');
	return input;
}
