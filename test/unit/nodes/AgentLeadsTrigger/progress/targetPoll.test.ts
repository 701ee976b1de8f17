import { beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { PollTerms } from '../../../../../nodes/AgentLeadsTrigger/progress/targetPoll';
import { TargetPoll } from '../../../../../nodes/AgentLeadsTrigger/progress/targetPoll';
import { ServiceClock } from '../../../../../service/basics/clock';
import { ServiceError } from '../../../../../service/failure';
import { targetOf } from '../../../../lab/polling/hostedTrigger';
import { DAY, HOUR, MINUTE } from '../../../../lab/polling/leadsModel';
import { useModelTime } from '../../../../lab/polling/modelTime';
import { ids, lead, LOOK_BACK, NOON, polledUpTo } from '../../../../lab/polling/progress';
import { termsWith, toldClock, untoldClock } from '../../../../lab/polling/targetTerms';

useModelTime();

beforeEach(() => {
	jest.setSystemTime(NOON);
});

const APPLICANTS = targetOf('applicant');

const ASKED = { from: NOON - HOUR, to: NOON };

describe('a target that is known', () => {
	it('is asked for once, up to the start of the poll, and delivers what is new', () => {
		const poll = new TargetPoll(APPLICANTS, termsWith(), polledUpTo(NOON - MINUTE));
		const window = { from: NOON - MINUTE - LOOK_BACK, to: NOON };

		const due = poll.dueWindow();

		const { leads } = poll.take(window, { leads: [lead('a', NOON - 1_000)] });

		expect(due).toEqual(window);
		expect(ids(leads)).toEqual(['a']);
		expect(poll.dueWindow()).toBeUndefined();
		expect(poll.progress.watermark).toBe(NOON);
	});

	it('says what the service no longer keeps with the answer that shows it', () => {
		const poll = new TargetPoll(APPLICANTS, termsWith(), polledUpTo(NOON - 31 * DAY));
		const missed = { from: NOON - 31 * DAY, to: NOON - 30 * DAY };
		const window = poll.dueWindow() ?? missed;

		const found = poll.take(window, { leads: [lead('a', window.to)] });

		expect(found).toMatchObject({ missed, gap: missed });
		expect(poll.progress.missed).toBeUndefined();
	});

	it('counts leads from outside of the window if they are too many to be late', () => {
		const strays = (count: number) => {
			const poll = new TargetPoll(APPLICANTS, termsWith(), polledUpTo(NOON - MINUTE));
			const leads = Array.from({ length: count }, (_, each) => lead(`${each}`, NOON - DAY));
			return poll.take({ from: NOON - HOUR, to: NOON }, { leads }).strays;
		};

		expect([4, 5].map(strays)).toEqual([undefined, 5]);
	});

	it('goes back from the future before it asks, if the service tells no time', () => {
		const known = polledUpTo(NOON + 3 * HOUR, { start: NOON - DAY });
		const poll = new TargetPoll(APPLICANTS, termsWith({ clock: untoldClock() }), known);

		const due = poll.dueWindow();

		expect(due?.from).toBe(NOON - DAY);
		expect(poll.progress.watermark).toBe(NOON - DAY);
	});

	it('asks as far ahead as its watermark until the service has told its time, and then goes back', () => {
		const known = polledUpTo(NOON + 10 * MINUTE);
		const poll = new TargetPoll(APPLICANTS, termsWith({ clock: toldClock() }), known);

		const due = poll.dueWindow() ?? { from: 0, to: 0 };

		poll.take(due, { leads: [], askedAt: NOON });

		expect(due.to).toBe(NOON + 10 * MINUTE);
		expect(poll.progress.watermark).toBe(NOON);
	});

	it('goes on with another client', () => {
		const known = polledUpTo(NOON - MINUTE);

		const poll = new TargetPoll(APPLICANTS, termsWith({ client: 'other' }), known);

		expect(poll.progress).toEqual({ ...known, client: 'other' });
		expect(poll.isNew).toBe(true);
	});

	it('begins with another client from the last 24 hours, and keeps the keys', () => {
		const known = polledUpTo(NOON - MINUTE, { seen: new Map([['a', NOON]]) });
		const terms = termsWith({ client: 'other', startFrom: 'last24Hours', clock: toldClock() });

		const poll = new TargetPoll(APPLICANTS, terms, known);

		expect(poll.progress).toMatchObject({ start: NOON - DAY, seen: known.seen });
	});

	it('begins by the clock of its first answer, even if an earlier answer told another time', () => {
		const clock = new ServiceClock();
		clock.read(new Date(NOON - 2 * HOUR).toUTCString(), NOON);
		const poll = new TargetPoll(APPLICANTS, termsWith({ startFrom: 'last24Hours', clock }));
		const misled = poll.dueWindow() ?? { from: 0, to: 0 };
		clock.read(new Date(NOON - 5 * HOUR).toUTCString(), NOON);

		poll.take(misled, { leads: [] });

		expect(poll.progress.start).toBe(NOON - 5 * HOUR - DAY);
	});
});

describe('a target that begins at an activation', () => {
	const begin = (clock = toldClock()) =>
		new TargetPoll(APPLICANTS, termsWith({ clock, isActivation: true }));

	it('makes known what is there and delivers nothing', () => {
		const poll = begin();
		const window = poll.dueWindow() ?? { from: 0, to: 0 };

		const { leads } = poll.take(window, { leads: [lead('a', NOON - 10 * MINUTE)], askedAt: NOON });

		expect(window).toEqual({ from: NOON - MINUTE - LOOK_BACK, to: NOON - MINUTE });
		expect(leads).toEqual([]);
		expect([...poll.progress.seen.keys()]).toEqual(['a']);
		expect(poll.isAnswered).toBe(true);
		expect(poll.dueWindow()).toBeUndefined();
	});

	it('begins ten minutes earlier while the service has not told its time', () => {
		expect(begin(untoldClock()).progress.start).toBe(NOON - 11 * MINUTE);
	});

	it('delivers what is there if it looks back', () => {
		const terms = termsWith({ startFrom: 'last24Hours', isActivation: true, clock: toldClock() });
		const poll = new TargetPoll(APPLICANTS, terms);
		const window = poll.dueWindow() ?? { from: 0, to: 0 };

		const { leads } = poll.take(window, { leads: [lead('a', NOON - 20 * HOUR)], askedAt: NOON });

		expect(ids(leads)).toEqual(['a']);
	});

	it('asks again for an earlier window if the first answer does not tell the time', () => {
		const clock = new ServiceClock();
		const poll = begin(clock);
		const asked = poll.dueWindow() ?? { from: 0, to: 0 };
		clock.read(undefined, NOON);

		poll.take(asked, { leads: [] });

		expect(poll.isAnswered).toBe(false);
		expect(poll.dueWindow()?.to).toBe(NOON - 11 * MINUTE);
	});

	it('puts aside an answer that shows the host’s clock to be ahead, and asks again', () => {
		const clock = new ServiceClock();
		const poll = begin(clock);
		const misled = poll.dueWindow() ?? { from: 0, to: 0 };
		clock.read(new Date(NOON - 3 * HOUR).toUTCString(), NOON);

		const { leads } = poll.take(misled, { leads: [lead('a', NOON - 3 * HOUR)] });

		expect(leads).toEqual([]);
		expect(poll.isAnswered).toBe(false);
		expect(poll.dueWindow()?.to).toBe(NOON - 3 * HOUR - MINUTE);
	});

	it('begins by the earlier clock, and from there, if the next answer tells yet another time', () => {
		const clock = new ServiceClock();
		const poll = begin(clock);
		const say = (offMs: number) => clock.read(new Date(NOON + offMs).toUTCString(), NOON);
		const asked = poll.dueWindow() ?? { from: 0, to: 0 };
		say(3 * HOUR);
		poll.take(asked, { leads: [] });
		const ahead = poll.dueWindow() ?? { from: 0, to: 0 };
		say(10 * MINUTE);

		poll.take(ahead, { leads: [] });

		const start = NOON - MINUTE;
		expect(ahead.to).toBe(NOON + 3 * HOUR - MINUTE);
		expect(poll.progress).toMatchObject({ start, since: start, watermark: start });
		expect(poll.dueWindow()).toBeUndefined();
	});

	it('is put right by the Date of a failure', () => {
		const clock = new ServiceClock();
		const poll = begin(clock);
		clock.read(new Date(NOON - 3 * HOUR).toUTCString(), NOON);
		poll.fail(new ServiceError('busy', 'The service is busy'), ASKED);

		poll.correctStart();

		expect(poll.progress.start).toBe(NOON - 3 * HOUR - MINUTE);
	});

	it('begins by the earlier clock if it was not answered', () => {
		const poll = begin(toldClock(10 * MINUTE));
		poll.fail(new ServiceError('busy', 'The service is busy'), ASKED);

		poll.correctStart();

		expect(poll.progress.start).toBe(NOON - MINUTE);
	});

	it('is asked for even if the rest is left to the next poll', () => {
		const begins = begin();
		const known = new TargetPoll(APPLICANTS, termsWith(), polledUpTo(NOON - MINUTE));

		for (const poll of [begins, known]) poll.leaveToNextPoll();

		expect(begins.dueWindow()).toBeDefined();
		expect(known.dueWindow()).toBeUndefined();
	});
});

describe('a failure of a target', () => {
	const page = new ServiceError('foreign', 'The service answered with a web page');
	const noToken = new ServiceError('busy', 'The service is busy', { requestKind: 'token' });

	it('by a web page passes if the address has worked before', () => {
		const known = new TargetPoll(APPLICANTS, termsWith(), polledUpTo(NOON - MINUTE));

		const begins = new TargetPoll(APPLICANTS, termsWith());

		expect([known, begins].map((poll) => poll.fail(page, ASKED).kind)).toEqual([
			'unavailable',
			'foreign',
		]);
	});

	it('of another kind stays what it is', () => {
		const poll = new TargetPoll(APPLICANTS, termsWith(), polledUpTo(NOON - MINUTE));
		const refused = new ServiceError('credential', 'The pair was refused');

		expect(poll.fail(refused, ASKED)).toBe(refused);
	});

	it('ends its part in the poll', () => {
		const poll = new TargetPoll(APPLICANTS, termsWith(), polledUpTo(NOON - MINUTE));

		poll.fail(page, ASKED);

		expect(poll.dueWindow()).toBeUndefined();
		expect(poll.failure?.message).toBe(page.message);
	});

	it('is over once an answer comes nevertheless', () => {
		const poll = new TargetPoll(APPLICANTS, termsWith(), polledUpTo(NOON - MINUTE));

		poll.failWithOthers(noToken);

		poll.take({ from: NOON - HOUR, to: NOON }, { leads: [] });

		expect(poll.failure).toBeUndefined();
	});

	it('for want of a token spares those that wait or were answered', () => {
		const known = polledUpTo(NOON - MINUTE);
		const [waits, answered, open] = [true, false, false].map(
			(isWaiting) => new TargetPoll(APPLICANTS, termsWith(), known, { isWaiting }),
		);
		answered?.take({ from: NOON - HOUR, to: NOON }, { leads: [] });

		for (const poll of [waits, answered, open]) poll?.failWithOthers(noToken);

		expect([waits, answered, open].map((poll) => poll?.failure)).toEqual([
			undefined,
			undefined,
			noToken,
		]);
		expect(waits?.dueWindow()).toBeUndefined();
	});
});

describe('a window that may be too much for one answer', () => {
	const late = new ServiceError('unavailable', 'late', { requestKind: 'data' });
	const pollAfter = (gapMs: number, more: Partial<PollTerms> = {}) =>
		new TargetPoll(APPLICANTS, termsWith(more), polledUpTo(NOON - gapMs));

	it('says how much time was asked for in vain', () => {
		const poll = pollAfter(5 * HOUR);

		poll.fail(late, poll.dueWindow() ?? ASKED);

		expect(poll.triedMs).toBe(5 * HOUR);
	});

	it('says nothing of that if the service is busy', () => {
		const poll = pollAfter(5 * HOUR);

		poll.fail(new ServiceError('busy', 'busy', { requestKind: 'data' }), ASKED);

		expect(poll.triedMs).toBeUndefined();
	});

	it('is no longer than the poll before suggests', () => {
		const known = polledUpTo(NOON - 3 * DAY);
		const poll = new TargetPoll(APPLICANTS, termsWith(), known, { longestMs: 2 * HOUR });

		expect(poll.dueWindow()?.to).toBe(known.watermark + 2 * HOUR);
	});
});
