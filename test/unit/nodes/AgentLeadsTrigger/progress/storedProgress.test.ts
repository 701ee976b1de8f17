import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';

import { DeliveredLeads } from '../../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import type { TargetProgress } from '../../../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import { takeIn } from '../../../../../nodes/AgentLeadsTrigger/progress/targetProgress';
import type { Progress } from '../../../../../nodes/AgentLeadsTrigger/progress/storedProgress';
import { UnreadableProgress } from '../../../../../nodes/common/storedValues';
import {
	readProgress,
	writeProgress,
} from '../../../../../nodes/AgentLeadsTrigger/progress/storedProgress';
import { DAY, HOUR, MINUTE, SECOND } from '../../../../lab/polling/leadsModel';
import fc from '../../../../lab/properties';

const NOON = Date.UTC(2026, 5, 30, 12);

const isoSeconds = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`;

function write(progress: Progress): IDataObject {
	const stored: IDataObject = {};
	writeProgress(stored, progress);
	return JSON.parse(JSON.stringify(stored)) as IDataObject;
}

function one(progress: Partial<TargetProgress>): Progress {
	const whole = {
		client: 'pJ7dYm3sQ0aK',
		watermark: NOON,
		start: NOON - DAY,
		seen: new Map(),
		...progress,
	};
	const delivered = new DeliveredLeads(new Map([['2026-06-30', 'k3Jd0a_2']]), NOON - DAY);
	return { polls: 17, targets: new Map([['applicant · branch 10234', whole]]), delivered };
}

describe('stored progress', () => {
	it('can be read by a person', () => {
		const progress = {
			watermark: NOON - 45 * SECOND,
			seenFrom: NOON - HOUR,
			seen: new Map([
				['3f1c', NOON - 30 * MINUTE],
				['b2', NOON - 29 * MINUTE],
				['a77e', NOON - 30 * MINUTE + 59_999],
			]),
		};

		expect(write(one(progress))).toEqual({
			version: 1,
			polls: 17,
			scopes: {
				'applicant · branch 10234': {
					client: 'pJ7dYm3sQ0aK',
					watermark: '2026-06-30T11:59:15Z',
					start: '2026-06-29T12:00:00Z',
					seenFrom: '2026-06-30T11:00:00Z',
					seen: { '2026-06-30T11:30Z': ['3f1c', 'a77e'], '2026-06-30T11:31Z': ['b2'] },
				},
			},
			delivered: {
				completeFrom: '2026-06-29T12:00:00Z',
				marks: { '2026-06-30': 'k3Jd0a_2' },
			},
		});
	});

	it('has the start and the gap of a target while there is one', () => {
		const missed = { from: NOON - DAY, to: NOON };

		const stored = write(one({ since: NOON, missed }));

		expect(stored.scopes).toMatchObject({
			'applicant · branch 10234': {
				since: '2026-06-30T12:00:00Z',
				missed: { from: '2026-06-29T12:00:00Z', to: '2026-06-30T12:00:00Z' },
			},
		});
		expect(readProgress(stored)).toEqual(one({ since: NOON, missed }));
	});

	it('is the start where nothing is stored', () => {
		const delivered = new DeliveredLeads();

		expect(readProgress({})).toEqual({ polls: 0, targets: new Map(), delivered });
	});

	it('keeps what else is stored beside it', () => {
		const stored: IDataObject = { other: 1 };

		writeProgress(stored, one({}));

		expect(stored).toMatchObject({ other: 1, version: 1 });
	});

	const second = fc.integer({ min: 0, max: 4_000_000_000 }).map((s) => s * SECOND);
	const targetProgress: fc.Arbitrary<TargetProgress> = fc
		.record(
			{
				client: fc.string(),
				watermark: second,
				start: second,
				since: second,
				seenFrom: second,
				missed: fc.record({ from: second, to: second }),
				seen: fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), second)),
			},
			{ requiredKeys: ['client', 'watermark', 'start', 'seen'] },
		)
		.map(({ seen, ...rest }) => ({ ...rest, seen: new Map(seen) }));
	const progress = fc
		.record({
			polls: fc.nat(),
			targets: fc.array(
				fc.tuple(fc.constantFrom('applicant', 'appraisal · brand __proto__'), targetProgress),
			),
			leads: fc.array(fc.record({ key: fc.string(), time: second })),
		})
		.map(({ polls, targets, leads }) => {
			const delivered = new DeliveredLeads();
			for (const { key, time } of leads) delivered.claim('applicant', key, time);
			return { polls, targets: new Map(targets), delivered };
		});

	it('is read as it was, with keys up to a minute later and never earlier', () => {
		fc.assert(
			fc.property(progress, (given) => {
				const read = readProgress(write(given));
				expect(read.polls).toBe(given.polls);
				expect([...read.targets.keys()]).toEqual([...given.targets.keys()]);
				expect(read.delivered.byDay()).toEqual(given.delivered.byDay());
				expect(read.delivered.completeFrom).toBe(given.delivered.completeFrom);
				for (const [name, { seen, ...rest }] of given.targets) {
					const { seen: seenAgain, ...restAgain } = read.targets.get(name) ?? { seen: new Map() };
					expect(restAgain).toEqual(rest);
					expect([...seenAgain.keys()].sort()).toEqual([...seen.keys()].sort());
					for (const [key, time] of seen) {
						const again = Number(seenAgain.get(key));
						expect(again - time).toBeGreaterThanOrEqual(0);
						expect(again - time).toBeLessThan(MINUTE);
					}
				}
			}),
		);
	});

	it('does not change by being read and written again', () => {
		fc.assert(
			fc.property(progress, (given) => {
				const stored = write(given);
				expect(write(readProgress(stored))).toEqual(stored);
			}),
		);
	});
});

describe('stored progress that is not ours to read', () => {
	it.each([2, 0, '1', null, {}])('is refused in version %j', (version) => {
		const stored = { version, polls: 1, scopes: {} } as IDataObject;

		expect(() => readProgress(stored)).toThrow(UnreadableProgress);
		expect(() => readProgress(stored)).toThrow(
			typeof version === 'number' ? `version ${version}` : `damaged at ${JSON.stringify(version)}`,
		);
	});

	const time = '2026-06-30T12:00:00Z';
	const sound = { client: 'c', watermark: time, start: time, seen: {} };
	const none = { marks: {} };
	it.each<[string, unknown]>([
		['no scopes', undefined],
		['a list of scopes', []],
		['scopes as text', 'applicant'],
		['a scope that is null', { applicant: null }],
		['no client', { applicant: { ...sound, client: undefined } }],
		['no start', { applicant: { ...sound, start: undefined } }],
		['no watermark', { applicant: { ...sound, watermark: undefined } }],
		['a watermark as a number', { applicant: { ...sound, watermark: NOON } }],
		['a watermark that is no time', { applicant: { ...sound, watermark: 'noon' } }],
		['no keys', { applicant: { ...sound, seen: undefined } }],
		['keys that are no list', { applicant: { ...sound, seen: { '2026-06-30T12:00Z': 'a' } } }],
		['a key that is no text', { applicant: { ...sound, seen: { '2026-06-30T12:00Z': [1] } } }],
		['keys at no time', { applicant: { ...sound, seen: { noon: ['a'] } } }],
		['a start that is no time', { applicant: { ...sound, since: null } }],
		['a seenFrom that is no time', { applicant: { ...sound, seenFrom: '' } }],
		['a gap without an end', { applicant: { ...sound, missed: { from: sound.watermark } } }],
		['a gap that is no span', { applicant: { ...sound, missed: 'yes' } }],
	])('is refused with %s', (_name, scopes) => {
		const stored = { version: 1, polls: 1, scopes, delivered: none } as IDataObject;

		expect(() => readProgress(stored)).toThrow(UnreadableProgress);
	});

	it.each<[string, unknown]>([
		['no count of polls', undefined],
		['a count that is no number', '17'],
	])('is refused with %s', (_name, polls) => {
		const scopes = { applicant: sound };
		const stored = { version: 1, polls, scopes, delivered: none } as IDataObject;

		expect(() => readProgress(stored)).toThrow(UnreadableProgress);
	});

	it.each<[string, unknown]>([
		['that are missing', undefined],
		['that are no object', 'k3Jd0a_2'],
		['without marks', {}],
		['with marks that are no text', { marks: { '2026-06-30': ['k3Jd0a_2'] } }],
		['with a mark that is cut short', { marks: { '2026-06-30': 'k3Jd0a_2k3' } }],
		['with a day that is none', { marks: { today: 'k3Jd0a_2' } }],
		['with a beginning that is no time', { completeFrom: 1, marks: {} }],
	])('is refused with delivered leads %s', (_name, delivered) => {
		const stored = { version: 1, polls: 1, scopes: {}, delivered } as IDataObject;

		expect(() => readProgress(stored)).toThrow(UnreadableProgress);
	});

	it('reads the same with nothing damaged', () => {
		const stored = { version: 1, polls: 1, scopes: { applicant: sound }, delivered: none };

		expect(readProgress(stored).targets.get('applicant')?.watermark).toBe(NOON);
	});
});

describe('the size of stored progress', () => {
	it('stays small with 10,000 leads a day', () => {
		const everyMs = DAY / 10_000;
		const leads = Array.from({ length: 10_000 }, (_, index) => ({
			id: randomUUID(),
			createdAt: isoSeconds(NOON + index * everyMs),
		}));
		let progress: TargetProgress = {
			client: 'pJ7dYm3sQ0aK',
			watermark: NOON,
			start: NOON,
			seen: new Map(),
		};
		const sizes: number[] = [];

		for (let to = NOON + 5 * MINUTE; to <= NOON + DAY; to += 5 * MINUTE) {
			const window = { from: Math.max(NOON, progress.watermark - HOUR), to };
			const [first, last] = [isoSeconds(window.from), isoSeconds(to)];
			const within = leads.filter(({ createdAt }) => createdAt >= first && createdAt <= last);
			({ progress } = takeIn(progress, window, within, HOUR));
			sizes.push(Buffer.byteLength(JSON.stringify(write(one(progress)))));
		}

		expect(sizes).toHaveLength(288);
		expect(Math.max(...sizes)).toBeLessThan(25_000);
		expect(Math.min(...sizes.slice(20))).toBeGreaterThan(10_000);
	});
});
