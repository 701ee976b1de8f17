import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { n8n } from '../../package.json';
import { defaultTarball, nodeForN8n } from '../../test/lab/n8n';
import { DEFAULT_N8N } from '../../test/lab/n8n/installation';
import { median } from '../lib/figures';
import { tenths, type Goal, type Result } from '../lib/report';

const LOADS = 21;

/** Of the modules that the package asks for, those that n8n 2.41 has loaded at its start without any package. */
const LOADED = ['n8n-workflow', 'luxon'].concat(
	'chunk get identity intersection isEqual isPlainObject mapValues memoize noop omit pick toString uniq uniqBy'
		.split(' ')
		.map((name) => `lodash/${name}`),
);

export function size(): Result {
	const dir = mkdtempSync(join(tmpdir(), 'bench-package-'));
	try {
		const tarball = defaultTarball();
		execFileSync('tar', ['-xzf', tarball, '-C', dir]);
		const folder = join(dir, 'package');
		const loading = median(Array.from({ length: LOADS }, () => loadTime(folder)));
		rmSync(join(folder, 'dist', 'vendor'), { recursive: true });
		execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], {
			cwd: folder,
			stdio: 'pipe',
		});
		const smaller = readdirSync(dir).find((file) => file.endsWith('.tgz')) ?? '';
		const figures: Array<[text: string, most: number, unit: string, figure: number]> = [
			['Loading all nodes and credentials', 15, 'ms', loading],
			['Packed', 200, 'kB', kilobytes(tarball)],
			['Packed, without OpenPGP.js', 85, 'kB', kilobytes(join(dir, smaller))],
		];
		return {
			title: 'Size, and time to load',
			about: `The packed package, and the time that a fresh Node.js takes to load all of its nodes and credentials once the modules are loaded that n8n has loaded without it: the median of ${LOADS}.`,
			columns: ['', 'Figure'],
			rows: figures.map(([text, , unit, figure]) => [text, `${tenths(figure)} ${unit}`]),
			goals: figures.map(([text, most, unit, figure]): Goal => ({
				text: `${text}: at most ${most} ${unit}`,
				figure: `${tenths(figure)} ${unit}`,
				isMet: figure <= most,
			})),
		};
	} finally {
		rmSync(dir, { recursive: true });
	}
}

function kilobytes(file: string): number {
	return statSync(file).size / 1_000;
}

/** Milliseconds, in a process of its own, on n8n's Node.js. */
function loadTime(folder: string): number {
	const files = [...n8n.credentials, ...n8n.nodes].map((file) => join(folder, file));
	const script = `
		for (const library of JSON.parse(process.argv[2])) require(library);
		const files = JSON.parse(process.argv[1]);
		const startedAt = performance.now();
		for (const file of files) for (const Type of Object.values(require(file))) new Type();
		console.log(performance.now() - startedAt);`;
	const printed = execFileSync(
		nodeForN8n(),
		['-e', script, JSON.stringify(files), JSON.stringify(LOADED)],
		{
			cwd: dirname(DEFAULT_N8N),
			// n8n leads a community package to its own libraries.
			env: { ...process.env, NODE_PATH: DEFAULT_N8N },
			encoding: 'utf8',
		},
	);
	return Number(printed);
}
