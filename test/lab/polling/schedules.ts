import fc from 'fast-check';

import type { Settings, StartFrom } from '../../../nodes/AgentLeadsTrigger/settings';
import { STARTS } from '../../../nodes/AgentLeadsTrigger/settings';
import type { Arrival, Manner, Mishap, Trouble } from './leadsModel';
import { A_LEAD, DAY, HOUR, MINUTE, NO_TROUBLE, SECOND, targetOf } from './leadsModel';
import type { Fault, RunPlan } from './modelHost';

export type Step =
	| { do: 'pass'; ms: number }
	| { do: 'arrive'; lead: Arrival }
	/** The workflow is polled, and first published if it is not. */
	| { do: 'poll'; trouble: Trouble }
	| { do: 'publish'; trouble: Trouble }
	| { do: 'configure'; targets?: number; lookBackMs?: number; trouble: Trouble }
	/** With -9. */
	| { do: 'kill' }
	/** n8n ends by itself, and waits for its runs. */
	| { do: 'stop' }
	| { do: 'skew'; ms: number }
	| { do: 'fault'; fault: Fault }
	/** A person stops the oldest run, or the queue workers are killed. */
	| { do: 'endRuns'; ends: 'stopped' | 'crashed' };

/** What happens to a trigger and around it, step by step. */
export interface Schedule {
	runs: Settings['runs'];
	runAgain: number;
	startFrom: StartFrom;
	targets: number;
	lookBackMs: number;
	hasDate: boolean;
	manner: Manner;
	skew: number;
	random: number;
	slots: number;
	insertMs: number;
	plan: RunPlan[];
	steps: Step[];
}

/** Each goes on where an earlier one has begun: a target that is left out begins anew, or goes on, as the process remembers. */
export const CONFIGURATIONS = [
	[targetOf('applicant')],
	[targetOf('applicant'), targetOf('appraisal')],
	[targetOf('applicant', '101'), targetOf('applicant', '102')],
	[targetOf('applicant', '101'), targetOf('applicant', '102'), targetOf('appraisal', '101')],
];

/** Without a Date header nothing holds where the clocks are further apart than this. */
const SHORTEST_LOOK_BACK = 5 * MINUTE;

const lookBack = fc.constantFrom(SHORTEST_LOOK_BACK, HOUR, 3 * HOUR, DAY);

const mishap = fc.record(
	{
		request: fc.nat(6),
		mishap: fc.constantFrom<Mishap[]>(500, 429, 429, 400, 'lost', 'crash'),
		retryAfter: fc.constantFrom(1, 60, 600, 3_600, 1_800_000_000),
	},
	{ requiredKeys: ['request', 'mishap'] },
);
const wire = fc.oneof(
	{ weight: 3, arbitrary: fc.nat(900) },
	{ weight: 1, arbitrary: fc.nat(12_000) },
);
const trouble: fc.Arbitrary<Trouble> = fc.oneof(
	fc.constant(NO_TROUBLE),
	fc.record({ mishaps: fc.array(mishap, { maxLength: 3 }), beforeMs: wire, afterMs: wire }),
);

const anyLead: fc.Arbitrary<Arrival> = fc.record({
	leadType: fc.constantFrom('applicant', 'applicant', 'appraisal'),
	branches: fc.constantFrom(['101'], ['102'], ['101', '102']),
	form: fc.constantFrom('seconds', 'seconds', 'minutes', 'minutes', 'unset', 'future'),
	identity: fc.constantFrom('text', 'number', 'long', 'none'),
	lagMs: fc.oneof(
		fc.constantFrom(0, MINUTE, SHORTEST_LOOK_BACK, HOUR, 3 * HOUR),
		fc.nat(90 * SECOND),
		fc.nat(3 * HOUR),
	),
	inMs: fc.oneof(fc.constant(0), fc.nat(MINUTE)),
	isCut: fc.boolean(),
	count: fc.constantFrom(1, 1, 3),
});

const plainLead: fc.Arbitrary<Arrival> = fc.record({
	...mapped(A_LEAD),
	count: fc.constantFrom(1, 1, 2, 7),
	lagMs: fc.constantFrom(0, 0, MINUTE, 4 * MINUTE),
});

function mapped<T extends object>(values: T): { [K in keyof T]: fc.Arbitrary<T[K]> } {
	const entries = Object.entries(values).map(([name, value]) => [name, fc.constant(value)]);
	return Object.fromEntries(entries) as { [K in keyof T]: fc.Arbitrary<T[K]> };
}

const plan: fc.Arbitrary<RunPlan> = fc.record({
	ms: fc.oneof(fc.nat(2 * SECOND), fc.nat(40 * SECOND), fc.nat(4 * MINUTE)),
	ends: fc.constantFrom(
		'success',
		'success',
		'success',
		'error',
		'error',
		'waiting',
		'stopped',
		'timeout',
	),
});

type Weighted = [weight: number, step: fc.Arbitrary<Step>];

const is = <const K extends Step['do']>(what: K) => fc.constant(what);

function stepsOf(spans: number[], lead: fc.Arbitrary<Arrival>, others: Weighted[]) {
	const usual: Weighted[] = [
		[7, fc.record({ do: is('pass'), ms: fc.oneof(...spans.map((span) => fc.nat(span))) })],
		[7, fc.record({ do: is('arrive'), lead })],
		[11, fc.record({ do: is('poll'), trouble })],
		[2, fc.record({ do: is('publish'), trouble })],
		[2, fc.record({ do: is('kill') })],
		[1, fc.record({ do: is('stop') })],
	];
	const step = fc.oneof(
		...[...usual, ...others].map(([weight, arbitrary]) => ({ weight, arbitrary })),
	);
	return fc.array(step, { minLength: 4, maxLength: 60, size: 'max' });
}

/** One per Poll, with clocks and services of any kind. */
function pollsWith(hasDate: boolean, furthestSkew: number): fc.Arbitrary<Schedule> {
	const skew = fc.oneof(
		fc.constantFrom(0, -furthestSkew, furthestSkew),
		fc.integer({ min: -furthestSkew, max: furthestSkew }),
	);
	const spans = [3 * MINUTE, 3 * MINUTE, 2 * HOUR, 2 * HOUR, 2 * HOUR, 2 * DAY, 40 * DAY];
	const configure = fc.record(
		{
			do: is('configure'),
			targets: fc.nat(CONFIGURATIONS.length - 1),
			lookBackMs: lookBack,
			trouble,
		},
		{ requiredKeys: ['do', 'trouble'] },
	);
	return fc.record({
		...mapped({ ...PLAIN, hasDate }),
		startFrom: fc.constantFrom<StartFrom[]>(...STARTS),
		targets: fc.nat(CONFIGURATIONS.length - 1),
		lookBackMs: lookBack,
		manner: fc.constantFrom<Manner[]>('tame', 'tame', 'arrival', 'ignoring'),
		skew,
		random: fc.nat(),
		steps: stepsOf(spans, anyLead, [
			[2, configure],
			[1, fc.record({ do: is('skew'), ms: skew })],
		]),
	});
}

const PLAIN: Omit<Schedule, 'steps'> = {
	...{ runs: 'onePerPoll', runAgain: 0, startFrom: 'activation', targets: 0 },
	...{ lookBackMs: SHORTEST_LOOK_BACK, hasDate: true, manner: 'tame', skew: 0, random: 0 },
	...{ slots: 100, insertMs: 0, plan: [] },
};

export const anyPolls: fc.Arbitrary<Schedule> = fc.oneof(
	{ weight: 3, arbitrary: pollsWith(true, 3 * HOUR) },
	{ weight: 1, arbitrary: pollsWith(true, 20 * DAY) },
	{ weight: 1, arbitrary: pollsWith(false, SHORTEST_LOOK_BACK / 2 - MINUTE) },
);

/** One per Lead, with runs that end in any way. */
export const anyRuns: fc.Arbitrary<Schedule> = fc.record({
	...mapped({
		...PLAIN,
		runs: 'onePerLead' as const,
		startFrom: 'last30Days' as const,
	}),
	lookBackMs: fc.constantFrom(SHORTEST_LOOK_BACK, HOUR),
	runAgain: fc.constantFrom(0, 0, 1, 2, 5),
	slots: fc.constantFrom(100, 100, 2),
	insertMs: fc.constantFrom(0, 10, 3 * SECOND),
	plan: fc.array(plan, { minLength: 1, maxLength: 8 }),
	random: fc.nat(),
	steps: stepsOf([5 * SECOND, 90 * SECOND, 20 * MINUTE, 2 * HOUR], plainLead, [
		[
			3,
			fc.record({
				do: is('fault'),
				fault: fc.constantFrom<Fault[]>('before', 'after', 'barred', 'barred', 'commit'),
			}),
		],
		[2, fc.record({ do: is('endRuns'), ends: fc.constantFrom('stopped', 'crashed') })],
	]),
});

const arrive = (more: Partial<Arrival> = {}): Step => ({
	do: 'arrive',
	lead: { ...A_LEAD, ...more },
});
const poll = (more: Partial<Trouble> = {}): Step => ({
	do: 'poll',
	trouble: { ...NO_TROUBLE, ...more },
});
const pass = (ms: number): Step => ({ do: 'pass', ms });
const skew = (ms: number): Step => ({ do: 'skew', ms });
const publish: Step = { do: 'publish', trouble: NO_TROUBLE };
const kill: Step = { do: 'kill' };

/** Schedules that are rare to meet by chance. */
export const KNOWN_SCHEDULES: Record<string, Schedule> = {
	'a process that starts with a clock that is behind': {
		...PLAIN,
		steps: [
			...[poll(), pass(MINUTE), arrive(), poll(), pass(20 * MINUTE), arrive(), poll()],
			...[skew(-3 * HOUR), kill, poll(), poll(), poll()],
		],
	},
	'a start by a clock that is hours ahead, and a first request that is lost': {
		...PLAIN,
		skew: 3 * HOUR,
		steps: [
			...[arrive({ inMs: 1, isCut: false }), publish, kill, publish, kill],
			...[poll({ mishaps: [{ request: 0, mishap: 'lost' }] }), arrive()],
		],
	},
	'a clock that is put days ahead before a backlog of a month is caught up with': {
		...PLAIN,
		startFrom: 'last30Days',
		steps: [
			...[arrive(), poll({ beforeMs: SECOND, afterMs: SECOND })],
			...[skew(7 * DAY), pass(23 * DAY + MINUTE), poll()],
		],
	},
	'an activation with a clock that is ahead': {
		...PLAIN,
		skew: 3 * HOUR,
		steps: [poll(), pass(MINUTE), arrive()],
	},
	'a workflow that is published twice before anything is stored': {
		...PLAIN,
		steps: [arrive(), poll(), poll(), pass(61 * SECOND), publish, poll()],
	},
	'a lead as late as may be, during a slow poll': {
		...PLAIN,
		steps: [
			...[poll(), pass(5 * MINUTE)],
			arrive({ lagMs: SHORTEST_LOOK_BACK, inMs: 12 * SECOND, isCut: false }),
			...[poll({ beforeMs: 2_200, afterMs: 2_900 }), poll()],
		],
	},
};
