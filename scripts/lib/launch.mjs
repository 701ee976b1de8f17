// @ts-check
import { build } from '../build.mjs';
import { ensureN8n, ensureRoot } from '../ensure-install.mjs';
import { pack } from '../pack.mjs';
import { load } from './compile.mjs';
import { main } from './run.mjs';

/**
 * Plays a benchmark or a soak against the package as it is now, in a real n8n, and ends the process.
 * @template Options
 * @template Module
 * @param {string} entry relative to the repository, a file of TypeScript
 * @param {() => Options} settings reads the command line
 * @param {(module: Module, options: Options) => Promise<boolean | void>} play false if something was found
 * @returns {Promise<never>}
 */
export async function launch(entry, settings, play) {
	await main(async () => {
		const options = settings();
		await ensureRoot();
		await ensureN8n();
		await build();
		await pack();
		if ((await play(await load(entry), options)) === false) process.exitCode = 1;
	});
	// What was cut off by an interrupt or a deadline must not keep the process; n8n ends with it.
	process.exit();
}
