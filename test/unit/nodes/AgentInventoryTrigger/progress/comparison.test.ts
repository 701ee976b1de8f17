import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import type { AgencyProgress } from '../../../../../nodes/AgentInventoryTrigger/progress/agencyProgress';
import type { ComparisonTerms } from '../../../../../nodes/AgentInventoryTrigger/progress/comparison';
import { Comparison, latest } from '../../../../../nodes/AgentInventoryTrigger/progress/comparison';
import { ServiceClock } from '../../../../../service/basics/clock';
import { isoSeconds } from '../../../../../service/basics/times';
import { ServiceError } from '../../../../../service/failure';
import {
	agencyWith,
	knownAs,
	knownOf,
	listsAt,
	NOON,
	POLLED_AT,
	recordOf,
	termsWith,
	toldClock,
	YESTERDAY,
} from '../../../../lab/polling/inventory/agency';
import { useModelTime } from '../../../../lab/polling/modelTime';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

useModelTime();

beforeEach(() => {
	jest.setSystemTime(NOON);
});

/** What is held against what is known of property 5017. */
function compareWith(more: Partial<AgencyProgress> = {}, terms: Partial<ComparisonTerms> = {}) {
	const progress = agencyWith({ known: knownOf({ 5017: knownAs() }), ...more });
	const comparison = new Comparison(termsWith(terms), progress);
	const take = (record: IDataObject, listed?: number, askedAt = NOON) =>
		comparison.take('5017', listed, recordOf('5017', record), askedAt);
	return { progress, comparison, take, pending: () => progress.pending.get('5017') };
}

const modifiedAt = (epochMs: number) => ({ modifiedDate: isoSeconds(epochMs) });

/** A clock that the service has not told its time. */
const untoldClock = () => new ServiceClock();

/** A cheaper one, modified a minute before noon. */
const CHEAPER = { price: 300_000, ...modifiedAt(NOON - MINUTE) };

describe('a change of a property', () => {
	it('has what happened, the values before, both states, the record and its time', () => {
		const { take } = compareWith();

		const change = take(CHEAPER, NOON - MINUTE);

		expect(change).toEqual({
			id: '5017',
			events: ['priceChanged'],
			previous: { price: 325_000 },
			before: knownAs(),
			after: knownAs({ price: 300_000, modified: NOON - MINUTE, changes: 1 }),
			record: recordOf('5017', CHEAPER),
			time: NOON - MINUTE,
		});
	});

	it('is known from then on, and not a change again', () => {
		const { take, progress } = compareWith();

		const changes = [take(CHEAPER), take(CHEAPER)];

		expect(changes.map((change) => change?.events)).toEqual([['priceChanged'], undefined]);
		expect(progress.known.get('5017')).toMatchObject({ price: 300_000, changes: 1 });
	});

	it('counts on from the changes before it', () => {
		const { take } = compareWith({ known: knownOf({ 5017: knownAs({ changes: 6 }) }) });

		expect(take(CHEAPER)?.after.changes).toBe(7);
	});

	it('that nobody has chosen is not delivered, not counted, and known', () => {
		const { take, progress } = compareWith({}, { chosen: () => [] });

		const change = take(CHEAPER);

		expect(change).toBeUndefined();
		expect(progress.known.get('5017')).toMatchObject({ price: 300_000, changes: 0 });
	});

	it('is delivered for those of its events that are chosen for its new state', () => {
		const chosen: ComparisonTerms['chosen'] = (events, { status }) =>
			events.filter((event) => event === 'statusChanged' && status === 'Let');
		const { take } = compareWith({}, { chosen });

		const change = take({ ...CHEAPER, inventoryStatus: 'Let' });

		expect(change?.events).toEqual(['statusChanged']);
		expect(change?.previous).toEqual({ status: 'Available', price: 325_000 });
	});

	it('without a time has the time of the poll by the service’s clock', () => {
		const { take } = compareWith({}, { clock: toldClock(2 * MINUTE) });

		expect(take({ price: 300_000, modifiedDate: undefined })?.time).toBe(NOON + 2 * MINUTE);
	});

	it('has the time of its row if that is later, or if its record has none', () => {
		const times = [YESTERDAY, undefined].map((time) => {
			const own = { modifiedDate: time && isoSeconds(time) };
			return compareWith().take({ price: 1, ...own }, YESTERDAY + 400)?.time;
		});

		expect(times).toEqual([YESTERDAY + 400, YESTERDAY + 400]);
	});
});

describe('a property that was not known', () => {
	const unknown = () => ({ known: knownOf({}) });
	const created = (epochMs: number) => ({ createdDate: isoSeconds(epochMs) });
	const unread = {
		...listsAt(POLLED_AT),
		archived: { watermark: POLLED_AT, baseline: { begunAt: POLLED_AT } },
	};

	it.each<[string, IDataObject, string[] | undefined]>([
		['may have been created at the start', created(YESTERDAY), ['created']],
		['was created before the start', created(YESTERDAY - SECOND), undefined],
		['does not say when it was created', { createdDate: null }, ['created']],
	])('counts as new or not if it %s', (_name, record, expected) => {
		const { take } = compareWith({ ...unknown(), start: YESTERDAY + 999 });

		expect(take(record)?.events).toEqual(expected);
	});

	it('was created a day from now at most', () => {
		const { take } = compareWith({ ...unknown(), lists: unread });
		const other = compareWith({ ...unknown(), lists: unread });

		expect(take(created(NOON + DAY - SECOND))?.events).toEqual(['created']);
		expect(other.take(created(NOON + DAY))).toBeUndefined();
	});

	it('and waited while what was there was still being read is not new', () => {
		const { take, comparison, progress } = compareWith({ ...unknown(), lists: unread });
		comparison.pend('5017', NOON);
		progress.lists = listsAt(NOON);

		expect(take({ createdDate: null })).toBeUndefined();
		expect(progress.known.get('5017')).toEqual(knownAs());
	});

	it('and waited since then is new', () => {
		const { take, comparison, progress } = compareWith(unknown());
		comparison.pend('5017', NOON);
		progress.lists = unread;

		expect(take({ createdDate: null })?.events).toEqual(['created']);
	});

	it('and does not say when it was created is not new while what was there is still being read', () => {
		const { take, progress } = compareWith({ ...unknown(), lists: unread });

		expect(take({ createdDate: null })).toBeUndefined();
		expect(progress.known.get('5017')).toEqual(knownAs());
	});

	it('has nothing before it, and is the first of its changes', () => {
		const { take } = compareWith(unknown());

		const change = take(created(NOON - HOUR));

		expect(change).toMatchObject({ previous: {}, after: { changes: 1 } });
		expect(change?.before).toBeUndefined();
	});

	describe('and was modified since the start', () => {
		const modified = modifiedAt(YESTERDAY);

		it('counts as updated if the node looks back while it reads what was there', () => {
			const { take } = compareWith({ ...unknown(), lists: unread }, { startFrom: 'lookBack' });

			expect(take(modified)?.events).toEqual(['updated']);
		});

		it.each<[string, Partial<AgencyProgress>, Partial<ComparisonTerms>, IDataObject]>([
			['if the node starts from now', { lists: unread }, { startFrom: 'activation' }, modified],
			['once what was there was read', {}, { startFrom: 'lookBack' }, modified],
			[
				'if that was before the look-back',
				{ lists: unread },
				{ startFrom: 'lookBack' },
				modifiedAt(YESTERDAY - SECOND),
			],
			['if nobody says when', { lists: unread }, { startFrom: 'lookBack' }, { modifiedDate: null }],
		])('counts for nothing %s', (_name, more, terms, record) => {
			const { take } = compareWith({ ...unknown(), ...more }, terms);

			expect(take(record)).toBeUndefined();
		});
	});
});

describe('a record', () => {
	it('of another property is not taken, and asked for again', () => {
		const { take, progress, pending } = compareWith();

		const change = take({ ...CHEAPER, id: '5018' }, NOON - MINUTE);

		expect(change).toBeUndefined();
		expect(progress.known.get('5017')).toEqual(knownAs());
		expect(pending()).toEqual({ modified: NOON - MINUTE, since: NOON, tries: 1 });
	});

	it('whose ID differs in upper and lower case alone is taken', () => {
		const { comparison } = compareWith();

		const change = comparison.take('ab1', undefined, recordOf('AB1', { createdDate: null }), NOON);

		expect(change?.id).toBe('ab1');
	});

	it('that is as new as its row is not asked for again', () => {
		const pending = new Map([['5017', { since: POLLED_AT, tries: 2 }]]);
		const { take, progress } = compareWith({ pending });

		take(CHEAPER, NOON - MINUTE);

		expect(progress.pending.size).toBe(0);
	});

	it('that is older than its row counts with its own time, and is asked for again', () => {
		const { take, progress, pending } = compareWith();

		const change = take(CHEAPER, NOON - 30 * SECOND);

		expect(change?.events).toEqual(['priceChanged']);
		expect(progress.known.get('5017')?.modified).toBe(NOON - MINUTE);
		expect(pending()).toEqual({ modified: NOON - 30 * SECOND, since: NOON, tries: 1 });
	});

	it.each<[string, string, boolean]>([
		['a time in whole seconds, whose second the row’s is in', '2026-03-02T11:59:30Z', false],
		['a time in minutes, whose minute the row’s is in', '2026-03-02T11:59', false],
		['a fraction that is earlier', '2026-03-02T11:59:30.4Z', true],
		['a fraction that is the same', '2026-03-02T11:59:30.500Z', false],
		['the second before', '2026-03-02T11:59:29Z', true],
	])('with %s is older than its row, or is not', (_name, modifiedDate, expected) => {
		const { take, progress } = compareWith();

		take({ price: 300_000, modifiedDate }, NOON - 29_500);

		expect(progress.pending.has('5017')).toBe(expected);
	});

	it('that is older than what is known says nothing, and is asked for again', () => {
		const { take, progress, pending } = compareWith();

		const change = take({ price: 1, ...modifiedAt(YESTERDAY - SECOND) });

		expect(change).toBeUndefined();
		expect(progress.known.get('5017')).toEqual(knownAs());
		expect(pending()).toMatchObject({ tries: 1 });
	});

	it('with the very time that is known, to the fraction of a second, may have changed at that time', () => {
		const time = YESTERDAY + 400;
		const { take, progress } = compareWith({
			known: knownOf({ 5017: knownAs({ modified: time }) }),
		});

		const change = take({ price: 300_000, modifiedDate: new Date(time).toISOString() });

		expect(change?.events).toEqual(['priceChanged']);
		expect(progress.pending.size).toBe(0);
	});

	it('that was never modified is as old as the property', () => {
		const created = (epochMs: number) => ({ modifiedDate: null, createdDate: isoSeconds(epochMs) });
		const [before, since] = [YESTERDAY - SECOND, YESTERDAY].map((time) => {
			const { take, pending } = compareWith();
			return [take({ price: 1, ...created(time) })?.events, pending()?.tries];
		});

		expect(before).toEqual([undefined, 1]);
		expect(since).toEqual([['priceChanged'], undefined]);
	});

	it('that stays older than what is known for a long time is so', () => {
		const pending = new Map([['5017', { since: NOON - HOUR, tries: 9 }]]);
		const { take, progress } = compareWith({ pending });

		const change = take({ price: 1, ...modifiedAt(YESTERDAY - SECOND) });

		expect(change?.events).toEqual(['priceChanged']);
		expect(progress.pending.size).toBe(0);
		expect(progress.known.get('5017')?.modified).toBe(YESTERDAY - SECOND);
	});
});

describe('a property whose record cannot be had', () => {
	const pendingFor = (ms: number, tries: number) =>
		new Map([['5017', { since: NOON - ms, tries, modified: NOON - MINUTE }]]);
	const busy = new ServiceError('busy', 'The service is busy');
	const missing = new ServiceError('missing', 'There is none');

	it('is left at that after ten polls and an hour', () => {
		const { comparison, pending } = compareWith({ pending: pendingFor(HOUR, 9) });

		expect(comparison.miss('5017', undefined, missing)).toBe(true);
		expect(pending()).toBeUndefined();
	});

	it.each<[string, number, number, ServiceError | undefined]>([
		['nine polls', 9 * HOUR, 8, undefined],
		['less than an hour', HOUR - 1, 20, missing],
		['any time, if the service is busy', 9 * HOUR, 20, busy],
	])('is asked for again after %s', (_name, ms, tries, told) => {
		const { comparison, pending } = compareWith({ pending: pendingFor(ms, tries) });

		expect(comparison.miss('5017', undefined, told)).toBe(false);
		expect(pending()).toEqual({ since: NOON - ms, tries: tries + 1, modified: NOON - MINUTE });
	});

	it('waits since it was asked for first, by the service’s clock', () => {
		const { comparison, pending } = compareWith({}, { clock: toldClock(3 * MINUTE) });

		comparison.miss('5017', undefined);

		expect(pending()).toEqual({ since: NOON + 3 * MINUTE, tries: 1, modified: undefined });
	});
});

it('a property to read later waits with the latest time of its rows, and without a try', () => {
	const { comparison, pending } = compareWith();
	comparison.pend('5017', NOON - MINUTE);
	jest.setSystemTime(NOON + HOUR);

	comparison.pend('5017', NOON - HOUR);

	expect(pending()).toEqual({ since: NOON, tries: 0, modified: NOON - MINUTE });
});

describe('a property that was read in vain', () => {
	const tried = { since: NOON - HOUR, tries: 4 };

	it.each<[string, number | undefined, number | undefined, number]>([
		['since', NOON - MINUTE, NOON, 0],
		['since, and had no time before', undefined, NOON, 0],
		['then', NOON, NOON, 4],
		['before', NOON, NOON - MINUTE, 4],
		['at no time', NOON, undefined, 4],
		['at no time, as before', undefined, undefined, 4],
	])('is tried as one that was modified %s', (_name, modified, listed, tries) => {
		const { comparison, pending } = compareWith({
			pending: new Map([['5017', { ...tried, modified }]]),
		});

		comparison.pend('5017', listed);

		expect(pending()).toMatchObject({ since: NOON - HOUR, tries });
	});
});

describe('a record is of no use', () => {
	const fresh = knownOf({ 5017: knownAs({ isFresh: true }) });
	const timeless = knownOf({ 5017: knownAs({ modified: undefined }) });

	it.each<[string, Partial<AgencyProgress>, number | undefined, boolean]>([
		['if the property was not modified since', {}, YESTERDAY, true],
		['if its row has an earlier time', {}, YESTERDAY - 1, true],
		['unless it was modified since', {}, YESTERDAY + 1, false],
		['unless its row has no time', {}, undefined, false],
		['unless it may have been modified once more at that time', { known: fresh }, YESTERDAY, false],
		['unless its time is not known', { known: timeless }, YESTERDAY, false],
		['unless nothing is known of it', { known: knownOf({}) }, YESTERDAY, false],
	])('%s', (_name, more, time, expected) => {
		expect(compareWith(more).comparison.isKnownAt('5017', time)).toBe(expected);
	});
});

describe('a property that was modified shortly before it was read', () => {
	it.each<[string, number, () => ServiceClock, boolean]>([
		['15 seconds before', NOON - 15 * SECOND, toldClock, true],
		['more than 15 seconds before', NOON - 16 * SECOND, toldClock, false],
		['ten minutes before that, with a clock in doubt', NOON - 615 * SECOND, untoldClock, true],
		['longer before, with a clock in doubt', NOON - 616 * SECOND, untoldClock, false],
	])('may be modified once more at that time, or not: %s', (_name, time, clock, expected) => {
		const { take } = compareWith({}, { clock: clock() });

		expect(take({ price: 1, ...modifiedAt(time) })?.after.isFresh).toBe(expected);
	});

	it('is told by when it was asked for, and not by when the answer came', () => {
		const { take } = compareWith();
		jest.setSystemTime(NOON + HOUR);

		expect(take(CHEAPER, undefined, NOON - 50 * SECOND)?.after.isFresh).toBe(true);
	});

	it('may be modified at any time if it does not say when', () => {
		expect(compareWith().take({ price: 1, modifiedDate: undefined })?.after.isFresh).toBe(true);
	});
});

describe('a change that counts only once its run has ended', () => {
	const holds = { holds: true };

	it('is not known before', () => {
		const { take, progress } = compareWith({}, holds);

		const change = take(CHEAPER);

		expect(change?.after).toMatchObject({ price: 300_000, changes: 1 });
		expect(progress.known.get('5017')).toEqual(knownAs());
	});

	it('is known at once if there is nothing to deliver', () => {
		const { take, progress } = compareWith({}, holds);

		take(modifiedAt(NOON - MINUTE));

		expect(progress.known.get('5017')?.modified).toBe(NOON - MINUTE);
	});

	describe('and whose run was begun by a process that was killed', () => {
		const promised = knownAs({ price: 300_000, modified: NOON - HOUR, changes: 1 });
		const begun = () => new Map([['5017', promised]]);

		it('is the same change if the property is still so', () => {
			const { take, progress } = compareWith({ begun: begun() }, holds);

			const change = take(CHEAPER);

			expect(change?.after).toMatchObject({ price: 300_000, changes: 1 });
			expect(change?.promised).toBeUndefined();
			expect(progress.begun.get('5017')).toEqual(promised);
		});

		it('comes with what that run was begun for, if the property is another one by now', () => {
			const { take, progress } = compareWith({ begun: begun() }, holds);

			const change = take({ ...CHEAPER, price: 290_000 });

			expect(change).toMatchObject({ previous: { price: 325_000 }, promised });
			expect(progress.begun.get('5017')).toEqual(promised);
		});

		it('counts as delivered if the property is again as it was, and that is a change of its own', () => {
			const { take, progress } = compareWith({ begun: begun() }, holds);

			const change = take(modifiedAt(NOON - MINUTE));

			expect(change).toMatchObject({
				events: ['priceChanged'],
				previous: { price: 300_000 },
				before: promised,
				after: { price: 325_000, changes: 2 },
			});
			expect(progress.begun.size).toBe(0);
		});

		it('is no longer begun once the property is known', () => {
			const { take, progress } = compareWith({ begun: begun() }, { holds: false });

			take(CHEAPER);

			expect(progress.begun.size).toBe(0);
		});
	});
});

it.each<[number | undefined, number | undefined, number | undefined]>([
	[1, 2, 2],
	[2, 1, 2],
	[1, undefined, 1],
	[undefined, 2, 2],
	[0, undefined, 0],
	[undefined, undefined, undefined],
])('the latest of the times %s and %s is %s', (one, other, expected) => {
	expect(latest(one, other)).toBe(expected);
});
