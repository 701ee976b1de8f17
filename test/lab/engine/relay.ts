import type { Sandbox } from '../sandbox';
import type { Outcome } from '../sandbox/exchange';
import { BASES } from '../sandbox/routes';
import type { Call } from '../sandbox/types';

/** What the node asks for. */
export interface Asked extends Call {
	/** Whether it asks for a list. */
	isList: boolean;
	/** How many requests of its method came before it. */
	earlier: number;
}

/**
 * Says what the node gets instead of an answer.
 *
 * @param pass hands the request on to the service, and returns what it answers
 */
export type Change = (asked: Asked, pass: () => Promise<Outcome>) => Outcome | Promise<Outcome>;

/** The connection ends without an answer. */
export const LOST: Outcome = { status: 0, body: '', end: 'reset' };

/**
 * A hop in front of the sandbox that changes single answers to requests for data: what the sandbox never says and the
 * service may.
 */
export class Relay {
	/** What the node asked for, in order. */
	asked: Asked[] = [];

	private changes: Change[] = [];

	/** Passes everything on that this sandbox is asked for, until there is a change. */
	standBefore({ exchange }: Sandbox): void {
		this.clear();
		const pass = exchange.answer;
		exchange.answer = async (call, response) => {
			const { path } = call;
			if ([BASES.auth, BASES.token].some((base) => path.startsWith(base)))
				return await pass(call, response);
			const asked = this.read(call);
			const answer = this.changes.reduce<() => Promise<Outcome>>(
				(inner, change) => async () => await change(asked, inner),
				async () => await pass(call, response),
			);
			return await answer();
		};
	}

	/** Changes answers from now on; of several changes the last one has the last word. */
	answer(change: Change): void {
		this.changes.push(change);
	}

	/** Passes everything on again. */
	clear(): void {
		this.changes = [];
		this.asked = [];
	}

	private read(call: Call): Asked {
		const { method, path } = call;
		const earlier = this.asked.filter((before) => before.method === method).length;
		const isList = method === 'GET' && !/\/[0-9a-f-]{36}$/.test(path);
		const asked = { ...call, isList, earlier };
		this.asked.push(asked);
		return asked;
	}
}

/** Has a sandbox answer otherwise. */
export function changeAnswers(sandbox: Sandbox, change: Change): void {
	const relay = new Relay();
	relay.standBefore(sandbox);
	relay.answer(change);
}
