import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import type {
	DueList,
	PollTerms,
} from '../../../../../nodes/AgentInventoryTrigger/progress/agencyPoll';
import { AgencyPoll } from '../../../../../nodes/AgentInventoryTrigger/progress/agencyPoll';
import type { AgencyProgress } from '../../../../../nodes/AgentInventoryTrigger/progress/agencyProgress';
import { LISTS } from '../../../../../nodes/AgentInventoryTrigger/progress/agencyProgress';
import type { ListPass } from '../../../../../nodes/AgentInventoryTrigger/progress/listPass';
import { ServiceClock } from '../../../../../service/basics/clock';
import { isoSeconds } from '../../../../../service/basics/times';
import { ServiceError } from '../../../../../service/failure';
import type { FetchedProperties } from '../../../../../service/inventory/properties';
import {
	agencyWith,
	knownAs,
	knownOf,
	listsAt,
	LOOK_BACK,
	NOON,
	POLLED_AT,
	recordOf,
	rowOf,
	termsWith,
	toldClock,
	YESTERDAY,
} from '../../../../lab/polling/inventory/agency';
import { useModelTime } from '../../../../lab/polling/modelTime';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What a list is asked for: all that was modified since a look-back before the last poll. */
const SINCE = { from: POLLED_AT - LOOK_BACK };

useModelTime();

beforeEach(() => {
	jest.setSystemTime(NOON);
});

const untoldClock = () => new ServiceClock();

function pollOf(known?: AgencyProgress, terms: Partial<PollTerms> = {}): AgencyPoll {
	return new AgencyPoll('agency-1', termsWith(terms), known);
}

/** The list that is due; fails if none is. */
function dueOf(poll: AgencyPoll): DueList {
	const due = poll.dueList();
	if (!due) throw new Error('No list is due');
	return due;
}

/** Answers the list that is due. */
function answer(poll: AgencyPoll, rows: IDataObject[] = [], isWhole = true): string[][] {
	return poll.takeRows(dueOf(poll), rows, isWhole);
}

/** Answers all lists that are due with nothing, and says which they were. */
function answerAll(poll: AgencyPoll): string[] {
	const asked: string[] = [];
	for (let due = poll.dueList(); due; due = poll.dueList()) {
		asked.push(`${due.list} ${due.part}`);
		poll.takeRows(due, [], true);
	}
	return asked;
}

const idsUpTo = (count: number, first = 0) =>
	Array.from({ length: count }, (_, index) => `p${first + index}`);

/** Rows of properties that were modified shortly before noon. */
const rowsOf = (ids: string[], modified = NOON - MINUTE) => ids.map((id) => rowOf(id, modified));

/** The same with the time at which they were created. */
const createdRows = (ids: string[], created: number, modified?: number) =>
	ids.map((id) => ({ ...rowOf(id, modified), createdAt: isoSeconds(created) }));

/** Rows that say nothing new. */
const knownRows = (count: number) => Array.from({ length: count }, () => rowOf('5017', YESTERDAY));

/** Whole records of properties that were created and modified shortly before noon. */
const recordsOf = (ids: string[], more: IDataObject = {}): FetchedProperties => {
	const time = isoSeconds(NOON - MINUTE);
	const times = { createdDate: time, modifiedDate: time };
	return new Map(ids.map((id) => [id, recordOf(id, { ...times, ...more })] as const));
};

const failed = (ids: string[], failure: ServiceError): FetchedProperties =>
	new Map(ids.map((id) => [id, failure] as const));

const busy = new ServiceError('busy', 'The service is busy', { requestKind: 'data' });
const missing = new ServiceError('missing', 'There is none', { requestKind: 'data' });
const page = new ServiceError('foreign', 'The service answered with a web page');
const noToken = new ServiceError('busy', 'The service is busy', { requestKind: 'token' });

const known = (more: Partial<AgencyProgress> = {}) =>
	agencyWith({ known: knownOf({ 5017: knownAs() }), ...more });

describe('an agency that is known', () => {
	it('is asked for what was modified in each of its lists, and for what was created, once', () => {
		const poll = pollOf(known());

		const current = dueOf(poll);
		poll.takeRows(current, [], true);
		const archived = dueOf(poll);
		poll.takeRows(archived, [], true);
		const created = dueOf(poll);
		poll.takeRows(created, [], true);

		const changes = { part: 'changes', window: SINCE };
		expect(current).toMatchObject({ list: 'current', by: 'modified', ...changes });
		expect(archived).toMatchObject({ list: 'archived', by: 'modified', ...changes });
		expect(created).toMatchObject({ list: 'created', by: 'created', ...changes });
		expect([current, archived, created].map(({ isAll, window }) => [isAll, window.to])).toEqual([
			[false, undefined],
			[false, undefined],
			[false, undefined],
		]);
		expect(poll.dueList()).toBeUndefined();
		expect([poll.isNew, poll.isAnswered, poll.begun]).toEqual([false, true, undefined]);
	});

	it('is asked from a whole second on', () => {
		const poll = pollOf(known({ lists: listsAt(POLLED_AT + 999) }));

		expect(dueOf(poll).window).toEqual(SINCE);
	});

	it('was read up to when it was asked, by the service’s clock, and not to when it answered', () => {
		const poll = pollOf(known(), { clock: toldClock(2 * MINUTE) });
		const due = dueOf(poll);
		jest.setSystemTime(NOON + MINUTE);

		poll.takeRows(due, [], true);

		expect(poll.progress.lists.current).toEqual({ watermark: NOON + 2 * MINUTE });
		expect(poll.progress.lists.archived).toEqual({ watermark: POLLED_AT });
	});

	it('counts as read no less far than before, if the service’s clock went back a little', () => {
		const poll = pollOf(known({ lists: listsAt(NOON + 10 * MINUTE) }));

		answerAll(poll);

		expect(poll.progress.lists).toEqual(listsAt(NOON + 10 * MINUTE));
	});

	it('is not read up to now before the records of its rows are', () => {
		const poll = pollOf(known());

		const batches = answer(poll, rowsOf(['5018']));
		const before = poll.progress.lists.current.watermark;
		poll.takeRecords(recordsOf(['5018']), NOON);

		expect(batches).toEqual([['5018']]);
		expect(before).toBe(POLLED_AT);
		expect(poll.progress.lists.current.watermark).toBe(NOON);
		expect(dueOf(poll).list).toBe('archived');
	});
});

describe('the rows of a list', () => {
	it('are asked for by ID if there may be something new, in batches of 50', () => {
		const poll = pollOf(known());
		const ids = idsUpTo(51);

		const batches = answer(poll, [
			rowOf('5017', YESTERDAY),
			rowOf('', NOON),
			rowOf('search', NOON),
			...rowsOf(ids),
		]);

		expect(batches).toEqual([ids.slice(0, 50), ids.slice(50)]);
	});

	it('of one property count once, with the latest of their times', () => {
		const poll = pollOf(known());
		const rows = [rowOf('5018', NOON - SECOND), rowOf('5018', NOON - MINUTE)];

		const batches = answer(poll, rows);
		poll.takeRecords(recordsOf(['5018']), NOON);

		expect(batches).toEqual([['5018']]);
		expect(poll.progress.pending.get('5018')).toMatchObject({ modified: NOON - SECOND });
	});

	it('beyond 500 are left to later', () => {
		const poll = pollOf(known());
		const ids = idsUpTo(501);

		const batches = answer(poll, rowsOf([...ids, ...ids.slice(0, 1)]));

		expect(batches.flat()).toEqual(ids.slice(0, 500));
		expect([...poll.progress.pending]).toEqual([
			['p500', { since: NOON, tries: 0, modified: NOON - MINUTE }],
		]);
	});

	it('of a property that waits already are left to its turn, with the new time', () => {
		const pending = new Map([['5018', { since: YESTERDAY, tries: 2 }]]);
		const poll = pollOf(known({ pending }));

		const batches = answer(poll, rowsOf(['5018']));

		expect(batches).toEqual([]);
		expect(poll.progress.pending.get('5018')).toEqual({
			...{ since: YESTERDAY, tries: 0, modified: NOON - MINUTE },
		});
	});

	it('of a property whose change is on its way wait until that has ended', () => {
		let isOpen = true;
		const poll = pollOf(known(), { isOpen: (id) => isOpen && id === '5018' });

		const batches = answer(poll, rowsOf(['5018', '5019']));
		poll.takeRecords(recordsOf(['5019']), NOON);
		answerAll(poll);
		const during = poll.dueRecords();
		isOpen = false;

		expect(batches).toEqual([['5019']]);
		expect(during).toEqual([]);
		expect(poll.dueRecords()).toEqual([['5018']]);
	});
});

describe('the records of an agency', () => {
	const reading = (ids: string[], terms: Partial<PollTerms> = {}) => {
		const poll = pollOf(known(), terms);
		answer(poll, rowsOf(ids));
		return poll;
	};

	it('bring changes, in the order of the rows', () => {
		const poll = reading(['5019', '5018', '5017']);

		const changes = poll.takeRecords(recordsOf(['5017', '5018', '5019'], { price: 1 }), NOON);

		expect(changes.map(({ id, events }) => [id, events])).toEqual([
			['5019', ['created']],
			['5018', ['created']],
			['5017', ['priceChanged']],
		]);
	});

	it('that say nothing new bring none', () => {
		const poll = reading(['5017']);

		expect(poll.takeRecords(recordsOf(['5017']), NOON)).toEqual([]);
		expect(poll.progress.known.get('5017')?.modified).toBe(NOON - MINUTE);
	});

	it('are held against when they were asked for', () => {
		const poll = reading(['5018']);

		const [change] = poll.takeRecords(recordsOf(['5018']), NOON + HOUR);

		expect(change?.after.isFresh).toBe(false);
	});

	it('that are left out or fail are asked for again, and the others count', () => {
		const poll = reading(['5018', '5019', '5020']);
		const fetched = new Map([...recordsOf(['5018']), ...failed(['5020'], busy)]);

		const changes = poll.takeRecords(fetched, NOON);

		expect(changes.map(({ id }) => id)).toEqual(['5018']);
		expect([...poll.progress.pending.keys()]).toEqual(['5019', '5020']);
		expect(poll.progress.pending.get('5020')).toEqual({
			...{ since: NOON, tries: 1, modified: NOON - MINUTE },
		});
		expect(poll.failure).toBeUndefined();
		expect(poll.progress.lists.current.watermark).toBe(NOON);
	});

	it('fail the agency if all of them fail and that may pass', () => {
		const poll = reading(['5018', '5019']);

		poll.takeRecords(new Map([...failed(['5018'], missing), ...failed(['5019'], busy)]), NOON);

		expect(poll.failure).toBe(busy);
		expect(poll.dueList()).toBeUndefined();
		expect(poll.dueRecords()).toEqual([]);
	});

	it('do not fail the agency if that does not pass', () => {
		const poll = reading(['5018']);

		poll.takeRecords(failed(['5018'], missing), NOON);

		expect(poll.failure).toBeUndefined();
		expect(poll.progress.pending.has('5018')).toBe(true);
	});

	it.each([
		new ServiceError('credential', 'The pair was refused'),
		new ServiceError('forbidden', 'The service refused'),
		noToken,
	])(
		'fail the agency if the failure is its own, and nothing counts as read: $message',
		(refusal) => {
			const poll = reading(['5018', '5019']);
			const fetched = new Map([...recordsOf(['5018']), ...failed(['5019'], refusal)]);

			const changes = poll.takeRecords(fetched, NOON);

			expect(changes).toEqual([]);
			expect(poll.failure).toBe(refusal);
			expect(poll.progress.pending.size).toBe(0);
			expect(poll.progress.known.get('5018')).toBeUndefined();
			expect(poll.progress.lists.current.watermark).toBe(POLLED_AT);
		},
	);
});

describe('the properties that wait', () => {
	const waiting = (ids: string[], tries = 0) =>
		ids.map((id) => [id, { since: YESTERDAY, tries, modified: YESTERDAY }] as const);
	const pollWith = (...groups: Array<ReturnType<typeof waiting>>) =>
		pollOf(known({ pending: new Map(groups.flat()) }));
	const sizes = (poll: AgencyPoll) => poll.dueRecords().map((batch) => batch.length);

	it('are asked for in parts that are smaller the more often they failed, those that failed least first', () => {
		const poll = pollWith(waiting(idsUpTo(30), 1), waiting(['a'], 0), waiting(['b', 'c'], 9));

		const batches = poll.dueRecords();

		expect(batches.map((batch) => batch.length)).toEqual([1, 25, 5, 1, 1]);
		expect(batches[0]).toEqual(['a']);
		expect(batches.slice(3)).toEqual([['b'], ['c']]);
	});

	it('are asked for in 20 requests at most', () => {
		expect(sizes(pollWith(waiting(idsUpTo(25), 9)))).toEqual(Array.from({ length: 20 }, () => 1));
	});

	it('are 500 at most, those that failed least', () => {
		const poll = pollWith(waiting(['often'], 3), waiting(idsUpTo(500), 0));

		const batches = poll.dueRecords();

		expect(batches).toHaveLength(10);
		expect(batches.flat()).toEqual(idsUpTo(500));
	});

	it('wait no more once they were read', () => {
		const poll = pollWith(waiting(['5018', '5017']));
		poll.dueRecords();

		const changes = poll.takeRecords(recordsOf(['5018', '5017']), NOON);

		expect(changes.map(({ id }) => id)).toEqual(['5018']);
		expect(poll.progress.pending.size).toBe(0);
		expect(poll.isAnswered).toBe(true);
		expect(poll.progress.lists).toEqual(listsAt(POLLED_AT));
	});

	it('are held against the times of their rows', () => {
		const pending = new Map([['5018', { since: YESTERDAY, tries: 0, modified: NOON }]]);
		const poll = pollOf(known({ pending }));
		poll.dueRecords();

		poll.takeRecords(recordsOf(['5018']), NOON);

		expect(poll.progress.pending.get('5018')).toMatchObject({ tries: 1, modified: NOON });
	});

	it('do not count as an answer if all of them fail', () => {
		const poll = pollWith(waiting(['5018']));
		poll.dueRecords();

		poll.takeRecords(failed(['5018'], busy), NOON);

		expect(poll.isAnswered).toBe(false);
		expect(poll.failure).toBe(busy);
	});

	it('are not asked for once the agency has failed', () => {
		const poll = pollWith(waiting(['5018']));

		poll.fail(busy);

		expect(poll.dueRecords()).toEqual([]);
	});
});

describe('a list that is more than a page', () => {
	it('is asked for in halves', () => {
		const poll = pollOf(known());
		const due = dueOf(poll);

		const batches = poll.takeRows(due, rowsOf(['5018']), false);

		const middle = (POLLED_AT - LOOK_BACK + NOON) / 2;
		expect(batches).toEqual([]);
		expect(poll.progress.known.get('5018')).toBeUndefined();
		expect(dueOf(poll)).toMatchObject({
			...{ list: 'current', part: 'changes', isAll: false },
			window: { ...SINCE, to: middle },
		});
	});

	it('goes on after a window, and is up to date only after the last one', () => {
		const poll = pollOf(known());
		answer(poll, [], false);
		const { window } = dueOf(poll);
		answer(poll);

		const next = dueOf(poll);
		const before = poll.progress.lists.current.watermark;
		answerAll(poll);

		expect(next).toMatchObject({ list: 'current', window: { from: window.to } });
		expect(before).toBe(POLLED_AT);
		expect(poll.progress.lists).toEqual(listsAt(NOON));
	});

	it('within a second is asked for page by page, and once more in the next poll if it does not stay the same', () => {
		const changes = { begunAt: NOON - MINUTE, position: NOON - SECOND };
		const poll = pollOf(
			known({ lists: { ...listsAt(POLLED_AT), current: { watermark: POLLED_AT, changes } } }),
		);
		const due = dueOf(poll);

		poll.takeRows(due, [], false);

		expect(due).toMatchObject({ isAll: true, window: { from: NOON - SECOND } });
		expect(poll.dueList()).toBeUndefined();
		expect(poll.failure).toBeUndefined();
		expect(poll.progress.lists.current).toEqual({ watermark: POLLED_AT, changes });
	});

	it('was read up to when its first window was asked for', () => {
		const changes = { begunAt: NOON - HOUR, position: NOON - MINUTE };
		const poll = pollOf(
			known({ lists: { ...listsAt(POLLED_AT - DAY), current: { watermark: 0, changes } } }),
		);

		answer(poll);

		expect(poll.progress.lists.current).toEqual({ watermark: NOON - HOUR });
	});
});

describe('a service that overlooks the times it is asked for', () => {
	const LONG_AGO = POLLED_AT - LOOK_BACK - DAY - SECOND;
	const old = (count: number) => rowsOf(idsUpTo(count), LONG_AGO);
	const createdBefore = (count: number) =>
		rowsOf(idsUpTo(count)).map((row) => ({ ...row, createdAt: isoSeconds(LONG_AGO - DAY) }));

	it('is asked for all the rest, page by page', () => {
		const poll = pollOf(known());

		const batches = answer(poll, old(51), false);

		expect(batches).toEqual([]);
		expect(dueOf(poll)).toMatchObject({ list: 'current', window: SINCE, isAll: true });
		expect(poll.progress.lists.current).not.toHaveProperty('baseline');
	});

	it('is left to the next poll if its pages do not stay the same', () => {
		const poll = pollOf(known());
		answer(poll, old(51), false);

		answer(poll, old(51), false);

		expect(poll.dueList()).toBeUndefined();
	});

	it('is taken at its word then', () => {
		const poll = pollOf(known());
		answer(poll, old(51), false);

		const batches = answer(poll, old(51));

		expect(batches.flat()).toHaveLength(51);
	});

	it.each([
		['what was created', 2],
		['what was there', 3],
	])('is asked for all of what was there at the start if it did so for %s', (_name, before) => {
		const list = { watermark: POLLED_AT, baseline: { begunAt: YESTERDAY, position: YESTERDAY } };
		const lists = { ...listsAt(POLLED_AT), current: list, archived: list };
		const poll = pollOf(known({ lists }));
		for (let asked = 0; asked < before; asked++) answer(poll);

		answer(poll, createdBefore(51), false);

		const { current, archived } = poll.progress.lists;
		expect([current, archived]).toMatchObject([
			{ baseline: { stepMs: 0, position: YESTERDAY } },
			{ baseline: { stepMs: 0, position: YESTERDAY } },
		]);
	});

	it('is not asked once more for what was read before that showed', () => {
		const baseline = { begunAt: YESTERDAY, position: YESTERDAY };
		const archived = { watermark: POLLED_AT, baseline };
		const poll = pollOf(known({ lists: { ...listsAt(POLLED_AT), archived } }));
		for (let asked = 0; asked < 3; asked++) answer(poll);

		answer(poll, createdBefore(51), false);

		expect(poll.progress.lists.current.baseline).toBeUndefined();
		expect(poll.progress.lists.archived.baseline).toMatchObject({ stepMs: 0 });
	});

	it('may do so for one kind of times alone', () => {
		const list = { watermark: POLLED_AT, baseline: { begunAt: YESTERDAY } };
		const poll = pollOf(known({ lists: { ...listsAt(POLLED_AT), current: list } }));

		answer(poll, old(51), false);

		const { changes, baseline } = poll.progress.lists.current;
		expect(changes).toMatchObject({ stepMs: 0 });
		expect(baseline).toEqual(list.baseline);
	});

	it('is found out by an answer that seems whole, if that was for a part of the time', () => {
		const poll = pollOf(known());
		answer(poll, [], false);

		answer(poll, old(51));

		expect(poll.progress.lists.current.changes).toMatchObject({ stepMs: 0 });
	});

	it('may do so if one answer brings all there is', () => {
		const poll = pollOf(known());

		expect(answer(poll, old(51)).flat()).toHaveLength(51);
	});
});

describe('an agency that begins', () => {
	it('is first asked for what is there, to learn the service’s time', () => {
		const poll = pollOf(undefined, { clock: untoldClock() });

		expect(dueOf(poll)).toMatchObject({ list: 'current', part: 'baseline', window: {} });
		expect([poll.isNew, poll.begun]).toEqual([true, undefined]);
	});

	it('is then asked for what changes, and for what else is there', () => {
		expect(answerAll(pollOf(undefined, { clock: untoldClock() }))).toEqual([
			'current baseline',
			'current changes',
			'archived changes',
			'created changes',
			'archived baseline',
		]);
	});

	it('has the rest of what is there read later if that is more than a page', () => {
		const poll = pollOf(undefined, { clock: untoldClock() });

		answer(poll, createdRows(idsUpTo(250), YESTERDAY), false);

		const { begunAt, stepMs = NaN, crowdedTo } = poll.progress.lists.current.baseline ?? {};
		expect([begunAt, crowdedTo]).toEqual([NOON, NOON]);
		expect(stepMs).toBeGreaterThan(DAY);
	});

	it('begins by the clock of the first answer', () => {
		const clock = untoldClock();
		const poll = pollOf(undefined, { clock, isActivation: true });
		const due = dueOf(poll);
		clock.read(new Date(NOON - 3 * HOUR).toUTCString(), NOON);

		poll.takeRows(due, [], true);

		expect(poll.progress).toMatchObject({
			begunAt: NOON - 3 * HOUR,
			start: NOON - 3 * HOUR - MINUTE,
			scope: 'all',
		});
	});

	it('begins ten minutes earlier if the service tells no time', () => {
		const poll = pollOf(undefined, { clock: untoldClock(), isActivation: true });

		answer(poll);

		expect(poll.progress.start).toBe(NOON - 11 * MINUTE);
	});

	it('keeps where it began apart from how far it came', () => {
		const poll = pollOf();

		answerAll(poll);

		const list = { watermark: NOON - LOOK_BACK, baseline: { begunAt: NOON } };
		const created = { watermark: NOON - LOOK_BACK };
		expect(poll.begun?.lists).toEqual({ current: list, archived: list, created });
		expect(poll.progress.lists).toEqual(listsAt(NOON));
	});
});

describe('what was there at the start', () => {
	/** A poll in which that alone is due, of the current properties. */
	function reading(baseline: ListPass, clock = toldClock()): AgencyPoll {
		const current = { watermark: POLLED_AT, baseline };
		const poll = pollOf(known({ lists: { ...listsAt(POLLED_AT), current } }), { clock });
		LISTS.forEach(() => answer(poll));
		return poll;
	}
	const left = ({ progress }: AgencyPoll) => progress.lists.current.baseline;
	const begunAt = YESTERDAY;
	const byModified = { begunAt, by: 'modified' as const };

	it('is asked for by when it was created, and then by when it was modified if that took windows', () => {
		const poll = reading({ begunAt, position: YESTERDAY, stepMs: DAY });
		const first = dueOf(poll);
		answer(poll, createdRows(['5018'], YESTERDAY));
		poll.takeRecords(recordsOf(['5018']), NOON);

		const second = dueOf(poll);
		answer(poll, rowsOf(['5018']));

		expect([first.by, first.window]).toEqual(['created', { from: YESTERDAY }]);
		expect([second.part, second.by, second.window]).toEqual(['baseline', 'modified', {}]);
		expect(left(poll)).toBeUndefined();
	});

	it('is not asked for once more if one answer brings it', () => {
		const poll = reading({ begunAt });

		answer(poll, createdRows(['5018'], YESTERDAY));
		poll.takeRecords(recordsOf(['5018']), NOON);

		expect(left(poll)).toBeUndefined();
	});

	it('is asked for by when it was modified if windows bring what does not say when it was created', () => {
		const poll = reading({ begunAt, position: YESTERDAY, stepMs: DAY });

		const batches = answer(poll, rowsOf(idsUpTo(250)), false);

		expect(batches).toEqual([]);
		expect(left(poll)).toEqual(byModified);
	});

	it('is asked for in windows first: those that say when they were created may never have been modified', () => {
		const poll = reading({ begunAt });

		answer(poll, rowsOf(idsUpTo(250)), false);

		expect(left(poll)).not.toHaveProperty('by');
		expect(left(poll)).toHaveProperty('stepMs');
	});

	it('is asked for at once if most of it says neither', () => {
		const poll = reading({ begunAt });

		answer(
			poll,
			idsUpTo(250).map((id) => rowOf(id)),
			false,
		);

		expect(left(poll)).toEqual({ begunAt, stepMs: 0 });
	});

	it.each<[string, ListPass, Partial<ListPass>]>([
		['in windows', byModified, { by: 'modified', crowdedTo: NOON }],
		['at once, if windows bring it', { ...byModified, stepMs: DAY }, { stepMs: 0 }],
		['at once, if windows from a time on bring it', { ...byModified, position: 0 }, { stepMs: 0 }],
	])('and has no modified times is asked for %s', (_name, baseline, expected) => {
		const poll = reading(baseline);

		answer(poll, createdRows(idsUpTo(250), YESTERDAY), false);

		expect(left(poll)).toMatchObject(expected);
	});

	it('and created in a time to come is asked for page by page once the rest was read', () => {
		const poll = reading({ begunAt, position: YESTERDAY - SECOND, stepMs: DAY });

		expect(dueOf(poll)).toMatchObject({ isAll: true, window: { from: YESTERDAY - SECOND } });
	});

	it('is asked for up to now by a clock that went back', () => {
		const poll = reading({ begunAt: NOON + HOUR, position: NOON - HOUR, stepMs: DAY });

		expect(dueOf(poll)).toMatchObject({ window: { from: NOON - HOUR } });
		answer(poll, createdRows(idsUpTo(250), NOON), false);
		expect(left(poll)).toMatchObject({ stepMs: HOUR / 2, crowdedTo: NOON });
	});
});

describe('a list of what was created', () => {
	const created = (poll: AgencyPoll) => {
		answer(poll);
		answer(poll);
		return poll;
	};
	const timeless = [rowOf('5017')];

	it('says nothing of a property that is known, unless that was modified', () => {
		const poll = created(pollOf(known()));

		expect(answer(poll, timeless)).toEqual([]);
		expect(answer(created(pollOf(known())), rowsOf(['5017']))).toEqual([['5017']]);
	});

	it('says nothing of what was modified: other lists do', () => {
		expect(answer(pollOf(known()), timeless)).toEqual([['5017']]);
	});
});

describe('an agency with other filters than before', () => {
	it('is asked for what is there with them', () => {
		const poll = pollOf(known(), { scope: 'sales', clock: toldClock(2 * MINUTE) });

		const asked = answerAll(poll);

		expect(asked.filter((each) => each.endsWith('baseline'))).toHaveLength(2);
		expect(poll.progress).toMatchObject({ scope: 'sales', start: POLLED_AT });
	});

	it('has it read as it is by the service’s clock', () => {
		const poll = pollOf(known(), { scope: 'sales', clock: toldClock(2 * MINUTE) });

		expect(poll.progress.lists.archived.baseline).toEqual({ begunAt: NOON + 2 * MINUTE });
	});
});

describe('the requests of a poll', () => {
	const unread = () => {
		const list = () => ({ watermark: POLLED_AT, baseline: { begunAt: YESTERDAY } });
		return known({ lists: { ...listsAt(POLLED_AT), current: list(), archived: list() } });
	};

	it.each([
		['37 of rows, and two for empty lists', 37 * 250, true],
		['38 of rows, and two for empty lists', 37 * 250 + 1, false],
	])('leave room for what is there, or none: %s', (_name, count, expected) => {
		const poll = pollOf(unread());
		answer(poll, knownRows(count));
		answer(poll);
		answer(poll);

		expect(poll.dueList()?.part === 'baseline').toBe(expected);
	});

	it.each([
		['39 of rows and records', 26 * 250, true],
		['40 of rows and records', 26 * 250 + 1, false],
	])('leave room for what is there, or none: %s', (_name, count, expected) => {
		const poll = pollOf(unread());
		const ids = idsUpTo(500);
		answer(poll, rowsOf(ids));
		poll.takeRecords(recordsOf(ids), NOON);
		answer(poll, knownRows(count));
		answer(poll);

		expect(poll.dueList()?.part === 'baseline').toBe(expected);
	});

	it('are no more for a list that is being read, and one at least for each other', () => {
		const poll = pollOf(known());
		answer(poll, [], false);
		answer(poll, knownRows(10_000));

		expect(answerAll(poll)).toEqual(['archived changes', 'created changes']);
		expect(poll.progress.lists.current.changes).toBeDefined();
	});
});

describe('times in the future, which a wrong clock made up', () => {
	const ahead = NOON + 15 * MINUTE + SECOND;

	it('bring a list back to the start, to be read from there', () => {
		const changes = { begunAt: ahead, position: ahead };
		const lists = { ...listsAt(POLLED_AT), current: { watermark: ahead, changes } };
		const poll = pollOf(known({ lists }));

		const due = dueOf(poll);

		expect(due).toMatchObject({ list: 'current', window: { from: YESTERDAY - LOOK_BACK } });
		expect(poll.progress.lists).toEqual({ ...lists, current: { watermark: YESTERDAY } });
	});

	it('bring the start back by a day', () => {
		const poll = pollOf(known({ start: ahead, lists: listsAt(ahead) }));

		dueOf(poll);

		expect(poll.progress.start).toBe(NOON - DAY);
		expect(poll.progress.lists).toEqual(listsAt(NOON - DAY));
	});

	it('are believed up to 15 minutes', () => {
		const poll = pollOf(known({ start: ahead - SECOND, lists: listsAt(ahead - SECOND) }));

		dueOf(poll);

		expect(poll.progress).toMatchObject({ start: ahead - SECOND, lists: listsAt(ahead - SECOND) });
	});

	it('are believed until the service has answered', () => {
		const poll = pollOf(known({ lists: listsAt(ahead) }), { clock: untoldClock() });

		expect(dueOf(poll).window.from).toBe(ahead - LOOK_BACK);
	});
});

describe('a failure of an agency', () => {
	it('ends its part in the poll', () => {
		const poll = pollOf(known({ pending: new Map([['5018', { since: NOON, tries: 0 }]]) }));

		expect(poll.fail(busy)).toBe(busy);
		expect(poll.failure).toBe(busy);
		expect(poll.dueList()).toBeUndefined();
		expect(poll.dueRecords()).toEqual([]);
	});

	it('by a web page passes if the address has worked before', () => {
		const kinds = [pollOf(known()), pollOf()].map((poll) => poll.fail(page).kind);

		expect(kinds).toEqual(['unavailable', 'foreign']);
	});

	it('of another kind stays what it is', () => {
		expect(pollOf(known()).fail(missing)).toBe(missing);
	});

	it('for want of a token spares those that wait or were answered', () => {
		const waits = new AgencyPoll('a', termsWith(), known(), { isWaiting: true });
		const [answered, open] = [pollOf(known()), pollOf(known())];
		answer(answered);

		for (const poll of [waits, answered, open]) poll.failWithOthers(noToken);

		expect([waits, answered, open].map(({ failure }) => failure)).toEqual([
			undefined,
			undefined,
			noToken,
		]);
	});
});

it('an agency that waits is asked for nothing', () => {
	const poll = new AgencyPoll('a', termsWith(), known(), { isWaiting: true });

	expect([poll.isWaiting, poll.dueList(), poll.dueRecords()]).toEqual([true, undefined, []]);
	expect(pollOf(known()).isWaiting).toBe(false);
});

it('only an agency that begins is asked for while n8n has not stored the last poll', () => {
	const [knows, begins] = [pollOf(known()), pollOf()];

	for (const poll of [knows, begins]) poll.leaveToNextPoll();

	expect([knows, begins].map((poll) => poll.dueList()?.list)).toEqual([undefined, 'current']);
});
