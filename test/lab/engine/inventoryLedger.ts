import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../../../service/basics/values';
import { createRandom, integer, pick } from '../sandbox/random';
import type { Random } from '../sandbox/random';
import { AGENCY } from './inventory';
import type { InventoryBench } from './inventory';
import { InventoryHost, triggerOfNewProcess } from './inventoryPoll';
import type { HostOptions } from './triggerHost';
import { alignClocks } from './virtualTime';

const MINUTE = 60_000;
const PROPERTIES = 24;
const STEPS = 70;

const STATUSES = ['Available', 'UnderOffer', 'Withdrawn', 'Exchanged'];

/** By when a lagging change is in the lists and the records. */
const LONGEST_LAG = 4 * MINUTE;

type Values = Pick<IDataObject, 'price' | 'status' | 'archived'>;

/** What a history came to. */
export interface LedgerResult {
	delivered: number;
	kills: number;
	refused: number;
}

/**
 * Plays a random history of an agency in n8n's engine: properties change, also while they are read, the service fails, and n8n is
 * killed with runs under way.
 *
 * @throws if a lasting change was lost, doubled, out of order or made up
 */
export async function playLedger(
	bench: InventoryBench,
	seed: number,
	runs: 'onePerPoll' | 'onePerChange',
	options: HostOptions,
): Promise<LedgerResult> {
	return await new LedgerPlay(bench, createRandom(seed), runs, options).play();
}

class LedgerPlay {
	private host: InventoryHost;

	/** By property, what it was delivered as, in order. */
	private readonly delivered = new Map<string, Values[]>();

	private count = 0;

	private taken = 0;

	private kills = 0;

	/** What a property was at any time, as text. */
	private readonly history = new Map<string, Set<string>>();

	private readonly known = new Set<string>();

	constructor(
		private readonly bench: InventoryBench,
		private readonly random: Random,
		private readonly runs: 'onePerPoll' | 'onePerChange',
		options: HostOptions,
	) {
		this.host = new InventoryHost(bench, this.parameters, { startsTriggers: true, ...options });
	}

	async play(): Promise<LedgerResult> {
		const { inventory } = this.bench.sandbox;
		inventory.mostOnPage = pick(this.random, [5, 9, 250]);
		for (const { id } of this.bench.fill(PROPERTIES)) {
			this.known.add(id);
			this.note(id);
		}
		await this.host.activate();
		for (let polls = 0; polls < 12; polls++) await this.poll();
		for (let step = 0; step < STEPS; step++) await this.step();
		await this.settle();
		this.close();
		const { refused } = this.host.executions;
		return { delivered: this.count, kills: this.kills, refused };
	}

	private get parameters() {
		const events = ['created', 'statusChanged', 'priceChanged'];
		return { events, runs: this.runs, startFrom: 'activation' };
	}

	private async step(): Promise<void> {
		const { random } = this;
		const { executions } = this.host;
		executions.resultOf = () => (integer(random, 0, 3) === 0 ? undefined : 'success');
		for (let changes = integer(random, 0, 3); changes > 0; changes--) this.change();
		if (integer(random, 0, 7) === 0) {
			const times = integer(random, 1, 6);
			this.bench.sandbox.faults.add({ kind: 'status', status: 503, path: /inventory-api/, times });
		}
		const polling = this.poll();
		for (let changes = integer(random, 0, 2); changes > 0; changes--) {
			await turns(integer(random, 5, 60));
			this.change();
		}
		await polling;
		if (integer(random, 0, 2) === 0) this.endRuns();
		if (integer(random, 0, 9) === 0) await this.kill();
	}

	private change(): void {
		const { random } = this;
		const { inventory } = this.bench.sandbox;
		this.bench.sandbox.advance(1_000);
		alignClocks();
		const lagMs = pick(random, [0, 0, 0, 30_000, LONGEST_LAG]);
		const lag =
			lagMs === 0 ? {} : pick(random, [{ records: { ms: lagMs } }, { rows: { ms: lagMs } }]);
		if (integer(random, 0, 9) === 0) {
			const { id } = inventory.create(AGENCY, { price: this.price(), archived: false }, lag);
			this.note(id);
			return;
		}
		const all = inventory.of(AGENCY);
		const { id } = pick(random, all);
		const changes = pick<IDataObject>(random, [
			{ price: this.price() },
			{ price: this.price() },
			{ inventoryStatus: pick(random, STATUSES) },
			{ archived: integer(random, 0, 1) === 0 },
			{ bedrooms: integer(random, 1, 9) },
		]);
		inventory.change(AGENCY, id, changes, lag);
		this.note(id);
	}

	private price(): number {
		return integer(this.random, 1, 4) * 50_000;
	}

	private async poll(): Promise<void> {
		alignClocks();
		this.bench.sandbox.advance(MINUTE);
		alignClocks();
		const [outcome] = await Promise.allSettled([this.host.tick()]);
		await turns(60);
		if (outcome.status === 'fulfilled' && outcome.value.length > 0) {
			this.take(outcome.value);
			// n8n stores the progress with the items.
			if (!this.host.remains.isDurable) this.host.saved = structuredClone(this.host.state);
		}
		this.takeRuns();
	}

	private takeRuns(): void {
		const { started } = this.host.executions;
		this.take(started.slice(this.taken));
		this.taken = started.length;
	}

	private endRuns(): void {
		const { executions } = this.host;
		for (const run of executions.rows) if (!run.result) executions.end(run, 'success');
	}

	/** Runs under way are lost with the process: n8n knows their keys. */
	private async kill(): Promise<void> {
		this.kills++;
		const { remains, executions } = this.host;
		for (const run of executions.rows) run.result ??= 'crashed';
		const node = await triggerOfNewProcess();
		this.host = new InventoryHost(this.bench, this.parameters, { ...remains, node });
		const [outcome] = await Promise.allSettled([this.host.activate()]);
		await turns(60);
		this.takeRuns();
		if (outcome.status === 'fulfilled') {
			this.take(outcome.value);
			return;
		}
		// n8n tries to activate it again.
		await this.kill();
	}

	private async settle(): Promise<void> {
		this.host.executions.resultOf = () => 'success';
		this.bench.sandbox.faults.clear();
		for (let polls = 0; polls < 25; polls++) {
			this.endRuns();
			await this.poll();
		}
	}

	private note(id: string): void {
		const values = this.history.get(id) ?? new Set();
		values.add(JSON.stringify(this.actual(id)));
		this.history.set(id, values);
	}

	private actual(id: string): Values {
		const { price, inventoryStatus, archived } = this.bench.sandbox.inventory.find(AGENCY, id);
		return { price, status: inventoryStatus, archived };
	}

	private take(items: IDataObject[]): void {
		for (const { id, event: happened, previous, price, status, archived } of items) {
			const [key, event] = [textOf(id), textOf(happened)];
			const after = { price, status, archived };
			const before = { ...after, ...(previous as Values) };
			const earlier = this.delivered.get(key) ?? [];
			const last = earlier.at(-1);
			const told = `${key}: ${event} ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
			if (!this.history.get(key)?.has(JSON.stringify(after))) throw new Error(`Made up: ${told}`);
			if (event === 'created') {
				if (last || this.known.has(key)) throw new Error(`Not new: ${told}`);
			} else {
				if (JSON.stringify(before) === JSON.stringify(after)) throw new Error(`Nothing: ${told}`);
				if (last && JSON.stringify(last) !== JSON.stringify(before)) {
					throw new Error(`Out of order after ${JSON.stringify(last)}: ${told}`);
				}
			}
			this.delivered.set(key, [...earlier, after]);
			this.count++;
		}
	}

	/** Each property is as it was delivered last. */
	private close(): void {
		for (const { id } of this.bench.sandbox.inventory.of(AGENCY)) {
			const last = this.delivered.get(id)?.at(-1);
			const actual = JSON.stringify(this.actual(id));
			if (last ? JSON.stringify(last) !== actual : !this.known.has(id)) {
				throw new Error(`Lost: ${id} is ${actual} and came as ${JSON.stringify(last)}`);
			}
			if (!last && this.history.get(id)?.size !== 1 && !this.hasReturned(id, actual)) {
				throw new Error(`Lost: ${id} is ${actual} and never came`);
			}
		}
	}

	/** Whether it is again what it was at the start. */
	private hasReturned(id: string, actual: string): boolean {
		const [first] = this.history.get(id) ?? [];
		return first === actual;
	}
}

/** Lets others go first for a while. */
async function turns(count: number): Promise<void> {
	for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
