import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { root } from '../../lab/paths';

const MODULE = pathToFileURL(join(root, 'scripts', 'lib', 'claim.mjs')).href;

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'claim-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A process that claims the folder, and says whether it may; it keeps it until it is killed. */
async function claimant(note: string) {
	const script = `
		import { claim } from ${JSON.stringify(MODULE)};
		try {
			const held = await claim(${JSON.stringify(folder)}, (note) => 'taken by ' + note);
			held.note = ${JSON.stringify(note)};
			console.log('held');
			setInterval(() => {}, 1000);
		} catch (error) {
			console.log(error.message);
		}`;
	const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const exited = once(child, 'exit');
	const [said] = (await once(createInterface(child.stdout), 'line')) as [string];
	const end = async (signal: NodeJS.Signals) => {
		child.kill(signal);
		await exited;
	};
	return { said, end };
}

it.each(['SIGTERM', 'SIGKILL'] as const)(
	'a folder is one process’s until it ends, with %s too',
	async (signal) => {
		const first = await claimant('http://localhost:1');
		const second = await claimant('http://localhost:2');

		await first.end(signal);

		const third = await claimant('http://localhost:3');
		await Promise.all([second.end('SIGKILL'), third.end('SIGKILL')]);

		expect([first.said, second.said, third.said]).toEqual([
			'held',
			'taken by http://localhost:1',
			'held',
		]);
	},
);
