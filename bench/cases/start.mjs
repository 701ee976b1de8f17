// @ts-check
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { nodeForN8n } from '../../scripts/lib/n8n-runtime.mjs';
import { e2e, manifest, tarball } from '../../scripts/lib/paths.mjs';
import { cpuMs, median, spread, timed } from '../lib/measure.mjs';
import { tenths, whole } from '../lib/report.mjs';
import { inTurn } from '../lib/scene.mjs';

const WITHOUT = 'n8n alone';
const WITH = 'n8n with the package';
const LOADS = 21;
/** Of the modules that the package asks for, those that n8n 2.39 has loaded at its start without any package. */
const LOADED = ['n8n-workflow', 'luxon', 'lodash/chunk', 'lodash/isEqual', 'lodash/isPlainObject'];
const MOST_KB = 250;
const MOST_KB_WITHOUT_LIBRARY = 60;
const MOST_LOAD_MS = 15;

/** @typedef {Pick<import('../lib/report.mjs').Result, 'rows' | 'goals'>} Part of the result */

/**
 * @param {import('../lib/scene.mjs').Bench} bench
 * @returns {Promise<import('../lib/report.mjs').Result>}
 */
export async function start(bench) {
	// One start of each says nothing: single ones differ by seconds.
	const parts = bench.quick ? [] : [await starts(bench)];
	parts.push(size(), loading(bench.quick ? 5 : LOADS));
	return {
		title: 'Start and size',
		about: `n8n’s start on an empty database until it is ready; the packed package; and the time that a fresh Node.js takes to load all nodes and credentials of the package once those modules are loaded that n8n has loaded without it, median of ${LOADS}.`,
		columns: ['', 'Figure'],
		rows: parts.flatMap(({ rows }) => rows),
		goals: parts.flatMap(({ goals }) => goals),
	};
}

/**
 * n8n without the package and with it, in turn.
 *
 * @param {import('../lib/scene.mjs').Bench} bench
 * @returns {Promise<Part>}
 */
async function starts(bench) {
	const { installPackage, N8n } = bench.harness;
	/** @param {string | null} installed what is installed; nothing when null */
	const measure = async (installed) => {
		const userFolder = mkdtempSync(join(tmpdir(), 'bench-start-'));
		try {
			// Not a part of the start: npm alone takes longer than anything that is looked for here.
			if (installed !== null) installPackage(userFolder, installed);
			const { ms, result: n8n } = await timed(
				async () => await N8n.start({ userFolder, tarball: null }),
			);
			const cpu = cpuMs(n8n.pid);
			await n8n.stop();
			return { ms, cpu };
		} finally {
			rmSync(userFolder, { recursive: true, force: true });
		}
	};
	const runs = await inTurn(bench, {
		[WITHOUT]: async () => await measure(null),
		[WITH]: async () => await measure(tarball),
	});
	const [without, withPackage] = [...runs.values()];
	if (!without || !withPackage) throw new Error('There is nothing to compare');
	/** @param {'ms' | 'cpu'} key @param {string} what @returns {import('../lib/report.mjs').Goal} */
	const withinNoise = (key, what) => {
		const [theirs, ours] = [without, withPackage].map((all) => all.map((each) => each[key]));
		const difference = median(ours ?? []) - median(theirs ?? []);
		const noise = Math.max(spread(ours ?? []), spread(theirs ?? []));
		return {
			text: `n8n’s start with the package: ${what} within noise of that without`,
			figure: `${whole(difference)} ms more, where the middle half of the runs lies ${whole(noise)} ms apart`,
			isMet: difference <= noise,
		};
	};
	return {
		rows: [...runs].flatMap(([name, all]) => [
			[`${name}: wall time until ready`, `${whole(median(all.map(({ ms }) => ms)))} ms`],
			[
				`${name}: CPU time until ready`,
				`${whole(median(all.map((each) => each.cpu)))} ms (${all.map((each) => whole(each.cpu)).join(', ')})`,
			],
		]),
		goals: [withinNoise('cpu', 'CPU time'), withinNoise('ms', 'wall time')],
	};
}

/** @returns {Part} */
function size() {
	const { all, withoutLibrary } = packed();
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

/**
 * @param {number} count how often they are loaded
 * @returns {Part}
 */
function loading(count) {
	const ms = median(loadTimes(count));
	const figure = `${tenths(ms)} ms`;
	const text = `Loading all nodes: under ${MOST_LOAD_MS} ms`;
	return {
		rows: [['Loading all nodes and credentials', figure]],
		goals: [{ text, figure, isMet: ms < MOST_LOAD_MS }],
	};
}

/** Kilobytes of the package as npm packs it, and of the same without the bundled library and its licence. */
function packed() {
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
		/** @param {string} file */
		const kilobytes = (file) => statSync(file).size / 1_000;
		return { all: kilobytes(tarball), withoutLibrary: kilobytes(join(dir, smaller)) };
	} finally {
		rmSync(dir, { recursive: true });
	}
}

/**
 * Milliseconds, each in a process of its own, on n8n's Node.js.
 * @param {number} count
 */
function loadTimes(count) {
	const { nodes, credentials } = manifest().n8n;
	const dir = mkdtempSync(join(tmpdir(), 'bench-load-'));
	try {
		execFileSync('tar', ['-xzf', tarball, '-C', dir, '--strip-components=1']);
		const files = [...credentials, ...nodes].map((file) => join(dir, file));
		const script = `
			for (const library of JSON.parse(process.argv[2])) require(library);
			const files = JSON.parse(process.argv[1]);
			const startedAt = performance.now();
			for (const file of files) for (const Type of Object.values(require(file))) new Type();
			console.log(performance.now() - startedAt);`;
		return Array.from({ length: count }, () =>
			Number(
				execFileSync(
					nodeForN8n().binary,
					['-e', script, ...[files, LOADED].map((list) => JSON.stringify(list))],
					{
						cwd: e2e,
						// n8n leads a community package to its own libraries.
						env: { ...process.env, NODE_PATH: join(e2e, 'node_modules') },
						encoding: 'utf8',
					},
				),
			),
		);
	} finally {
		rmSync(dir, { recursive: true });
	}
}
