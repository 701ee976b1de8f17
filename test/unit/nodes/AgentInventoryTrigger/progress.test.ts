import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import type { KnownProperty } from '../../../../nodes/AgentInventoryTrigger/known';
import { readKnown, writeKnown } from '../../../../nodes/AgentInventoryTrigger/known';
import type { AgencyProgress, Pass } from '../../../../nodes/AgentInventoryTrigger/progress';
import { INVENTORY_FORMAT, LISTS } from '../../../../nodes/AgentInventoryTrigger/progress';
import { changeKeyOf, ChangeTracker } from '../../../../nodes/AgentInventoryTrigger/tracker';
import { UnreadableProgress } from '../../../../nodes/common/storedValues';
import fc from '../../../lab/properties';

const NOON = Date.UTC(2026, 5, 30, 12);
const TIME = '2026-06-30T12:00:00Z';
const ENTRY = '325000,Available,,Xb3_a0,1782820800,2';

const KNOWN: KnownProperty = {
	...{ price: 325_000, status: 'Available', archived: false, rest: 'Xb3_a0' },
	...{ modified: NOON, changes: 2 },
};

/** As n8n stores it. */
function written(agency: AgencyProgress, runs = {}): IDataObject {
	const stored: IDataObject = {};
	INVENTORY_FORMAT.write(stored, {
		polls: 17,
		agencies: new Map([['pJ7dYm3sQ0aK', agency]]),
		runs,
	});
	return JSON.parse(JSON.stringify(stored)) as IDataObject;
}

describe('stored progress', () => {
	it('reaches no further than a change whose run has not ended', () => {
		const agency: AgencyProgress = {
			...{ scope: '', begunAt: NOON, start: NOON, watermark: NOON + 120_000 },
			...{ known: new Map([['5017', KNOWN]]), started: new Map() },
		};
		const known = { polls: 1, agencies: new Map([['a', agency]]) };
		const tracker = new ChangeTracker(known, { runAgain: 0, mostWaiting: 9, now: () => NOON });
		tracker.add({
			...{ agency: 'a', agencyRef: 'AG1001', begunAt: NOON, id: '5017', time: NOON + 60_000 },
			...{ events: ['priceChanged'], previous: { price: 325_000 }, record: {} },
			...{ from: KNOWN, after: { ...KNOWN, price: 300_000, changes: 3 } },
		});

		const stored = tracker.progress.agencies.get('a');

		expect(stored?.watermark).toBeLessThanOrEqual(NOON + 60_000);
		expect(stored?.known.get('5017')).toEqual(KNOWN);
		// Once the workflow is published again, the change is dropped, and the next poll finds it.
		tracker.restart();
		expect(tracker.agencies.get('a')?.watermark).toBe(NOON + 60_000);
	});

	it('can be read by a person, as docs/architecture.md has it', () => {
		const agency: AgencyProgress = {
			...{ scope: 'X1d8Jm3sQ0aK', begunAt: NOON, start: NOON, watermark: NOON },
			pass: { list: 'archived', next: '250', begunAt: TIME, from: TIME, isUnread: true },
			known: new Map([['5017', KNOWN]]),
			started: new Map([['5017', KNOWN]]),
		};
		const runs = { 'pJ7dYm3sQ0aK 5017': { key: 2, failed: 1 } };

		expect(written(agency, runs)).toEqual({
			...{ version: 1, polls: 17 },
			agencies: {
				pJ7dYm3sQ0aK: {
					...{ scope: 'X1d8Jm3sQ0aK', begunAt: TIME, start: TIME, watermark: TIME },
					pass: { list: 'archived', next: '250', begunAt: TIME, from: TIME, isUnread: true },
					known: `5017,${ENTRY}`,
					started: `5017,${ENTRY}`,
				},
			},
			runs,
		});
	});

	it.each<[string, Partial<KnownProperty>, string]>([
		['no price', { price: null }, 'null,Available,,Xb3_a0,1782820800,2'],
		[
			'a price in words',
			{ price: 'POA, £' },
			'%22POA%2C%20%C2%A3%22,Available,,Xb3_a0,1782820800,2',
		],
		['an archived one', { archived: true }, '325000,Available,archived,Xb3_a0,1782820800,2'],
		['a moment less', { modified: NOON - 1 }, '325000,Available,,Xb3_a0,1782820799.999,2'],
		['no time', { modified: undefined }, '325000,Available,,Xb3_a0,,2'],
	])('has a property with %s in its own way', (_name, more, expected) => {
		expect(writeKnown(new Map([['a,b', { ...KNOWN, ...more }]]))).toBe(`a%2Cb,${expected}`);
	});

	const second = fc.integer({ min: 0, max: 4_000_000_000 }).map((s) => s * 1_000);
	const id = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('__proto__', '7', 'a,b;c%'));
	const property: fc.Arbitrary<KnownProperty> = fc.record({
		price: fc.oneof(
			fc.constantFrom(null, 0, -3, 1e21, '=', '@'),
			fc.string({ unit: 'grapheme' }),
			fc.double({ noDefaultInfinity: true, noNaN: true }).filter((price) => !Object.is(price, -0)),
		),
		status: fc.oneof(fc.constantFrom('Available', '', '@'), fc.string({ unit: 'grapheme' })),
		archived: fc.boolean(),
		rest: fc.constant('Xb3_a0'),
		modified: fc.oneof(fc.constant(undefined), fc.integer({ min: 0, max: 4_000_000_000_000 })),
		changes: fc.nat(),
	});
	const pass: fc.Arbitrary<Pass> = fc.record(
		{
			...{ list: fc.constantFrom(...LISTS), next: fc.string() },
			...{ begunAt: fc.constant(TIME), from: fc.constant(TIME), isUnread: fc.constant(true) },
		},
		{ requiredKeys: ['list'] },
	);
	const properties = fc.array(fc.tuple(id, property), { maxLength: 5 }).map((all) => new Map(all));
	const agency: fc.Arbitrary<AgencyProgress> = fc.record(
		{
			...{ scope: fc.string(), begunAt: second, start: second, watermark: second },
			...{ pass, known: properties, started: properties },
		},
		{ requiredKeys: ['scope', 'begunAt', 'start', 'known', 'started'] },
	);

	it('is read as it was written, whatever the values and IDs', () => {
		fc.assert(
			fc.property(agency, (given) => {
				const { agencies } = INVENTORY_FORMAT.read(written(given));

				expect(agencies).toEqual(new Map([['pJ7dYm3sQ0aK', given]]));
			}),
		);
	});

	const known = `5017,${ENTRY}`;
	const sound = { scope: 's', begunAt: TIME, start: TIME, watermark: TIME, known, started: '' };

	it.each<[string, IDataObject]>([
		['of another version', { version: 2 }],
		['of no version', { version: 'one' }],
		['without a count of polls', { polls: '17' }],
		['without agencies', { agencies: undefined }],
		['with an agency that is no object', { agencies: { a: [] } }],
		...['scope', 'begunAt', 'start', 'watermark', 'known', 'pass', 'started'].map(
			(field): [string, IDataObject] => [
				`with a wrong ${field}`,
				{ agencies: { a: { ...sound, [field]: 7 } } },
			],
		),
		['with a pass of another list', { agencies: { a: { ...sound, pass: { list: 'other' } } } }],
		['with runs as text', { runs: 'a' }],
	])('%s is refused', (_name, changes) => {
		const stored = { version: 1, polls: 1, agencies: { a: sound } };
		expect(INVENTORY_FORMAT.read(stored).agencies.get('a')?.start).toBe(NOON);

		expect(() => INVENTORY_FORMAT.read({ ...stored, ...changes })).toThrow(UnreadableProgress);
	});

	it.each([
		'5017',
		`5017,${ENTRY},3`,
		'5017,1,Let,,Xb3_a0,noon,2',
		'5017,POA,Let,,Xb3_a0,,2',
		'5017,1,%E0,,x,,2',
	])('with the known property %s is refused', (text) => {
		expect(() => readKnown(text)).toThrow(UnreadableProgress);
	});
});

describe('the key of a change’s run', () => {
	const keyOf = (changes: number, attempt = 1, id = '5017', nodeId = 'n1') =>
		changeKeyOf(
			'w'.repeat(16),
			nodeId,
			{ agency: 'pJ7dYm3sQ0aK', begunAt: NOON, id, after: { ...KNOWN, changes } },
			attempt,
		);

	it('is another one for each change of a property, each run of it and each trigger, and never too long', () => {
		const long = 'x'.repeat(300);
		const keys = [
			...[keyOf(1), keyOf(2), keyOf(1, 2), keyOf(1, 1, '5018'), keyOf(1, 1, '5017', 'n2')],
			...[keyOf(1, 1, `${long}1`), keyOf(999, 16, `${long}2`, 'n'.repeat(36))],
		];

		expect(new Set(keys).size).toBe(keys.length);
		expect(keys.every(({ length }) => length <= 255)).toBe(true);
	});
});
