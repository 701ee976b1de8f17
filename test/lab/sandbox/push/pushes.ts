import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';

import type { LeadKind } from '../leadBodies';
import type { PushAnswer, PushTravel } from './send';
import { sendPush } from './send';
import type { PushableLead, PushTarget } from './targets';
import { isWanted, PushTokens } from './targets';

/** The operator pushes a lead again until it was taken, for 24 hours. */
const REPEAT_HOURS = 24;

/** One push of one lead, and what came of it. */
export interface Push {
	/** The lead's ID. */
	id: unknown;
	url: string;
	answer: PushAnswer;
}

export interface PushOptions extends PushTravel {
	/** How many times at once; default 1. */
	copies?: number;
	/** The first push of each copy comes with a key or a token that the receiver never gave anybody. */
	isWrong?: boolean;
}

const WRONG_KEY = 'nobody-was-given-this-key';

/** Pushes leads to registered addresses as the contract has it: one a request, again until it is taken. */
export class Pushes {
	readonly targets: PushTarget[] = [];

	/** Every push, in the order of the answers. */
	readonly log: Push[] = [];

	/** How much faster than in reality repeats come. */
	compression = 300;

	/** The contract does not say how often a lead is pushed again. */
	repeatEveryMinutes = 5;

	private readonly tokens = new PushTokens();

	private ending = new AbortController();

	private readonly underWay = new Set<Promise<void>>();

	constructor() {
		// Each lead that waits for its next push listens.
		setMaxListeners(0, this.ending.signal);
	}

	/** An address that is registered already is registered anew. */
	add(target: PushTarget): void {
		const at = this.targets.findIndex(({ url }) => url === target.url);
		this.targets.splice(at === -1 ? this.targets.length : at, 1, target);
	}

	clear(): void {
		this.targets.length = 0;
	}

	/** The addresses without what proves who pushes. */
	addresses() {
		return this.targets.map(({ url, authentication: { by }, without = [] }) => ({
			url,
			by,
			without,
		}));
	}

	/** Nothing that was not taken is pushed again, and the log is empty. */
	forget(): void {
		this.ending.abort();
		this.ending = new AbortController();
		this.log.length = 0;
	}

	/** A lead came in: it is pushed to each address that wants it. */
	announce(kind: LeadKind, lead: PushableLead, options: PushOptions = {}): void {
		for (const target of this.targets) {
			if (!isWanted(target, kind, lead)) continue;
			for (let copy = 0; copy < (options.copies ?? 1); copy++) {
				const done = this.repeat(target, kind, lead, options).finally(() =>
					this.underWay.delete(done),
				);
				this.underWay.add(done);
			}
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

	private async repeat(
		target: PushTarget,
		kind: LeadKind,
		lead: PushableLead,
		options: PushOptions,
	): Promise<void> {
		const body = JSON.stringify({ [kind]: lead });
		const { signal } = this.ending;
		const most = (REPEAT_HOURS * 60) / this.repeatEveryMinutes;
		for (let push = 0; push < most && !signal.aborted; push++) {
			const answer = await this.push(target, body, push === 0 ? options : {});
			this.log.push({ id: lead.id, url: target.url, answer });
			if (answer.status >= 200 && answer.status < 300) return;
			if (answer.status === 401) this.tokens.forget(target);
			const pauseMs = (this.repeatEveryMinutes * 60_000) / this.compression;
			await setTimeout(pauseMs, undefined, { signal }).catch(() => {});
		}
	}

	private async push(
		target: PushTarget,
		body: string,
		{ isWrong = false, ...travel }: PushOptions,
	): Promise<PushAnswer> {
		try {
			const authorization = isWrong ? wrongFor(target) : await this.tokens.authorize(target);
			const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
			return await sendPush(target.url, headers, body, travel);
		} catch {
			return { status: 0, body: '', ms: 0 };
		}
	}
}

function wrongFor({ authentication }: PushTarget): string {
	return authentication.by === 'key' ? WRONG_KEY : `Bearer ${WRONG_KEY}`;
}
