import { jsonIn } from '../values';
import { createRandom } from './random';
import type { Route } from './routes';
import type { Answer, Call } from './types';
import { FORM_WILDNESS } from './wildness/forms';
import type { Wildness } from './wildness/reply';
import { VALUE_WILDNESS } from './wildness/values';

/** One kind of wildness, for the first answers that it fits. */
export interface WildStep {
	name: string;
	seed: number;
	/** How many answers pass first; default 0. */
	after?: number;
	/** How often it happens; default 1. */
	times?: number;
}

/** What the service answered to a request for data. */
export interface Told {
	clientId: string | null;
	method: string;
	path: string;
	/** The query. */
	search: string;
	agencyRef: string | null;
	wildness: string[];
	value: unknown;
}

/** A step of a plan, with how many answers it has seen and how often it has happened. */
interface ArmedStep extends WildStep {
	wildness: Wildness;
	seen: number;
	fired: number;
}

const CATALOGUE = [...VALUE_WILDNESS, ...FORM_WILDNESS];

/** While it is on, the service answers in any way that the contract allows. */
export class Wild {
	static readonly names = CATALOGUE.map(({ name }) => name);

	private steps: ArmedStep[] = [];
	isOn = false;
	told: Told[] = [];

	/** @param steps even without any, `told` is kept */
	plan(steps: WildStep[]): void {
		this.told = [];
		this.isOn = true;
		this.steps = steps.map((step) => {
			const wildness = CATALOGUE.find(({ name }) => name === step.name);
			if (wildness === undefined) throw new Error(`no wildness is called ${step.name}`);
			return { ...step, wildness, seen: 0, fired: 0 };
		});
	}

	/** @returns the answer as it is sent */
	change({ method, path, search, headers }: Call, route: Route, tame: Answer): Answer {
		const wildness: string[] = [];
		let reply = { ...tame, headers: tame.headers ?? {}, value: jsonIn(tame.body) };
		for (const step of this.steps) {
			const { seed, after = 0, times = 1, fired } = step;
			if (reply.value === undefined || ++step.seen <= after || fired >= times) continue;
			const random = createRandom(Math.imul(seed, 0x9e3779b1) + fired);
			const changed = step.wildness.apply(reply, { route, random });
			if (changed === undefined) continue;
			step.fired++;
			wildness.push(step.name);
			reply = { ...reply, ...changed };
		}
		const { clientId } = route;
		const agencyRef = headers.agencyref?.toString() ?? null;
		const { value } = reply;
		this.told.push({ clientId, method, path, search, agencyRef, wildness, value });
		return { ...reply, body: value === undefined ? tame.body : JSON.stringify(value) };
	}
}
