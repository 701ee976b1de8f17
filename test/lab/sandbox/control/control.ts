import type { ServerResponse } from 'node:http';

import { isRecord } from '../../values';
import { json, send } from '../http';
import type { Sandbox } from '../index';
import { asset } from '../page/assets';
import { controlPage } from '../page/controlPage';
import type { Answer, Call } from '../types';
import { ACTIONS } from './actions';
import type { Input } from './fields';
import { requireOnly } from './fields';
import { isOwn } from './origin';

export const CONTROL_BASE = '/_sandbox';

/** The page shows secrets, if invented ones, and has buttons: no other page may read it, frame it or bring it scripts. */
const GUARD = {
	'Cache-Control': 'no-store',
	'Content-Security-Policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	'Cross-Origin-Resource-Policy': 'same-origin',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
	'X-Frame-Options': 'DENY',
};

/** The HTTP interface by which other processes and people control the sandbox. */
export class Control {
	constructor(private readonly sandbox: Sandbox) {}

	handle(call: Call, response: ServerResponse): void {
		const answer = this.answer(call);
		const guarded = { ...answer, headers: { ...answer.headers, ...GUARD } };
		send(response, guarded, this.sandbox.now());
	}

	private answer(call: Call): Answer {
		if (!isOwn(call.headers, call.method === 'GET')) {
			return json(403, { message: 'only the page of the sandbox, or no page at all, may do this' });
		}
		const name = call.path.slice(CONTROL_BASE.length).replace(/^\//, '');
		if (call.method === 'GET') {
			const found = name === '' ? controlPage(this.sandbox, CONTROL_BASE) : asset(name);
			if (found !== undefined) return found;
		}
		const action = ACTIONS[`${call.method} ${name}`];
		if (action === undefined) return json(404, { message: unknownAction(call.method, name) });
		try {
			const input = readInput(call);
			if (!action.takesAny) requireOnly(input, Object.keys(action.fields));
			return json(200, action.run(this.sandbox, input) ?? {});
		} catch (error) {
			return json(400, { message: error instanceof Error ? error.message : 'refused' });
		}
	}
}

function unknownAction(method: string, name: string): string {
	return `no ${method} ${name}; known are ${Object.keys(ACTIONS).join(', ')}`;
}

/** JSON, or what a form sends: `curl … -d kind=applicant` needs no quotes, in whatever shell it is typed. */
function readInput({ body }: Call): Input {
	if (!/^\s*[[{"]/.test(body)) return Object.fromEntries(new URLSearchParams(body));
	const input: unknown = JSON.parse(body);
	if (!isRecord(input)) throw new Error('the body is not a JSON object');
	return input;
}
