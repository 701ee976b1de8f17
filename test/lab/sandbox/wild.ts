import { isRecord, jsonIn } from '../values';
import { createRandom } from './random';
import type { Tokens } from './tokens';
import type { Answer } from './types';
import { ANSWERS } from './wildness/answers';
import type { Reply, Situation, Wildness, WildRequest } from './wildness/reply';
import { VALUE_WILDNESS } from './wildness/values';

/** One kind of wildness, for the first requests that it fits. */
export interface WildStep {
	name: string;
	seed: number;
	/** Default: both. */
	on?: 'token' | 'data';
	/** How many requests pass first; default 0. */
	after?: number;
	/** How often it happens; default 1. */
	times?: number;
}

/** What the service answered, as a client that reads rightly understands it. */
export interface Told {
	kind: 'token' | 'data';
	clientId: string | null;
	method: string;
	path: string;
	/** The query. */
	search: string;
	agencyRef: string | null;
	wildness: string[];
	/** 0: the connection ended without an answer. */
	status: number;
	/** Whether the work was done. */
	isDone: boolean;
	/** Whether a right client can take the value from the answer. */
	isReadable: boolean;
	/** Whether the answer arrived as the service meant it, even if it is a refusal. */
	isWhole: boolean;
	value: unknown;
}

const CATALOGUE = [...VALUE_WILDNESS, ...ANSWERS];

/** A step of a plan, with how many requests it has seen and how often it has happened. */
class ArmedStep {
	readonly wildness: Wildness;
	private seen = 0;
	private fired = 0;

	constructor(private readonly step: WildStep) {
		const wildness = CATALOGUE.find(({ name }) => name === step.name);
		if (wildness === undefined) throw new Error(`no wildness is called ${step.name}`);
		this.wildness = wildness;
	}

	see(kind: 'token' | 'data'): void {
		if (this.isOn(kind)) this.seen++;
	}

	apply(reply: Reply, request: WildRequest, tokens: Tokens): Reply | undefined {
		const { seed, after = 0, times = 1 } = this.step;
		if (!this.isOn(request.area.kind) || this.seen <= after || this.fired >= times)
			return undefined;
		const random = createRandom(Math.imul(seed, 0x9e3779b1) + this.fired);
		const situation: Situation = { ...request, random, tokens };
		const changed = this.wildness.apply(reply, situation);
		if (changed !== undefined) this.fired++;
		return changed;
	}

	private isOn(kind: 'token' | 'data'): boolean {
		return this.step.on === undefined || this.step.on === kind;
	}
}

/** How the service answers while it is wild. It refuses wrong requests as strictly as before. */
export class Wild {
	steps: ArmedStep[] = [];
	isOn = false;
	told: Told[] = [];
	/** How often each kind has happened since the sandbox started. */
	counts: Record<string, number> = {};

	constructor(readonly tokens: Tokens) {}

	static catalogue(): { name: string }[] {
		return CATALOGUE.map(({ name }) => ({ name }));
	}

	/** @param steps even without any, `told` is kept */
	plan(steps: WildStep[]): void {
		this.told = [];
		this.steps = steps.map((step) => new ArmedStep(step));
		this.isOn = true;
	}

	/** @returns the course of one request */
	course(request: WildRequest): Course {
		for (const step of this.steps) step.see(request.area.kind);
		return new Course(this, request);
	}

	note(told: Told): void {
		this.told.push(told);
		for (const name of told.wildness) this.counts[name] = (this.counts[name] ?? 0) + 1;
	}
}

/** How one answer becomes wild. */
export class Course {
	private readonly met: Wildness[] = [];

	constructor(
		private readonly wild: Wild,
		readonly request: WildRequest,
	) {}

	/** Whether the answer is one that the contract has. */
	get isAllowed(): boolean {
		return this.met.every(({ isMisbehaving }) => !isMisbehaving);
	}

	/**
	 * @param work what the service does for the request, unless it refuses before that
	 * @returns the answer as it is sent, and the tame one
	 */
	answer(work: () => Answer): { reply: Reply; done?: Answer } {
		const instead = this.through(read({ status: 200, body: '' }), true);
		const done = this.met.length > 0 ? undefined : work();
		const reply = done === undefined ? instead : this.through(read(done), false);
		this.note(reply, done);
		return { reply, done };
	}

	private note(reply: Reply, answer?: Answer): void {
		const { call, area, clientId } = this.request;
		const { agencyref } = call.headers;
		const isWhole = answer !== undefined && !this.met.some(({ breaks }) => breaks);
		const isReadable = isWhole && answer.status < 400;
		this.wild.note({
			kind: area.kind,
			clientId,
			method: call.method,
			path: call.path,
			search: call.search,
			agencyRef: typeof agencyref === 'string' ? agencyref : null,
			wildness: this.met.map(({ name }) => name),
			status: reply.wire === 'reset' ? 0 : reply.status,
			isDone: answer !== undefined,
			isReadable,
			isWhole,
			value: isReadable ? reply.value : undefined,
		});
	}

	private through(reply: Reply, isBefore: boolean): Reply {
		const { steps, tokens } = this.wild;
		let changed = reply;
		for (const step of steps) {
			// An answer that cannot be read must stay so: a later change could make it readable again.
			if (this.met.some(({ breaks }) => breaks)) break;
			if ((step.wildness.isBefore ?? false) !== isBefore) continue;
			const next = step.apply(changed, this.request, tokens);
			if (next === undefined) continue;
			changed = next;
			this.met.push(step.wildness);
		}
		return changed;
	}
}

function read({ status, headers = {}, body }: Answer): Reply {
	const value = jsonIn(body);
	const isRead = isRecord(value) || Array.isArray(value);
	const held = isRead ? { value } : { value: undefined, text: body };
	return { status, headers, wire: 'whole', ...held };
}
