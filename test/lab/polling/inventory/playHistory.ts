import isEqual from 'lodash/isEqual';
import type { IDataObject } from 'n8n-workflow';

import {
	AgencyReading,
	isOfOne,
	MOST_REQUESTS,
} from '../../../../nodes/AgentInventoryTrigger/agencyReading';
import type { PropertyChange } from '../../../../nodes/AgentInventoryTrigger/compare';
import type { AgencyProgress, Pass } from '../../../../nodes/AgentInventoryTrigger/progress';
import { INVENTORY_FORMAT } from '../../../../nodes/AgentInventoryTrigger/progress';
import type { ServiceError } from '../../../../service/failure';
import { ServiceClock } from '../../../../service/basics/clock';
import type {
	Mishap,
	ModelChange,
	ModelManner,
	ModelProperty,
	Values,
	Version,
} from './propertiesModel';
import { ModelInventory } from './propertiesModel';

const MINUTE = 60_000;
const LOOK_BACK = 60 * MINUTE;
const AGENCY = 'agency-1';

/** By when a change is in the list and in the record. */
export const LONGEST_LAG = 20 * MINUTE;

export type HistoryStep =
	| { do: 'pass'; ms: number }
	| { do: 'create'; values: Values; lagMs: number }
	| { do: 'change'; change: ModelChange }
	/** These come while the next poll asks. */
	| { do: 'meanwhile'; changes: ModelChange[] }
	| { do: 'poll'; mishaps: Array<[number, Mishap]> }
	| { do: 'trouble'; property: number; how?: 'missing' | 'unavailable' }
	/** The next answers about a property come from a replica that is behind. */
	| { do: 'outdate'; property: number; answers: number; by: number }
	/** The process is killed, and has what n8n has stored. */
	| { do: 'restart' };

export interface History {
	manner: ModelManner;
	/** Whether n8n stores what a quiet poll wrote. */
	storesQuiet: boolean;
	startFrom: 'activation' | 'lookBack';
	/** The properties at the start, and how long ago each was modified. */
	first: Array<{ values: Values; agoMs: number }>;
	steps: HistoryStep[];
}

/**
 * Plays a history to its end.
 *
 * @returns how many changes were delivered
 * @throws if a change was lost, doubled, out of order or made up
 */
export async function playHistory(history: History, setTime: (epochMs: number) => void) {
	return await new Play(history, setTime).run();
}

class Play {
	private readonly service: ModelInventory;

	private clock = new ServiceClock();

	private memory?: AgencyProgress;

	private stored: IDataObject = {};

	/** By property, the values that it was delivered with, in order. */
	private readonly delivered = new Map<string, PropertyChange[]>();

	/** By property, which of its versions was delivered last at the earliest. */
	private readonly versions = new Map<string, number>();

	private count = 0;

	private failure?: ServiceError;

	constructor(
		private readonly history: History,
		private readonly setTime: (epochMs: number) => void,
	) {
		this.service = new ModelInventory(history.manner);
	}

	async run(): Promise<number> {
		for (const { values, agoMs } of this.history.first) this.service.create(agoMs, values);
		await this.poll(new Map(), true);
		for (const step of this.history.steps) await this.take(step);
		await this.settle();
		return this.count;
	}

	private async take(step: HistoryStep): Promise<void> {
		switch (step.do) {
			case 'pass':
				return this.service.pass(step.ms);
			case 'create':
				return this.service.create(0, step.values, step.lagMs);
			case 'change':
				return this.service.change(step.change);
			case 'meanwhile':
				for (const change of step.changes)
					this.service.meanwhile.push(() => this.service.change(change));
				return;
			case 'trouble':
				return this.trouble(step.property, step.how);
			case 'outdate':
				return this.outdate(step);
			case 'poll':
				return await this.poll(new Map(step.mishaps));
			case 'restart':
				delete this.memory;
				delete this.failure;
				this.clock = new ServiceClock();
		}
	}

	private trouble(index: number, how?: 'missing' | 'unavailable'): void {
		const { id } = this.service.properties[index % this.service.properties.length] ?? { id: '' };
		// What cannot be had for long, and is then told as it was, counts.
		this.service.outdated.set(id, { answers: 0, by: 0 });
		if (how) this.service.troubled.set(id, how);
		else this.service.troubled.delete(id);
	}

	/** Once for each property: what is told for a long time counts. */
	private outdate({ property, answers, by }: Extract<HistoryStep, { do: 'outdate' }>): void {
		const { outdated, properties } = this.service;
		const { id } = properties[property % properties.length] ?? { id: '' };
		if (!outdated.has(id)) outdated.set(id, { answers, by });
	}

	private known(): AgencyProgress | undefined {
		const known =
			this.memory ?? INVENTORY_FORMAT.read(structuredClone(this.stored)).agencies.get(AGENCY);
		return known && structuredClone(known);
	}

	private async poll(mishaps: Map<number, Mishap>, isActivation = false): Promise<void> {
		this.service.beginPoll(mishaps);
		this.tick();
		const found: PropertyChange[] = [];
		const { service } = this;
		const source = {
			page: async (pass: Pass) => await service.page(pass).finally(() => this.tick()),
			records: async (batches: string[][]) => await service.records(batches),
			mayAsk: () => true,
			deliver: (change: PropertyChange) => {
				this.tick();
				found.push(change);
				poll.progress.known.set(change.id, change.after);
			},
		};
		const poll = new AgencyReading(this.terms(isActivation), source, this.known());
		const [outcome] = await Promise.allSettled([poll.read()]);
		this.failure = poll.failure;
		const isLost = outcome.status === 'rejected';
		if (isLost && !String(outcome.reason).includes('crash')) throw outcome.reason;
		if (this.history.manner.pageSize >= 4 && this.service.requests > MOST_REQUESTS * 3) {
			throw new Error(`A poll took ${this.service.requests} requests`);
		}
		if (isLost || (poll.failure && !poll.isAnswered)) return;
		this.memory = poll.progress;
		const isStored = found.length > 0 || this.history.storesQuiet || isActivation;
		if (isStored)
			INVENTORY_FORMAT.write(this.stored, {
				polls: 1,
				agencies: new Map([[AGENCY, poll.progress]]),
			});
		for (const change of found) this.note(change);
	}

	private terms(isActivation: boolean) {
		return {
			clock: this.clock,
			startedAt: this.service.now,
			isActivation,
			startFrom: this.history.startFrom,
			lookBackMs: LOOK_BACK,
			scope: 'all',
			chosen: <T>(events: T[]) => events,
			openOf: () => undefined,
			isOneByOne: this.failure !== undefined && isOfOne(this.failure),
		};
	}

	/** The host’s clock is the service’s, which says so with each answer. */
	private tick(): void {
		this.setTime(this.service.now);
		this.clock.read(new Date(this.service.now).toUTCString(), this.service.now);
	}

	private note(change: PropertyChange): void {
		const { id, events, after, previous } = change;
		const before = { ...after, ...previous };
		const earlier = this.delivered.get(id) ?? [];
		const last = earlier.at(-1);
		const property = this.service.properties.find((each) => each.id === id);
		if (!property) throw new Error(`There is no property ${id}`);
		if (events[0] === 'created' && earlier.length > 0) throw new Error(`${id} was created twice`);
		if (events[0] === 'created' && this.wasThere(property)) throw new Error(`${id} was there`);
		if (last && !isEqual(valuesOf(before), valuesOf(last.after))) {
			throw new Error(`${id} goes on from ${show(before)} in place of ${show(last.after)}`);
		}
		this.noteVersion(property, after);
		if (!property.versions.some((version) => isLike(version, before))) {
			throw new Error(`${id} was never ${show(before)} before`);
		}
		const isSame = last && after.rest === last.after.rest && isEqual(before, after);
		if (isSame) throw new Error(`${id} is the same`);
		this.delivered.set(id, [...earlier, change]);
		this.count++;
	}

	/** Whether the service had shown it before the first poll, and it was older than what is new. */
	private wasThere({ created, versions: [first] }: ModelProperty): boolean {
		const { begunAt = -Infinity, start = -Infinity } = this.memory ?? {};
		// A second may count as a whole.
		return created < start - 1_000 && (first?.listedFrom ?? Infinity) < begunAt;
	}

	/** A property goes on from version to version. */
	private noteVersion({ id, versions }: ModelProperty, after: PropertyChange['after']): void {
		const from = this.versions.get(id) ?? 0;
		const index = versions.findIndex((version, at) => at >= from && isLike(version, after));
		if (index < 0) throw new Error(`${id} was not ${show(after)}, or not any more`);
		this.versions.set(id, index);
	}

	/** Whatever lasts is delivered by now. */
	private async settle(): Promise<void> {
		this.service.troubled.clear();
		for (let polls = 0; polls < 30; polls++) {
			this.service.pass(MINUTE);
			await this.poll(new Map());
		}
		const progress = this.memory;
		if (!progress) throw new Error('There is no progress');
		for (const { id, created, toldCreated, versions } of this.service.properties) {
			const actual = versions.at(-1);
			const known = progress.known.get(id);
			if (!actual || !known || !isLike(actual, known)) {
				throw new Error(`${id} is ${show(actual)}, and known as ${show(known)}`);
			}
			const last = this.delivered.get(id)?.at(-1);
			if (last && !isLike(actual, last.after))
				throw new Error(`${id} was delivered as something else`);
			// One that does not say when it was created may count as there from the start.
			const isNew = toldCreated !== null && created >= progress.start;
			if (isNew && this.delivered.get(id)?.[0]?.events[0] !== 'created') {
				throw new Error(`${id} is new and was not delivered`);
			}
		}
	}
}

function valuesOf({ price, status, archived }: PropertyChange['after']) {
	return { price, status, archived };
}

function isLike(
	version: Version,
	known: Pick<PropertyChange['after'], 'price' | 'status' | 'archived'>,
): boolean {
	const { price, status, archived } = known;
	return version.price === price && version.status === status && version.archived === archived;
}

function show(value: unknown): string {
	return JSON.stringify(value) ?? 'unknown';
}
