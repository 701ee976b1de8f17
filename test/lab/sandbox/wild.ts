import { isRecord, jsonIn } from '../values';
import { chance, createRandom, integer, shuffled } from './random';
import type { Answer } from './types';
import { ALLOWED } from './wildness/allowed';
import { MISBEHAVING } from './wildness/misbehaving';
import { bodySchema } from './wildness/places';
import type { Reply, Situation, Strength, Wildness } from './wildness/situation';
import { VALUE_WILDNESS } from './wildness/values';

/** By chance: any request may meet any wildness. */
export interface WildSettings {
	/** default 1: the same seed and the same requests bring the same wildness */
	seed?: number;
	/** default misbehaving, which holds what is allowed too */
	strength?: Strength;
	/** default 0.3: the share of the requests that meet some */
	rate?: number;
	/** names; default: all of the strength */
	only?: string[];
	/** names */
	without?: string[];
	/** default 0: the pause between two drops of a body, in milliseconds */
	dripMs?: number;
}

/** By plan: this wildness, for the first requests that it fits. */
export interface WildStep {
	name: string;
	seed: number;
	/** default: both */
	on?: 'token' | 'data';
	/** how many requests pass first; default 0 */
	after?: number;
	/** how often it happens; default 1 */
	times?: number;
}

/** What the client was told, as far as a right one can know it. */
export interface Told {
	kind: 'token' | 'data';
	clientId: string | null;
	method: string;
	path: string;
	/** the query */
	search: string;
	agencyRef: string | null;
	wildness: string[];
	/** 0: the connection ended without an answer */
	status: number;
	/** whether the work was done */
	isDone: boolean;
	/** whether an answer arrived from which a right client can take the value */
	isReadable: boolean;
	/** whether the answer arrived as the service meant it, be it a refusal */
	isWhole: boolean;
	/** whether a right client may refuse it as well */
	isDoubtful: boolean;
	value: unknown;
}

const CATALOGUE: Wildness[] = [...VALUE_WILDNESS, ...ALLOWED, ...MISBEHAVING];
const KEPT_TOLD = 5_000;

/** A plan's step, and how often it has met its requests. */
class ArmedStep {
	readonly wildness: Wildness;
	private seen = 0;
	private fired = 0;

	constructor(private readonly step: WildStep) {
		this.wildness = named(step.name);
	}

	see(kind: 'token' | 'data') {
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

/** How the service answers while it is wild. It stays strict in what it refuses. */
export class Wild {
	settings: WildSettings | undefined;
	steps: ArmedStep[] = [];
	private isPlanned = false;
	private requests = 0;
	dripMs = 0;
	told: Told[] = [];
	/** how often each has happened since the sandbox began */
	counts: Record<string, number> = {};

	constructor(private readonly service: Situation['service']) {}

	static catalogue(): { name: string; strength: Strength }[] {
		return CATALOGUE.map(({ name, strength }) => ({ name, strength }));
	}

	start(settings: WildSettings = {}) {
		for (const name of [...(settings.only ?? []), ...(settings.without ?? [])]) named(name);
		this.stop();
		this.settings = settings;
		this.dripMs = settings.dripMs ?? 0;
	}

	/** @param steps none: the ledger is kept all the same */
	plan(steps: WildStep[]) {
		this.stop();
		this.steps = steps.map((step) => new ArmedStep(step));
		this.isPlanned = true;
	}

	/** Tame again; what was told is forgotten. */
	stop() {
		this.settings = undefined;
		this.steps = [];
		this.isPlanned = false;
		this.requests = 0;
		this.told = [];
	}

	get isOn() {
		return this.settings !== undefined || this.isPlanned;
	}

	/** What it does, and what of it has happened. */
	status() {
		const { isOn, settings, counts } = this;
		return { isOn, settings, counts, catalogue: Wild.catalogue() };
	}

	/** @returns of one request */
	course(request: Omit<Situation, 'random' | 'service'>): Course {
		const random = createRandom(Math.imul(this.settings?.seed ?? 1, 0x85ebca6b) + this.requests++);
		return new Course(this, { ...request, random, service: this.service });
	}

	note(told: Told) {
		this.told.push(told);
		if (this.told.length > KEPT_TOLD) this.told.shift();
		for (const name of told.wildness) this.counts[name] = (this.counts[name] ?? 0) + 1;
	}
}

/** The way of one answer through the wildness. */
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

	/** @returns what the service says instead of doing the work */
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
	close(reply: Reply, answer?: Answer) {
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
			isDoubtful: this.met.some(({ isDoubtful }) => isDoubtful),
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
			// What cannot be read stays so: nothing may make an answer of it again.
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

function kindOf({ integration }: Situation) {
	return integration === 'token' ? 'token' : 'data';
}

function named(name: string): Wildness {
	const wildness = CATALOGUE.find((each) => each.name === name);
	if (wildness === undefined) throw new Error(`no wildness is called ${name}`);
	return wildness;
}

function plain(): Reply {
	return { status: 200, headers: {}, value: undefined, wire: 'whole', dateOffset: 0 };
}

function read({ status, headers = {}, body }: Answer): Reply {
	const text = typeof body === 'string' ? body : Array.from(body).join('');
	const value = jsonIn(text);
	const isRead = isRecord(value) || Array.isArray(value);
	return { ...plain(), status, headers, ...(isRead ? { value } : { text }) };
}
