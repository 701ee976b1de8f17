import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { freePort, until } from '../n8n';
import { root } from '../paths';

const START_DEADLINE_MS = 30_000;
const PROGRAMS = join(root, '.tmp', 'queue-programs.json');

/** What n8n's queue mode needs beside n8n, with settings for n8n. */
export interface Service {
	env: Record<string, string>;
	stop(): Promise<void>;
}

/** Redis on the loopback, with a password and a folder of its own, nothing kept. */
export async function startRedis(): Promise<Service> {
	const port = await freePort();
	const password = randomBytes(16).toString('hex');
	const dir = mkdtempSync(join(tmpdir(), 'n8n-redis-'));
	const config = [
		`port ${port}`,
		'bind 127.0.0.1',
		`dir ${dir}`,
		`requirepass ${password}`,
		'save ""',
		'appendonly no',
	];
	const daemon = await Daemon.start(programs().redis, ['-'], {
		dir,
		input: config.join('\n'),
		readyLine: 'Ready to accept connections',
		endSignal: 'SIGTERM',
	});
	return {
		env: redisSettings('127.0.0.1', port, password),
		stop: async () => await daemon.stop(),
	};
}

/** PostgreSQL on the loopback, with a password and a folder of its own. */
export async function startPostgres(): Promise<Service> {
	const port = await freePort();
	const password = randomBytes(16).toString('hex');
	const user = postgresUser();
	const dir = mkdtempSync(join(tmpdir(), 'n8n-postgres-'));
	const data = initialisePostgres(dir, password, user);
	const args = Object.entries({ ...POSTGRES_OPTIONS, port }).flatMap(([name, value]) => [
		'-c',
		`${name}=${value}`,
	]);
	const daemon = await Daemon.start(programs().postgres, ['-D', data, ...args], {
		dir,
		user,
		readyLine: 'database system is ready to accept connections',
		endSignal: 'SIGINT',
	});
	const env = postgresSettings('127.0.0.1', port, password);
	execFileSync(
		besidePostgres('createdb'),
		['--host=127.0.0.1', `--port=${port}`, '--username=n8n', env.DB_POSTGRESDB_DATABASE],
		{ ...user, cwd: dir, stdio: 'pipe', env: { PGPASSWORD: password } },
	);
	return { env, stop: async () => await daemon.stop() };
}

const POSTGRES_OPTIONS = {
	listen_addresses: '127.0.0.1',
	unix_socket_directories: '',
	// The data is thrown away anyway.
	fsync: 'off',
};

/** @returns the folder of the data, inside `dir` */
function initialisePostgres(dir: string, password: string, user: User | undefined): string {
	const passwordFile = join(dir, 'password');
	const data = join(dir, 'data');
	writeFileSync(passwordFile, password);
	if (user) for (const path of [dir, passwordFile]) chownSync(path, user.uid, user.gid);
	const settings = ['--auth=scram-sha-256', '--username=n8n', `--pwfile=${passwordFile}`];
	const locale = ['--encoding=UTF8', '--locale=C', '--no-sync'];
	execFileSync(besidePostgres('initdb'), ['-D', data, ...settings, ...locale], {
		...user,
		cwd: dir,
		stdio: 'pipe',
	});
	return data;
}

function besidePostgres(program: string): string {
	return join(dirname(programs().postgres), program);
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

interface User {
	uid: number;
	gid: number;
}

interface DaemonOptions {
	/** Where it runs and keeps its data; removed when it has ended. */
	dir: string;
	user?: User;
	/** For its standard input. */
	input?: string;
	/** What it prints when it is ready. */
	readyLine: string;
	/** What ends it in good order. */
	endSignal: 'SIGINT' | 'SIGTERM';
}

/** A server program as a child process. The system ends it with this process, even when this one is killed. */
class Daemon {
	private constructor(
		private readonly child: ChildProcess,
		private readonly options: DaemonOptions,
	) {}

	static async start(program: string, args: string[], options: DaemonOptions): Promise<Daemon> {
		const { dir, user, input, readyLine, endSignal } = options;
		const ending = ['--pdeathsig', endSignal.slice('SIG'.length)];
		const child = spawn('setpriv', [...ending, '--', program, ...args], {
			...user,
			cwd: dir,
			stdio: 'pipe',
		});
		let output = '';
		for (const stream of [child.stdout, child.stderr])
			stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
		await once(child, 'spawn');
		child.stdin.end(input);
		await until(`${program} to start`, START_DEADLINE_MS, async () => {
			if (child.exitCode !== null) throw new Error(`${program} ended:\n${output}`);
			return await Promise.resolve(output.includes(readyLine) ? true : undefined);
		});
		return new Daemon(child, options);
	}

	async stop(): Promise<void> {
		if (this.child.exitCode === null && this.child.signalCode === null) {
			const exited = once(this.child, 'exit');
			this.child.kill(this.options.endSignal);
			await exited;
		}
		rmSync(this.options.dir, { recursive: true, force: true });
	}
}

/** PostgreSQL does not run as root; Debian's package brings a user for it. */
function postgresUser(): User | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const idOf = (option: string) =>
		Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
	return { uid: idOf('-u'), gid: idOf('-g') };
}

function programs(): { redis: string; postgres: string } {
	if (!existsSync(PROGRAMS))
		throw new Error('Redis and PostgreSQL are missing. Run: npm run test:proof');
	return JSON.parse(readFileSync(PROGRAMS, 'utf8')) as { redis: string; postgres: string };
}
