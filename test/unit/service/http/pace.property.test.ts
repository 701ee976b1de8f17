import { describe, expect, it } from '@jest/globals';

import { ServiceError } from '../../../../service/failure';
import type { Asked, Fate } from '../../../lab/pacing';
import { Pacing } from '../../../lab/pacing';
import fc from '../../../lab/properties';

const LANES = ['applicants', 'appraisals', 'properties'];
const CAPS = [1, 3, 16];
const MOST = 16;

interface Plan {
	afterMs: number;
	fate: Fate;
	lane: number;
	crew: number;
	tries: number;
	maxWaitMs: number;
	/** When it is cancelled, from when it was asked. */
	cancelMs?: number;
}

const fate: fc.Arbitrary<Fate> = fc.record(
	{
		takesMs: fc.constantFrom(0, 1, 20, 150, 60_000),
		status: fc.constantFrom(200, 200, 200, 404, 429, 429, 503),
		retryAfter: fc.constantFrom(0, 1, 20, 3_600),
		error: fc.constantFrom(
			new TypeError('bug'),
			new ServiceError('unavailable', 'lost', { requestKind: 'data' }),
			new ServiceError('credential', 'no token', { requestKind: 'token' }),
		),
	},
	{ requiredKeys: ['takesMs'] },
);

const plan: fc.Arbitrary<Plan> = fc.record(
	{
		afterMs: fc.constantFrom(0, 0, 0, 5, 200, 5_000),
		fate,
		lane: fc.nat(LANES.length - 1),
		crew: fc.nat(CAPS.length - 1),
		tries: fc.nat(3),
		maxWaitMs: fc.constantFrom(0, 10_000, 60_000),
		cancelMs: fc.constantFrom(0, 1, 150, 2_000),
	},
	{ requiredKeys: ['afterMs', 'fate', 'lane', 'crew', 'tries', 'maxWaitMs'] },
);

/** Plays a schedule, and looks at each moment at which something was sent. */
class Play {
	readonly pacing = new Pacing();

	readonly asked: Asked[] = [];

	private readonly crews = CAPS.map((cap) => ({ cap, underWay: 0 }));

	async run(plans: Plan[]): Promise<void> {
		for (const each of plans) {
			await this.pacing.time.pass(each.afterMs);
			this.ask(each);
		}
		// The last ones may wait a minute, and hang for another one.
		for (let minute = 0; minute < 10 * plans.length; minute++) {
			if (this.pacing.pace.isIdle) break;
			await this.pacing.time.pass(60_000);
		}
		await this.pacing.time.pass(0);
	}

	private ask({ fate: { ...fated }, lane, crew: index, tries, maxWaitMs, cancelMs }: Plan): void {
		const crew = this.crews[index];
		if (!crew) throw new Error('There is no such crew');
		const begin = () => {
			crew.underWay++;
			this.look(crew);
			return fated;
		};
		const limits = { maxWaitMs, requestsAtOnce: crew.cap };
		const asked = this.pacing.ask(begin, { lane: LANES[lane], crew, place: { tries }, limits });
		void asked.outcome.then(() => {
			if (asked.sentAt !== undefined) crew.underWay--;
		});
		this.asked.push(asked);
		if (cancelMs !== undefined) void this.pacing.time.sleep(cancelMs).then(asked.cancel);
	}

	private look({ cap, underWay }: { cap: number; underWay: number }): void {
		expect(underWay).toBeLessThanOrEqual(cap);
		expect(this.pacing.underWay).toBeLessThan(MOST + LANES.length);
	}
}

describe('in any schedule', () => {
	it('every request ends, no place is lost, and no limit is passed', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 40 }), async (plans) => {
				const play = new Play();

				await play.run(plans);

				expect(play.asked.filter(({ settled }) => settled === undefined)).toEqual([]);
				expect(play.pacing.pace.isIdle).toBe(true);
				expect(play.pacing.underWay).toBe(0);
			}),
			{ numRuns: 200 },
		);
	});

	it('each request is sent once, unless it is told why not', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 40 }), async (plans) => {
				const play = new Play();

				await play.run(plans);

				const { asked, pacing } = play;
				expect(new Set(pacing.sent).size).toBe(pacing.sent.length);
				for (const { sentAt, settled } of asked) {
					const isTold = settled instanceof ServiceError && settled.details.isUnsent === true;
					const isCancelled = settled instanceof Error && settled.message.includes('canceled');
					expect(sentAt === undefined ? isTold || isCancelled : !isTold).toBe(true);
				}
			}),
			{ numRuns: 200 },
		);
	});
});
