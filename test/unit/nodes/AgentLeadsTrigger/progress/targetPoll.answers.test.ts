import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import { DeliveredLeads } from '../../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import type { PollTerms } from '../../../../../nodes/AgentLeadsTrigger/progress/targetPoll';
import { TargetPoll } from '../../../../../nodes/AgentLeadsTrigger/progress/targetPoll';
import type { TargetProgress } from '../../../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import { startProgress } from '../../../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import { ServiceClock } from '../../../../../service/basics/clock';
import { shortKeyOf } from '../../../../../service/leads/leads';
import { targetOf } from '../../../../lab/polling/hostedTrigger';
import { DAY, HOUR, MINUTE } from '../../../../lab/polling/leadsModel';
import { useModelTime } from '../../../../lab/polling/modelTime';
import { ids, lead, LOOK_BACK, NOON, polledUpTo } from '../../../../lab/polling/progress';
import { termsWith, toldClock, untoldClock } from '../../../../lab/polling/targetTerms';

const SECOND = 1_000;

useModelTime();

beforeEach(() => {
	jest.setSystemTime(NOON);
});

const pollOf = (known?: TargetProgress, terms: Partial<PollTerms> = {}) =>
	new TargetPoll(targetOf('applicant'), termsWith(terms), known);

const dueOf = (poll: TargetPoll) => {
	const due = poll.dueWindow();
	if (!due) throw new Error('Nothing is due');
	return due;
};

/** Leads from a time on, each with a second of its own. */
const leadsOf = (count: number, time: number) =>
	Array.from({ length: count }, (_, index) => lead(`${time}-${index}`, time + index * SECOND));

describe('what an answer brings', () => {
	it('is delivered with the oldest first', () => {
		const poll = pollOf(polledUpTo(NOON - HOUR));
		const leads = [lead('b', NOON - MINUTE), lead('a', NOON - 2 * MINUTE), lead('c', NOON)];

		expect(ids(poll.take(dueOf(poll), { leads }).leads)).toEqual(['a', 'b', 'c']);
	});

	it('is not delivered if another target was given it, and is delivered to no other after it', () => {
		const delivered = new DeliveredLeads();
		const [first, second] = [lead('a', NOON - MINUTE), lead('b', NOON - MINUTE)];
		delivered.claim('applicant', shortKeyOf(first), NOON);
		const poll = pollOf(polledUpTo(NOON - HOUR), { delivered });

		const found = poll.take(dueOf(poll), { leads: [first, second] });

		expect(ids(found.leads)).toEqual(['b']);
		expect(delivered.claim('applicant', shortKeyOf(second), NOON)).toBe(false);
		expect(poll.progress.seen.size).toBe(2);
	});

	it.each([
		['half of the leads', 5, 5, 5],
		['fewer than half of the leads', 5, 6, undefined],
		['four leads', 4, 0, undefined],
	])('has strays if %s are from outside of the window', (_name, outside, inside, expected) => {
		const poll = pollOf(polledUpTo(NOON - HOUR));
		const leads = [...leadsOf(outside, NOON - 2 * DAY), ...leadsOf(inside, NOON - HOUR)];

		expect(poll.take(dueOf(poll), { leads }).strays).toBe(expected);
	});

	it('ends the poll for a target if the service’s own time ends before the window does', () => {
		const poll = pollOf(polledUpTo(NOON - HOUR));

		poll.take(dueOf(poll), { leads: [], askedAt: NOON - 10 * MINUTE });

		expect(poll.progress.watermark).toBe(NOON - 10 * MINUTE);
		expect(poll.dueWindow()).toBeUndefined();
	});

	it('ends the poll for a target if it comes no further', () => {
		const poll = pollOf(polledUpTo(NOON - HOUR));

		poll.take({ from: NOON - 3 * HOUR, to: NOON - HOUR }, { leads: [] });

		expect(poll.dueWindow()).toBeUndefined();
	});

	it('leaves what comes after its window to the next request', () => {
		const poll = pollOf(polledUpTo(NOON - 3 * DAY));
		const first = dueOf(poll);

		poll.take(first, { leads: [], askedAt: NOON });

		expect(dueOf(poll).from).toBe(first.to);
	});
});

describe('a span that the service no longer keeps', () => {
	const missed = { from: NOON - 31 * DAY, to: NOON - 30 * DAY };

	it('waits in the progress until a lead is delivered after it', () => {
		const poll = pollOf(polledUpTo(missed.from));

		const found = poll.take(dueOf(poll), { leads: [] });

		expect(found).toEqual({ leads: [], missed });
		expect(poll.progress.missed).toEqual(missed);
	});

	it('is told of with the next lead, and not found anew', () => {
		const poll = pollOf(polledUpTo(NOON - HOUR, { missed }));

		const found = poll.take(dueOf(poll), { leads: [lead('a', NOON - MINUTE)] });

		expect(found.gap).toEqual(missed);
		expect(found.missed).toBeUndefined();
		expect(poll.progress).toMatchObject({ client: 'c', watermark: NOON });
		expect(poll.progress.missed).toBeUndefined();
	});

	it('is not found anew while it waits', () => {
		const poll = pollOf(polledUpTo(missed.from - DAY, { missed }));

		expect(poll.take(dueOf(poll), { leads: [] }).missed).toBeUndefined();
		expect(poll.progress.missed).toEqual(missed);
	});
});

describe('a target that an earlier poll has begun in vain', () => {
	it('goes on from its start', () => {
		const poll = pollOf(startProgress('c', NOON - 20 * MINUTE), { clock: toldClock() });

		const found = poll.take(dueOf(poll), { leads: [lead('a', NOON - 19 * MINUTE)], askedAt: NOON });

		expect(poll.isNew).toBe(false);
		expect(ids(found.leads)).toEqual(['a']);
	});

	it('goes back by as much as its start was in the service’s future', () => {
		const clock = new ServiceClock();
		const poll = pollOf(startProgress('c', NOON - MINUTE), { clock, startFrom: 'activation' });
		const misled = dueOf(poll);
		clock.read(new Date(NOON - 3 * HOUR).toUTCString(), NOON);

		const { leads } = poll.take(misled, { leads: [lead('a', NOON - 3 * HOUR)] });

		expect(leads).toEqual([]);
		expect(poll.isAnswered).toBe(false);
		// A look-back before the poll is earlier than its own start by the service's clock.
		expect(poll.progress.start).toBe(NOON - 3 * HOUR - LOOK_BACK);
	});

	it('keeps a start that was a few seconds ahead', () => {
		const clock = toldClock();
		const poll = pollOf(startProgress('c', NOON + 5 * SECOND), { clock });

		poll.take(dueOf(poll), { leads: [], askedAt: NOON });

		expect(poll.isAnswered).toBe(true);
	});
});

describe('a window that a wrong clock cut short', () => {
	it('is asked for again by the service’s clock, from where the target stands', () => {
		const clock = new ServiceClock();
		jest.setSystemTime(NOON + 10 * DAY);
		const known = polledUpTo(NOON - 25 * DAY);
		const poll = pollOf(known, { clock, startedAt: NOON + 10 * DAY });
		const misled = dueOf(poll);
		clock.read(new Date(NOON).toUTCString(), NOON + 10 * DAY);

		const { leads } = poll.take(misled, { leads: [lead('a', NOON)] });

		expect(misled.from).toBe(NOON - 20 * DAY);
		expect(leads).toEqual([]);
		expect(poll.progress.watermark).toBe(known.watermark);
		expect(dueOf(poll).from).toBe(known.watermark - LOOK_BACK);
	});

	it('is put aside once alone', () => {
		const clock = new ServiceClock();
		jest.setSystemTime(NOON + 10 * DAY);
		const poll = pollOf(polledUpTo(NOON - 25 * DAY), { clock, startedAt: NOON + 10 * DAY });
		const misled = dueOf(poll);
		clock.read(new Date(NOON).toUTCString(), NOON + 10 * DAY);

		for (let answers = 0; answers < 2; answers++) poll.take(misled, { leads: [] });

		expect(poll.isAnswered).toBe(true);
	});
});

describe('the first window of an activation', () => {
	const begin = (clock: ServiceClock) => pollOf(undefined, { clock, isActivation: true });

	it('ends a minute before the poll as long as the service has not answered', () => {
		expect(dueOf(begin(new ServiceClock())).to).toBe(NOON - MINUTE);
	});

	it('ends ten minutes earlier if the service answers without telling its time', () => {
		expect(dueOf(begin(untoldClock())).to).toBe(NOON - 11 * MINUTE);
	});

	it('makes known what is dated in the future, which would come again and again', () => {
		const poll = begin(toldClock());

		poll.take(dueOf(poll), { leads: [lead('future', NOON + DAY), lead('new', NOON)] });

		expect([...poll.progress.seen.keys()]).toEqual([shortKeyOf(lead('future', NOON))]);
	});

	it('does so by ten minutes later if the service tells no time', () => {
		const poll = begin(untoldClock());

		poll.take(dueOf(poll), {
			leads: [lead('future', NOON + 13 * MINUTE), lead('new', NOON + 11 * MINUTE)],
		});

		expect([...poll.progress.seen.keys()]).toEqual([shortKeyOf(lead('future', NOON))]);
	});
});

describe('the start of a target', () => {
	it('is put right by the first answer, of which nothing is delivered', () => {
		const clock = new ServiceClock();
		const poll = pollOf(undefined, { clock, startFrom: 'last24Hours' });
		const misled = dueOf(poll);
		clock.read(new Date(NOON - 10 * MINUTE).toUTCString(), NOON);

		const { leads } = poll.take(misled, { leads: [lead('a', NOON - HOUR)] });

		expect(leads).toEqual([]);
		expect(poll.isAnswered).toBe(false);
		expect(poll.progress.start).toBe(NOON - 10 * MINUTE - DAY);
	});

	it('is not put right once the service has answered for it', () => {
		const clock = toldClock();
		const poll = pollOf(undefined, { clock, startFrom: 'last24Hours' });
		poll.take(dueOf(poll), { leads: [], askedAt: NOON });
		const { progress } = poll;

		poll.correctStart();

		expect(poll.progress).toBe(progress);
	});

	it('is not put right if an earlier poll chose it', () => {
		const known = polledUpTo(NOON - HOUR);
		const poll = pollOf(known, { clock: toldClock(-3 * HOUR) });

		poll.correctStart();

		expect(poll.progress).toBe(known);
	});

	it('keeps the keys of the client before', () => {
		const seen = new Map([['a', NOON - MINUTE]]);
		const terms = { client: 'other', startFrom: 'last24Hours', clock: toldClock() } as const;
		const poll = pollOf(polledUpTo(NOON - HOUR, { seen }), terms);

		poll.correctStart();
		const before = poll.progress;
		poll.take(dueOf(poll), { leads: [lead('b', NOON - MINUTE)], askedAt: NOON });

		const start = NOON - DAY;
		expect(before).toMatchObject({ client: 'other', start, seen });
	});
});

it('a target goes by its key, and has a title for people', () => {
	const poll = new TargetPoll(targetOf('appraisal', '10234'), termsWith());

	expect([poll.key, poll.title]).toEqual([
		'appraisal · branch 10234',
		'Appraisal leads of branch 10234',
	]);
});
