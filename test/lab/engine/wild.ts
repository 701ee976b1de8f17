import { beforeEach, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { IDataObject, Logger } from 'n8n-workflow';

import { isObject } from '../../../service/basics/values';
import type { Sandbox } from '../sandbox';
import type { Told, WildStep } from '../sandbox/wild';
import { Wild } from '../sandbox/wild';
import type { Bench } from './bench';
import type { NodeRun } from './engine';
import { seedOf } from '../seeds';
import type { TriggerHost } from './triggerHost';
import { alignClocks, settled } from './virtualTime';

/** How many runs each property has, unless it takes long; the continuous integration takes the default. */
const USUAL_RUNS = 100;

const SECRET = 'w+i%4ld:s é&c=r/?#"e\\t<secret>';

/** Up to six things that go wild in a run; the fewer, the simpler. */
export function wildSteps(without: string[] = []): fc.Arbitrary<WildStep[]> {
	const names = Wild.names.filter((name) => !without.includes(name));
	const step = fc.record(
		{
			name: fc.constantFrom(...names),
			seed: fc.nat(0xffff),
			after: fc.nat(3),
			times: fc.integer({ min: 1, max: 4 }),
		},
		{ requiredKeys: ['name', 'seed'] },
	);
	return fc.array(step, { maxLength: 6 });
}

/** What is played against the wild sandbox: an operation, the test of a credential, or the life of a trigger. */
interface Played<Plan> {
	/** Said beside the seed. */
	name: string;
	bench: Bench;
	plan: fc.Arbitrary<Plan>;
	/** Plays one plan, and expects of its result what holds whatever the service has said. */
	play: (plan: Plan) => Promise<void>;
	runs?: number;
}

/** The test that a promise holds in many runs. A failure is told with the smallest plan that fails; WILD_SEED repeats it. */
export function itHolds<Plan>(title: string, played: () => Played<Plan>): void {
	const { name, bench, plan, play, runs = USUAL_RUNS } = played();
	const numRuns = Number(process.env.WILD_RUNS ?? runs);
	it(
		title,
		async () => {
			const seed = seedOf('WILD');
			process.stdout.write(`wild: ${name}: seed ${seed}, ${numRuns} runs\n`);
			const property = fc.asyncProperty(plan, async (each) => {
				alignClocks();
				await play(each);
				await silence(bench);
			});
			await fc.assert(property, { numRuns, seed });
		},
		240_000 + numRuns * 480,
	);
}

/** A run that failed may still have requests under way, and sends no more once they are answered. */
async function silence({ sandbox: { journal } }: Bench): Promise<void> {
	while (journal.inFlight.size > 0) await new Promise((resolve) => setImmediate(resolve));
}

let clients = 0;

/** A pair and an empty token, as if the credential had just been made: runs share no memory. */
export function renewClient(
	{ sandbox, stored }: Bench,
	settings: Omit<Parameters<Sandbox['addClient']>[0], 'clientId' | 'clientSecret'>,
): void {
	const pair = { clientId: `wild-${++clients}`, clientSecret: SECRET };
	sandbox.addClient({ ...settings, ...pair });
	Object.assign(stored, pair, { accessToken: '', tokenExpiresAt: '' });
}

/** What the run was told: an earlier one that failed may have had requests under way. */
export function toldTo({ sandbox, clientId }: Bench): Told[] {
	return sandbox.wild.told.filter((each) => each.clientId === clientId);
}

/** Whether an item says that it failed while the others went on. */
export const isFailed = ({ error, message }: IDataObject): boolean =>
	error !== undefined && message !== undefined;

const CLUMSY = /undefined|NaN|\[object |TypeError|RangeError|is not a function|Cannot read/;

/** No run fails, and each item that did says what happened and what to do. @returns the items that failed */
export function expectNamed({ error, items }: NodeRun): IDataObject[] {
	expect(error).toBeUndefined();
	const failed = items.map(({ json }) => json).filter(isFailed);
	for (const text of failed.flatMap((json) => [json.error, json.message])) {
		expect(text).toMatch(/\p{L}{3}/u);
		expect(text).not.toMatch(CLUMSY);
	}
	return failed;
}

/** A value as text, whatever it is. */
export function textOf(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** A list in an answer; entries that are no records are left out. */
export function listIn(value: unknown, name?: string): IDataObject[] {
	const list = name !== undefined && isObject(value) ? value[name] : value;
	return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Whether any of these has happened. */
export function hasMet(bench: Bench, ...names: string[]): boolean {
	const met = toldTo(bench).flatMap(({ wildness }) => wildness);
	return names.some((name) => met.includes(name));
}

/** What a trigger wrote into n8n's log in the present test. */
export function useLog(logger: () => Logger): string[] {
	const logged: string[] = [];
	beforeEach(() => {
		logged.length = 0;
		for (const level of ['error', 'warn', 'info', 'debug'] as const)
			jest.spyOn(logger(), level).mockImplementation((message) => void logged.push(message));
	});
	return logged;
}

/** Lets the time of the host and of the service pass. */
export function passTime({ sandbox }: Bench, ms: number): void {
	sandbox.advance(ms);
	alignClocks();
}

/** What a trigger was told and has delivered in one life, kept apart from its own progress. */
export class Books<Host extends TriggerHost> {
	readonly delivered: IDataObject[] = [];
	readonly told: Told[] = [];

	constructor(
		protected readonly bench: Bench,
		protected readonly host: Host,
	) {}

	async activate(planned: WildStep[]): Promise<void> {
		await this.follow(planned, async () => await this.host.activate());
	}

	/** Polls after some minutes. */
	async poll(minutes: number, planned: WildStep[] = []): Promise<void> {
		passTime(this.bench, minutes * 60_000);
		await this.follow(planned, async () => await this.host.tick());
	}

	expectNoFailure(): void {
		expect(this.host.reported).toEqual([]);
	}

	hasMet(...names: string[]): boolean {
		return this.told.some(({ wildness }) => wildness.some((name) => names.includes(name)));
	}

	private async follow(planned: WildStep[], work: () => Promise<IDataObject[]>): Promise<void> {
		this.bench.sandbox.wild.plan(planned);
		const delivered = await work();
		await settled();
		this.told.push(...toldTo(this.bench));
		this.delivered.push(...this.startedSince(), ...delivered);
	}

	/** Of runs that were started behind the polls. */
	protected startedSince(): IDataObject[] {
		return [];
	}
}
