import { beforeEach, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { IDataObject, Logger, NodeApiError } from 'n8n-workflow';

import type { Sandbox } from '../sandbox';
import type { Told, WildStep } from '../sandbox/wild';
import { Wild } from '../sandbox/wild';
import { spellings } from '../sandbox/spellings';
import type { Bench } from './bench';
import type { NodeRun } from './engine';
import { seedOf } from '../seeds';
import { visibleText } from './leads';
import type { TriggerHost } from './triggerHost';
import { alignClocks, settled } from './virtualTime';

/** How many runs each property has, unless it takes long; the continuous integration takes the default. */
const USUAL_RUNS = 100;

const RUNS = runsOf(USUAL_RUNS);

/** The properties are slower where more runs are asked for. */
export const PATIENCE_MS = 120_000 + RUNS * 240;

const CATALOGUE = Wild.catalogue();
const SECRET = 'w+i%4ld:s é&c=r/?#"e\\t<secret>';

/** Up to six things that go wild in a run; the fewer, the simpler. */
export function wildSteps(without: string[] = []): fc.Arbitrary<WildStep[]> {
	const { WILD_ONLY, WILD_WITHOUT = '' } = process.env;
	const left = [...without, ...WILD_WITHOUT.split(',')];
	const names = CATALOGUE.map(({ name }) => name).filter((name) =>
		WILD_ONLY === undefined ? !left.includes(name) : WILD_ONLY.split(',').includes(name),
	);
	const step = fc.record(
		{
			name: fc.constantFrom(...names),
			seed: fc.nat(0xffff),
			on: fc.constantFrom('data' as const, 'data' as const, 'token' as const),
			after: fc.nat(3),
			times: fc.integer({ min: 1, max: 4 }),
		},
		{ requiredKeys: ['name', 'seed', 'on'] },
	);
	return fc.array(step, { maxLength: 6 });
}

/**
 * Holds a property in many runs, and says with which seed and how fast. A failure is told with the
 * smallest plan that fails; WILD_SEED and WILD_PATH repeat it.
 */
export async function holds<Plan>(
	name: string,
	bench: Bench,
	plan: fc.Arbitrary<Plan>,
	run: (plan: Plan) => Promise<void>,
	usualRuns = USUAL_RUNS,
): Promise<void> {
	const { WILD_PATH } = process.env;
	const runs = runsOf(usualRuns);
	const seed = seedOf('WILD');
	const { wild } = bench.sandbox;
	wild.counts = {};
	const startedAt = process.cpuUsage();
	say(`${name}: seed ${seed}, ${runs} runs`);
	await fc.assert(
		fc.asyncProperty(plan, async (each) => {
			alignClocks();
			await run(each);
			await silence(bench);
		}),
		{ numRuns: runs, seed, ...(WILD_PATH && { path: WILD_PATH }) },
	);
	const { user, system } = process.cpuUsage(startedAt);
	const perRun = ((user + system) / 1_000 / runs).toFixed(1);
	const met = Object.values(wild.counts);
	const total = met.reduce((sum, count) => sum + count, 0);
	say(`${name}: ${perRun} ms of processor time a run, ${total} times wild in ${met.length} ways`);
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

/** The test that a promise holds in many runs. */
export function itHolds<Plan>(
	title: string,
	played: () => Promise<Played<Plan>> | Played<Plan>,
): void {
	it(
		title,
		async () => {
			const { name, bench, plan, play, runs } = await played();
			await holds(name, bench, plan, play, runs);
		},
		2 * PATIENCE_MS,
	);
}

function runsOf(usual: number): number {
	return Number(process.env.WILD_RUNS ?? usual);
}

/** A run that failed may still have requests under way, and sends no more once they are answered. */
async function silence({ sandbox: { journal } }: Bench): Promise<void> {
	while (journal.inFlight.size > 0) await new Promise((resolve) => setImmediate(resolve));
}

function say(line: string): void {
	process.stdout.write(`wild: ${line}\n`);
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

/** The last answer to each request for data that was not the same. */
export function lastAnswers(bench: Bench): Told[] {
	const last = new Map<string, Told>();
	for (const each of toldTo(bench)) {
		const { kind, method, path, search, agencyRef } = each;
		if (kind === 'data') last.set([method, path, search, agencyRef].join(' '), each);
	}
	return [...last.values()];
}

/** Whether the service gave a right client a reason to fail. */
export function hasReasonToFail(bench: Bench): boolean {
	// Each item may have asked for a token of its own.
	const tokens = toldTo(bench).filter(({ kind }) => kind === 'token');
	return [...lastAnswers(bench), ...tokens].some(({ isReadable }) => !isReadable);
}

/** A failure that is one of this package, says what happened and what to do, and shows no secret. */
export function expectNamed({ error }: Pick<NodeRun, 'error'>): void {
	expect(['NodeApiError', 'NodeOperationError']).toContain(error?.name);
	expectWords(error?.message, error?.description);
	const { failure } = (error ?? {}) as { failure?: IDataObject };
	if (error?.name === 'NodeApiError') expect(failure?.cause).toEqual(expect.any(String));
}

/** Of an item that failed while the others went on. */
export function expectNamedItem({ error, message }: IDataObject): void {
	expectWords(error, message);
}

/** Whether an item says that it failed while the others went on. */
export const isFailed = ({ error, message }: IDataObject): boolean =>
	error !== undefined && message !== undefined;

/** Whatever has failed is named, and no secret is shown. @returns the items that failed */
export function expectAllNamed(bench: Bench, result: NodeRun): IDataObject[] {
	expectNoSecret(bench, [visibleText(result)]);
	if (result.error) expectNamed(result);
	const failed = result.items.map(({ json }) => json).filter(isFailed);
	for (const json of failed) expectNamedItem(json);
	return failed;
}

const CLUMSY = /undefined|NaN|\[object |TypeError|RangeError|is not a function|Cannot read/;

function expectWords(message: unknown, advice: unknown): void {
	for (const text of [message, advice]) {
		expect(text).toMatch(/\p{L}{3}/u);
		expect(text).not.toMatch(CLUMSY);
	}
}

/** @param texts whatever a person may get to see */
export function expectNoSecret({ sandbox, clientId }: Bench, texts: string[]): void {
	const tokens = [...sandbox.tokens.byValue.values()].filter((each) => each.clientId === clientId);
	const shown = texts.join('\n');
	for (const secret of [SECRET, ...tokens.map(({ value }) => value)]) {
		for (const spelling of spellings(secret)) {
			if (shown.includes(spelling)) throw new Error(`A secret is shown: ${spelling}`);
		}
	}
}

/** A value as text, whatever it is. */
export function textOf(value: unknown): string {
	return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

export function isFields(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list in an answer; entries that are no records are left out. */
export function listIn(value: unknown, name?: string): IDataObject[] {
	const list = name !== undefined && isFields(value) ? value[name] : value;
	return Array.isArray(list) ? list.filter(isFields) : [];
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

	/** An activation that fails is tried again, as a person would. */
	async activate(planned: WildStep[]): Promise<void> {
		const start = async () => await this.host.activate();
		if (await this.follow(planned, start)) return;
		passTime(this.bench, 61 * 60_000);
		expect(await this.follow([], start)).toBe(true);
	}

	/** Polls after some minutes. */
	async poll(minutes: number, planned: WildStep[] = []): Promise<void> {
		passTime(this.bench, minutes * 60_000);
		await this.follow(planned, async () => await this.host.tick());
	}

	/** @param logged what the trigger wrote into n8n's log */
	expectNamed(logged: string[]): void {
		for (const error of this.host.reported as NodeApiError[]) this.expectNamedError(error);
		expectNoSecret(this.bench, logged);
	}

	hasMet(...names: string[]): boolean {
		return this.told.some(({ wildness }) => wildness.some((name) => names.includes(name)));
	}

	/** @returns whether it went well */
	private async follow(planned: WildStep[], work: () => Promise<IDataObject[]>): Promise<boolean> {
		this.bench.sandbox.wild.plan(planned);
		const [outcome] = await Promise.allSettled([work()]);
		await settled();
		this.told.push(...toldTo(this.bench));
		this.delivered.push(...this.startedSince());
		if (outcome.status === 'fulfilled') {
			this.delivered.push(...outcome.value);
			return true;
		}
		const error = outcome.reason as NodeApiError;
		// n8n shows the message alone where a workflow cannot be activated: then the advice is in it.
		this.expectNamedError(
			Object.assign(error, { description: error.description ?? error.message }),
		);
		return false;
	}

	/** Of runs that were started behind the polls. */
	protected startedSince(): IDataObject[] {
		return [];
	}

	private expectNamedError(error: NodeApiError): void {
		const { message, description, cause } = error;
		expectNamed({ error });
		expectNoSecret(this.bench, [[message, description, JSON.stringify(cause)].join('\n')]);
	}
}
