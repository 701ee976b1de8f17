import fc from 'fast-check';
import attempt from 'lodash/attempt';
import type { IDataObject } from 'n8n-workflow';

import type { FaultRule } from '../sandbox/faults';
import { seedOf } from '../seeds';
import { MINUTE } from '../times';
import type { Bench } from './bench';
import type { RunResult, StoredRun } from './executions';
import type { HostOptions, TriggerHost } from './triggerHost';
import { alignClocks, setSkew, settled } from './virtualTime';
import { passTime } from './wild';

/** What goes wrong with what n8n is asked to store next. */
type StoreFault = 'isLocked' | 'isUntold' | 'isBarred';

/** What happens to a trigger and around it; a poll of a workflow that is not published publishes it. */
export type Step<Event> =
	| { do: 'happen'; event: Event }
	/** Some time passes, and n8n polls; some things happen meanwhile. */
	| { do: 'poll'; ms: number; faults: FaultRule[]; meanwhile: Event[]; store?: StoreFault }
	| { do: 'publish'; faults: FaultRule[] }
	/** With -9, after so many turns of a poll, or between two of them. */
	| { do: 'kill'; turns?: number }
	/** With -9, when progress that says that runs are started is stored, and no run is: no other kill follows. */
	| { do: 'loseStarts' }
	/** n8n ends by itself. */
	| { do: 'stop' }
	| { do: 'skew'; ms: number }
	| { do: 'endRuns'; result: RunResult };

const fault: fc.Arbitrary<FaultRule> = fc
	.record({
		what: fc.oneof(
			fc.constantFrom(500, 503, 400, 429).map((status) => ({ kind: 'status' as const, status })),
			fc.constantFrom(1, 60, 600, 3_600).map((retryAfter) => ({
				...{ kind: 'status' as const, status: 429, retryAfter },
			})),
			fc.constantFrom('reset' as const, 'truncate' as const).map((kind) => ({ kind })),
		),
		after: fc.nat(4),
		times: fc.integer({ min: 1, max: 4 }),
	})
	.map(({ what, ...when }): FaultRule => ({ ...what, ...when, path: /-leads$|inventory-api/ }));

const faults = fc.oneof(
	{ weight: 3, arbitrary: fc.constant<FaultRule[]>([]) },
	{ weight: 1, arbitrary: fc.array(fault, { minLength: 1, maxLength: 2 }) },
);

const is = <const K extends string>(what: K) => fc.constant(what);

/** What differs by the trigger. */
interface World {
	/** How long may pass before a poll, in milliseconds. */
	pauses: number[];
	furthestSkew: number;
	storeFaults: StoreFault[];
}

/** Any steps in which such things happen. */
export function stepsOf<Event>(
	event: fc.Arbitrary<Event>,
	{ pauses, furthestSkew, storeFaults }: World,
): fc.Arbitrary<Array<Step<Event>>> {
	const skew = fc.constantFrom(0, furthestSkew, -furthestSkew);
	const pause = fc.oneof(fc.constantFrom(...pauses), fc.constantFrom(...pauses).chain(fc.nat));
	const poll = fc.record(
		{
			...{ do: is('poll'), ms: pause, faults },
			meanwhile: fc.array(event, { maxLength: 2 }),
			store: fc.constantFrom(...storeFaults),
		},
		{ requiredKeys: ['do', 'ms', 'faults', 'meanwhile'] },
	);
	const step: fc.Arbitrary<Step<Event>> = fc.oneof(
		{ weight: 8, arbitrary: fc.record({ do: is('happen'), event }) },
		{ weight: 10, arbitrary: poll },
		{ weight: 2, arbitrary: fc.record({ do: is('publish'), faults }) },
		{
			weight: 2,
			arbitrary: fc.record({ do: is('kill'), turns: fc.nat(80) }, { requiredKeys: ['do'] }),
		},
		{
			weight: 1,
			arbitrary: fc.constantFrom({ do: 'stop' as const }, { do: 'loseStarts' as const }),
		},
		{ weight: 1, arbitrary: fc.record({ do: is('skew'), ms: skew }) },
		{
			weight: 2,
			arbitrary: fc.record({
				do: is('endRuns'),
				result: fc.constantFrom<RunResult[]>('success', 'error', 'stopped'),
			}),
		},
	);
	return fc.array(step, { minLength: 4, maxLength: 30, size: 'max' });
}

/** How long until a run that failed is repeated at the latest, or the service may be asked again. */
const LONGEST_PAUSE = 65 * MINUTE;

/**
 * The life of a trigger in n8n's engine, against the sandbox and in virtual time, with a ledger of what is promised that
 * never looks at the trigger's own progress.
 */
export abstract class History<Event> {
	protected host: TriggerHost;

	/** What runs were to begin with that were lost with their process, after it had stored that they begin. */
	protected readonly lost: IDataObject[] = [];

	/** How often a process ended in any way. */
	protected ends = 0;

	protected kills = 0;

	protected readonly reported: Error[] = [];

	private isPublished = false;

	private broken?: Error;

	/** When n8n was asked last for runs that it could not store or begin (epoch ms). */
	protected storeFaultAt = -Infinity;

	/** How many runs have begun. */
	private begun = 0;

	protected constructor(
		protected readonly bench: Bench,
		private readonly create: (options: HostOptions) => TriggerHost,
		options: HostOptions,
		results: Array<RunResult | undefined>,
	) {
		this.host = create({ startsTriggers: true, ...options });
		const { executions } = this.host;
		executions.resultOf = () => results[this.begun++ % results.length];
		executions.now = () => this.now;
		// Nobody waits for a run: what it breaks is thrown by the step in which it begins.
		executions.begin = (_, run) => {
			const broken = attempt(() => this.started(run));
			if (broken instanceof Error) this.broken ??= broken;
		};
	}

	/** @throws if the trigger broke a promise */
	async play(steps: Array<Step<Event>>): Promise<void> {
		for (const step of steps) {
			await this.take(step);
			this.throwBroken();
		}
		await this.settle();
		this.throwBroken();
		this.close();
	}

	/** Something changes in the agency. */
	protected abstract happen(event: Event): void;

	/** The trigger hands over items in one run. */
	protected abstract delivered(items: IDataObject[]): void;

	/** The trigger starts a run of its own for an item. */
	protected started(run: StoredRun): void {
		this.delivered([run.json]);
	}

	/** @throws if something promised was not delivered */
	protected abstract close(): void;

	/** A poll begins. @returns what is called when it has ended */
	protected polling?(isActivation: boolean): (isOver: boolean) => void;

	/** The host's clock is set. */
	protected skewed?(ms: number): void;

	/** The process ended or begins anew: what n8n has not stored is lost. */
	protected forget?(): void;

	protected get now(): number {
		return this.bench.sandbox.now();
	}

	private async take(step: Step<Event>): Promise<void> {
		switch (step.do) {
			case 'happen':
				return this.happen(step.event);
			case 'poll':
				passTime(this.bench, step.ms);
				return await this.poll(step.faults, step.meanwhile, step.store);
			case 'publish':
				return await this.publish(step.faults);
			case 'kill':
				return await this.kill(step.turns);
			case 'loseStarts':
				return await this.loseStarts();
			case 'stop':
				return await this.stop();
			case 'skew':
				setSkew(step.ms);
				return this.skewed?.(step.ms);
			case 'endRuns':
				return this.endRuns(step.result);
		}
	}

	protected async poll(
		faults: FaultRule[] = [],
		meanwhile: Event[] = [],
		store?: StoreFault,
	): Promise<void> {
		if (!this.isPublished) return await this.publish(faults);
		const { executions } = this.host;
		if (store) {
			executions[store] = true;
			this.storeFaultAt = this.now;
		}
		await this.follow(faults, false, async () => {
			const polling = this.host.tick();
			for (const event of meanwhile) {
				await settled(15);
				this.happen(event);
			}
			return await polling;
		});
		if (store) executions[store] = false;
	}

	private async publish(faults: FaultRule[]): Promise<void> {
		if (this.isPublished) await this.host.unpublish();
		this.forget?.();
		this.isPublished = await this.follow(faults, true, async () => await this.host.activate());
		if (!this.isPublished) await this.host.unpublish();
	}

	/** @returns whether the poll went well */
	private async follow(
		faults: FaultRule[],
		isActivation: boolean,
		work: () => Promise<IDataObject[]>,
	): Promise<boolean> {
		alignClocks();
		const { sandbox } = this.bench;
		sandbox.resetCounts();
		for (const each of faults) sandbox.faults.add(each);
		const noteEnd = this.polling?.(isActivation);
		const [outcome] = await Promise.allSettled([work()]);
		noteEnd?.(outcome.status === 'fulfilled');
		await settled();
		sandbox.faults.clear();
		if (outcome.status === 'rejected') return false;
		if (outcome.value.length > 0) this.host.store();
		this.delivered(outcome.value);
		return true;
	}

	private async kill(after?: number): Promise<void> {
		if (this.lost.length > 0) return;
		if (after !== undefined && this.isPublished) {
			alignClocks();
			let items: IDataObject[] = [];
			this.host.tick().then(
				(found) => (items = found),
				() => {},
			);
			await settled(after);
			if (items.length > 0) this.host.store();
			this.delivered(items);
		}
		this.kills++;
		await this.restart(this.host.kill());
	}

	private async loseStarts(): Promise<void> {
		const { executions } = this.host;
		if (this.lost.length > 0 || !this.isPublished) return;
		executions.lost = this.lost;
		await this.poll();
		delete executions.lost;
		if (this.lost.length === 0) return;
		this.kills++;
		await this.restart(this.host.kill());
	}

	/** n8n polls no more, and waits for its runs. */
	private async stop(): Promise<void> {
		if (this.isPublished) await this.host.unpublish();
		this.endRuns('success');
		await settled();
		await this.restart(this.host.kill());
	}

	private async restart(options: HostOptions): Promise<void> {
		this.ends++;
		this.reported.push(...this.host.reported);
		await settled(5);
		this.host = this.create(options);
		this.isPublished = false;
		this.forget?.();
	}

	private endRuns(result: RunResult): void {
		const { executions } = this.host;
		for (const run of executions.open) executions.end(run, result);
	}

	/** Nothing goes wrong any more, and n8n polls until there is nothing left to do. */
	private async settle(): Promise<void> {
		passTime(this.bench, LONGEST_PAUSE);
		for (let quiet = 0, polls = 0; quiet < 6; quiet++) {
			if (++polls > 300) throw new Error('It does not end');
			const { asked } = this;
			this.endRuns('success');
			await this.poll();
			passTime(this.bench, 4 * MINUTE);
			if (this.asked !== asked) quiet = 0;
		}
		// What has ended is not asked for again, not even by a process that comes after a stop.
		await this.stop();
		const { asked } = this;
		for (let polls = 0; polls < 2; polls++) await this.poll();
		if (this.asked !== asked) throw new Error(`Asked for again: ${this.asked - asked}`);
		this.reported.push(...this.host.reported);
	}

	private throwBroken(): void {
		if (this.broken) throw this.broken;
	}

	/** How many times n8n was asked for a run that it began or refused. */
	private get asked(): number {
		const { rows, refused } = this.host.executions;
		return rows.length + refused;
	}
}

/** How many times as many histories as usual. */
export const TIMES = Number(process.env.TRIGGER_RUNS ?? 1);

/** Plays histories by the seed that it prints; a failure is shown with its smallest history. */
export async function playHistories<Plan>(
	name: string,
	plan: fc.Arbitrary<Plan>,
	usualRuns: number,
	bench: Bench,
	play: (plan: Plan) => Promise<void>,
): Promise<void> {
	const seed = seedOf('TRIGGER');
	const numRuns = Math.ceil(usualRuns * TIMES);
	process.stdout.write(`${name}: TRIGGER_SEED=${seed}, ${numRuns} histories\n`);
	const property = fc.asyncProperty(plan, async (each) => {
		setSkew(0);
		alignClocks();
		bench.sandbox.faults.clear();
		await play(each);
	});
	// A failure is told even if there is no time to make its history as small as can be.
	const limits = { interruptAfterTimeLimit: 500_000 * TIMES, markInterruptAsFailure: true };
	await fc.assert(property, { numRuns, seed, ...limits });
}
