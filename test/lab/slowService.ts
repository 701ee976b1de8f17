import { setImmediate } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { Agency } from '../../service/inventory/agency';
import type { ReadRequest, Session } from '../../service/session';

/** What a request is answered with, if ever. */
type Reply = IDataObject | 'never';

/**
 * A service that answers only once everything that may be under way together is. It counts what is.
 * It stands in for a session, so nothing is repeated.
 */
export class SlowService {
	/** In the order in which they came. */
	readonly asked: ReadRequest[] = [];

	/** How many were under way at once, at most. */
	mostUnderWay = 0;

	private readonly needs: AbortSignal[] = [];

	private readonly underWay: Array<() => void> = [];

	constructor(private readonly reply: (request: ReadRequest) => Reply) {}

	get agency(): Agency {
		const session: Pick<Session, 'get'> = {
			get: async (request, { needed } = {}) => await this.answer(request, needed),
		};
		return new Agency(session as Session, 'AG1001');
	}

	/** How many of the requests were told that nobody needs their answers any more. */
	get unneeded(): number {
		return this.needs.filter(({ aborted }) => aborted).length;
	}

	private async answer(request: ReadRequest, needed?: AbortSignal): Promise<IDataObject> {
		this.asked.push(request);
		if (needed) this.needs.push(needed);
		await this.turn();
		const reply = this.reply(request);
		if (reply === 'never') return await new Promise<never>(() => {});
		return reply;
	}

	/** Resolves when it is this request's turn to be answered. */
	private async turn(): Promise<void> {
		const turn = new Promise<void>((resolve) => this.underWay.push(resolve));
		this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay.length);
		await setImmediate();
		this.underWay.shift()?.();
		await turn;
	}
}
