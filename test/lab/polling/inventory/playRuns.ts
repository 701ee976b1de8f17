import type { IDataObject } from 'n8n-workflow';

import { AgencyReading } from '../../../../nodes/AgentInventoryTrigger/agencyReading';
import type { ChangeToRun } from '../../../../nodes/AgentInventoryTrigger/ask';
import type { PropertyChange } from '../../../../nodes/AgentInventoryTrigger/compare';
import type { Pass } from '../../../../nodes/AgentInventoryTrigger/progress';
import { INVENTORY_FORMAT } from '../../../../nodes/AgentInventoryTrigger/progress';
import { changeKeyOf, ChangeTracker } from '../../../../nodes/AgentInventoryTrigger/tracker';
import type { QueuedTask } from '../../../../nodes/common/runs/queue';
import { ServiceClock } from '../../../../service/basics/clock';
import { ModelInventory } from './propertiesModel';

const MINUTE = 60_000;
const AGENCY = 'agency-1';
const VALUES = { price: 1, status: 'Available', archived: false, bedrooms: 1 };

export type RunStep =
	| { do: 'change'; property: number; price: number }
	| { do: 'pass'; minutes: number }
	/** Asks the service; n8n stores nothing of that. */
	| { do: 'poll' }
	/** Asks n8n to start the next run, which stores the progress. */
	| { do: 'start' }
	/** The oldest run ends. */
	| { do: 'end' }
	/** A person publishes the workflow again. */
	| { do: 'publish' }
	| { do: 'kill' }
	/** The progress of the next run is stored, and the process is killed in the milliseconds before n8n has the run: no other kill follows. */
	| { do: 'killAtStart' };

/**
 * Plays One per Change to its end, with a service that behaves, and an n8n that keeps the keys of runs.
 *
 * @returns how many changes were delivered
 * @throws if one was lost, doubled or made up
 */
export async function playRuns(steps: RunStep[], setTime: (epochMs: number) => void) {
	return await new Play(setTime).run(steps);
}

class Play {
	private readonly service = new ModelInventory({
		...{ pageSize: 250, order: 'id', unit: 1_000 },
		...{ leavesUnmodified: true, leavesUncreated: false },
	});

	private clock = new ServiceClock();

	private stored: IDataObject = {};

	private tracker = this.begun();

	private running: Array<QueuedTask<ChangeToRun>> = [];

	private readonly keys = new Set<string>();

	/** What n8n's runs were given, by property. */
	private readonly delivered = new Map<string, unknown>();

	/** What a run was planned for that was lost in a kill: nobody can know whether it has told that. */
	private readonly planned = new Set<string>();

	private count = 0;

	constructor(private readonly setTime: (epochMs: number) => void) {
		for (const minutes of [50, 90, 5_000]) this.service.create(minutes * MINUTE, VALUES);
	}

	async run(steps: RunStep[]): Promise<number> {
		await this.poll(true);
		this.store();
		for (const { id } of this.service.properties) this.delivered.set(id, 1);
		for (const step of steps) await this.take(step);
		for (let polls = 0; polls < 8; polls++) {
			this.service.pass(MINUTE);
			await this.poll();
			while (this.start());
			while (this.end());
		}
		for (const { id, versions } of this.service.properties) {
			const last = this.delivered.get(id);
			if (last !== versions.at(-1)?.price) throw new Error(`${id}: lost, is ${String(last)}`);
		}
		return this.count;
	}

	private async take(step: RunStep): Promise<void> {
		this.service.pass(1_000);
		this.tick();
		switch (step.do) {
			case 'change':
				return this.service.change({
					property: step.property,
					values: { price: step.price },
					...{ listLagMs: 0, readLagMs: 0 },
				});
			case 'pass':
				return this.service.pass(step.minutes * MINUTE);
			case 'poll':
				return await this.poll();
			case 'start':
				return void this.start();
			case 'end':
				return void this.end();
			case 'publish':
				this.tracker.restart();
				return await this.poll();
			case 'kill':
				return this.planned.size > 0 ? undefined : await this.kill();
			case 'killAtStart':
				if (this.planned.size > 0) return;
				this.start(true);
				return await this.kill();
		}
	}

	private begun(): ChangeTracker {
		const terms = { runAgain: 0, now: () => Date.now() };
		return new ChangeTracker(INVENTORY_FORMAT.read(structuredClone(this.stored)), terms);
	}

	private async kill(): Promise<void> {
		this.running = [];
		this.clock = new ServiceClock();
		this.tracker = this.begun();
		await this.poll(true);
		this.store();
	}

	private store(): void {
		INVENTORY_FORMAT.write(this.stored, this.tracker.progress);
	}

	private async poll(isActivation = false): Promise<void> {
		const { tracker, service } = this;
		const terms = {
			...{ clock: this.clock, startedAt: service.now, isActivation, lookBackMs: 60 * MINUTE },
			...{ startFrom: 'activation' as const, scope: 'all', isOneByOne: false },
			chosen: <T>(events: T[]) => events,
			openOf: (id: string) => tracker.openOf(AGENCY, id),
		};
		const source = {
			page: async (pass: Pass) => await service.page(pass).finally(() => this.tick()),
			records: async (batches: string[][]) => await service.records(batches),
			mayAsk: () => true,
			deliver: (change: PropertyChange) => {
				const { begunAt } = reading.progress;
				tracker.add({ ...change, agency: AGENCY, agencyRef: AGENCY, begunAt });
			},
		};
		this.tick();
		const reading = new AgencyReading(terms, source, tracker.agencies.get(AGENCY));
		await reading.read();
		tracker.notePoll();
		tracker.agencies.set(AGENCY, reading.progress);
	}

	/** @returns whether there was one */
	private start(isKilled = false): boolean {
		const { queue } = this.tracker;
		const queued = queue.next();
		if (!queued) return false;
		queue.noteStart(queued);
		this.store();
		const { id, after, previous } = queued.task;
		const key = changeKeyOf('w', 'n', queued.task, queued.key);
		if (isKilled) {
			if (!this.keys.has(key)) this.planned.add(`${id} ${after.price}`);
			return true;
		}
		if (this.keys.has(key)) {
			queue.settle(queued, 'refused');
			return true;
		}
		this.keys.add(key);
		this.note(id, previous.price, after.price);
		this.running.push(queued);
		return true;
	}

	private end(): boolean {
		const queued = this.running.shift();
		if (queued) this.tracker.queue.settle(queued, 'succeeded');
		return queued !== undefined;
	}

	private note(id: string, from: unknown, to: unknown): void {
		this.count++;
		const last = this.delivered.get(id);
		if (from === to) throw new Error(`${id}: nothing has changed`);
		if (from !== last && !this.planned.has(`${id} ${String(from)}`)) {
			throw new Error(`${id}: from ${String(from)} to ${String(to)} after ${String(last)}`);
		}
		this.delivered.set(id, to);
	}

	/** The host's clock is the service's, which says so with each answer. */
	private tick(): void {
		this.setTime(this.service.now);
		this.clock.read(new Date(this.service.now).toUTCString(), this.service.now);
	}
}
