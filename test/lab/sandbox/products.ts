import { DAY } from '../times';
import { isoSeconds } from './clock';
import type { Random } from './random';
import { createRandom, seedOf, uuid } from './random';

export type Product = 'premium-listings' | 'weekly-featured-properties';
/** with a key where it is shown */
export type Highlight = { id: number; description?: string; key?: string };

/** How activations that are ordered from now on end, and the form of some answers. */
interface ProductsBehaviour {
	/** How many reads of an activation find it pending before it settles; null: reads settle nothing. */
	settleAfterGets: number | null;
	/** Time after which an activation settles, by the sandbox's clock; null: time settles nothing. */
	settleAfterMs: number | null;
	result: 'ACTIVATED' | 'SCHEDULED' | 'ERROR';
	/** The errors of an activation that ends in ERROR. */
	errors: Array<{ reason: string; code: number }>;
	/** What becomes of a PATCH. */
	updateResult: 'done' | 'failed';
	/** 303, or 400 with a code, or another activation: nobody says that the service always refuses one. */
	duplicates: 'redirect' | 'refuse' | 'accept';
	/** Published: as the contract has it, without /products, which is the address of nothing. */
	location: 'published' | 'full';
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
	status: {
		result: ProductsBehaviour['result'] | 'PENDING' | 'DEACTIVATED';
		currently?: 'WAITING_FOR_UPDATE' | 'LAST_UPDATE_FAILED';
		errors?: ProductsBehaviour['errors'];
	};
};

/** An activation, and what the service knows of it but does not show. Times are epoch milliseconds. */
export interface ActivationRecord {
	product: Product;
	shown: Activation;
	/** As it was when the activation was made. */
	behaviour: ProductsBehaviour;
	madeAt: number;
	waitingSince: number;
	/** How often the activation was read since then. */
	looks: number;
	/** If the activation is SCHEDULED. */
	startsAt?: number;
	/** The highlights of an update that is in flight. */
	update?: Highlight[];
}

type ActivationRequest = Pick<Activation, 'listingId' | 'highlights' | 'customDetails'>;

const USUAL: ProductsBehaviour = {
	settleAfterGets: 1,
	settleAfterMs: null,
	result: 'ACTIVATED',
	errors: [{ reason: 'No details of the listing', code: 1_021_003 }],
	updateResult: 'done',
	duplicates: 'redirect',
	location: 'published',
};
const TERMS = { 'premium-listings': 28 * DAY, 'weekly-featured-properties': 7 * DAY };
const SCHEDULED_AHEAD = 7 * DAY;

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
		const { behaviour } = this;
		const now = this.now();
		const { listingId, highlights = [], customDetails } = request;
		const shown: Activation = {
			...{ id: uuid(this.random), listingId, createdBy },
			...{ createdAt: isoSeconds(now), updatedAt: isoSeconds(now) },
			...(product === 'premium-listings'
				? { highlights: highlights.map(withKey) }
				: { isRenewable: true }),
			...(customDetails && { customDetails }),
			status: { result: 'PENDING' },
		};
		const waiting = { madeAt: now, waitingSince: now, looks: 0 };
		this.records.set(shown.id, { product, shown, behaviour, ...waiting });
		this.spent(product, listingId);
		return structuredClone(shown);
	}

	/** @returns the activations as they are now, in the order in which they were ordered */
	list(product: Product): ActivationRecord[] {
		const records = [...this.records.values()].filter((record) => record.product === product);
		for (const record of records) this.keepUp(record);
		return records;
	}

	find(product: Product, id: string): ActivationRecord | undefined {
		return this.list(product).find(({ shown }) => shown.id === id);
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

	update(record: ActivationRecord, update: Highlight[]): void {
		const { behaviour } = this;
		Object.assign(record, { update, behaviour, waitingSince: this.now(), looks: 0 });
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
		const { behaviour, waitingSince, looks, shown, startsAt = Infinity } = record;
		const { settleAfterGets, settleAfterMs } = behaviour;
		const now = this.now();
		const dueAt = waitingSince + (settleAfterMs ?? Infinity);
		if (dueAt <= now || looks > (settleAfterGets ?? Infinity)) {
			this.end(record, Math.min(dueAt, now));
		}
		const { status, expiryAt = '' } = shown;
		if (status.result === 'SCHEDULED' && now >= startsAt) status.result = 'ACTIVATED';
		if (status.result === 'ACTIVATED' && now >= Date.parse(expiryAt)) status.result = 'DEACTIVATED';
	}

	/** @param at epoch milliseconds */
	private end(record: ActivationRecord, at: number): void {
		const { shown, update, product } = record;
		const { result, errors, updateResult } = record.behaviour;
		const { result: before } = shown.status;
		if (before !== 'PENDING' && update === undefined) return;
		shown.updatedAt = isoSeconds(at);
		if (before !== 'PENDING') {
			const isFailed = updateResult === 'failed';
			delete record.update;
			if (!isFailed) shown.highlights = update?.map(withKey);
			shown.status = { result: before, ...(isFailed && { currently: 'LAST_UPDATE_FAILED' }) };
			return;
		}
		shown.status = { result, ...(result === 'ERROR' && { errors }) };
		if (result === 'ERROR') return;
		const start = result === 'SCHEDULED' ? at + SCHEDULED_AHEAD : at;
		shown.expiryAt = isoSeconds(start + TERMS[product]);
		if (result !== 'SCHEDULED') return;
		record.startsAt = start;
		if (product !== 'premium-listings') shown.startAt = isoSeconds(start);
	}
}

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
