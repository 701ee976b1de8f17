import { execFileSync } from 'node:child_process';
import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { defaultTarball, nodeForN8n } from '../lab/n8n/installation';
import { root } from '../lab/paths';

jest.setTimeout(240_000);

/** The one package of which the published one holds something. */
const BUNDLED = 'openpgp';

/** All that a build could take from its surroundings and put into the package. */
const ELSEWHERE = {
	...process.env,
	PATH: [dirname(nodeForN8n()), process.env.PATH].join(delimiter),
	TZ: 'Pacific/Chatham',
	LC_ALL: 'C',
};

describe('the package', () => {
	let folder: string;

	beforeAll(() => {
		folder = join(mkdtempSync(join(tmpdir(), 'reproducible-')), 'of somebody else');
		const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
		const sources = execFileSync('git', list, { cwd: root, encoding: 'utf8' });
		for (const file of sources
			.split('\0')
			.filter((each) => existsSync(join(root, each)) && each !== ''))
			cpSync(join(root, file), join(folder, file), { force: true });

		// Seconds instead of minutes; what ends up in the package does lie in the other folder.
		mkdirSync(join(folder, 'node_modules'));
		for (const name of readdirSync(join(root, 'node_modules'))) {
			const [from, to] = [join(root, 'node_modules', name), join(folder, 'node_modules', name)];
			if (name === BUNDLED) cpSync(from, to, { recursive: true });
			else symlinkSync(from, to);
		}
	});

	afterAll(() => rmSync(dirname(folder), { recursive: true, force: true }));

	it('is the same, byte for byte, in another folder, with another umask, time zone, language and Node.js', () => {
		const build = 'umask 077 && chmod -R go= . && node scripts/pack.mjs';
		execFileSync('sh', ['-c', build], { cwd: folder, env: ELSEWHERE, encoding: 'utf8' });

		const [there, here] = [join(folder, '.tmp', 'package.tgz'), defaultTarball()];
		expect(readFileSync(there).equals(readFileSync(here))).toBe(true);
	});
});
