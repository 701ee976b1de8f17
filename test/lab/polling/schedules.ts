import fc from 'fast-check';

import type { StartFrom } from '../../../nodes/AgentLeadsTrigger/settings';
import { STARTS } from '../../../nodes/AgentLeadsTrigger/settings';
import { targetOf } from './hostedTrigger';
import type { Arrival, Manner, Mishap, Trouble } from './leadsModel';
import { A_LEAD, DAY, HOUR, MINUTE, NO_TROUBLE, SECOND } from './leadsModel';

type Step =
	| { do: 'pass'; ms: number }
	| { do: 'arrive'; lead: Arrival }
	| { do: 'poll'; trouble: Trouble }
	| { do: 'restart'; isActivated: boolean; trouble: Trouble }
	| { do: 'configure'; targets?: number; lookBackMs?: number; trouble: Trouble }
	| { do: 'skew'; ms: number };

/** What happens to a trigger and around it, step by step. */
export interface Schedule {
	startFrom: StartFrom;
	targets: number;
	lookBackMs: number;
	hasDate: boolean;
	manner?: Manner;
	skew: number;
	random: number;
	steps: Step[];
}

export const CONFIGURATIONS = [
	[targetOf('applicant')],
	[targetOf('applicant'), targetOf('appraisal')],
	[targetOf('applicant', '101')],
	[targetOf('applicant', '101'), targetOf('applicant', '102')],
	[targetOf('applicant', '102'), targetOf('appraisal', '101'), targetOf('appraisal', '102')],
];

/** Without a Date header nothing holds where the clocks are further apart than this. */
const SHORTEST_LOOK_BACK = 5 * MINUTE;

const lookBack = fc.constantFrom(SHORTEST_LOOK_BACK, HOUR, 3 * HOUR, DAY);
const configuration = fc.nat(CONFIGURATIONS.length - 1);

const trouble: fc.Arbitrary<Trouble> = fc.oneof(
	{ weight: 4, arbitrary: fc.constant(NO_TROUBLE) },
	{
		weight: 3,
		arbitrary: fc.record({
			mishaps: fc.array(
				fc.record(
					{
						request: fc.nat(6),
						mishap: fc.constantFrom<Mishap[]>(500, 429, 429, 400, 'lost', 'crash'),
						retryAfter: fc.constantFrom(1, 60, 600, 3_600, 1_800_000_000),
					},
					{ requiredKeys: ['request', 'mishap'] },
				),
				{ maxLength: 3 },
			),
			beforeMs: fc.nat(900),
			afterMs: fc.nat(900),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			mishaps: fc.constant([]),
			beforeMs: fc.integer({ min: 1_000, max: 12_000 }),
			afterMs: fc.integer({ min: 1_000, max: 12_000 }),
		}),
	},
);

const span = fc.oneof(
	{ weight: 5, arbitrary: fc.nat(3 * MINUTE) },
	{ weight: 5, arbitrary: fc.nat(2 * HOUR) },
	{ weight: 1, arbitrary: fc.nat(2 * DAY) },
	{ weight: 1, arbitrary: fc.nat(40 * DAY) },
);

const lag = fc.oneof(
	fc.constantFrom(0, MINUTE, SHORTEST_LOOK_BACK, HOUR, 3 * HOUR),
	fc.nat(90 * SECOND),
	fc.nat(3 * HOUR),
);

const lead: fc.Arbitrary<Arrival> = fc.record({
	leadType: fc.constantFrom('applicant', 'applicant', 'appraisal'),
	branches: fc.constantFrom(['101'], ['102'], ['101', '102']),
	form: fc.constantFrom('seconds', 'seconds', 'minutes', 'minutes', 'unset', 'future'),
	identity: fc.constantFrom('text', 'number', 'long', 'none'),
	lagMs: lag,
	inMs: fc.oneof(fc.constant(0), fc.nat(MINUTE)),
	isCut: fc.boolean(),
	count: fc.constantFrom(1, 1, 3),
});

function stepWith(skew: fc.Arbitrary<number>): fc.Arbitrary<Step> {
	return fc.oneof(
		{ weight: 6, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: span }) },
		{ weight: 8, arbitrary: fc.record({ do: fc.constant('arrive' as const), lead }) },
		{ weight: 10, arbitrary: fc.record({ do: fc.constant('poll' as const), trouble }) },
		{
			weight: 2,
			arbitrary: fc.record({
				do: fc.constant('restart' as const),
				isActivated: fc.boolean(),
				trouble,
			}),
		},
		{
			weight: 2,
			arbitrary: fc.record(
				{
					do: fc.constant('configure' as const),
					targets: configuration,
					lookBackMs: lookBack,
					trouble,
				},
				{ requiredKeys: ['do', 'trouble'] },
			),
		},
		{ weight: 1, arbitrary: fc.record({ do: fc.constant('skew' as const), ms: skew }) },
	);
}

function scheduleWith(hasDate: boolean, furthestSkew: number): fc.Arbitrary<Schedule> {
	const skew = fc.oneof(
		fc.constant(0),
		fc.integer({ min: -furthestSkew, max: furthestSkew }),
		fc.constantFrom(-furthestSkew, furthestSkew),
	);
	return fc.record({
		startFrom: fc.constantFrom<StartFrom[]>(...STARTS),
		targets: configuration,
		lookBackMs: lookBack,
		hasDate: fc.constant(hasDate),
		manner: fc.constantFrom<Manner[]>('tame', 'tame', 'arrival', 'ignoring', 'straying'),
		skew,
		random: fc.nat(),
		steps: fc.array(stepWith(skew), { minLength: 4, maxLength: 60, size: 'max' }),
	});
}

export const anySchedule = fc.oneof(
	{ weight: 3, arbitrary: scheduleWith(true, 3 * HOUR) },
	{ weight: 1, arbitrary: scheduleWith(true, 20 * DAY) },
	{ weight: 1, arbitrary: scheduleWith(false, SHORTEST_LOOK_BACK / 2 - MINUTE) },
);

const arrive = (more: Partial<Arrival> = {}): Step => ({
	do: 'arrive',
	lead: { ...A_LEAD, ...more },
});
const poll = (more: Partial<Trouble> = {}): Step => ({
	do: 'poll',
	trouble: { ...NO_TROUBLE, ...more },
});
const pass = (ms: number): Step => ({ do: 'pass', ms });
const restart: Step = { do: 'restart', isActivated: true, trouble: NO_TROUBLE };

const PLAIN = {
	startFrom: 'activation',
	targets: 0,
	lookBackMs: SHORTEST_LOOK_BACK,
	hasDate: true,
	skew: 0,
	random: 0,
} as const;

/** Schedules that are rare to meet by chance. */
export const KNOWN_SCHEDULES: Record<string, Schedule> = {
	'a process that starts with a clock that is behind': {
		...PLAIN,
		steps: [
			...[poll(), pass(MINUTE), arrive(), poll(), pass(20 * MINUTE), arrive(), poll()],
			...[{ do: 'skew', ms: -3 * HOUR } as const, restart, poll(), poll()],
		],
	},
	'a clock that goes back by seconds, without a Date, before a late lead': {
		...PLAIN,
		lookBackMs: 3 * HOUR,
		hasDate: false,
		skew: -90 * SECOND,
		steps: [
			...[poll(), { do: 'skew', ms: 0 } as const, poll()],
			...[
				{ do: 'skew', ms: -5_251 } as const,
				poll(),
				arrive({ lagMs: 20 * MINUTE, inMs: SECOND }),
			],
		],
	},
	'a clock that is put so far ahead that the service seems to have dropped a second': {
		...PLAIN,
		startFrom: 'last30Days',
		steps: [poll(), arrive(), pass(10 * DAY + SECOND), { do: 'skew', ms: 20 * DAY }, poll()],
	},
	'a start by a clock that is hours ahead, and a first request that is lost': {
		...PLAIN,
		skew: 3 * HOUR,
		steps: [
			arrive({ inMs: 1, isCut: false }),
			{ do: 'configure', trouble: NO_TROUBLE },
			{ do: 'restart', isActivated: false, trouble: NO_TROUBLE },
			{
				do: 'restart',
				isActivated: false,
				trouble: { ...NO_TROUBLE, mishaps: [{ request: 0, mishap: 'lost' }] },
			},
			arrive(),
		],
	},
	'a lead just before publishing, a clock that is behind, and a service that ignores the window': {
		...PLAIN,
		hasDate: false,
		manner: 'ignoring',
		steps: [
			{ do: 'skew', ms: -90 * SECOND },
			// To 9 ms before a whole second.
			pass(64_348_741),
			arrive({ inMs: 9, isCut: false }),
			{ do: 'configure', targets: 2, trouble: { ...NO_TROUBLE, afterMs: 5 } },
			{ do: 'configure', targets: 0, trouble: NO_TROUBLE },
			poll(),
		],
	},
	'a clock that is put days ahead before a backlog of a month is caught up with': {
		...PLAIN,
		startFrom: 'last30Days',
		steps: [
			...[arrive(), poll({ beforeMs: SECOND, afterMs: SECOND })],
			...[{ do: 'skew', ms: 7 * DAY } as const, pass(23 * DAY + MINUTE), poll()],
		],
	},
	'a clock that goes back to the second of a lead': {
		...PLAIN,
		startFrom: 'last30Days',
		skew: 3 * HOUR,
		steps: [arrive({ lagMs: 3 * HOUR }), poll(), { do: 'skew', ms: 0 }, poll(), poll()],
	},
	'an activation with a clock that is ahead': {
		...PLAIN,
		skew: 3 * HOUR,
		steps: [poll(), pass(MINUTE), arrive()],
	},
	'an activation that fails with other filters': {
		...PLAIN,
		startFrom: 'last24Hours',
		steps: [
			...[arrive(), poll()],
			{
				do: 'configure',
				targets: 2,
				trouble: { ...NO_TROUBLE, mishaps: [{ request: 0, mishap: 'crash' }] },
			},
			{ do: 'configure', targets: 0, trouble: NO_TROUBLE },
		],
	},
	'a workflow that is published twice before anything is stored': {
		...PLAIN,
		steps: [
			...[arrive(), poll(), poll(), pass(61 * SECOND)],
			...[{ do: 'configure', trouble: NO_TROUBLE } as const, poll()],
		],
	},
	'a lead as late as may be, during a slow poll': {
		...PLAIN,
		steps: [
			...[
				poll(),
				pass(5 * MINUTE),
				arrive({ lagMs: SHORTEST_LOOK_BACK, inMs: 12 * SECOND, isCut: false }),
			],
			...[poll({ beforeMs: 2_200, afterMs: 2_900 }), poll()],
		],
	},
};
