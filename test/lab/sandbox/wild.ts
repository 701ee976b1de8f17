import { isRecord, jsonIn } from '../values';
import { chance, createRandom, integer, shuffled } from './random';
import type { Answer } from './types';
import { ALLOWED } from './wildness/allowed';
import { MISBEHAVING } from './wildness/misbehaving';
import { bodySchema } from './wildness/places';
import type { Reply, Situation, Strength, Wildness } from './wildness/situation';
import { VALUE_WILDNESS } from './wildness/values';

/** Wildness by chance: any request may meet any kind of it. */
export interface WildSettings {
	/** Default 1: the same seed and the same requests bring the same wildness. */
	seed?: number;
	/** Default: misbehaving, which includes all that is allowed. */
	strength?: Strength;
	/** Default 0.3: the share of requests that meet wildness. */
	rate?: number;
	/** Names; default: all of the strength. */
	only?: string[];
	/** Names. */
	without?: string[];
}

/** Wildness by plan: one kind, for the first requests that it fits. */
export interface WildStep {
	name: string;
	seed: number;
	/** Default: both. */
	on?: 'token' | 'data';
	/** How many requests pass first; default 0. */
	after?: number;
	/** How often it happens; default 1. */
	times?: number;
}

/** What the service answered, as a client that reads rightly understands it. */
export interface Told {
	kind: 'token' | 'data';
	clientId: string | null;
	method: string;
	path: string;
	/** The query. */
	search: string;
	agencyRef: string | null;
	wildness: string[];
	/** 0: the connection ended without an answer. */
	status: number;
	/** Whether the work was done. */
	isDone: boolean;
	/** Whether a right client can take the value from the answer. */
	isReadable: boolean;
	/** Whether the answer arrived as the service meant it, even if it is a refusal. */
	isWhole: boolean;
	value: unknown;
}

const CATALOGUE: Wildness[] = [...VALUE_WILDNESS, ...ALLOWED, ...MISBEHAVING];
const KEPT_TOLD = 5_000;

/** A step of a plan, with how many requests it has seen and how often it has happened. */
class ArmedStep {
	readonly wildness: Wildness;
	private seen = 0;
	private fired = 0;

	constructor(private readonly step: WildStep) {
		this.wildness = named(step.name);
	}

	see(kind: 'token' | 'data'): void {
		if (this.step.on === undefined || this.step.on === kind) this.seen++;
	}

	apply(reply: Reply, situation: Situation): Reply | undefined {
		const { seed, on, after = 0, times = 1 } = this.step;
		const kind = kindOf(situation);
		if (on !== undefined && on !== kind) return undefined;
		if (this.seen <= after || this.fired >= times) return undefined;
		const random = createRandom(Math.imul(seed, 0x9e3779b1) + this.fired);
		const changed = this.wildness.apply(reply, { ...situation, random });
		if (changed !== undefined) this.fired++;
		return changed;
	}
}

/** How the service answers while it is wild. It refuses wrong requests as strictly as before. */
export class Wild {
	settings: WildSettings | undefined;
	steps: ArmedStep[] = [];
	private isPlanned = false;
	private requests = 0;
	told: Told[] = [];
	/** How often each kind has happened since the sandbox started. */
	counts: Record<string, number> = {};

	constructor(private readonly service: Situation['service']) {}

	static catalogue(): { name: string; strength: Strength }[] {
		return CATALOGUE.map(({ name, strength }) => ({ name, strength }));
	}

	start(settings: WildSettings = {}): void {
		for (const name of [...(settings.only ?? []), ...(settings.without ?? [])]) named(name);
		this.stop();
		this.settings = settings;
	}

	/** @param steps even without any, `told` is kept */
	plan(steps: WildStep[]): void {
		this.stop();
		this.steps = steps.map((step) => new ArmedStep(step));
		this.isPlanned = true;
	}

	/** Makes the service tame again, and forgets what was told. */
	stop(): void {
		this.settings = undefined;
		this.steps = [];
		this.isPlanned = false;
		this.requests = 0;
		this.told = [];
	}

	get isOn(): boolean {
		return this.settings !== undefined || this.isPlanned;
	}

	/** The settings, and how often each kind of wildness has happened. */
	status() {
		const { isOn, settings, counts } = this;
		return { isOn, settings, counts, catalogue: Wild.catalogue() };
	}

	/** @returns the course of one request */
	course(request: Omit<Situation, 'random' | 'service'>): Course {
		const random = createRandom(Math.imul(this.settings?.seed ?? 1, 0x85ebca6b) + this.requests++);
		return new Course(this, { ...request, random, service: this.service });
	}

	note(told: Told): void {
		this.told.push(told);
		if (this.told.length > KEPT_TOLD) this.told.shift();
		for (const name of told.wildness) this.counts[name] = (this.counts[name] ?? 0) + 1;
	}
}

/** How one answer becomes wild. */
export class Course {
	private readonly met: Wildness[] = [];
	private readonly isHit: boolean;

	constructor(
		private readonly wild: Wild,
		private readonly situation: Situation,
	) {
		for (const step of wild.steps) step.see(kindOf(situation));
		const { settings } = wild;
		this.isHit = settings !== undefined && chance(situation.random, settings.rate ?? 0.3);
	}

	/** Whether the answer is one that the contract has. */
	get isAllowed(): boolean {
		return this.met.every(({ strength }) => strength === 'allowed');
	}

	/** @returns the answer, if the service does no work for the request */
	before(): Reply | undefined {
		const { random } = this.situation;
		if (this.isHit && !chance(random, 0.2)) return this.through(plain(), this.planned(true), 1);
		return this.through(plain(), [...this.planned(true), ...this.drawn(true)], 1);
	}

	/** @param answer the tame one */
	after(answer: Answer): Reply {
		const reply = read(answer);
		const { integration, method, path } = this.situation;
		if (integration !== 'token') {
			this.situation.schema = bodySchema(integration, method, path, reply.status);
		}
		const most = this.isHit ? integer(this.situation.random, 1, 3) : Infinity;
		return this.through(reply, [...this.planned(false), ...this.drawn(false)], most) ?? reply;
	}

	/**
	 * @param reply as it is sent
	 * @param answer the tame one, if the work was done
	 */
	close(reply: Reply, answer?: Answer): void {
		const { call, method, clientId } = this.situation;
		const agencyRef = call.headers.agencyref;
		const isSuccess = answer !== undefined && answer.status < 400;
		const isWhole = answer !== undefined && !this.met.some(({ breaks }) => breaks);
		const isReadable = isSuccess && isWhole;
		this.wild.note({
			kind: kindOf(this.situation),
			clientId,
			method,
			path: call.path,
			search: call.search,
			agencyRef: typeof agencyRef === 'string' ? agencyRef : null,
			wildness: this.met.map(({ name }) => name),
			status: reply.wire === 'reset' ? 0 : reply.status,
			isDone: answer !== undefined,
			isReadable,
			isWhole,
			value: isReadable ? reply.value : undefined,
		});
	}

	/** @returns undefined: none fits */
	private through(
		reply: Reply,
		ways: Array<Pick<Wildness, 'apply'> & { wildness: Wildness }>,
		most: number,
	): Reply | undefined {
		let changed: Reply | undefined;
		let applied = 0;
		for (const { apply, wildness } of ways) {
			// An answer that cannot be read must stay so: a later change could make it readable again.
			if (applied >= most || this.met.some(({ breaks }) => breaks)) break;
			const next = apply(changed ?? reply, this.situation);
			if (next === undefined) continue;
			changed = next;
			applied++;
			this.met.push(wildness);
		}
		return changed;
	}

	private planned(isBefore: boolean) {
		return this.wild.steps
			.filter(({ wildness }) => (wildness.isBefore ?? false) === isBefore)
			.map((step) => ({
				wildness: step.wildness,
				apply: (reply: Reply, situation: Situation) => step.apply(reply, situation),
			}));
	}

	private drawn(isBefore: boolean) {
		const { settings } = this.wild;
		if (!this.isHit || settings === undefined) return [];
		const { only, without = [], strength = 'misbehaving' } = settings;
		const eligible = CATALOGUE.filter(
			(each) =>
				(each.isBefore ?? false) === isBefore &&
				(strength === 'misbehaving' || each.strength === 'allowed') &&
				(only === undefined || only.includes(each.name)) &&
				!without.includes(each.name),
		);
		return shuffled(this.situation.random, eligible).map((wildness) => ({
			wildness,
			apply: wildness.apply,
		}));
	}
}

function kindOf({ integration }: Situation): 'token' | 'data' {
	return integration === 'token' ? 'token' : 'data';
}

function named(name: string): Wildness {
	const wildness = CATALOGUE.find((each) => each.name === name);
	if (wildness === undefined) throw new Error(`no wildness is called ${name}`);
	return wildness;
}

function plain(): Reply {
	return { status: 200, headers: {}, value: undefined, wire: 'whole' };
}

function read({ status, headers = {}, body }: Answer): Reply {
	const text = typeof body === 'string' ? body : Array.from(body).join('');
	const value = jsonIn(text);
	const isRead = isRecord(value) || Array.isArray(value);
	return { ...plain(), status, headers, ...(isRead ? { value } : { text }) };
}
