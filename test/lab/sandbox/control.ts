import type { ServerResponse } from 'node:http';

import type { ParsedMail } from 'mailparser';

import { isRecord } from '../values';
import { developersPage } from './developers';
import { BRANCHES } from './data';
import { json, REFUSALS, send } from './http';
import type { Sandbox } from './index';
import { AGENCY_REFS } from './inventory';
import { BASE } from './markup';
import { controlPage } from './page';
import type { Answer, Call } from './types';

/** What a person or another process sends, as JSON or as a form; a form sends an empty text for what was left out. */
type Input = Record<string, unknown>;

/** What came to the CRM. */
export interface CrmRecord {
	/** Epoch milliseconds by the service's clock. */
	at: number;
	/** What stands after `crm/` in the address: a workflow of its own can have one of its own. */
	inbox: string;
	/** By which a CRM recognises a record that comes again. */
	key: unknown;
	record: Input;
}

/** What the service can be for a while: then every request for data is answered so. */
export const TROUBLE = { normal: 0, busy: 429, broken: 500, 'refusing access': 403 };

/** How orders can end from now on. */
export const ORDERS_END = {
	succeed: { result: 'ACTIVATED', settleAfterGets: 1 },
	fail: { result: 'ERROR', settleAfterGets: 1 },
	'stay pending': { result: 'ACTIVATED', settleAfterGets: null },
} as const;

/** What another process can do. Each returns what came of it. */
const ACTIONS: Record<string, (sandbox: Sandbox, input: Input) => unknown> = {
	leads: (sandbox, { kind, overrides, branchId = BRANCHES[0] }) => {
		const owner = typeof branchId === 'string' ? { branchId } : {};
		const chosen = keyOf({ applicant: true, appraisal: true }, kind);
		return sandbox.addLead(chosen, isRecord(overrides) ? overrides : {}, owner);
	},
	'push-addresses': ({ pushes }, { url, key }) => {
		if (typeof url !== 'string' || !URL.canParse(url)) throw new Error('url is an address');
		pushes.add({ url, authentication: { by: 'key', key: String(key) } });
		return { url };
	},
	property: ({ inventory }, { id, price, inventoryStatus, changes }) => {
		const wanted = {
			...(price ? { price: Number(price) } : {}),
			...(inventoryStatus ? { inventoryStatus } : {}),
			...(isRecord(changes) ? changes : {}),
		};
		const [agencyRef] = AGENCY_REFS;
		if (typeof id !== 'string' || id === '') return inventory.create(agencyRef, wanted);
		return inventory.change(agencyRef, id, wanted);
	},
	orders: ({ products }, { end }) => {
		products.configure(ORDERS_END[keyOf(ORDERS_END, end)]);
		return { end };
	},
	service: ({ faults, clock }, { state, seconds = 60 }) => {
		const status = TROUBLE[keyOf(TROUBLE, state)];
		const until = clock.now() + Number(seconds) * 1_000;
		const path = new RegExp(`^/(${Object.keys(REFUSALS).join('|')})-api/`);
		faults.clear();
		if (status > 0) faults.add({ kind: 'status', status, path, times: Infinity, until });
		return { state };
	},
};

/** The HTTP interface by which other processes and people control the sandbox. */
export class Control {
	/** What was sent to the CRM that stands beside the sandbox, the oldest first. */
	readonly crm: CrmRecord[] = [];
	/** What a mail server beside the sandbox was given. */
	mails: ParsedMail[] = [];

	constructor(private readonly sandbox: Sandbox) {}

	handle(call: Call, response: ServerResponse): void {
		const { headers = {}, ...answer } = this.answer(call);
		// No other page may show this one, or read it from a cache.
		const guard = { 'Cache-Control': 'no-store', 'X-Frame-Options': 'DENY' };
		send(response, { ...answer, headers: { ...headers, ...guard } }, this.sandbox.now());
	}

	private answer(call: Call): Answer {
		const { method, path, query, headers } = call;
		if (!isOwn(call)) return json(403, { message: 'another site may not do this' });
		if (method === 'GET') {
			if (path.endsWith('/developers')) return developersPage(this.sandbox);
			return controlPage(this.sandbox, this, query.get('said') ?? '');
		}
		const done = this.performed(path.slice(BASE.length + 1), call);
		if (!headers.accept?.includes('text/html')) return done;
		const said = new URLSearchParams({
			said: done.status === 200 ? 'Done. It is in the tables below.' : done.body,
		});
		return { status: 303, headers: { Location: `${BASE}?${said.toString()}` }, body: '' };
	}

	private performed(name: string, { body, headers }: Call): Answer {
		try {
			const input = readInput(body);
			if (/^crm(\/|$)/.test(name)) {
				const inbox = name.slice('crm/'.length);
				const { leadId, id } = input;
				const key = headers['idempotency-key'] ?? leadId ?? id;
				const at = this.sandbox.now();
				return json(200, { records: this.crm.push({ at, inbox, key, record: input }) });
			}
			const action = ACTIONS[name];
			if (action !== undefined) return json(200, action(this.sandbox, input));
			throw new Error(`no ${name}; known are ${Object.keys(ACTIONS).join(', ')}, crm`);
		} catch (error) {
			return json(400, { message: error instanceof Error ? error.message : 'refused' });
		}
	}
}

/** Whether a request comes from the sandbox's own page, or from no page at all, as curl's do. A browser says which it is. */
function isOwn({ method, headers: { host = '', ...headers } }: Call): boolean {
	// A site whose name leads to this machine would pass for the sandbox itself.
	if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(host)) return false;
	return method === 'GET' || (headers['sec-fetch-site'] ?? 'same-origin') === 'same-origin';
}

/** `curl … -d kind=applicant` needs no quotes, in whatever shell it is typed. */
function readInput(body: string): Input {
	if (!body.startsWith('{')) return Object.fromEntries(new URLSearchParams(body));
	const input: unknown = JSON.parse(body);
	return isRecord(input) ? input : {};
}

/** @throws Error that names the known ones, if it is none of them */
function keyOf<T extends object>(known: T, wanted: unknown): keyof T {
	const isKey = (each: unknown): each is keyof T =>
		typeof each === 'string' && Object.hasOwn(known, each);
	if (isKey(wanted)) return wanted;
	throw new Error(`one of ${Object.keys(known).join(', ')}; not ${String(wanted)}`);
}
