import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { defaultTarball, installPackage, N8n, nodeForN8n } from '../../test/lab/n8n';
import { DEFAULT_N8N } from '../../test/lab/n8n/installation';
import { readManifest } from '../../test/lab/proof/manifest';
import { figureOf, figuresOf, median, spread, valuesOf } from '../lib/figures';
import { cpuMs, timed } from '../lib/measure';
import { tenths, whole, type Goal, type Result, type Settings } from '../lib/result';
import { inTurn } from '../lib/scene';

type Part = Pick<Result, 'rows' | 'goals'>;

/** How long n8n took until it was ready, in each round. */
interface Starts {
	name: string;
	ms: number[];
	cpu: number[];
}

const WITHOUT = 'n8n alone';
const WITH = 'n8n with the package';
const LOADS = 21;
/** Of the modules that the package asks for, those that n8n 2.39 has loaded at its start without any package. */
const LOADED = ['n8n-workflow', 'luxon', 'lodash/chunk', 'lodash/isEqual', 'lodash/isPlainObject'];
const MOST_KB = 280;
const MOST_KB_WITHOUT_LIBRARY = 100;
const MOST_LOAD_MS = 20;

export async function start(settings: Settings): Promise<Result> {
	// One start of each says nothing: single ones differ by seconds.
	const parts = settings.isQuick ? [] : [startsPart(await measureStarts(settings))];
	parts.push(sizePart(), loadingPart(settings.isQuick ? 5 : LOADS));
	return {
		title: 'Start and size',
		about: `n8n’s start on an empty database until it is ready; the packed package; and the time that a fresh Node.js takes to load all nodes and credentials of the package once those modules are loaded that n8n has loaded without it, median of ${LOADS}.`,
		columns: ['', 'Figure'],
		rows: parts.flatMap(({ rows }) => rows),
		goals: parts.flatMap((part) => part.goals),
	};
}

/** n8n without the package and with it, in turn. */
async function measureStarts({ rounds }: Settings): Promise<Starts[]> {
	const tarball = defaultTarball();
	const runs = await inTurn(rounds, {
		[WITHOUT]: async () => await startOnce(null),
		[WITH]: async () => await startOnce(tarball),
	});
	return figuresOf(runs, (all) => ({ ms: valuesOf(all, 'ms'), cpu: valuesOf(all, 'cpu') }));
}

/** @param tarball of the package to install; none if null */
async function startOnce(tarball: string | null): Promise<{ ms: number; cpu: number }> {
	const userFolder = mkdtempSync(join(tmpdir(), 'bench-start-'));
	try {
		// Not a part of the start: npm alone takes longer than anything that is looked for here.
		if (tarball !== null) installPackage(userFolder, tarball);
		const { ms, result: n8n } = await timed(
			async () => await N8n.start({ userFolder, tarball: null }),
		);
		const cpu = cpuMs(n8n.pid);
		await n8n.stop();
		return { ms, cpu };
	} finally {
		rmSync(userFolder, { recursive: true, force: true });
	}
}

function startsPart(starts: Starts[]): Part {
	const [alone, beside] = [figureOf(starts, WITHOUT), figureOf(starts, WITH)];
	return {
		rows: starts.flatMap(({ name, ms, cpu }) => [
			[`${name}: wall time until ready`, `${whole(median(ms))} ms`],
			[`${name}: CPU time until ready`, `${whole(median(cpu))} ms (${cpu.map(whole).join(', ')})`],
		]),
		goals: [
			withinNoise('CPU time', alone.cpu, beside.cpu),
			withinNoise('wall time', alone.ms, beside.ms),
		],
	};
}

function withinNoise(what: string, alone: number[], beside: number[]): Goal {
	const difference = median(beside) - median(alone);
	const noise = Math.max(spread(beside), spread(alone));
	return {
		text: `n8n’s start with the package: ${what} within noise of that without`,
		figure: `${whole(Math.abs(difference))} ms ${difference < 0 ? 'less' : 'more'}, where the middle half of the runs lies ${whole(noise)} ms apart`,
		isMet: difference <= noise,
	};
}

function sizePart(): Part {
	const { all, withoutLibrary } = packedSizes();
	return {
		rows: [
			['Packed', `${tenths(all)} kB`],
			['Packed, without OpenPGP.js', `${tenths(withoutLibrary)} kB`],
		],
		goals: [
			{ text: `Packed: under ${MOST_KB} kB`, figure: `${tenths(all)} kB`, isMet: all < MOST_KB },
			{
				text: `Packed without OpenPGP.js: under ${MOST_KB_WITHOUT_LIBRARY} kB`,
				figure: `${tenths(withoutLibrary)} kB`,
				isMet: withoutLibrary < MOST_KB_WITHOUT_LIBRARY,
			},
		],
	};
}

/** @param count how often they are loaded */
function loadingPart(count: number): Part {
	const ms = median(loadTimes(count));
	const figure = `${tenths(ms)} ms`;
	const text = `Loading all nodes: under ${MOST_LOAD_MS} ms`;
	return {
		rows: [['Loading all nodes and credentials', figure]],
		goals: [{ text, figure, isMet: ms < MOST_LOAD_MS }],
	};
}

/** Kilobytes of the package as npm packs it, and of the same without the bundled library and its licence. */
function packedSizes(): { all: number; withoutLibrary: number } {
	const tarball = defaultTarball();
	const dir = mkdtempSync(join(tmpdir(), 'bench-package-'));
	try {
		execFileSync('tar', ['-xzf', tarball, '-C', dir]);
		const folder = join(dir, 'package');
		rmSync(join(folder, 'dist', 'vendor'), { recursive: true });
		execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], {
			cwd: folder,
			stdio: 'pipe',
		});
		const smaller = readdirSync(dir).find((file) => file.endsWith('.tgz')) ?? '';
		return { all: kilobytes(tarball), withoutLibrary: kilobytes(join(dir, smaller)) };
	} finally {
		rmSync(dir, { recursive: true });
	}
}

function kilobytes(file: string): number {
	return statSync(file).size / 1_000;
}

/** Milliseconds, each in a process of its own, on n8n's Node.js. */
function loadTimes(count: number): number[] {
	const { nodes, credentials } = readManifest().n8n;
	const dir = mkdtempSync(join(tmpdir(), 'bench-load-'));
	try {
		execFileSync('tar', ['-xzf', defaultTarball(), '-C', dir, '--strip-components=1']);
		const files = [...credentials, ...nodes].map((file) => join(dir, file));
		return Array.from({ length: count }, () => loadTime(files));
	} finally {
		rmSync(dir, { recursive: true });
	}
}

function loadTime(files: string[]): number {
	const script = `
		for (const library of JSON.parse(process.argv[2])) require(library);
		const files = JSON.parse(process.argv[1]);
		const startedAt = performance.now();
		for (const file of files) for (const Type of Object.values(require(file))) new Type();
		console.log(performance.now() - startedAt);`;
	const args = ['-e', script, JSON.stringify(files), JSON.stringify(LOADED)];
	const printed = execFileSync(nodeForN8n(), args, {
		cwd: dirname(DEFAULT_N8N),
		// n8n leads a community package to its own libraries.
		env: { ...process.env, NODE_PATH: DEFAULT_N8N },
		encoding: 'utf8',
	});
	return Number(printed);
}
