import pick from 'lodash/pick';

import { createRandom } from './random';
import type { Route } from './routes';
import type { Tokens } from './tokens';
import type { Answer, Call } from './types';
import { ANSWERS } from './wildness/answers';
import type { Reply, Wildness } from './wildness/reply';
import { replyOf } from './wildness/reply';
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
	/** Whether the work was done. */
	isDone: boolean;
	/** Whether a right client can take the value from the answer. */
	isReadable: boolean;
	value: unknown;
}

/** A step of a plan, with how many requests it has seen and how often it has happened. */
interface ArmedStep extends WildStep {
	wildness: Wildness;
	seen: number;
	fired: number;
}

const CATALOGUE = [...VALUE_WILDNESS, ...ANSWERS];

/** How the service answers while it is wild. It refuses wrong requests as strictly as before. */
export class Wild {
	private steps: ArmedStep[] = [];
	isOn = false;
	told: Told[] = [];
	/** How often each kind has happened since the sandbox started. */
	counts: Record<string, number> = {};

	constructor(private readonly tokens: Tokens) {}

	static catalogue(): { name: string }[] {
		return CATALOGUE.map(({ name }) => ({ name }));
	}

	/** @param steps even without any, `told` is kept */
	plan(steps: WildStep[]): void {
		this.told = [];
		this.isOn = true;
		this.steps = steps.map((step) => {
			const wildness = CATALOGUE.find(({ name }) => name === step.name);
			if (wildness === undefined) throw new Error(`no wildness is called ${step.name}`);
			return { ...step, wildness, seen: 0, fired: 0 };
		});
	}

	/**
	 * @param work what the service does for the request, unless it refuses before that
	 * @returns the answer as it is sent, the tame one, and whether the contract has the one that is sent
	 */
	answer(
		call: Call,
		route: Route,
		work: () => Answer,
	): { reply: Reply; done?: Answer; isAllowed: boolean } {
		const steps = this.steps.filter(({ on = route.kind }) => on === route.kind);
		for (const step of steps) step.seen++;
		const met: Wildness[] = [];
		const through = (first: Reply, isBefore: boolean) => {
			let reply = first;
			for (const step of steps) {
				const { wildness, seed, after = 0, times = 1, seen, fired } = step;
				// An answer that cannot be read must stay so: a later change could make it readable again.
				if (met.some(({ breaks }) => breaks)) break;
				if ((wildness.isBefore ?? false) !== isBefore || seen <= after || fired >= times) continue;
				const random = createRandom(Math.imul(seed, 0x9e3779b1) + fired);
				const changed = wildness.apply(reply, { call, route, random, tokens: this.tokens });
				if (changed === undefined) continue;
				step.fired++;
				met.push(wildness);
				reply = changed;
			}
			return reply;
		};
		const instead = through(replyOf({ status: 200, body: '' }), true);
		const done = met.length > 0 ? undefined : work();
		const reply = done === undefined ? instead : through(replyOf(done), false);
		const isBroken = met.some(({ breaks }) => breaks);
		const isReadable = done !== undefined && done.status < 400 && !isBroken;
		const wildness = met.map(({ name }) => name);
		for (const name of wildness) this.counts[name] = (this.counts[name] ?? 0) + 1;
		this.told.push({
			...pick(route, 'kind', 'clientId'),
			...pick(call, 'method', 'path', 'search'),
			agencyRef: call.headers.agencyref?.toString() ?? null,
			wildness,
			isDone: done !== undefined,
			isReadable,
			value: isReadable ? reply.value : undefined,
		});
		return { reply, done, isAllowed: met.every(({ isMisbehaving }) => !isMisbehaving) };
	}
}
