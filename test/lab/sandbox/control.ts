import type { ServerResponse } from 'node:http';

import { isRecord } from '../values';
import { json, REFUSALS, send } from './http';
import type { Sandbox } from './index';
import { AGENCY_REFS } from './inventory';
import { controlPage } from './page';
import type { PushTarget } from './push/targets';
import { PUSH_SWITCHES } from './push/targets';
import type { Answer, Call } from './types';

export const CONTROL_BASE = '/_sandbox';

/** What a person or another process sends, as JSON or as a form. */
type Input = Record<string, unknown>;

/** What the service can be for a while: then every request for data is answered so. */
export const TROUBLE = { busy: 429, broken: 500, 'refusing access': 403 };

/** How orders can end from now on. */
export const ORDERS_END = {
	succeed: { result: 'ACTIVATED', settleAfterGets: 1 },
	fail: { result: 'ERROR', settleAfterGets: 1 },
	'stay pending': { result: 'ACTIVATED', settleAfterGets: null },
} as const;

/** What another process can do. Each returns what came of it. */
const ACTIONS: Record<string, (sandbox: Sandbox, input: Input) => unknown> = {
	'POST leads': (sandbox, input) =>
		sandbox.addLead(leadKind(input), record(input, 'overrides'), ownerOf(input)),
	'POST pushes': (sandbox, input) => {
		const { id, copies, takesMs, cutAfter, isWrong } = input;
		const kind = leadKind(input);
		const push = {
			...(copies !== undefined && { copies: whole(input, 'copies') }),
			...(takesMs !== undefined && { takesMs: whole(input, 'takesMs') }),
			...(cutAfter !== undefined && { cutAfter: whole(input, 'cutAfter') }),
			isWrong: String(isWrong) === 'true',
		};
		if (sandbox.pushes.targets.length === 0) throw new Error('no address is registered');
		if (!id) return sandbox.addLead(kind, record(input, 'overrides'), ownerOf(input), push);
		const lead = sandbox.leads.find(kind, text(input, 'id'));
		sandbox.pushes.announce(kind, lead, push);
		return lead;
	},
	'POST push-addresses': (sandbox, input) => {
		sandbox.pushes.add(pushTarget(input));
		return { url: input.url };
	},
	'DELETE push-addresses': (sandbox) => sandbox.pushes.clear(),
	'POST property': ({ inventory }, input) => {
		const { id, price, archived, inventoryStatus, agencyRef = AGENCY_REFS[0] } = input;
		const changes = {
			...(isFilled(price) && { price: whole(input, 'price') }),
			...(isFilled(archived) && { archived: String(archived) === 'true' }),
			...(isFilled(inventoryStatus) && { inventoryStatus: text(input, 'inventoryStatus') }),
			...record(input, 'changes'),
		};
		if (!id) return inventory.create(String(agencyRef), changes);
		return inventory.change(String(agencyRef), text(input, 'id'), changes);
	},
	'POST products': ({ products }, input) => {
		const end = ORDERS_END[oneOf(input, 'orders', ['succeed', 'fail', 'stay pending'])];
		products.configure(end);
		return end;
	},
	'POST service': (sandbox, input) => {
		const state = oneOf(input, 'state', ['normal', 'busy', 'broken', 'refusing access']);
		const until = sandbox.now() + (input.seconds ? whole(input, 'seconds') : 60) * 1_000;
		sandbox.faults.clear();
		if (state === 'normal') return { state };
		const status = TROUBLE[state];
		const path = new RegExp(`^/(${Object.keys(REFUSALS).join('|')})-api/`);
		sandbox.faults.add({ kind: 'status', status, path, times: Infinity, until });
		return { state, until: new Date(until).toISOString() };
	},
	'POST clock': (sandbox, input) => {
		sandbox.advance(whole(input, 'advanceMs'));
		return { now: sandbox.now() };
	},
};

/** The HTTP interface by which other processes and people control the sandbox. */
export class Control {
	/** What was sent to the CRM that stands beside the sandbox, the newest first. */
	readonly crm: Input[] = [];

	constructor(private readonly sandbox: Sandbox) {}

	handle(call: Call, response: ServerResponse): void {
		const { headers = {}, ...answer } = this.answer(call);
		// No other page may show this one, or read it from a cache.
		const guard = { 'Cache-Control': 'no-store', 'X-Frame-Options': 'DENY' };
		send(response, { ...answer, headers: { ...headers, ...guard } }, this.sandbox.now());
	}

	private answer(call: Call): Answer {
		const { method, path, query } = call;
		if (!isOwn(call)) return json(403, { message: 'another site may not do this' });
		const name = path.slice(CONTROL_BASE.length).replace(/^\//, '');
		if (method === 'GET' && name === '') {
			return controlPage(this.sandbox, this.crm, query.get('said') ?? '');
		}
		try {
			const done = this.perform(`${method} ${name}`, readInput(call));
			return this.answered(call, 200, done ?? {});
		} catch (error) {
			const message = error instanceof Error ? error.message : 'refused';
			return this.answered(call, 400, { message });
		}
	}

	private perform(name: string, input: Input): unknown {
		if (name === 'POST crm') return void this.crm.unshift(input);
		const action = ACTIONS[name];
		if (action !== undefined) return action(this.sandbox, input);
		throw new Error(`no ${name}; known are ${Object.keys(ACTIONS).join(', ')}, POST crm`);
	}

	/** @returns for a form of the page, the page again */
	private answered({ headers }: Call, status: number, value: object): Answer {
		if (!headers.accept?.includes('text/html')) return json(status, value);
		const said = new URLSearchParams({ said: JSON.stringify(value) });
		return { status: 303, headers: { Location: `${CONTROL_BASE}?${said.toString()}` }, body: '' };
	}
}

/** Whether a request comes from the sandbox's own page, or from no page at all, as curl's do. A browser says which it is. */
function isOwn({ method, headers }: Call): boolean {
	const { host = '' } = headers;
	// A site whose name leads to this machine would pass for the sandbox itself.
	if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) return false;
	const site = headers['sec-fetch-site'] ?? 'same-origin';
	return method === 'GET' || site === 'same-origin';
}

/** JSON, or what a form sends: `curl … -d kind=applicant` needs no quotes, in whatever shell it is typed. */
function readInput({ body }: Call): Input {
	if (!/^\s*[[{"]/.test(body)) return Object.fromEntries(new URLSearchParams(body));
	const input: unknown = JSON.parse(body);
	if (!isRecord(input)) throw new Error('the body is not a JSON object');
	return input;
}

function pushTarget(input: Input): PushTarget {
	const { key, authentication = { by: 'key', key }, without } = input;
	if (!isRecord(authentication)) throw new Error('authentication is an object');
	const by = oneOf(authentication, 'by', ['key', 'token']);
	const off = PUSH_SWITCHES.filter((each) => Array.isArray(without) && without.includes(each));
	const target = { url: text(input, 'url'), without: off };
	if (by === 'key') return { ...target, authentication: { by, key: text(authentication, 'key') } };
	const pair = {
		tokenUrl: text(authentication, 'tokenUrl'),
		clientId: text(authentication, 'clientId'),
		clientSecret: text(authentication, 'clientSecret'),
	};
	return { ...target, authentication: { by, ...pair, pairIn: 'basic' } };
}

function leadKind(input: Input) {
	return oneOf(input, 'kind', ['applicant', 'appraisal']);
}

function ownerOf({ branchId }: Input) {
	return typeof branchId === 'string' ? { branchId } : {};
}

/** @throws Error that names the known ones, if it is none of them */
function oneOf<const T extends string>(input: Input, name: string, known: readonly T[]): T {
	const found = known.find((each) => each === input[name]);
	if (found !== undefined) return found;
	throw new Error(`${name} is one of ${known.join(', ')}`);
}

function text(input: Input, name: string): string {
	const value = input[name];
	if (typeof value === 'string' && value !== '') return value;
	throw new Error(`${name} is a text`);
}

/** A form sends it as text. */
function whole(input: Input, name: string): number {
	const number = Number(input[name]);
	if (Number.isInteger(number)) return number;
	throw new Error(`${name} is a whole number`);
}

/** A form sends an empty text for what was left out. */
function isFilled(value: unknown): boolean {
	return value !== undefined && value !== '';
}

function record(input: Input, name: string): Input {
	const value = input[name] ?? {};
	if (isRecord(value)) return value;
	throw new Error(`${name} is an object`);
}
