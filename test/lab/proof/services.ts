import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { until } from '../n8n';
import { freePort } from '../n8n/freePort';
import { root } from '../paths';

/** How many workers the tests of queue mode have. */
export const WORKERS = 2;

const START_DEADLINE_MS = 30_000;
const PROGRAMS = join(root, '.tmp', 'queue-programs.json');

/** Redis on the loopback, with a password and a folder of its own, nothing kept. */
export async function startRedis() {
	const { port, password, dir } = surroundings('redis');
	const config = join(dir, 'redis.conf');
	const lines = ['bind 127.0.0.1', `port ${port}`, `dir ${dir}`, `requirepass ${password}`];
	writeFileSync(config, [...lines, 'save ""', 'appendonly no'].join('\n'));
	const stop = await startDaemon([programs().redis, config], dir, 'TERM', 'Ready to accept');
	return { env: redisSettings('127.0.0.1', port, password), stop };
}

/** PostgreSQL on the loopback, with a password and a folder of its own. */
export async function startPostgres() {
	const { port, password, dir } = surroundings('postgres');
	const user = postgresUser();
	const [data, passwordFile] = [join(dir, 'data'), join(dir, 'password')];
	writeFileSync(passwordFile, password);
	if (user) for (const path of [dir, passwordFile]) chownSync(path, user.uid, user.gid);
	const run = (program: string, ...args: string[]) => {
		const where = { ...user, cwd: dir, stdio: 'pipe', env: { PGPASSWORD: password } } as const;
		execFileSync(join(dirname(programs().postgres), program), [...args, '--username=n8n'], where);
	};
	const login = ['--auth=scram-sha-256', `--pwfile=${passwordFile}`];
	run('initdb', '-D', data, ...login, '--encoding=UTF8', '--locale=C', '--no-sync');
	// The data is thrown away anyway: no fsync.
	const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'fsync=off'];
	const options = [...settings, 'unix_socket_directories='].flatMap((each) => ['-c', each]);
	const command = [programs().postgres, '-D', data, ...options];
	const stop = await startDaemon(command, dir, 'INT', 'system is ready to accept', user);
	const env = postgresSettings('127.0.0.1', port, password);
	run('createdb', '--host=127.0.0.1', `--port=${port}`, env.DB_POSTGRESDB_DATABASE);
	return { env, stop };
}

function surroundings(name: string) {
	const dir = mkdtempSync(join(tmpdir(), `n8n-${name}-`));
	return { port: freePort(), password: randomBytes(16).toString('hex'), dir };
}

export function redisSettings(host: string, port: number, password: string) {
	return {
		QUEUE_BULL_REDIS_HOST: host,
		QUEUE_BULL_REDIS_PORT: String(port),
		QUEUE_BULL_REDIS_PASSWORD: password,
	};
}

export function postgresSettings(host: string, port: number, password: string) {
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: host,
		DB_POSTGRESDB_PORT: String(port),
		DB_POSTGRESDB_DATABASE: 'n8n',
		DB_POSTGRESDB_USER: 'n8n',
		DB_POSTGRESDB_PASSWORD: password,
	};
}

/**
 * A server program as a child process. The system ends it with this process, even when this one is killed.
 *
 * @param dir where it runs and keeps its data; removed when it has ended
 * @param signal what ends it in good order
 * @param readyLine what it prints when it is ready
 * @returns ends it
 */
async function startDaemon(
	command: string[],
	dir: string,
	signal: 'INT' | 'TERM',
	readyLine: string,
	user?: { uid: number; gid: number },
): Promise<() => Promise<void>> {
	const args = ['--pdeathsig', signal, '--', ...command];
	const child = spawn('setpriv', args, { ...user, cwd: dir, stdio: 'pipe' });
	let output = '';
	for (const stream of [child.stdout, child.stderr])
		stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
	await until(`${command[0]} to start`, START_DEADLINE_MS, () => {
		if (child.exitCode !== null) throw new Error(`${command[0]} ended:\n${output}`);
		return output.includes(readyLine);
	});
	return async () => {
		if (child.exitCode === null && child.signalCode === null) {
			child.kill(`SIG${signal}`);
			await once(child, 'exit');
		}
		rmSync(dir, { recursive: true, force: true });
	};
}

/** PostgreSQL does not run as root; Debian's package brings a user for it. */
function postgresUser(): { uid: number; gid: number } | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const idOf = (option: string) => Number(execFileSync('id', [option, 'postgres']));
	return { uid: idOf('-u'), gid: idOf('-g') };
}

function programs(): { redis: string; postgres: string } {
	if (!existsSync(PROGRAMS))
		throw new Error('Redis and PostgreSQL are missing. Run: npm run test:proof');
	return JSON.parse(readFileSync(PROGRAMS, 'utf8')) as { redis: string; postgres: string };
}
