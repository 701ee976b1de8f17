import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import isEqual from 'lodash/isEqual';
import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import { shortMark } from '../../../../nodes/AgentInventoryTrigger/progress';
import { inWords } from '../../../../nodes/common/inventory/statuses';
import { textOf } from '../../../../service/basics/values';
import type { RunResult, StoredRun } from '../../../lab/engine/executions';
import { History, TIMES, playHistories, stepsOf } from '../../../lab/engine/history';
import { AGENCY, InventoryBench } from '../../../lab/engine/inventory';
import { InventoryHost } from '../../../lab/engine/inventoryPoll';
import { TRIGGER_HOSTS } from '../../../lab/engine/triggerBench';
import type { HostOptions } from '../../../lab/engine/triggerHost';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import { passTime, renewClient } from '../../../lab/engine/wild';
import { MINUTE, SECOND } from '../../../lab/times';

const PROPERTIES = 12;

interface Change {
	property: number;
	values: IDataObject | 'new';
	/** How much later the lists or the records show it, in milliseconds. */
	lag: number;
	late: 'rows' | 'records';
}

const change: fc.Arbitrary<Change> = fc.record({
	property: fc.nat(PROPERTIES),
	values: fc.oneof(
		...[2, 2].map(() => fc.record({ price: fc.constantFrom(50_000, 100_000, 150_000) })),
		fc.record({ inventoryStatus: fc.constantFrom('Available', 'UnderOffer', 'Withdrawn') }),
		fc.record({ archived: fc.boolean() }),
		fc.record({ bedrooms: fc.nat(9) }),
		fc.constant('new' as const),
	),
	lag: fc.constantFrom(0, 0, 0, 30 * SECOND, 4 * MINUTE, 20 * MINUTE),
	late: fc.constantFrom('rows', 'records'),
});

const changePlan = fc.record({
	mostOnPage: fc.constantFrom(3, 5, 250),
	results: fc.array(
		fc.constantFrom<Array<RunResult | undefined>>('success', 'success', undefined),
		{
			minLength: 1,
			maxLength: 6,
		},
	),
	steps: stepsOf(change, {
		pauses: [MINUTE, MINUTE, 5 * MINUTE, 300 * MINUTE],
		furthestSkew: 0,
		storeFaults: ['isLocked', 'isBarred'],
	}),
});

/** What the events are about. */
type State = Pick<IDataObject, 'price' | 'status' | 'archived'>;

const stateOf = (values: IDataObject): State => pick(values, ['price', 'status', 'archived']);

/** Plays changes of properties: each that lasts is delivered once, in order, with its previous values. */
class ChangeHistory extends History<Change> {
	/** By property, what it was delivered as last. */
	private readonly last = new Map<string, State>();

	/** By property, all that it was since the start. */
	private readonly states = new Map<string, State[]>();

	private readonly first: Set<string>;

	/** How many changes were delivered. */
	count = 0;

	constructor(
		private readonly inventory: InventoryBench,
		{ mostOnPage, results }: { mostOnPage: number; results: Array<RunResult | undefined> },
		runs: 'onePerPoll' | 'onePerChange',
		options: HostOptions,
	) {
		const parameters = { runs, options: { maxTries: 2, maxWait: 2, lookBack: 60 } };
		super(inventory, (more) => new InventoryHost(inventory, parameters, more), options, results);
		inventory.sandbox.inventory.mostOnPage = mostOnPage;
		inventory.fill(PROPERTIES);
		renewClient(inventory, { integration: 'inventory', agencyRefs: [AGENCY] });
		this.first = new Set(this.properties.map(({ id }) => id));
		for (const id of this.first) this.note(id);
	}

	/** The agency is known before anything happens to it. */
	async begin(): Promise<void> {
		for (let polls = 0; polls < 4; polls++) await this.poll();
	}

	protected happen({ property, values, lag, late }: Change): void {
		const { inventory } = this.inventory.sandbox;
		passTime(this.bench, SECOND);
		const lagging = lag === 0 ? {} : { [late]: lag };
		const { properties } = this;
		const { id = '' } =
			values === 'new'
				? inventory.create(AGENCY, { price: 9, archived: false }, lagging)
				: (properties[property % properties.length] ?? {});
		if (values !== 'new') inventory.change(AGENCY, id, values, lagging);
		this.note(id);
	}

	protected delivered(items: IDataObject[]): void {
		for (const { id: of, event, previous, ...values } of items) {
			const id = textOf(of);
			const after = stateOf(values);
			const before = { ...after, ...stateOf(previous as IDataObject) };
			const last = this.last.get(id);
			const fail = (what: string) => {
				const change = JSON.stringify([event, before, after]);
				throw new Error(`${what}: ${id} ${change} after ${JSON.stringify(last)}`);
			};
			const was = (state: State) => this.states.get(id)?.some((each) => isEqual(each, state));
			if (!was(after) || !was(before)) fail('Made up');
			if (event === 'created' ? last || this.first.has(id) : isEqual(before, after))
				fail('Nothing new');
			if (event !== 'created' && last && !isEqual(last, before) && !this.isLost(id, before))
				fail('Out of order');
			this.last.set(id, after);
			this.count++;
		}
	}

	protected close(): void {
		for (const property of this.properties) {
			const { id } = property;
			const now = stateOf({ ...property, status: inWords(textOf(property.inventoryStatus)) });
			const last = this.last.get(id) ?? (this.first.has(id) ? this.states.get(id)?.[0] : undefined);
			if (!isEqual(now, last) && !this.isLost(id, now)) {
				throw new Error(
					`Lost: ${id} is ${JSON.stringify(now)} and came as ${JSON.stringify(last)}`,
				);
			}
		}
	}

	private get properties() {
		return this.inventory.sandbox.inventory.of(AGENCY);
	}

	private note(id: string): void {
		const property = this.inventory.sandbox.inventory.find(AGENCY, id);
		const state = stateOf({ ...property, status: inWords(textOf(property.inventoryStatus)) });
		this.states.set(id, [...(this.states.get(id) ?? []), state]);
	}

	/**
	 * Nobody can know whether a run that was lost as it was started has had this. With durable cursors nothing stores between the last
	 * poll and a stop that a run was not begun.
	 */
	private isLost(id: string, state: State): boolean {
		const isBarred = ({ key, json }: StoredRun) => !json.id && key?.includes(`:${shortMark(id)}:`);
		return (
			(this.ends > 0 && this.host.executions.rows.some(isBarred)) ||
			this.lost.some((json) => json.id === id && isEqual(stateOf(json), state))
		);
	}
}

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const bench = useBenchInVirtualTime(InventoryBench);

describe.each(TRIGGER_HOSTS)('on %s', (host, options) => {
	it.each(['onePerPoll', 'onePerChange'] as const)(
		'%s: each lasting change comes once and in order, in any history',
		async (runs) => {
			let delivered = 0;
			await playHistories(`changes, ${runs}, on ${host}`, changePlan, 12, bench, async (plan) => {
				const history = new ChangeHistory(bench, plan, runs, options);
				await history.begin();
				await history.play(plan.steps);
				delivered += history.count;
			});

			expect(delivered).toBeGreaterThan(24 * TIMES);
		},
		600_000 * TIMES,
	);
});
