import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';

import times from 'lodash/times';

import { send } from '../../send';
import type { LeadKind } from '../leadBodies';
import type { PushTarget } from './targets';
import { authorizationFor } from './targets';

/** The operator pushes a lead again until it was taken, for 24 hours. */
const REPEAT_HOURS = 24;

type Lead = { id?: unknown };

/** One push of one lead, and what came of it. */
export interface Push {
	/** The lead's ID. */
	id: unknown;
	url: string;
	/** Its status is 0 if there was none. */
	answer: { status: number; text: string };
}

/** Pushes leads to registered addresses as the contract has it: one a request, again until it is taken. */
export class Pushes {
	readonly targets: PushTarget[] = [];
	/** Every push, in the order of the answers. */
	readonly log: Push[] = [];
	/** How much faster than in reality repeats come. */
	compression = 300;
	/** The contract does not say how often a lead is pushed again. */
	repeatEveryMinutes = 5;
	/** What proved at each address who pushes, until the address refused it. */
	private readonly authorizations = new Map<string, string>();
	private readonly ending = new AbortController();
	private readonly underWay = new Set<Promise<void>>();

	constructor() {
		// Each lead that waits for its next push listens.
		setMaxListeners(0, this.ending.signal);
	}

	/** An address that is registered already is registered anew. */
	add(target: PushTarget): void {
		const others = this.targets.filter(({ url }) => url !== target.url);
		this.targets.splice(0, Infinity, ...others, target);
		this.authorizations.delete(target.url);
	}

	clear(): void {
		this.targets.length = 0;
	}

	/**
	 * A lead came in: it is pushed to each address.
	 *
	 * @param copies how many times at once
	 */
	announce(kind: LeadKind, lead: Lead, copies = 1): void {
		for (const target of this.targets.flatMap((each) => times(copies, () => each))) {
			const done = this.repeat(target, kind, lead);
			this.underWay.add(done);
			void done.finally(() => this.underWay.delete(done));
		}
	}

	/** Until every lead was taken, or its time is over. */
	async settled(): Promise<void> {
		await Promise.all(this.underWay);
	}

	/** Gives up what is under way. */
	async stop(): Promise<void> {
		this.ending.abort();
		await this.settled();
	}

	private async repeat(target: PushTarget, kind: LeadKind, lead: Lead): Promise<void> {
		const { signal } = this.ending;
		const most = (REPEAT_HOURS * 60) / this.repeatEveryMinutes;
		for (let push = 0; push < most && !signal.aborted; push++) {
			const answer = await this.push(target, { [kind]: lead });
			this.log.push({ id: lead.id, url: target.url, answer });
			if (answer.status >= 200 && answer.status < 300) return;
			if (answer.status === 401) this.authorizations.delete(target.url);
			const pauseMs = (this.repeatEveryMinutes * 60_000) / this.compression;
			await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
		}
	}

	private async push(target: PushTarget, body: object): Promise<Push['answer']> {
		const { url, authentication } = target;
		try {
			const known = this.authorizations.get(url) ?? (await authorizationFor(authentication));
			this.authorizations.set(url, known);
			return await send(url, 'POST', body, { Authorization: known });
		} catch {
			return { status: 0, text: '' };
		}
	}
}
