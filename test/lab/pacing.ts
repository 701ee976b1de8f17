import { cancelled } from '../../service/http/retry';
import type { HttpAnswer } from '../../service/http/answer';
import type { Turn } from '../../service/http/pace';
import { Pace } from '../../service/http/pace';
import { ArtificialTime } from './artificialTime';

/** What becomes of a request that is sent. */
export interface Fate {
	takesMs: number;
	status?: number;
	/** Seconds, or an HTTP date. */
	retryAfter?: number | string;
	/** The service’s own time: the header Date. */
	date?: string;
	/** Thrown in place of an answer. */
	error?: Error;
}

/** What a test sees of a request. */
export interface Asked {
	/** When it was sent; undefined if it was not. */
	sentAt?: number;
	outcome: Promise<HttpAnswer | Error>;
	/** The same once it is there. */
	settled?: HttpAnswer | Error;
	cancel: () => void;
}

type TurnSettings = Partial<Omit<Turn, 'signal' | 'limits'>> & { limits?: Partial<Turn['limits']> };

/** Requests at one pace, in artificial time. */
export class Pacing {
	readonly time = new ArtificialTime();

	readonly pace = new Pace(this.time);

	/** How many are under way now. */
	underWay = 0;

	/** How many were sent, in order of their sending. */
	readonly sent: Asked[] = [];

	ask(fate: Fate | (() => Fate) = GOOD, settings: TurnSettings = {}): Asked {
		const cancelling = new AbortController();
		const turn = turnOf(settings, cancelling.signal);
		const asked: Asked = {
			outcome: this.pace
				.send(turn, async () => {
					asked.sentAt = this.time.now();
					this.sent.push(asked);
					const due = typeof fate === 'function' ? fate() : fate;
					return { answer: await this.answer(due, turn.signal) };
				})
				.then(({ answer }) => answer)
				.catch((error: Error) => error)
				.then((settled) => (asked.settled = settled)),
			cancel: () => cancelling.abort(),
		};
		return asked;
	}

	askMany(count: number, fate?: Fate | (() => Fate), settings?: TurnSettings): Asked[] {
		return Array.from({ length: count }, () => this.ask(fate, settings));
	}

	private async answer(
		{ takesMs, status = 200, retryAfter, date, error }: Fate,
		signal: AbortSignal,
	): Promise<HttpAnswer> {
		this.underWay++;
		const isCancelled = new Promise<void>((resolve) => {
			signal.addEventListener('abort', () => resolve(), { once: true });
		});
		await Promise.race([this.time.sleep(takesMs), isCancelled]);
		this.underWay--;
		if (signal.aborted) throw cancelled();
		if (error) throw error;
		return {
			statusCode: status,
			headers: {
				...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
				...(date !== undefined && { date }),
			},
			body: {},
		};
	}
}

export const GOOD: Fate = { takesMs: 100 };
export const BUSY: Fate = { takesMs: 100, status: 429 };
export const HANGING: Fate = { takesMs: 60_000 };

export function isSent({ sentAt }: Asked): boolean {
	return sentAt !== undefined;
}

export function turnOf({ limits, ...turn }: TurnSettings, signal: AbortSignal): Turn {
	return {
		...{ client: '', lane: 'applicants', crew: {}, place: { tries: 0 }, keptMs: 0 },
		...turn,
		limits: { maxTries: 5, maxWaitMs: 60_000, ...limits },
		signal,
	};
}
