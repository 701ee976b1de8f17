import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Mode } from '../conformance/schemas';
import type { ContractWitness } from '../conformance/witness';
import type { Clock } from './clock';
import type { Faults } from './faults';
import { faultAnswer, replacesWork } from './faults';
import { halfOf, Refusal, send } from './http';
import type { Journal, LoggedRequest } from './journal';
import type { Route, Routes } from './routes';
import type { Answer, Call } from './types';
import type { Wild } from './wild';
import { bodyOf } from './wildness/reply';

/** The way of a request: it is logged, perhaps made to fail, handled, and answered. */
export class Exchange {
	constructor(
		private readonly service: {
			routes: Routes;
			faults: Faults;
			journal: Journal;
			clock: Clock;
			wild: Wild;
			/** Sees each answer before a fault changes it, and each wild one of an API that the contract allows. */
			witness?: ContractWitness;
		},
	) {}

	async handle(call: Call, response: ServerResponse): Promise<void> {
		const { routes, journal, faults, wild, clock } = this.service;
		const route = routes.of(call);
		const entry = entryOf(call, route, clock.now());
		const close = journal.open(entry, route.template ?? 'unknown', route.kind);
		response.on('close', () => close(0));
		const plan = faults.plan(entry);
		await pause(plan.delayBefore);

		const finish = (answer: Answer, wire: 'whole' | 'truncated' | 'reset' = 'whole') => {
			close(wire === 'reset' ? 0 : answer.status);
			if (wire === 'reset') response.socket?.resetAndDestroy();
			else send(response, answer, clock.now(), wire === 'truncated');
		};
		const { fault } = plan;
		if (wild.isOn && fault === undefined && route.template !== undefined) {
			const { reply, done, isAllowed } = wild.answer(call, route, () =>
				this.work(route, call, entry),
			);
			const answer = { status: reply.status, headers: reply.headers, body: bodyOf(reply) };
			if (isAllowed && route.kind === 'data' && !done?.isOdd) this.see(route, call, answer, 'open');
			finish(answer, reply.wire);
			return;
		}
		const done = replacesWork(fault) ? undefined : this.work(route, call, entry);
		await pause(plan.delayAfter);
		const answer = (fault && faultAnswer(fault, route.refuse, clock.now())) ?? done;
		if (fault?.kind === 'reset') finish({ status: 0, body: '' }, 'reset');
		if (answer === undefined || fault?.kind === 'reset' || fault?.kind === 'hang') return;
		const body = fault?.kind === 'cutJson' ? halfOf(answer.body) : answer.body;
		finish({ ...answer, body }, fault?.kind === 'truncate' ? 'truncated' : 'whole');
	}

	private work(route: Route, call: Call, entry: LoggedRequest): Answer {
		const done = answerOf(route);
		if (done.tokenIndex !== undefined) entry.tokenIndex = done.tokenIndex;
		if (!done.isOdd) this.see(route, call, done);
		return done;
	}

	private see({ api, kind, path }: Route, { method }: Call, answer: Answer, mode?: Mode): void {
		if (api !== undefined) this.service.witness?.see(api, kind, { method, path }, answer, mode);
	}
}

function entryOf(call: Call, { clientId, tokenIndex }: Route, at: number): LoggedRequest {
	const { method, path, query, headers } = call;
	return {
		at,
		method,
		path,
		query: Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
		agencyRef: typeof headers.agencyref === 'string' ? headers.agencyref : null,
		status: null,
		clientId,
		tokenIndex,
	};
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
