// @ts-check
import { build } from '../../scripts/build.mjs';
import { ensureN8n, ensureRoot } from '../../scripts/ensure-install.mjs';
import { main } from '../../scripts/lib/run.mjs';
import { pack } from '../../scripts/pack.mjs';

/**
 * Plays a soak of the package as it is now, and ends the process: with 1 if something was found.
 * @template Options
 * @param {() => Options} settings reads the command line
 * @param {(options: Options) => Promise<boolean>} soak whether nothing was found
 * @returns {Promise<never>}
 */
export async function launch(settings, soak) {
	await main(async () => {
		const options = settings();
		await ensureRoot();
		await ensureN8n();
		await build();
		await pack();
		if (!(await soak(options))) process.exitCode = 1;
	});
	// What was cut off by an interrupt or a deadline must not keep the process; n8n ends with it.
	process.exit();
}
