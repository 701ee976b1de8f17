import { DAY, isoSeconds } from './clock';
import type { Random } from './random';
import { createRandom, seedOf, uuid } from './random';

export type Product = 'premium-listings' | 'weekly-featured-properties';
type Result = 'PENDING' | 'ACTIVATED' | 'DEACTIVATED' | 'SCHEDULED' | 'ERROR';
/** with a key where it is shown */
export type Highlight = { id: number; description?: string; key?: string };
type ActivationError = { reason: string; code: number };

/** How activations that are made from now on turn out, and how the API words some answers. */
interface ProductsBehaviour {
	/** how many looks at the activation still find it pending; null: looks settle nothing */
	settleAfterGets: number | null;
	/** by the sandbox's clock; null: time settles nothing */
	settleAfterMs: number | null;
	result: 'ACTIVATED' | 'SCHEDULED' | 'ERROR';
	/** of an activation that ends in ERROR */
	errors: ActivationError[];
	/** the form of `status.errors` */
	errorsAs: 'array' | 'object';
	/** what becomes of a PATCH */
	updateResult: 'done' | 'failed';
	/** the form of the answer to a PATCH */
	updateAnswer: 'object' | 'array';
	/** 303, or 400 with a code */
	duplicates: 'redirect' | 'refuse';
	/** published: without /products, which leads nowhere */
	location: 'published' | 'full';
	/** how they are written */
	times: 'seconds' | 'nanoseconds' | 'offset';
	/** customers’ ids that match no listing */
	unknownListings: string[];
}

interface ActivationStatus {
	result: Result;
	currently?: 'WAITING_FOR_UPDATE' | 'LAST_UPDATE_FAILED';
	errors?: ActivationError[] | { errors: ActivationError[] };
}

export type Activation = {
	id: string;
	listingId: number;
	createdAt: string;
	updatedAt: string;
	createdBy: string;
	/** once it is known */
	expiryAt?: string;
	/** weekly only, and of what is planned: a premium one does not tell */
	startAt?: string;
	/** weekly only */
	isRenewable?: boolean;
	/** premium only */
	highlights?: Highlight[];
	customDetails?: Record<string, unknown>;
	status: ActivationStatus;
};

/** An activation and what the service knows beyond what it shows. */
export interface ActivationRecord {
	product: Product;
	shown: Activation;
	/** as it was when the activation was made */
	behaviour: ProductsBehaviour;
	/** epoch milliseconds */
	waitingSince: number;
	/** since it waits */
	looks: number;
	/** epoch milliseconds, of what is planned */
	startsAt?: number;
	/** the highlights that wait */
	update?: Highlight[];
}

export interface ActivationRequest {
	listingId: number;
	highlights?: Highlight[];
	customDetails?: Record<string, unknown>;
}

const USUAL: ProductsBehaviour = {
	settleAfterGets: 1,
	settleAfterMs: null,
	result: 'ACTIVATED',
	errors: [{ reason: 'No details of the listing', code: 1_021_003 }],
	errorsAs: 'array',
	updateResult: 'done',
	updateAnswer: 'object',
	duplicates: 'redirect',
	location: 'published',
	times: 'seconds',
	unknownListings: ['no-such-listing'],
};
const PREMIUM_TERM = 28 * DAY;
const WEEKLY_TERM = 7 * DAY;

/** The activations, which settle as time passes or as they are looked at. */
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

	configure(patch: Partial<ProductsBehaviour>) {
		this.behaviour = { ...this.behaviour, ...patch };
	}

	/** Forgets the activations and how they were to turn out. */
	clear() {
		this.records.clear();
		this.behaviour = USUAL;
	}

	/** Takes one credit. */
	activate(product: Product, request: ActivationRequest, createdBy: string): Activation {
		const record = this.newRecord(product, request, createdBy);
		this.records.set(record.shown.id, record);
		this.spent(product, request.listingId);
		return structuredClone(record.shown);
	}

	private newRecord(
		product: Product,
		request: ActivationRequest,
		createdBy: string,
	): ActivationRecord {
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
		return { product, shown, behaviour: this.behaviour, waitingSince: now, looks: 0 };
	}

	/** @returns as they stand now, in the order of making */
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
	 * What is planned is not in the way: nobody says that the service refuses another order then.
	 *
	 * @returns what stands in the way of another activation
	 */
	current(product: Product, listingId: number): ActivationRecord | undefined {
		return this.list(product).find(({ shown }) => {
			return shown.listingId === listingId && isCurrent(shown.status.result);
		});
	}

	/** @param record that was asked for by its id */
	look(record: ActivationRecord) {
		record.looks++;
		this.keepUp(record);
	}

	update(record: ActivationRecord, highlights: Highlight[]) {
		record.update = highlights;
		record.behaviour = this.behaviour;
		record.waitingSince = this.now();
		record.looks = 0;
		record.shown.status = { ...record.shown.status, currently: 'WAITING_FOR_UPDATE' };
	}

	/**
	 * Ends the waiting of one activation, or of all, at once.
	 *
	 * @param patch another end than the one that was planned
	 */
	settle(id?: string, patch: Partial<ProductsBehaviour> = {}) {
		for (const record of this.records.values()) {
			if (id !== undefined && record.shown.id !== id) continue;
			record.behaviour = { ...record.behaviour, ...patch };
			this.end(record, this.now());
		}
	}

	private keepUp(record: ActivationRecord) {
		const { settleAfterGets, settleAfterMs } = record.behaviour;
		const dueAt = settleAfterMs === null ? Infinity : record.waitingSince + settleAfterMs;
		if (dueAt <= this.now()) this.end(record, dueAt);
		else if (settleAfterGets !== null && record.looks > settleAfterGets) {
			this.end(record, this.now());
		}
		passTime(record, this.now());
	}

	/** @param at epoch milliseconds */
	private end(record: ActivationRecord, at: number) {
		const { shown } = record;
		const written = (time: number) => this.written(time);
		if (shown.status.result === 'PENDING') {
			shown.updatedAt = written(at);
			conclude(record, at, written);
		} else if (record.update !== undefined) {
			shown.updatedAt = written(at);
			concludeUpdate(record, record.update);
		}
	}
}

function isCurrent(result: Result) {
	return result === 'PENDING' || result === 'ACTIVATED';
}

const TIMES: Record<ProductsBehaviour['times'], (time: number) => string> = {
	seconds: isoSeconds,
	nanoseconds: (time) => `${isoSeconds(time).slice(0, 19)}.000000001Z`,
	offset: (time) => `${isoSeconds(time + 5_400_000).slice(0, 19)}+01:30`,
};

function withKey(highlight: Highlight): Highlight {
	return { ...highlight, key: `highlight-${highlight.id}` };
}

/** @param at epoch milliseconds */
function conclude(record: ActivationRecord, at: number, written: (time: number) => string) {
	const { product, shown, behaviour } = record;
	const { result, errors, errorsAs } = behaviour;
	if (result === 'ERROR') {
		shown.status = { result, errors: errorsAs === 'array' ? errors : { errors } };
		return;
	}
	const start = result === 'SCHEDULED' ? at + WEEKLY_TERM : at;
	const term = product === 'premium-listings' ? PREMIUM_TERM : WEEKLY_TERM;
	shown.status = { result };
	shown.expiryAt = written(start + term);
	if (result !== 'SCHEDULED') return;
	record.startsAt = start;
	if (product === 'weekly-featured-properties') shown.startAt = written(start);
}

function concludeUpdate(record: ActivationRecord, update: Highlight[]) {
	const failed = record.behaviour.updateResult === 'failed';
	record.update = undefined;
	if (!failed) record.shown.highlights = update.map(withKey);
	record.shown.status = {
		result: record.shown.status.result,
		...(failed ? { currently: 'LAST_UPDATE_FAILED' } : {}),
	};
}

/** @param now epoch milliseconds */
function passTime({ shown, startsAt = Infinity }: ActivationRecord, now: number) {
	const { status, expiryAt } = shown;
	if (status.result === 'SCHEDULED' && now >= startsAt) {
		shown.status = { ...status, result: 'ACTIVATED' };
	}
	if (shown.status.result === 'ACTIVATED' && now >= Date.parse(expiryAt ?? '')) {
		shown.status = { ...status, result: 'DEACTIVATED' };
	}
}

/**
 * @param customerListingId the agency's own id
 * @returns the listing that goes by it
 */
export function listingOf(customerListingId: string): number {
	return 10_000_000 + (seedOf(customerListingId) % 90_000_000);
}
