import { DAY, isoSeconds } from './clock';
import type { Random } from './random';
import { createRandom, seedOf, uuid } from './random';

export type Product = 'premium-listings' | 'weekly-featured-properties';
type Result = 'PENDING' | 'ACTIVATED' | 'DEACTIVATED' | 'SCHEDULED' | 'ERROR';
/** with a key where it is shown */
export type Highlight = { id: number; description?: string; key?: string };
type ActivationError = { reason: string; code: number };

/** How activations that are ordered from now on end, and the form of some answers. */
interface ProductsBehaviour {
	/** How many reads of an activation find it pending before it settles; null: reads settle nothing. */
	settleAfterGets: number | null;
	/** Time after which an activation settles, by the sandbox's clock; null: time settles nothing. */
	settleAfterMs: number | null;
	result: 'ACTIVATED' | 'SCHEDULED' | 'ERROR';
	/** The errors of an activation that ends in ERROR. */
	errors: ActivationError[];
	/** What becomes of a PATCH. */
	updateResult: 'done' | 'failed';
	/** 303, or 400 with a code, or another activation: nobody says that the service always refuses one. */
	duplicates: 'redirect' | 'refuse' | 'accept';
	/** Published: as the contract has it, without /products, which is the address of nothing. */
	location: 'published' | 'full';
	/** The form in which times are written. */
	times: 'seconds' | 'nanoseconds' | 'offset';
	/** Customers’ ids that match no listing. */
	unknownListings: string[];
}

interface ActivationStatus {
	result: Result;
	currently?: 'WAITING_FOR_UPDATE' | 'LAST_UPDATE_FAILED';
	errors?: ActivationError[];
}

export type Activation = {
	id: string;
	listingId: number;
	createdAt: string;
	updatedAt: string;
	createdBy: string;
	/** Once it is known. */
	expiryAt?: string;
	/** Weekly and SCHEDULED only; a premium activation does not show it. */
	startAt?: string;
	/** Weekly only. */
	isRenewable?: boolean;
	/** Premium only. */
	highlights?: Highlight[];
	customDetails?: Record<string, unknown>;
	status: ActivationStatus;
};

/** An activation, and what the service knows of it but does not show. */
export interface ActivationRecord {
	product: Product;
	shown: Activation;
	/** As it was when the activation was made. */
	behaviour: ProductsBehaviour;
	/** Epoch milliseconds. */
	madeAt: number;
	/** Epoch milliseconds. */
	waitingSince: number;
	/** How often the activation was read since then. */
	looks: number;
	/** Epoch milliseconds, if the activation is SCHEDULED. */
	startsAt?: number;
	/** The highlights of an update that is in flight. */
	update?: Highlight[];
}

interface ActivationRequest {
	listingId: number;
	highlights?: Highlight[];
	customDetails?: Record<string, unknown>;
}

const USUAL: ProductsBehaviour = {
	settleAfterGets: 1,
	settleAfterMs: null,
	result: 'ACTIVATED',
	errors: [{ reason: 'No details of the listing', code: 1_021_003 }],
	updateResult: 'done',
	duplicates: 'redirect',
	location: 'published',
	times: 'seconds',
	unknownListings: ['no-such-listing'],
};
const PREMIUM_TERM = 28 * DAY;
const WEEKLY_TERM = 7 * DAY;

/** The activations. They settle after some time or some reads. */
export class Products {
	private readonly random: Random;
	behaviour = USUAL;
	private readonly records = new Map<string, ActivationRecord>();

	/** @param now epoch milliseconds */
	constructor(
		seed: number,
		private readonly now: () => number,
		private readonly spent: (product: Product, listingId: number) => void,
	) {
		this.random = createRandom(seed + 7);
	}

	configure(patch: Partial<ProductsBehaviour>): void {
		this.behaviour = { ...this.behaviour, ...patch };
	}

	/** What is ordered from now on ends as usual. */
	restore(): void {
		this.behaviour = USUAL;
	}

	/** Removes all activations, and restores the usual behaviour. */
	clear(): void {
		this.records.clear();
		this.restore();
	}

	/** Takes one credit. */
	activate(product: Product, request: ActivationRequest, createdBy: string): Activation {
		const now = this.now();
		const shown: Activation = {
			id: uuid(this.random),
			listingId: request.listingId,
			createdAt: this.written(now),
			updatedAt: this.written(now),
			createdBy,
			...(product === 'premium-listings'
				? { highlights: (request.highlights ?? []).map(withKey) }
				: { isRenewable: true }),
			...(request.customDetails === undefined ? {} : { customDetails: request.customDetails }),
			status: { result: 'PENDING' },
		};
		const { behaviour } = this;
		const waiting = { madeAt: now, waitingSince: now, looks: 0 };
		this.records.set(shown.id, { product, shown, behaviour, ...waiting });
		this.spent(product, request.listingId);
		return structuredClone(shown);
	}

	/** @returns the activations as they are now, in the order in which they were ordered */
	list(product: Product): ActivationRecord[] {
		const records = [...this.records.values()].filter((record) => record.product === product);
		for (const record of records) this.keepUp(record);
		return records;
	}

	find(product: Product, id: string): ActivationRecord | undefined {
		const record = this.records.get(id);
		if (record?.product !== product) return undefined;
		this.keepUp(record);
		return record;
	}

	/** @param time epoch milliseconds */
	written(time: number): string {
		return TIMES[this.behaviour.times](time);
	}

	/**
	 * A SCHEDULED activation does not count: the contract does not say that the service refuses another order then.
	 *
	 * @returns the activation because of which another order is refused
	 */
	current(product: Product, listingId: number): ActivationRecord | undefined {
		return this.list(product).find(({ shown }) => {
			const isCurrent = ['PENDING', 'ACTIVATED'].includes(shown.status.result);
			return isCurrent && shown.listingId === listingId;
		});
	}

	/** @param record that was read by its ID */
	look(record: ActivationRecord): void {
		record.looks++;
		this.keepUp(record);
	}

	update(record: ActivationRecord, highlights: Highlight[]): void {
		record.update = highlights;
		record.behaviour = this.behaviour;
		record.waitingSince = this.now();
		record.looks = 0;
		record.shown.status = { ...record.shown.status, currently: 'WAITING_FOR_UPDATE' };
	}

	/**
	 * Settles one activation, or all of them, now.
	 *
	 * @param patch makes it end in another way
	 */
	settle(id?: string, patch: Partial<ProductsBehaviour> = {}): void {
		for (const record of this.records.values()) {
			if (id !== undefined && record.shown.id !== id) continue;
			record.behaviour = { ...record.behaviour, ...patch };
			this.end(record, this.now());
		}
	}

	private keepUp(record: ActivationRecord): void {
		const { behaviour, waitingSince, looks, shown } = record;
		const { settleAfterGets, settleAfterMs } = behaviour;
		const now = this.now();
		const dueAt = settleAfterMs === null ? Infinity : waitingSince + settleAfterMs;
		if (dueAt <= now || (settleAfterGets !== null && looks > settleAfterGets)) {
			this.end(record, Math.min(dueAt, now));
		}
		const { startsAt = Infinity } = record;
		if (shown.status.result === 'SCHEDULED' && now >= startsAt) shown.status.result = 'ACTIVATED';
		if (shown.status.result === 'ACTIVATED' && now >= Date.parse(shown.expiryAt ?? '')) {
			shown.status.result = 'DEACTIVATED';
		}
	}

	/** @param at epoch milliseconds */
	private end(record: ActivationRecord, at: number): void {
		const { shown, update, behaviour, product } = record;
		const { result, errors, updateResult } = behaviour;
		const isPremium = product === 'premium-listings';
		if (shown.status.result !== 'PENDING' && update === undefined) return;
		shown.updatedAt = this.written(at);
		if (shown.status.result !== 'PENDING') {
			const isFailed = updateResult === 'failed';
			record.update = undefined;
			if (!isFailed) shown.highlights = update?.map(withKey);
			const { result: before } = shown.status;
			shown.status = { result: before, ...(isFailed && { currently: 'LAST_UPDATE_FAILED' }) };
			return;
		}
		shown.status = { result, ...(result === 'ERROR' && { errors }) };
		if (result === 'ERROR') return;
		const start = result === 'SCHEDULED' ? at + WEEKLY_TERM : at;
		shown.expiryAt = this.written(start + (isPremium ? PREMIUM_TERM : WEEKLY_TERM));
		if (result !== 'SCHEDULED') return;
		record.startsAt = start;
		if (!isPremium) shown.startAt = this.written(start);
	}
}

const TIMES: Record<ProductsBehaviour['times'], (time: number) => string> = {
	seconds: isoSeconds,
	nanoseconds: (time) => `${isoSeconds(time).slice(0, 19)}.000000001Z`,
	offset: (time) => `${isoSeconds(time + 5_400_000).slice(0, 19)}+01:30`,
};

function withKey(highlight: Highlight): Highlight {
	return { ...highlight, key: `highlight-${highlight.id}` };
}

/**
 * @param customerListingId the agency's own id
 * @returns the listing that goes by it
 */
export function listingOf(customerListingId: string): number {
	return 10_000_000 + (seedOf(customerListingId) % 90_000_000);
}
