import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import type {
	AgencyProgress,
	ListProgress,
	Pending,
} from '../../../../../nodes/AgentInventoryTrigger/progress/agencyProgress';
import type { KnownProperty } from '../../../../../nodes/AgentInventoryTrigger/progress/knownProperties';
import { KnownProperties } from '../../../../../nodes/AgentInventoryTrigger/progress/knownProperties';
import type { ListPass } from '../../../../../nodes/AgentInventoryTrigger/progress/listPass';
import type { Progress } from '../../../../../nodes/AgentInventoryTrigger/progress/storedProgress';
import {
	readInventoryProgress,
	writeInventoryProgress,
} from '../../../../../nodes/AgentInventoryTrigger/progress/storedProgress';
import { UnreadableProgress } from '../../../../../nodes/common/storedValues';
import fc from '../../../../lab/properties';

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const NOON = Date.UTC(2026, 5, 30, 12);
const AGENCY = 'pJ7dYm3sQ0aK';

const KNOWN: KnownProperty = {
	price: 325_000,
	status: 'Available',
	archived: false,
	rest: 'Xb3_a0',
	modified: NOON,
	isFresh: false,
	changes: 2,
};

function write(progress: Progress): IDataObject {
	const stored: IDataObject = {};
	writeInventoryProgress(stored, progress);
	return JSON.parse(JSON.stringify(stored)) as IDataObject;
}

function one(changes: Partial<AgencyProgress> = {}): Progress {
	const known = new KnownProperties('');
	known.set('5017', KNOWN);
	const progress: AgencyProgress = {
		scope: 'X1d8Jm3sQ0aK',
		begunAt: NOON - DAY + 60 * SECOND,
		start: NOON - DAY,
		lists: {
			current: { watermark: NOON - 45 * SECOND },
			archived: { watermark: NOON - 44 * SECOND },
			created: { watermark: NOON - 43 * SECOND },
		},
		known,
		pending: new Map(),
		begun: new Map(),
		...changes,
	};
	return { polls: 17, agencies: new Map([[AGENCY, progress]]) };
}

/** What is known is compared as it is written. */
function plain({ agencies, ...rest }: Progress) {
	const each = [...agencies].map(([key, { known, ...agency }]) => [
		key,
		{ ...agency, known: known.toString() },
	]);
	return { ...rest, agencies: each };
}

describe('stored progress', () => {
	it('can be read by a person', () => {
		expect(write(one())).toEqual({
			version: 1,
			polls: 17,
			agencies: {
				[AGENCY]: {
					scope: 'X1d8Jm3sQ0aK',
					begunAt: '2026-06-29T12:01:00Z',
					start: '2026-06-29T12:00:00Z',
					lists: {
						current: { watermark: '2026-06-30T11:59:15Z' },
						archived: { watermark: '2026-06-30T11:59:16Z' },
						created: { watermark: '2026-06-30T11:59:17Z' },
					},
					known: expect.stringMatching(/^5017,6yrs,c,Xb3_a0,\w{6},2$/),
				},
			},
		});
	});

	it('has passes, properties that wait and runs as long as there are some', () => {
		const changes: ListPass = { begunAt: NOON, position: NOON - DAY, stepMs: 8 * SECOND };
		const lists = {
			current: { watermark: NOON, changes: { ...changes, crowdedTo: NOON } },
			archived: { watermark: NOON, baseline: { begunAt: NOON, by: 'modified' as const } },
			created: { watermark: NOON, changes },
		};
		const waiting = { modified: NOON, since: NOON + SECOND, tries: 3 };
		const pending = new Map<string, Pending>([
			['5018', waiting],
			['5019', { ...waiting, isEarly: true }],
		]);
		const begun = new Map([['5017', KNOWN]]);
		const runs = { [`${AGENCY} 2 5017`]: { key: 2, failed: 1 } };
		const given = { ...one({ lists, pending, begun }), runs };

		const stored = write(given);

		expect(stored).toMatchObject({
			agencies: {
				[AGENCY]: {
					lists: {
						current: {
							changes: {
								begunAt: '2026-06-30T12:00:00Z',
								position: '2026-06-29T12:00:00Z',
								stepMs: 8_000,
								crowdedTo: '2026-06-30T12:00:00Z',
							},
						},
						archived: { baseline: { begunAt: '2026-06-30T12:00:00Z', by: 'modified' } },
					},
					pending: {
						'5018': expect.stringMatching(/^\w{6},\w{6},3$/),
						'5019': expect.stringMatching(/^\w{6},\w{6},3,b$/),
					},
					begun: { '5017': expect.stringMatching(/^6yrs,c,Xb3_a0,\w{6},2$/) },
				},
			},
			runs,
		});
		const { runs: runsAgain, ...again } = readInventoryProgress(stored);
		expect(plain(again)).toEqual(plain(one({ lists, pending, begun })));
		expect(runsAgain).toEqual(runs);
	});

	it('is the start where nothing is stored', () => {
		expect(readInventoryProgress({})).toEqual({ polls: 0, agencies: new Map() });
	});

	it('keeps what else is stored beside it, and forgets runs that are over', () => {
		const stored: IDataObject = { other: 1 };
		writeInventoryProgress(stored, { ...one(), runs: { a: { key: 1, failed: 0 } } });

		writeInventoryProgress(stored, one());

		expect(stored).toMatchObject({ other: 1, version: 1 });
		expect(stored).not.toHaveProperty('runs');
	});

	const second = fc.integer({ min: 0, max: 4_000_000_000 }).map((s) => s * SECOND);
	const ms = fc.integer({ min: 0, max: 4_000_000_000_000 });
	const id = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('__proto__', '7', 'a,b;c%'));
	const pass: fc.Arbitrary<ListPass> = fc.record(
		{
			...{ begunAt: second, position: second, stepMs: fc.nat(), crowdedTo: second },
			by: fc.constant('modified'),
		},
		{ requiredKeys: ['begunAt'] },
	);
	const list: fc.Arbitrary<ListProgress> = fc.record(
		{ watermark: second, changes: pass, baseline: pass },
		{ requiredKeys: ['watermark'] },
	);
	const pending: fc.Arbitrary<Pending> = fc.record(
		{
			modified: fc.oneof(fc.constant(undefined), ms),
			since: ms,
			tries: fc.nat(),
			isEarly: fc.constant(true),
		},
		{ requiredKeys: ['modified', 'since', 'tries'] },
	);
	const property: fc.Arbitrary<KnownProperty> = fc.record({
		price: fc.constantFrom(null, 0, 12.5, -3, 1e21, '', 'POA, from £1;'),
		status: fc.constantFrom('Available', '', 'Let, by; us'),
		archived: fc.boolean(),
		rest: fc.constant('Xb3_a0'),
		modified: fc.oneof(fc.constant(undefined), ms),
		isFresh: fc.boolean(),
		changes: fc.nat(),
	});
	const mapOf = <T>(value: fc.Arbitrary<T>) =>
		fc.array(fc.tuple(id, value), { maxLength: 5 }).map((entries) => new Map(entries));
	const agency: fc.Arbitrary<AgencyProgress> = fc
		.record({
			scope: fc.string(),
			begunAt: second,
			start: second,
			lists: fc.record({ current: list, archived: list, created: list }),
			known: mapOf(property),
			pending: mapOf(pending),
			begun: mapOf(property),
		})
		.map(({ known: given, ...rest }) => {
			const known = new KnownProperties('');
			for (const [key, each] of given) known.set(key, each);
			return { ...rest, known };
		});
	const progress: fc.Arbitrary<Progress> = fc.record({
		polls: fc.nat(),
		agencies: fc
			.array(fc.tuple(fc.constantFrom('pJ7dYm3sQ0aK', '__proto__'), agency))
			.map((entries) => new Map(entries)),
	});

	it('is read as it was, whatever the IDs', () => {
		fc.assert(
			fc.property(progress, (given) => {
				expect(plain(readInventoryProgress(write(given)))).toEqual(plain(given));
			}),
		);
	});

	it('does not change by being read and written again', () => {
		fc.assert(
			fc.property(progress, (given) => {
				const stored = write(given);
				expect(write(readInventoryProgress(stored))).toEqual(stored);
			}),
		);
	});

	it('loses no more than the fraction of a second of a time', () => {
		const lists = {
			current: { watermark: NOON + 999 },
			archived: { watermark: NOON, baseline: { begunAt: NOON + 1 } },
			created: { watermark: NOON },
		};

		const [read] = readInventoryProgress(write(one({ lists }))).agencies.values();

		expect(read?.lists.current.watermark).toBe(NOON);
		expect(read?.lists.archived.baseline).toEqual({ begunAt: NOON });
	});
});

describe('stored progress that is not ours to read', () => {
	it.each([2, 0, '1', null, {}])('is refused in version %j', (version) => {
		const stored = { version, polls: 1, agencies: {} } as IDataObject;

		expect(() => readInventoryProgress(stored)).toThrow(UnreadableProgress);
		expect(() => readInventoryProgress(stored)).toThrow(
			typeof version === 'number' ? `version ${version}` : `damaged at ${JSON.stringify(version)}`,
		);
	});

	const TIME = '2026-06-30T12:00:00Z';
	const list = { watermark: TIME };
	const sound = {
		...{ scope: 's', begunAt: TIME, start: TIME, known: '' },
		lists: { current: list, archived: list, created: list },
	};
	const listed = (current: unknown) => ({ ...sound, lists: { ...sound.lists, current } });

	it('reads the same with nothing damaged', () => {
		const stored = { version: 1, polls: 1, agencies: { a: sound } };

		expect(readInventoryProgress(stored).agencies.get('a')?.start).toBe(NOON);
	});

	it.each<[string, unknown]>([
		['null', null],
		['a list', []],
		['text', 'pJ7dYm3sQ0aK'],
		['no scope', { ...sound, scope: undefined }],
		['no time of its first poll', { ...sound, begunAt: undefined }],
		['a start as a number', { ...sound, start: NOON }],
		['a start that is no time', { ...sound, start: 'noon' }],
		['no lists', { ...sound, lists: undefined }],
		['one list', { ...sound, lists: { current: list } }],
		['a list without a watermark', listed({})],
		['a watermark that is no time', listed({ watermark: '' })],
		['a pass that is no object', listed({ ...list, changes: true })],
		['a pass without a beginning', listed({ ...list, baseline: {} })],
		['a position that is no time', listed({ ...list, changes: { begunAt: TIME, position: 5 } })],
		['a step that is no number', listed({ ...list, changes: { begunAt: TIME, stepMs: '5' } })],
		['an end that is no time', listed({ ...list, changes: { begunAt: TIME, crowdedTo: 'noon' } })],
		['a pass by other times', listed({ ...list, baseline: { begunAt: TIME, by: 'listed' } })],
		['nothing that is known', { ...sound, known: undefined }],
		['known properties that are no text', { ...sound, known: {} }],
		['properties to read that are a list', { ...sound, pending: ['5018'] }],
		['a property to read that is no text', { ...sound, pending: { 5018: 1 } }],
		['a property to read since never', { ...sound, pending: { 5018: '3cd9f0,,1' } }],
		['a property to read without tries', { ...sound, pending: { 5018: '3cd9f0,3cd9f0' } }],
		['a property to read after half a try', { ...sound, pending: { 5018: ',3cd9f0,0.5' } }],
		['a property to read with more to it', { ...sound, pending: { 5018: ',3cd9f0,1,x' } }],
		['a property to read at no time', { ...sound, pending: { 5018: '?,3cd9f0,1' } }],
		['a begun change that is cut short', { ...sound, begun: { 5018: '6yrs,c' } }],
	])('is refused with an agency that is or has %s', (_name, agency) => {
		const stored = { version: 1, polls: 1, agencies: { a: agency } } as IDataObject;

		expect(() => readInventoryProgress(stored)).toThrow(UnreadableProgress);
	});

	it.each<[string, IDataObject]>([
		['no count of polls', { polls: undefined }],
		['a count that is no number', { polls: '17' }],
		['no agencies', { agencies: undefined }],
		['agencies as text', { agencies: 'a' }],
		['runs as text', { runs: 'a' }],
		['runs of nothing', { runs: {} }],
		['runs that are not counted', { runs: { a: { key: '2', failed: 0 } } }],
	])('is refused with %s', (_name, changes) => {
		const stored = { version: 1, polls: 1, agencies: { a: sound }, ...changes };

		expect(() => readInventoryProgress(stored)).toThrow(UnreadableProgress);
	});

	it.each([
		'5017,6yrs,c,Xb3_a0',
		'5017,6yrs,c,Xb3_a0,37vao0,2,3',
		'5017,6yrs,c,Xb3_a0,37vao0,x!',
		'5017,6YRS,c,Xb3_a0,37vao0',
		'5017,~many,c,Xb3_a0,37vao0',
		"5017,'%E0,c,Xb3_a0,37vao0",
		'5017,6yrs,1,Xb3_a0,37vao0',
		'5017,6yrs,c,Xb3_a0,!!37vao0',
		';5017,6yrs,c,Xb3_a0,37vao0',
	])('is refused with the known property %s, once somebody asks for it', (known) => {
		const stored = { version: 1, polls: 1, agencies: { a: { ...sound, known } } };
		const agency = readInventoryProgress(stored).agencies.get('a');

		expect(() => agency?.known.get('5017')).toThrow(UnreadableProgress);
	});
});
