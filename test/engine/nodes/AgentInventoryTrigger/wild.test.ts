import { describe, expect, jest } from '@jest/globals';
import fc from 'fast-check';
import isEqual from 'lodash/isEqual';
import omit from 'lodash/omit';
import pick from 'lodash/pick';
import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../../../../service/basics/values';
import { changeJson } from '../../../../nodes/AgentInventoryTrigger/item';
import { stateOf } from '../../../../nodes/AgentInventoryTrigger/compare';
import { AGENCY, InventoryBench } from '../../../lab/engine/inventory';
import { InventoryHost } from '../../../lab/engine/inventoryPoll';
import { useBenchInVirtualTime } from '../../../lab/engine/useBench';
import type * as VirtualTime from '../../../lab/engine/virtualTime';
import {
	Books,
	itHolds,
	listIn,
	passTime,
	renewClient,
	textOf,
	wildSteps,
} from '../../../lab/engine/wild';
import type { WildStep } from '../../../lab/sandbox/wild';

jest.mock('n8n-workflow', () =>
	jest.requireActual<typeof VirtualTime>('../../../lab/engine/virtualTime').withoutWaits(),
);

const MINUTE = 60_000;
const PROPERTIES = 8;

/** A run of this property is many polls. */
const USUAL_RUNS = 30;

/** Of leads and products alone. */
const OTHERS = ['listOrder', 'arrayOfOne', 'statusErrors', 'otherRedirect', 'unsetTimes'];

/** What makes a property look like another one, or like none: the trigger cannot know better than what it was told. */
const MISLEADING = ['missingFields', 'nulls', 'unknownValues', 'oddNumbers', 'noId'];

type State = ReturnType<typeof valuesOf>;

interface Change {
	property: number;
	values: IDataObject | 'new';
	/** How much later than it happened the lists or the records show it, in minutes: within Look Back. */
	lag: number;
	late: 'rows' | 'records';
}

interface Round {
	/** How many minutes pass before the poll. */
	pass: number;
	changes: Change[];
	steps: WildStep[];
}

interface Plan {
	isDurable: boolean;
	runs: 'onePerPoll' | 'onePerChange';
	simplify: boolean;
	mostOnPage: number;
	activation: WildStep[];
	rounds: Round[];
}

const change: fc.Arbitrary<Change> = fc.record({
	property: fc.nat(PROPERTIES - 1),
	values: fc.oneof(
		fc.record({ price: fc.constantFrom(1, 2, 3) }),
		fc.record({ inventoryStatus: fc.constantFrom('Available', 'UnderOffer', 'Withdrawn') }),
		fc.record({ archived: fc.boolean() }),
		fc.constant('new' as const),
	),
	lag: fc.constantFrom(0, 0, 1, 20, 50),
	late: fc.constantFrom('rows', 'records'),
});

const steps = wildSteps(OTHERS);

const plan: fc.Arbitrary<Plan> = fc.record({
	isDurable: fc.boolean(),
	runs: fc.constantFrom('onePerPoll', 'onePerChange'),
	simplify: fc.boolean(),
	mostOnPage: fc.constantFrom(250, 250, 250, 250, 6),
	activation: steps,
	rounds: fc.array(
		fc.record({
			pass: fc.constantFrom(1, 1, 5, 20),
			changes: fc.array(change, { maxLength: 3 }),
			steps,
		}),
		{ minLength: 1, maxLength: 4 },
	),
});

const bench = useBenchInVirtualTime(InventoryBench);

/** The same for a status in words and in the service's spelling. */
function valuesOf(record: IDataObject) {
	const { price, status, archived } = stateOf(record);
	return { price, status: status.replace(/[ ,]/g, ''), archived };
}

function apply({ property, values, lag, late }: Change): void {
	const { inventory } = bench.sandbox;
	const lagging = lag === 0 ? {} : { [late]: lag * MINUTE };
	passTime(bench, 1_000);
	if (values === 'new') inventory.create(AGENCY, { price: 9, archived: false }, lagging);
	else inventory.change(AGENCY, inventory.of(AGENCY)[property]?.id ?? '', values, lagging);
}

/** What happened in one run. */
class ChangeBooks extends Books<InventoryHost> {
	private readonly before = this.actual();

	private taken = 0;

	constructor(
		private readonly each: Plan,
		host: InventoryHost,
	) {
		super(bench, host);
	}

	protected override startedSince(): IDataObject[] {
		const { started } = this.host.executions;
		const since = started.slice(this.taken);
		this.taken = started.length;
		return since;
	}

	close(): void {
		this.expectTold();
		const last = this.followed();
		if (!this.isMisled()) {
			for (const [id, now] of this.actual()) {
				expect({ id, ...(last.get(id) ?? this.before.get(id)) }).toEqual({ id, ...now });
			}
		}
		this.expectNoFailure();
		expect(this.host.executions.refused).toBe(0);
	}

	/** Each item goes on from where the one before it ended. @returns what each property was delivered as last */
	private followed(): Map<string, State> {
		const last = new Map<string, State>();
		for (const item of this.delivered) {
			const id = textOf(item.id);
			const after = stateOfItem(item);
			const previous = isObject(item.previous) ? item.previous : {};
			const from = { ...after, ...pick(stateOfItem(previous), Object.keys(previous)) };
			const known = last.get(id) ?? (this.isMisled() ? undefined : this.before.get(id));
			if (item.event === 'created') expect(known).toBeUndefined();
			else {
				expect(isEqual(from, after)).toBe(false);
				expect(from).toEqual(known ?? from);
			}
			last.set(id, after);
		}
		return last;
	}

	/** Every item is a record as it was told, and has the ID of a property even if that record had none. */
	private expectTold(): void {
		const ids = [...this.actual().keys()];
		const records = this.told
			.filter(({ path }) => !path.endsWith('/filter'))
			.flatMap(({ path, value }) => (path.endsWith('/items') ? listIn(value, 'items') : [value]))
			.filter(isObject)
			.map((record) => this.itemOf(record));
		const shownAs = new Set(records.map((item) => JSON.stringify(item)));
		for (const { event, events, previous, id, ...item } of this.delivered) {
			expect(ids).toContain(textOf(id));
			expect(shownAs.has(JSON.stringify(item))).toBe(true);
			expect([events].flat()[0]).toBe(event);
			expect(isObject(previous)).toBe(true);
		}
	}

	private itemOf(record: IDataObject): IDataObject {
		return omit(changeJson({ events: [], previous: {}, record }, AGENCY, this.each.simplify), [
			'event',
			'events',
			'previous',
			'id',
		]);
	}

	private actual(): Map<string, State> {
		const all = bench.sandbox.inventory.of(AGENCY);
		return new Map(all.map((property) => [property.id, valuesOf({ ...property })]));
	}

	private isMisled(): boolean {
		return this.hasMet(...MISLEADING);
	}
}

function stateOfItem({ price, status, inventoryStatus, archived }: IDataObject): State {
	return valuesOf({ price, status, inventoryStatus, archived });
}

async function live(each: Plan): Promise<void> {
	const { inventory } = bench.sandbox;
	bench.fill(PROPERTIES);
	inventory.mostOnPage = each.mostOnPage;
	renewClient(bench, { integration: 'inventory', agencyRefs: [AGENCY] });
	const host = new InventoryHost(
		bench,
		{ runs: each.runs, simplify: each.simplify, options: { maxTries: 2, maxWait: 2 } },
		{ isDurable: each.isDurable, startsTriggers: true },
	);
	const books = new ChangeBooks(each, host);
	await books.activate(each.activation);
	for (const minutes of [61, 1, 1, 1]) await books.poll(minutes);
	for (const round of each.rounds) {
		for (const planned of round.changes) apply(planned);
		await books.poll(round.pass, round.steps);
	}
	for (const minutes of [20, 20, 20, 5, 10, 1]) await books.poll(minutes);
	books.close();
}

describe('the trigger', () => {
	itHolds('delivers each lasting change once, whatever the service says on the way', () => ({
		name: 'Agent Inventory Trigger',
		bench,
		plan,
		play: live,
		runs: USUAL_RUNS,
	}));
});
