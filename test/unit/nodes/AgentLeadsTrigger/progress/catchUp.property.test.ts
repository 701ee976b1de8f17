import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import sum from 'lodash/sum';
import uniq from 'lodash/uniq';

import { DeliveredLeads } from '../../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import { FailureLog } from '../../../../../nodes/common/polling/failureLog';
import { TargetPoll } from '../../../../../nodes/AgentLeadsTrigger/progress/targetPoll';
import type { TargetProgress } from '../../../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import { startProgress } from '../../../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import { ServiceClock } from '../../../../../service/basics/clock';
import { ServiceError } from '../../../../../service/failure';
import { longestWithin } from '../../../../../service/leads/fittingLength';
import type { TimeWindow } from '../../../../../service/leads/window';
import { targetOf } from '../../../../lab/polling/hostedTrigger';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../lab/polling/leadsModel';
import { useModelTime } from '../../../../lab/polling/modelTime';
import { lead, LOOK_BACK, NOON } from '../../../../lab/polling/progress';
import fc from '../../../../lab/properties';

useModelTime();

beforeEach(() => {
	jest.setSystemTime(NOON);
});

const APPLICANTS = targetOf('applicant');
const MONTH_AGO = NOON - 30 * DAY;

/** A lead, and when the service shows it first. */
interface ModelLead {
	time: number;
	shownFrom: number;
}

interface Service {
	leads: ModelLead[];
	/** More leads than these are too many for one answer. */
	most?: number;
	maxTries?: number;
	/** A poll asks for no more once it has so many leads. */
	room?: number;
}

/** A target that catches up with a month, poll after poll. */
class CatchUp {
	readonly delivered: string[] = [];

	/** How many requests each poll took. */
	readonly polls: number[] = [];

	largest = 0;

	private requests = 0;

	private progress: TargetProgress = startProgress('c', MONTH_AGO);

	private readonly clock = new ServiceClock();

	private readonly failures = new FailureLog();

	private readonly marks = new DeliveredLeads();

	constructor(private readonly service: Service) {
		this.clock.read(new Date(NOON).toUTCString(), NOON);
	}

	/** Until a poll brings nothing new, or that many. */
	play(most = 60): this {
		for (let polls = 0, isCaughtUp = false; polls < most && !isCaughtUp; polls++) {
			const before = this.progress.watermark;
			this.poll();
			isCaughtUp = Date.now() - this.progress.watermark < 10 * SECOND;
			expect(this.progress.watermark).toBeGreaterThanOrEqual(before);
			jest.setSystemTime(Date.now() + MINUTE);
		}
		return this;
	}

	poll(): void {
		const { service, clock, failures, marks } = this;
		const { maxTries = 5, room = Infinity } = service;
		const startedAt = Date.now();
		const shared = { clock, startedAt, isActivation: false, client: 'c', lookBackMs: LOOK_BACK };
		const mostMs = longestWithin(maxTries);
		const terms = { ...shared, startFrom: 'last30Days', mostMs, delivered: marks } as const;
		const longestMs = failures.longestMsFor(APPLICANTS.key);
		const poll = new TargetPoll(APPLICANTS, terms, this.progress, { longestMs });
		const before = this.delivered.length;
		this.requests = 0;
		for (let due = poll.dueWindow(); due; due = poll.dueWindow()) {
			this.ask(poll, due);
			if (this.delivered.length - before >= room) break;
		}
		this.polls.push(this.requests);
		this.progress = poll.progress;
		if (poll.failure) failures.note(APPLICANTS.key, poll.failure, poll.triedMs);
		else failures.clear(APPLICANTS.key);
	}

	/** As the session does: a repeat asks for less. */
	private ask(poll: TargetPoll, window: TimeWindow): void {
		const { most = Infinity, maxTries = 5 } = this.service;
		let answered = window;
		for (let tries = 1; tries <= maxTries; tries++) {
			this.requests++;
			jest.setSystemTime(Date.now() + 200);
			const times = this.shownIn(answered);
			if (times.length <= most) {
				this.largest = Math.max(this.largest, times.length);
				const leads = times.map(({ time, name }) => lead(name, time));
				const found = poll.take(window, { leads, askedAt: Date.now(), window: answered });
				this.delivered.push(...found.leads.map(({ key }) => key));
				expect(poll.progress.watermark).toBeLessThanOrEqual(answered.to);
				return;
			}
			answered = poll.smaller(answered);
		}
		poll.fail(new ServiceError('unavailable', 'late', { requestKind: 'data' }), window);
	}

	private shownIn({ from, to }: TimeWindow) {
		return this.service.leads
			.map(({ time, shownFrom }, index) => ({ time, shownFrom, name: `lead ${index}` }))
			.filter(({ time, shownFrom }) => time >= from && time <= to && shownFrom <= Date.now());
	}
}

/** Leads at even distances, as many a day as said. */
function evenly(perDay: number, from = MONTH_AGO, to = NOON): ModelLead[] {
	const count = Math.round(((to - from) / DAY) * perDay);
	return Array.from({ length: count }, (_, index) => at(from + ((index + 0.5) / perDay) * DAY));
}

function at(ms: number, lagMs = 0): ModelLead {
	const time = Math.floor(ms / SECOND) * SECOND;
	return { time, shownFrom: time + lagMs };
}

/** For how long, and how many: what comes within an hour or two is never too much for one answer. */
const SHAPES = [
	{ lastsMs: SECOND, count: 500 },
	{ lastsMs: HOUR, count: 500 },
	{ lastsMs: DAY, count: 3_000 },
];

const TOO_MUCH = 1_500;

const given = fc.record({
	perDay: fc.constantFrom(0, 1, 20, 60),
	bursts: fc.array(
		fc.record({
			minutesAgo: fc.integer({ min: 0, max: 30 * 24 * 60 }),
			shape: fc.constantFrom(...SHAPES),
		}),
		{ maxLength: 2 },
	),
	/** When they are submitted and for how long the service holds them back: not for longer than the look-back. */
	latecomers: fc.array(
		fc.record({
			minute: fc.integer({ min: -120, max: 20 }),
			lagSeconds: fc.integer({ min: 0, max: 3_500 }),
		}),
		{ maxLength: 10 },
	),
	isLimited: fc.boolean(),
	maxTries: fc.constantFrom(1, 2, 3, 5),
	room: fc.constantFrom(100, 1_000, Infinity),
});

type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

function leadsOf({ perDay, bursts, latecomers }: Given): ModelLead[] {
	return [
		...evenly(perDay),
		...bursts.flatMap(({ minutesAgo, shape: { lastsMs, count } }) =>
			Array.from({ length: count }, (_, index) =>
				at(NOON - minutesAgo * MINUTE + (index / count) * lastsMs),
			).filter(({ time }) => time <= NOON),
		),
		...latecomers.map(({ minute, lagSeconds }) => at(NOON + minute * MINUTE, lagSeconds * SECOND)),
	];
}

describe('a target that catches up', () => {
	it('delivers each lead once, whatever comes back', () => {
		fc.assert(
			fc.property(given, (drawn) => {
				jest.setSystemTime(NOON);
				const { isLimited, maxTries, room } = drawn;
				const leads = leadsOf(drawn);
				const most = isLimited ? TOO_MUCH : Infinity;
				const course = new CatchUp({ leads, maxTries, room, most }).play();

				// Until the last of them is shown.
				jest.setSystemTime(Math.max(Date.now(), NOON + 90 * MINUTE));
				const { delivered } = course.play();

				expect(uniq(delivered).length).toBe(leads.length);
				expect(delivered.length).toBe(leads.length);
			}),
			{ numRuns: 30 },
		);
	});

	it.each([
		[0, [3]],
		[20, [3]],
		[1_000, [18]],
	])('with %d leads a day takes %j requests', (perDay, requests) => {
		const course = new CatchUp({ leads: evenly(perDay) }).play();

		expect(course.polls).toEqual(requests);
		expect(course.largest).toBeLessThanOrEqual(2_000);
		expect(course.delivered).toHaveLength(30 * perDay);
	});

	it('begins each poll with a day, and ends it once it has enough', () => {
		const course = new CatchUp({ leads: evenly(500), room: 4_000 }).play();

		expect(course.polls).toEqual([3, 4, 4, 1]);
		expect(course.delivered).toHaveLength(15_000);
	});

	it('halves what is too much for one answer, from the oldest', () => {
		const course = new CatchUp({ leads: evenly(300), most: 200 }).play();

		expect(course.delivered).toHaveLength(9_000);
		expect(uniq(course.delivered)).toHaveLength(9_000);
		expect(sum(course.polls)).toBeLessThan(120);
	});

	it('tries less in the next poll if a day was too much and there is no other try', () => {
		const course = new CatchUp({ leads: evenly(300), most: 200, maxTries: 1 }).play(200);

		expect(course.delivered).toHaveLength(9_000);
		expect(sum(course.polls)).toBeLessThan(200);
	});
});
