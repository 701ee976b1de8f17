import { describe, expect, it } from '@jest/globals';

import type { ListProgress } from '../../../../../nodes/AgentInventoryTrigger/progress/agencyProgress';
import {
	agencyMark,
	beginProgress,
	copyOf,
	hasBaseline,
	leaveBegun,
	rescope,
	scopeOf,
	timeAskedFor,
} from '../../../../../nodes/AgentInventoryTrigger/progress/agencyProgress';
import {
	agencyWith,
	knownAs,
	knownOf,
	listsAt,
	NOON,
	POLLED_AT,
	YESTERDAY,
} from '../../../../lab/polling/inventory/agency';

const MINUTE = 60_000;

it.each([
	['current', 'modified'],
	['archived', 'modified'],
	['created', 'created'],
] as const)('the list “%s” is asked for what was %s since', (list, time) => {
	expect(timeAskedFor(list)).toBe(time);
});

describe('what is stored in place of an AgencyRef', () => {
	it('is the same in upper and lower case', () => {
		expect(agencyMark('EXA-1234')).toBe(agencyMark('exa-1234'));
	});

	it('is short, and another one for another agency', () => {
		const marks = ['EXA-1234', 'EXA-1235', ''].map(agencyMark);

		expect(new Set(marks).size).toBe(3);
		for (const mark of marks) expect(mark).toMatch(/^[\w-]{12}$/);
	});
});

describe('what tells filters apart', () => {
	it('stays the same in later versions, or all lists would be read once more', () => {
		expect(scopeOf({ recordType: 'Sale', branchId: ['10234'] })).toBe('h47emrFKx2iI');
	});

	it('does not go by their order', () => {
		expect(scopeOf({ a: 1, b: 2, c: 3 })).toBe(scopeOf({ c: 3, a: 1, b: 2 }));
	});

	it('goes by their names and values', () => {
		const scopes = [{}, { a: 1 }, { b: 1 }, { a: 2 }, { a: 1, b: 1 }].map(scopeOf);

		expect(new Set(scopes).size).toBe(5);
	});
});

describe('an agency that begins', () => {
	it('has both lists to read from its start on, and once whole', () => {
		const list = { watermark: YESTERDAY, baseline: { begunAt: NOON } };

		const { known, ...begun } = beginProgress('all', YESTERDAY, NOON);

		expect(begun).toEqual({
			scope: 'all',
			begunAt: NOON,
			start: YESTERDAY,
			lists: { current: list, archived: list, created: { watermark: YESTERDAY } },
			pending: new Map(),
			begun: new Map(),
		});
		expect(known.size).toBe(0);
	});

	it('has a progress of its own for each list', () => {
		const { lists } = beginProgress('all', YESTERDAY, NOON);

		delete lists.current.baseline;

		expect(lists.archived.baseline).toEqual({ begunAt: NOON });
	});
});

describe('other filters', () => {
	it('have both lists read once whole, and what was created since the last poll is new', () => {
		const known = knownOf({ 5017: knownAs() });
		const progress = agencyWith({
			known,
			lists: { ...listsAt(POLLED_AT), archived: { watermark: POLLED_AT - MINUTE } },
		});

		rescope(progress, 'sales', NOON);

		expect(progress).toMatchObject({
			scope: 'sales',
			start: POLLED_AT - MINUTE,
			begunAt: YESTERDAY,
			lists: {
				current: { watermark: POLLED_AT, baseline: { begunAt: NOON } },
				archived: { watermark: POLLED_AT - MINUTE, baseline: { begunAt: NOON } },
				created: { watermark: POLLED_AT },
			},
		});
		expect(progress.known.get('5017')).toEqual(knownAs());
	});
});

describe('a copy of progress', () => {
	it('has all that the progress has', () => {
		const progress = agencyWith({
			lists: {
				current: { watermark: POLLED_AT, baseline: { begunAt: NOON } },
				archived: { watermark: YESTERDAY, changes: { begunAt: NOON } },
				created: { watermark: POLLED_AT, changes: { begunAt: YESTERDAY } },
			},
			known: knownOf({ 5017: knownAs() }),
			pending: new Map([['5018', { since: NOON, tries: 1 }]]),
			begun: new Map([['5019', knownAs()]]),
		});

		const { known, ...copy } = copyOf(progress);

		expect(copy).toEqual({ ...progress, known: undefined });
		expect(known.toString()).toBe(progress.known.toString());
	});

	it('does not change with it', () => {
		const progress = agencyWith({ known: knownOf({ 5017: knownAs() }) });
		const copy = copyOf(progress);

		progress.lists.current.watermark = NOON;
		progress.lists.archived.baseline = { begunAt: NOON };
		progress.lists.created.watermark = NOON;
		progress.known.set('5017', knownAs({ price: 1 }));
		progress.pending.set('5018', { since: NOON, tries: 0 });
		progress.begun.set('5019', knownAs());

		expect(copy.lists).toEqual(agencyWith().lists);
		expect(copy.known.get('5017')).toEqual(knownAs());
		expect([copy.pending.size, copy.begun.size]).toEqual([0, 0]);
	});
});

describe('what each property was at the start', () => {
	const list: ListProgress = { watermark: POLLED_AT };
	const unread: ListProgress = { ...list, baseline: { begunAt: NOON } };

	it.each([
		['known once both lists were read', { current: list, archived: list }, true],
		['not known before the current list was', { current: unread, archived: list }, false],
		['not known before the archived list was', { current: list, archived: unread }, false],
	])('is %s', (_name, lists, expected) => {
		expect(hasBaseline(agencyWith({ lists: { ...lists, created: list } }))).toBe(expected);
	});
});

it('a change whose run was begun counts as delivered once n8n starts no run for it any more', () => {
	const progress = agencyWith({
		known: knownOf({ 5017: knownAs(), 5018: knownAs() }),
		begun: new Map([['5017', knownAs({ price: 300_000, changes: 1 })]]),
	});

	leaveBegun(progress);

	expect(progress.known.get('5017')).toEqual(knownAs({ price: 300_000, changes: 1 }));
	expect(progress.known.get('5018')).toEqual(knownAs());
	expect(progress.begun.size).toBe(0);
});
