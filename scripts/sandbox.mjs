// @ts-check
// node scripts/sandbox.mjs: the sandbox of the service alone, as a process of its own; see test/README.md. The first line
// that it prints is JSON: its addresses and its clients.
import { ensureRoot } from './ensure-install.mjs';
import { load } from './lib/compile.mjs';

try {
	await ensureRoot();
	/** @type {typeof import('../test/lab/sandbox/main.js')} */
	const { runSandbox } = await load('test/lab/sandbox/main.ts');
	await runSandbox(process.argv.slice(2));
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : 'could not start'}\n`);
	process.exitCode = 1;
}
