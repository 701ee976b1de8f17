// @ts-check
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Failure } from './run.mjs';

/**
 * Keeps a folder to this process. The claim is a socket, which the system closes even if the process is killed: a file with
 * a process ID would stay behind.
 * @param {string} folder an absolute path
 * @param {(note: string) => string} refusal what to tell the user if another process has claimed it; `note` is that one's
 * @returns {Promise<{ note: string, release: () => Promise<void> }>} `note` may be changed
 */
export async function claim(folder, refusal) {
	const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
	const path = join(tmpdir(), `agent-integration-${name}.sock`);
	const held = { note: '', release: async () => {} };
	const server = createServer((socket) => {
		socket.on('error', () => {});
		socket.end(held.note);
	});
	if (!(await listens(server, path))) {
		const note = await noteOf(path);
		if (note !== undefined) throw new Failure(refusal(note));
		// Nobody answers: whoever left it is gone.
		rmSync(path, { force: true });
		if (!(await listens(server, path))) throw new Failure(refusal(''));
	}
	server.unref();
	held.release = async () => {
		server.close();
		await once(server, 'close');
	};
	return held;
}

/**
 * @param {import('node:net').Server} server
 * @param {string} path
 * @returns {Promise<boolean>} false: there is something at the path
 */
async function listens(server, path) {
	server.listen(path);
	try {
		await once(server, 'listening');
		return true;
	} catch (error) {
		if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
		throw error;
	}
}

/**
 * @param {string} path
 * @returns {Promise<string | undefined>} undefined: nobody listens there
 */
async function noteOf(path) {
	const socket = connect(path);
	try {
		await once(socket, 'connect');
	} catch {
		return undefined;
	}
	let note = '';
	for await (const part of socket) note += part;
	return note;
}
