import { expect } from '@jest/globals';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Sandbox } from '../sandbox';
import type { Told, WildStep } from '../sandbox/wild';
import { Wild } from '../sandbox/wild';
import { spellings } from '../sandbox/spellings';
import type { Bench } from './bench';
import type { NodeRun } from './engine';
import { seedOf } from '../seeds';
import { alignClocks } from './virtualTime';

/** How many runs each property has, unless it takes long; the continuous integration takes the default. */
const USUAL_RUNS = 200;

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

function runsOf(usual: number): number {
	return Number(process.env.WILD_RUNS ?? usual);
}

/** A run that failed may still have requests under way, and sends no more once they are answered. */
async function silence({ sandbox: { journal } }: Bench): Promise<void> {
	const isBusy = () => [...journal.inFlight.values()].some((count) => count > 0);
	while (isBusy()) await new Promise((resolve) => setImmediate(resolve));
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
	return [...lastAnswers(bench), ...tokens].some(
		({ isReadable, isDoubtful }) => !isReadable || isDoubtful,
	);
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
