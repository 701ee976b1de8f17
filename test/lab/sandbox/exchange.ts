import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Answer as WitnessedAnswer } from '../conformance/exchange';
import type { Mode } from '../conformance/schemas';
import type { ContractWitness } from '../conformance/witness';
import type { Clock } from './clock';
import type { FaultRule, Faults } from './faults';
import { faultAnswer, replacesWork } from './faults';
import { Refusal, bodyText, send, writeHead } from './http';
import type { Journal, LoggedRequest } from './journal';
import type { Answer, Area, Call } from './types';
import type { Course, Wild } from './wild';
import { bodyOf } from './wildness/reply';
import type { Reply } from './wildness/situation';

/** One request on its way. */
interface Handling {
	call: Call;
	area: Area;
	response: ServerResponse;
	/** Tells the journal the status. */
	close: (status: number) => void;
}

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
		const area = this.service.areas.find(({ base }) => call.path.startsWith(base));
		if (area === undefined) throw new Error('no area takes the rest');
		const { clientId, tokenIndex } = area.identify(call);
		const entry = this.entry(call, area, clientId, tokenIndex);
		const template = area.template(call.path) ?? `${area.base}*`;
		const close = this.service.journal.open(entry, template, area.counts);
		response.on('close', () => close(0));

		const { method, path } = call;
		const plan = this.service.faults.plan({ method, path, clientId, at: entry.at });
		const handling = { call, area, response, close };
		await pause(plan.delayBefore);
		const course = plan.fault === undefined ? this.course(handling, clientId) : undefined;
		if (course !== undefined) {
			this.goWild(handling, course, entry);
			return;
		}
		const done = replacesWork(plan.fault) ? undefined : this.work(area, call);
		if (done?.tokenIndex !== undefined) entry.tokenIndex = done.tokenIndex;
		await pause(plan.delayAfter);
		this.deliver(handling, plan.fault, done);
	}

	/** @returns undefined: the service is tame, or there is no such path */
	private course({ call, area }: Handling, clientId: string | null): Course | undefined {
		const { wild } = this.service;
		const { integration, base } = area;
		const known = area.template(call.path);
		if (!wild.isOn || known === undefined || integration === undefined) return undefined;
		const path = call.path.slice(base.length - 1);
		const template = known.slice(base.length - 1);
		return wild.course({ integration, method: call.method, path, template, call, clientId });
	}

	private goWild(handling: Handling, course: Course, entry: LoggedRequest): void {
		const { response, close } = handling;
		const { reply, done } = this.wildReply(handling, course);
		if (done?.tokenIndex !== undefined) entry.tokenIndex = done.tokenIndex;
		course.close(reply, done);
		if (handling.area.counts === 'data' && course.isAllowed && !done?.isOdd)
			this.see(handling, { ...reply, body: bodyOf(reply) }, { mode: 'open' });
		close(reply.wire === 'reset' ? 0 : reply.status);
		deliverWild(response, reply, this.service.clock.now());
	}

	/** @returns `done`: the tame answer, if the work was done */
	private wildReply({ call, area }: Handling, course: Course): { reply: Reply; done?: Answer } {
		const instead = course.before();
		if (instead !== undefined) return { reply: instead };
		const done = this.work(area, call);
		return { reply: course.after(done), done };
	}

	private entry(
		call: Call,
		area: Area,
		clientId: string | null,
		tokenIndex: number | null,
	): LoggedRequest {
		const agencyRef = call.headers.agencyref;
		return {
			at: this.service.clock.now(),
			method: call.method,
			path: call.path,
			query: area.counts === 'token' ? {} : queryOf(call),
			clientId,
			agencyRef: typeof agencyRef === 'string' ? agencyRef : null,
			status: null,
			tokenIndex,
		};
	}

	private work(area: Area, call: Call): Answer {
		const done = work(area, call);
		if (this.service.witness === undefined) return done;
		const body = bodyText(done);
		this.see(
			{ area, call },
			{ ...done, headers: done.headers ?? {}, body },
			{ isAnswerOdd: done.isOdd },
		);
		return typeof done.body === 'string' ? done : { ...done, body: [body] };
	}

	private see(
		{ area, call }: Pick<Handling, 'area' | 'call'>,
		answer: WitnessedAnswer,
		how: { isAnswerOdd?: boolean; mode?: Mode },
	): void {
		const api = area.api(call);
		if (api === undefined) return;
		const request = { ...call, path: call.path.slice(area.base.length - 1) };
		this.service.witness?.see({ api, kind: area.counts, request, answer, ...how });
	}

	/** @param done the answer of the work, if it was done */
	private deliver(
		handling: Handling,
		fault: FaultRule | undefined,
		done: Answer | undefined,
	): void {
		const { area, response, close } = handling;
		const now = this.service.clock.now();
		const replacement = fault && faultAnswer(fault, area.refuse, now);
		if (replacement !== undefined) {
			close(replacement.status);
			send(response, replacement, now);
		} else if (fault?.kind === 'reset') {
			close(0);
			response.socket?.resetAndDestroy();
		} else if (done !== undefined && fault?.kind !== 'hang') {
			close(done.status);
			deliverDone(response, fault, done, now);
		}
	}
}

/** @param now epoch milliseconds */
function deliverDone(
	response: ServerResponse,
	fault: FaultRule | undefined,
	done: Answer,
	now: number,
): void {
	if (fault?.kind === 'truncate') truncate(response, done, now);
	else if (fault?.kind === 'cutJson') send(response, { ...done, body: half(bodyText(done)) }, now);
	else send(response, done, now);
}

/** @param now epoch milliseconds */
function deliverWild(response: ServerResponse, reply: Reply, now: number): void {
	const answer = { status: reply.status, headers: reply.headers, body: bodyOf(reply) };
	if (reply.wire === 'reset') response.socket?.resetAndDestroy();
	else if (reply.wire === 'truncated') truncate(response, answer, now);
	else send(response, answer, now);
}

/** @param now epoch milliseconds */
function truncate(response: ServerResponse, answer: Answer, now: number): void {
	const body = bodyText(answer);
	writeHead(response, answer, now, Buffer.byteLength(body));
	response.write(half(body), () => response.destroy());
}

function half(text: string): string {
	return text.slice(0, Math.floor(text.length / 2));
}

function work(area: Area, call: Call): Answer {
	try {
		if (area.template(call.path) === undefined) return area.refuse(404, 'no such path');
		return area.handle(call);
	} catch (error) {
		if (error instanceof Refusal) return error.answer;
		throw error;
	}
}

async function pause(ms: number): Promise<void> {
	if (ms > 0) await sleep(ms, undefined, { ref: false });
}

function queryOf(call: Call): Record<string, string[]> {
	const query: Record<string, string[]> = {};
	for (const name of new Set(call.query.keys())) query[name] = call.query.getAll(name);
	return query;
}
