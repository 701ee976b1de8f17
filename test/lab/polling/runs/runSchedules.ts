import fc from 'fast-check';

import { MINUTE, SECOND } from '../leadsModel';
import type { RunPlan, RunsHost } from './database';
import type { Fault } from './process';

export type RunStep =
	| { do: 'pass'; ms: number }
	| { do: 'arrive'; count: number; lagMs: number }
	/** The workflow is polled, and first published if it is not. */
	| { do: 'poll'; process: number; isLost: boolean }
	| { do: 'publish'; process: number }
	/** With -9. */
	| { do: 'kill'; process: number }
	/** n8n ends by itself, and waits for its runs. */
	| { do: 'stop'; process: number }
	| { do: 'settings'; runAgain: number }
	| { do: 'fault'; fault: Fault }
	/** A person stops the oldest run. */
	| { do: 'stopRun' }
	/** The queue workers are killed. */
	| { do: 'loseWorkers' };

/** What happens to One per Lead and around it, step by step. */
export interface RunSchedule {
	runAgain: number;
	processes: number;
	triggers: number;
	slots: number;
	insertMs: number;
	plan: RunPlan[];
	random: number;
	steps: RunStep[];
}

export const RUN_HOSTS: Array<{ name: string; host: Omit<RunsHost, 'slots'> }> = [
	{ name: 'stores with a run', host: { isDurable: false, isQueue: false } },
	{ name: 'has durable cursors', host: { isDurable: true, isQueue: false } },
	{ name: 'has queue workers', host: { isDurable: false, isQueue: true } },
];

const plan = fc.record({
	ms: fc.oneof(fc.nat(2 * SECOND), fc.nat(40 * SECOND), fc.nat(4 * MINUTE)),
	ends: fc.constantFrom<Array<RunPlan['ends']>>(
		...([
			'success',
			'success',
			'success',
			'error',
			'error',
			'waiting',
			'stopped',
			'timeout',
		] as const),
	),
});

const process = fc.nat(1);
const runAgain = fc.constantFrom(0, 0, 1, 2, 5);

function does<K extends RunStep['do']>(what: K): { do: fc.Arbitrary<K> } {
	return { do: fc.constant(what) };
}

const step: fc.Arbitrary<RunStep> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			...does('pass'),
			ms: fc.oneof(fc.nat(5 * SECOND), fc.nat(90 * SECOND), fc.nat(20 * MINUTE)),
		}),
	},
	{
		weight: 6,
		arbitrary: fc.record({
			...does('arrive'),
			count: fc.constantFrom(1, 1, 2, 7),
			lagMs: fc.constantFrom(0, 0, MINUTE, 30 * MINUTE),
		}),
	},
	{
		weight: 12,
		arbitrary: fc.record({
			...does('poll'),
			process,
			isLost: fc.constantFrom(false, false, false, false, true),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ ...does('publish'), process }) },
	{ weight: 3, arbitrary: fc.record({ ...does('kill'), process }) },
	{ weight: 1, arbitrary: fc.record({ ...does('stop'), process }) },
	{
		weight: 3,
		arbitrary: fc.record({
			...does('fault'),
			fault: fc.constantFrom<Fault[]>('before', 'after', 'barred', 'barred', 'commit'),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ ...does('stopRun') }) },
	{ weight: 1, arbitrary: fc.record({ ...does('loseWorkers') }) },
);

const change: fc.Arbitrary<RunStep> = fc.record({ ...does('settings'), runAgain });

function scheduleOf(steps: fc.Arbitrary<RunStep>, processes: number): fc.Arbitrary<RunSchedule> {
	return fc.record({
		runAgain,
		processes: fc.constant(processes),
		triggers: fc.constantFrom(1, 1, 2),
		slots: processes > 1 ? fc.constant(100) : fc.constantFrom(100, 100, 2),
		insertMs: fc.constantFrom(0, 10, 3 * SECOND),
		plan: fc.array(plan, { minLength: 1, maxLength: 8 }),
		random: fc.nat(),
		steps: fc.array(steps, { minLength: 4, maxLength: 40, size: 'max' }),
	});
}

export const anyRunSchedule = fc.oneof(
	{ weight: 4, arbitrary: scheduleOf(step, 1) },
	{
		weight: 1,
		arbitrary: scheduleOf(
			fc.oneof({ weight: 12, arbitrary: step }, { weight: 1, arbitrary: change }),
			1,
		),
	},
	{ weight: 1, arbitrary: scheduleOf(step, 2) },
);
