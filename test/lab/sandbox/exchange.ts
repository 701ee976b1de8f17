import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Mode } from '../conformance/schemas';
import type { ContractWitness } from '../conformance/witness';
import type { Area } from './areas';
import type { Clock } from './clock';
import type { FaultRule, Faults } from './faults';
import { faultAnswer, replacesWork } from './faults';
import { halfOf, Refusal, send } from './http';
import type { Journal, LoggedRequest } from './journal';
import type { Answer, Call } from './types';
import type { Course, Wild } from './wild';
import { bodyOf } from './wildness/reply';

/** The way of a request: it is logged, perhaps made to fail, handled, and answered. */
export class Exchange {
	constructor(
		private readonly service: {
			/** The first area whose base fits takes the request. */
			areas: Area[];
			faults: Faults;
			journal: Journal;
			clock: Clock;
			wild: Wild;
			/** Sees each answer before a fault changes it, and each wild one of an API that the contract allows. */
			witness?: ContractWitness;
		},
	) {}

	async handle(call: Call, response: ServerResponse): Promise<void> {
		const { areas, journal, faults, wild } = this.service;
		const area = areas.find(({ base }) => call.path.startsWith(base));
		if (area === undefined) throw new Error('no area takes the rest');
		const entry = this.entry(call, area);
		const template = area.template(call);
		const close = journal.open(entry, template ?? `${area.base}*`, area.kind);
		response.on('close', () => close(0));

		const plan = faults.plan(entry);
		await pause(plan.delayBefore);
		if (wild.isOn && plan.fault === undefined && template !== undefined) {
			const course = wild.course({ call, area, template, clientId: entry.clientId });
			this.goWild(course, entry, response, close);
			return;
		}
		const done = replacesWork(plan.fault) ? undefined : this.work(area, call, entry);
		await pause(plan.delayAfter);
		this.deliver(area, plan.fault, done, response, close);
	}

	private goWild(
		course: Course,
		entry: LoggedRequest,
		response: ServerResponse,
		close: (status: number) => void,
	): void {
		const { call, area } = course.request;
		const { reply, done } = course.answer(() => this.work(area, call, entry));
		const answer = { status: reply.status, headers: reply.headers, body: bodyOf(reply) };
		if (course.isAllowed && area.kind === 'data' && !done?.isOdd) {
			this.see(area, call, answer, 'open');
		}
		close(reply.wire === 'reset' ? 0 : reply.status);
		if (reply.wire === 'reset') response.socket?.resetAndDestroy();
		else send(response, answer, this.service.clock.now(), reply.wire === 'truncated');
	}

	private entry(call: Call, area: Area): LoggedRequest {
		const { method, path, query, headers } = call;
		return {
			at: this.service.clock.now(),
			method,
			path,
			query: Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
			agencyRef: typeof headers.agencyref === 'string' ? headers.agencyref : null,
			status: null,
			...area.identify(call),
		};
	}

	private work(area: Area, call: Call, entry: LoggedRequest): Answer {
		const done = answerOf(area, call);
		if (done.tokenIndex !== undefined) entry.tokenIndex = done.tokenIndex;
		if (!done.isOdd) this.see(area, call, done);
		return done;
	}

	private see(area: Area, call: Call, answer: Answer, mode?: Mode): void {
		const api = area.api(call);
		if (api === undefined) return;
		const path = call.path.slice(area.base.length - 1);
		const { headers = {} } = answer;
		this.service.witness?.see({
			api,
			kind: area.kind,
			request: { ...call, path },
			answer: { ...answer, headers },
			mode,
		});
	}

	/** @param done the answer of the work, if it was done */
	private deliver(
		area: Area,
		fault: FaultRule | undefined,
		done: Answer | undefined,
		response: ServerResponse,
		close: (status: number) => void,
	): void {
		const now = this.service.clock.now();
		const answer = (fault && faultAnswer(fault, area.refuse, now)) ?? done;
		if (fault?.kind === 'reset') {
			close(0);
			response.socket?.resetAndDestroy();
		} else if (answer !== undefined && fault?.kind !== 'hang') {
			close(answer.status);
			const body = fault?.kind === 'cutJson' ? halfOf(answer.body) : answer.body;
			send(response, { ...answer, body }, now, fault?.kind === 'truncate');
		}
	}
}

function answerOf(area: Area, call: Call): Answer {
	try {
		if (area.template(call) === undefined) return area.refuse(404, 'no such path');
		return area.handle(call);
	} catch (error) {
		if (error instanceof Refusal) return error.answer;
		throw error;
	}
}

async function pause(ms: number): Promise<void> {
	if (ms > 0) await sleep(ms, undefined, { ref: false });
}
