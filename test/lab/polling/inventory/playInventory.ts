import isEqual from 'lodash/isEqual';
import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import {
	AgencyReading,
	isOfOne,
	MOST_REQUESTS,
} from '../../../../nodes/AgentInventoryTrigger/agencyReading';
import type { PropertyChange } from '../../../../nodes/AgentInventoryTrigger/compare';
import type {
	AgencyProgress,
	Pass,
	Progress,
} from '../../../../nodes/AgentInventoryTrigger/progress';
import { INVENTORY_FORMAT } from '../../../../nodes/AgentInventoryTrigger/progress';
import type { ChangeToRun } from '../../../../nodes/AgentInventoryTrigger/tracker';
import { changeKeyOf, ChangeTracker } from '../../../../nodes/AgentInventoryTrigger/tracker';
import type { QueuedTask } from '../../../../nodes/common/runs/queue';
import { ServiceClock } from '../../../../service/basics/clock';
import type { ServiceError } from '../../../../service/failure';
import type { Mishap, ModelChange, ModelManner, Values } from './propertiesModel';
import { ModelInventory } from './propertiesModel';

const MINUTE = 60_000;
const AGENCY = 'agency-1';

export type HistoryStep =
	| { do: 'pass'; ms: number }
	| { do: 'create'; values: Values; lagMs: number }
	| { do: 'change'; change: ModelChange }
	/** These come while the next poll asks. */
	| { do: 'meanwhile'; changes: ModelChange[] }
	| { do: 'poll'; mishaps: Array<[number, Mishap]> }
	| { do: 'trouble'; property: number; how?: 'missing' | 'unavailable' }
	/** The process is killed, and has what n8n has stored. */
	| { do: 'kill' }
	/** One per Change: n8n is asked to start the next run, which stores the progress. */
	| { do: 'start' }
	/** One per Change: the oldest run ends. */
	| { do: 'end' }
	/** One per Change: a person publishes the workflow again. */
	| { do: 'publish' }
	/** The progress of the next run is stored, and the process is killed in the milliseconds before n8n has the run: no other kill follows. */
	| { do: 'killAtStart' };

export interface History {
	runs: 'onePerPoll' | 'onePerChange';
	manner: ModelManner;
	/** Whether n8n stores what a quiet poll wrote. */
	storesQuiet: boolean;
	startFrom: 'activation' | 'lookBack';
	/** The properties at the start, and how long ago each was modified. */
	first: Array<{ values: Values; agoMs: number }>;
	steps: HistoryStep[];
}

/**
 * Plays a history to its end, with an n8n that keeps the keys of runs.
 *
 * @returns how many changes were delivered
 * @throws if a change was lost, doubled, out of order or made up
 */
export async function playInventory(history: History, setTime: (epochMs: number) => void) {
	return await new Play(history, setTime).run();
}

class Play {
	private readonly service: ModelInventory;

	private clock = new ServiceClock();

	private stored: IDataObject = {};

	private failure?: ServiceError;

	/** One per Poll: what the process knows beyond what is stored. */
	private memory?: Progress;

	/** One per Change. */
	private tracker = this.begunTracker();

	private running: Array<QueuedTask<ChangeToRun>> = [];

	private readonly keys = new Set<string>();

	/** What a run was planned for that was lost in a kill: nobody can know whether it has told that. */
	private readonly planned: unknown[] = [];

	/** By property, the changes that were delivered, in order. */
	private readonly delivered = new Map<string, PropertyChange[]>();

	/** By property, which of its versions was delivered last at the earliest. */
	private readonly versions = new Map<string, number>();

	constructor(
		private readonly history: History,
		private readonly setTime: (epochMs: number) => void,
	) {
		this.service = new ModelInventory(history.manner);
	}

	async run(): Promise<number> {
		for (const { values, agoMs } of this.history.first) this.service.create(agoMs, values);
		await this.poll({ isActivation: true });
		for (const step of this.history.steps) await this.take(step);
		this.service.troubled.clear();
		for (let polls = 0; polls < 30; polls++) {
			this.service.pass(MINUTE);
			await this.poll();
			while (this.start());
			while (this.end());
		}
		this.close();
		return [...this.delivered.values()].flat().length;
	}

	private get isPerChange(): boolean {
		return this.history.runs === 'onePerChange';
	}

	private async take(step: HistoryStep): Promise<void> {
		const { service } = this;
		switch (step.do) {
			case 'pass':
				return service.pass(step.ms);
			case 'create':
				return service.create(0, step.values, step.lagMs);
			case 'change':
				return service.change(step.change);
			case 'meanwhile':
				return step.changes.forEach((change) =>
					service.meanwhile.push(() => service.change(change)),
				);
			case 'trouble':
				return service.trouble(step.property, step.how);
			case 'poll':
				return await this.poll({ mishaps: step.mishaps });
			case 'start':
				return void this.start();
			case 'end':
				return void this.end();
			case 'publish':
				this.tracker.restart();
				return await this.poll();
			case 'kill':
				return this.planned.length > 0 ? undefined : await this.kill();
			case 'killAtStart':
				if (this.planned.length > 0) return;
				this.start(true);
				return await this.kill();
		}
	}

	private async kill(): Promise<void> {
		delete this.memory;
		delete this.failure;
		this.running = [];
		this.clock = new ServiceClock();
		this.tracker = this.begunTracker();
		if (this.isPerChange) await this.poll({ isActivation: true });
	}

	private begunTracker(): ChangeTracker {
		const terms = { runAgain: 0, mostWaiting: Infinity, now: () => Date.now() };
		return new ChangeTracker(this.memory ?? this.read(), terms);
	}

	private get progress(): AgencyProgress | undefined {
		return (this.isPerChange ? this.tracker : this.memory)?.agencies.get(AGENCY);
	}

	private read() {
		return INVENTORY_FORMAT.read(structuredClone(this.stored ?? {}));
	}

	private async poll({ mishaps = [] as Array<[number, Mishap]>, isActivation = false } = {}) {
		const { service, isPerChange } = this;
		const tracker = isPerChange ? this.tracker : this.begunTracker();
		service.beginPoll(new Map(mishaps));
		this.tick();
		const source = {
			page: async (pass: Pass) => await service.page(pass).finally(() => this.tick()),
			records: async (batches: string[][]) =>
				await service.records(batches).finally(() => this.tick()),
			mayAsk: () => true,
			deliver: (change: PropertyChange) => {
				const { begunAt } = reading.progress;
				tracker.add({ ...change, agency: AGENCY, agencyRef: AGENCY, begunAt });
			},
		};
		const terms = this.terms(isActivation, tracker);
		const reading = new AgencyReading(terms, source, tracker.agencies.get(AGENCY));
		const [outcome] = await Promise.allSettled([reading.read()]);
		this.failure = reading.failure;
		const isLost = outcome.status === 'rejected';
		if (isLost && !String(outcome.reason).includes('crash')) throw outcome.reason;
		if (this.history.manner.pageSize >= 4 && service.requests > MOST_REQUESTS * 3) {
			throw new Error(`A poll took ${service.requests} requests`);
		}
		if (isLost || (reading.failure && !reading.isAnswered)) return;
		tracker.polls++;
		tracker.agencies.set(AGENCY, reading.progress);
		const found = isPerChange ? [] : tracker.queue.endAll();
		if (!isPerChange) this.memory = tracker.progress;
		const isQuietStored = !isPerChange && this.history.storesQuiet;
		if (found.length > 0 || isQuietStored || isActivation) {
			INVENTORY_FORMAT.write(this.stored, tracker.progress);
		}
		for (const change of found) this.note(change);
	}

	private terms(isActivation: boolean, tracker: ChangeTracker) {
		const { failure, clock, service } = this;
		return {
			...{ clock, startedAt: service.now, isActivation, startFrom: this.history.startFrom },
			...{ lookBackMs: 60 * MINUTE, scope: 'all' },
			chosen: <T>(events: T[]) => events,
			openOf: (id: string) => tracker.openOf(AGENCY, id),
			isOneByOne: failure !== undefined && isOfOne(failure),
		};
	}

	/** The host’s clock is the service’s, which says so with each answer. */
	private tick(): void {
		this.setTime(this.service.now);
		this.clock.read(new Date(this.service.now).toUTCString());
	}

	/** @returns whether there was one */
	private start(isKilled = false): boolean {
		const { queue } = this.tracker;
		const queued = queue.next();
		if (!queued) return false;
		queue.noteStart(queued);
		INVENTORY_FORMAT.write(this.stored, this.tracker.progress);
		const { task } = queued;
		const key = changeKeyOf('w', 'n', task, queued.key);
		const isRefused = this.keys.has(key);
		if (isKilled) {
			if (!isRefused) this.planned.push([task.id, valuesOf(task.after)]);
			return true;
		}
		if (isRefused) return queue.settle(queued, 'refused') === undefined;
		this.keys.add(key);
		this.note(task);
		this.running.push(queued);
		return true;
	}

	private end(): boolean {
		const queued = this.running.shift();
		if (queued) this.tracker.queue.settle(queued, 'succeeded');
		return queued !== undefined;
	}

	private note(change: PropertyChange): void {
		const { id, events, after, previous } = change;
		const before = { ...after, ...previous };
		const earlier = this.delivered.get(id) ?? [];
		const last = earlier.at(-1)?.after;
		const { created, versions } = this.service.find(id);
		const told = `${id} from ${JSON.stringify(before)} to ${JSON.stringify(after)}`;
		if (events[0] === 'created') {
			const { begunAt = -Infinity, start = -Infinity } = this.memory?.agencies.get(AGENCY) ?? {};
			// A second may count as a whole.
			const wasThere = created < start - 1_000 && (versions[0]?.listedFrom ?? Infinity) < begunAt;
			if (last || wasThere) throw new Error(`Not new: ${told}`);
		}
		const wasPlanned = this.planned.some((each) => isEqual(each, [id, valuesOf(before)]));
		if (last && !wasPlanned && !isLike(last, before)) throw new Error(`Out of order: ${told}`);
		if (last && last.rest === after.rest && isLike(before, after))
			throw new Error(`Nothing: ${told}`);
		// A property goes on from version to version.
		const from = this.versions.get(id) ?? 0;
		const index = versions.findIndex((version, at) => at >= from && isLike(version, after));
		if (index < 0 || !versions.some((version) => isLike(version, before))) {
			throw new Error(`Made up: ${told}`);
		}
		this.versions.set(id, index);
		this.delivered.set(id, [...earlier, change]);
	}

	/** Whatever lasts is delivered by now. */
	private close(): void {
		const { progress } = this;
		if (!progress) throw new Error('There is no progress');
		for (const { id, created, toldCreated, versions } of this.service.properties) {
			const [delivered, known] = [this.delivered.get(id) ?? [], progress.known.get(id)];
			// With One per Change the service behaves, so that the baseline has every property.
			const last = delivered.at(-1)?.after ?? (this.isPerChange ? versions[0] : known);
			if (![known, last].every((each) => isLike(versions.at(-1), each))) {
				throw new Error(`Lost: ${id}, delivered as ${JSON.stringify(last)}`);
			}
			// One that does not say when it was created may count as there from the start.
			const isNew = toldCreated !== null && created >= progress.start;
			if (isNew && delivered[0]?.events[0] !== 'created') throw new Error(`Not told: ${id}`);
		}
	}
}

function valuesOf(state: object | undefined) {
	return pick(state, ['price', 'status', 'archived']);
}

function isLike(one: object | undefined, other: object | undefined): boolean {
	return isEqual(valuesOf(one), valuesOf(other));
}
