import { STATUS_CODES } from 'node:http';

import { htmlPage, json } from './http';
import type { LoggedRequest } from './journal';
import type { Random } from './random';
import { createRandom } from './random';
import type { Answer } from './types';

/**
 * When to fail. The rules that match a request are looked at in the order in which they were added. Delays add up; of
 * the other rules, the first one that fires is the fault.
 */
type FaultTarget = {
	method?: string;
	/** A string is the whole pathname, or an end of it that starts with a slash. */
	path?: string | RegExp;
	clientId?: string;
	/** How often it fires; default 1, may be Infinity. */
	times?: number;
	/** How many matching requests pass before it fires. */
	after?: number;
	/** 0 to 1, drawn from the sandbox's seed. */
	probability?: number;
	/** Before the work is done (default), or after it was done. */
	when?: 'before' | 'after';
	/** Epoch milliseconds by the service's clock: from then on it does not fire. */
	until?: number;
};

/**
 * - `status`: that status; `body` is the API's own error shape unless said otherwise.
 *   `retryAfter` is a number of seconds, a string as it is, or `{ dateInMs }`: a date so far from now.
 * - `html`: a proxy's page, with 200 unless said otherwise.
 * - `reset`: the connection is reset. `hang`: nothing is answered until the sandbox stops.
 * - `truncate`: the declared length, half of the body, then the connection ends.
 * - `cutJson`: a complete answer whose JSON stops in the middle.
 * - `latency`: the usual answer, `ms` late.
 *
 * `truncate` and `cutJson` need the usual answer, so the work is always done.
 */
type FaultKind =
	| {
			kind: 'status';
			status: number;
			body?: 'api' | 'empty' | 'html' | 'json';
			retryAfter?: number | string | { dateInMs: number };
	  }
	| { kind: 'html'; status?: number }
	| { kind: 'reset' | 'hang' | 'truncate' | 'cutJson' }
	| { kind: 'latency'; ms: number };

export type FaultRule = FaultTarget & FaultKind;

/** What becomes of one request; times in milliseconds. */
interface Plan {
	delayBefore: number;
	delayAfter: number;
	fault?: FaultRule;
}

/** A rule, with how many requests it has matched and how often it has fired. */
interface ArmedRule {
	rule: FaultRule;
	random: Random;
	seen: number;
	fired: number;
}

/** The rules that a test has set. */
export class Faults {
	private added = 0;
	rules: ArmedRule[] = [];

	constructor(private readonly seed: number) {}

	add(rule: FaultRule): { remove: () => void } {
		const random = createRandom(this.seed * 1009 + this.added++);
		const armed = { rule, random, seen: 0, fired: 0 };
		this.rules.push(armed);
		return { remove: () => void (this.rules = this.rules.filter((each) => each !== armed)) };
	}

	clear(): void {
		this.rules = [];
	}

	plan(request: LoggedRequest): Plan {
		const plan: Plan = { delayBefore: 0, delayAfter: 0 };
		for (const armed of this.rules.filter(({ rule }) => matches(rule, request))) {
			const { rule } = armed;
			armed.seen++;
			if ((rule.kind !== 'latency' && plan.fault !== undefined) || !fires(armed)) continue;
			if (rule.kind !== 'latency') plan.fault = rule;
			else plan[rule.when === 'after' ? 'delayAfter' : 'delayBefore'] += rule.ms;
		}
		return plan;
	}
}

function matches(rule: FaultRule, request: LoggedRequest): boolean {
	const { path = '', until = Infinity, method = request.method } = rule;
	const isPath =
		typeof path === 'string'
			? path === request.path || path === '' || (path[0] === '/' && request.path.endsWith(path))
			: path.test(request.path);
	const isClient = (rule.clientId ?? request.clientId) === request.clientId;
	return isPath && isClient && request.at < until && method === request.method;
}

function fires(armed: ArmedRule): boolean {
	const { after = 0, times = 1, probability = 1 } = armed.rule;
	if (armed.seen <= after || armed.fired >= times) return false;
	if (probability < 1 && armed.random() >= probability) return false;
	armed.fired++;
	return true;
}

export function replacesWork(fault: FaultRule | undefined): boolean {
	if (fault === undefined || fault.when === 'after') return false;
	return fault.kind !== 'truncate' && fault.kind !== 'cutJson';
}

export function endOf(fault: FaultRule | undefined) {
	const { kind } = fault ?? {};
	return kind === 'reset' || kind === 'hang' || kind === 'truncate' ? kind : undefined;
}

/**
 * @param refuse the API's own shape
 * @param now epoch milliseconds
 * @returns undefined if the fault is of another kind than `status` and `html`
 */
export function faultAnswer(
	fault: FaultRule,
	refuse: (status: number, message: string) => Answer,
	now: number,
): Answer | undefined {
	if (fault.kind === 'html') return htmlPage(fault.status ?? 200, 'Service');
	if (fault.kind !== 'status') return undefined;
	const { status, body = 'api', retryAfter } = fault;
	const message = STATUS_CODES[status] ?? 'Error';
	const answer: Answer = {
		api: () => refuse(status, message),
		empty: () => ({ status, body: '' }),
		html: () => htmlPage(status, `${status} ${message}`),
		json: () => json(status, { message }),
	}[body]();
	if (retryAfter === undefined) return answer;
	// Rounded up: a date has whole seconds, and an earlier one would promise too much.
	const wait =
		typeof retryAfter === 'object'
			? new Date(Math.ceil((now + retryAfter.dateInMs) / 1000) * 1000).toUTCString()
			: String(retryAfter);
	return { ...answer, headers: { ...answer.headers, 'Retry-After': wait } };
}
