import { isBuiltin } from 'node:module';

import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

import { root } from '../../lab/paths';

/** What installs everything else, and so has to work where nothing is installed. */
const INSTALLER = 'scripts/ensure-install.mjs';

/** The files that a script loads as it starts, each with the packages that it loads then. */
async function loadedBy(script: string): Promise<Map<string, string[]>> {
	const { metafile } = await build({
		absWorkingDir: root,
		entryPoints: [script],
		write: false,
		bundle: true,
		packages: 'external',
		platform: 'node',
		format: 'esm',
		metafile: true,
		logLevel: 'error',
	});
	return new Map(
		Object.entries(metafile.inputs).map(([file, { imports }]) => [
			file,
			imports
				.filter(({ external, kind }) => external && kind !== 'dynamic-import')
				.map(({ path }) => path),
		]),
	);
}

describe.each(['start', 'test', 'sandbox', 'check-service'])('npm run %s', (name) => {
	it('starts where nothing is installed yet', async () => {
		const loaded = await loadedBy(`scripts/${name}.mjs`);

		const packages = [...loaded.values()].flat().filter((each) => !isBuiltin(each));

		expect([...loaded.keys()]).toContain(INSTALLER);
		expect(packages).toEqual([]);
	});
});
