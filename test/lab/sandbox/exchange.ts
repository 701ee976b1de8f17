import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { valuesOf } from '../conformance/problems';
import type { Mode } from '../conformance/schemas';
import type { ContractWitness } from '../conformance/witness';
import { endOf, faultAnswer, replacesWork } from './faults';
import { halfOf, Refusal, send } from './http';
import type { Sandbox } from './index';
import type { LoggedRequest } from './journal';
import type { Route, Routes } from './routes';
import type { Answer, Call } from './types';

/** The tests hold every answer against the contract; benchmark and soak have no time for it. */
const IS_CHECKED = process.env.SANDBOX_CONTRACT === 'checked';

/** The witness sees each answer before a fault changes it. */
type Service = Pick<Sandbox, 'faults' | 'journal' | 'clock' | 'wild'> & {
	routes: Routes;
	witness: ContractWitness;
};

/** An answer, and how its connection ends, unless as usual. */
export interface Outcome extends Answer {
	/** `hang`: it does not end. `truncate`: in the middle of the body. */
	end?: 'reset' | 'hang' | 'truncate';
}

/** The way of a request: it is logged, perhaps made to fail, handled, and answered. */
export class Exchange {
	constructor(private readonly service: Service) {}

	async handle(call: Call, response: ServerResponse): Promise<void> {
		const answer = await this.answer(call, response);
		if (answer.end === 'hang') return;
		if (answer.end === 'reset') response.socket?.resetAndDestroy();
		else send(response, answer, this.service.clock.now(), answer.end === 'truncate');
	}

	/** A test may put its own answers in front of these. */
	answer = async (call: Call, response: ServerResponse): Promise<Outcome> => {
		const { routes, journal, faults, clock } = this.service;
		const route = routes.of(call);
		const entry = entryOf(call, route, clock.now());
		const close = journal.open(entry, route.kind);
		response.on('close', () => close(0));
		const { delayBefore, delayAfter, fault } = faults.plan(entry);
		await pause(delayBefore);
		const done = replacesWork(fault) ? undefined : this.work(route, call, entry);
		await pause(delayAfter);
		const answer = (fault && faultAnswer(fault, route.refuse, clock.now())) ?? done;
		const { status = 0, headers, body = '' } = answer ?? {};
		const end = endOf(fault);
		if (end !== 'hang') close(end === 'reset' ? 0 : status);
		return { status, headers, body: fault?.kind === 'cutJson' ? halfOf(body) : body, end };
	};

	private work(route: Route, call: Call, entry: LoggedRequest): Answer {
		const { wild } = this.service;
		const done = answerOf(route);
		if (done.tokenIndex !== undefined) entry.tokenIndex = done.tokenIndex;
		const isWild = wild.isOn && route.kind === 'data' && route.template !== undefined;
		const answer = isWild ? wild.change(call, route, done) : done;
		if (!done.isOdd) this.see(route, call, answer, isWild ? 'open' : 'closed');
		return answer;
	}

	private see(route: Route, { method }: Call, answer: Answer, mode: Mode): void {
		const { api, kind, path } = route;
		if (api === undefined || !IS_CHECKED) return;
		this.service.witness.see(api, kind === 'data' ? { method, path } : undefined, answer, mode);
	}
}

function entryOf(call: Call, { clientId, tokenIndex }: Route, at: number): LoggedRequest {
	const { method, path, headers, body } = call;
	const agencyRef = headers.agencyref?.toString() ?? null;
	const query = valuesOf(call.query);
	return { at, method, path, query, body, agencyRef, status: null, clientId, tokenIndex };
}

function answerOf(route: Route): Answer {
	try {
		return route.work();
	} catch (error) {
		if (error instanceof Refusal) return error.answer;
		throw error;
	}
}

async function pause(ms: number): Promise<void> {
	if (ms > 0) await sleep(ms, undefined, { ref: false });
}
