import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { root } from '../paths';
import { freePort } from './freePort';
import { send } from './http';
import { guard, n8nBin, nodeForN8n } from './installation';
import { until } from './waiting';

const START_DEADLINE_MS = 180_000;
const STOP_DEADLINE_MS = 45_000;
const HEARTBEAT_MS = 10_000;
const LOG_TAIL_LINES = 60;

/**
 * How a process of n8n is started, and what it prints when it is ready: a main when its workflows are active. It answers
 * health checks earlier than that.
 */
const ROLES = {
	main: { args: ['start'], readyLine: 'Editor is now accessible via', env: {} },
	worker: {
		args: ['worker'],
		readyLine: 'n8n worker is now ready',
		env: { QUEUE_HEALTH_CHECK_ACTIVE: 'true', N8N_WORKER_SERVER_ADDRESS: '127.0.0.1' },
	},
	webhook: { args: ['webhook'], readyLine: 'Webhook listener waiting for requests', env: {} },
};

export type Role = keyof typeof ROLES;

/** No contact with the outside: every request that n8n makes in a test is one that the test is about. */
const SETTINGS = {
	NODE_ENV: 'production',
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_SECURE_COOKIE: 'false',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	N8N_DISABLED_MODULES: 'mcp-registry',
	// n8n's list of community packages asks npm for updates.
	npm_config_registry: 'http://127.0.0.1:9',
	npm_config_fetch_retries: '0',
	N8N_PYTHON_ENABLED: 'false',
	GENERIC_TIMEZONE: 'Europe/London',
	// Only the Code node needs a runner, a process of its own; without it, n8n is one process to measure and to kill.
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'unused',
	// Node.js keeps the compiled scripts of n8n there, so that each of about a hundred starts compiles only what is new.
	NODE_COMPILE_CACHE: join(root, '.tmp', 'compiled'),
};

export interface ProcessOptions {
	role: Role;
	/** The node_modules that n8n lies in. */
	n8nModules: string;
	userFolder: string;
	/** Of the editor; of a worker, that of its health checks. */
	port: number;
	env: Record<string, string>;
	/** Where to keep what n8n prints, beside `logs()`. */
	logFile?: string;
}

/** A real n8n as a child process. It ends with this process, even when this one is killed. */
export class N8nProcess {
	private child: ChildProcess | undefined;
	private output: string[] = [];
	/** Where in `output` the newest start begins. */
	private startedAt = 0;

	constructor(private readonly options: ProcessOptions) {}

	get url(): string {
		return `http://127.0.0.1:${this.options.port}`;
	}

	get pid(): number {
		if (this.child?.pid === undefined || this.hasExited) throw new Error('n8n is not running');
		return this.child.pid;
	}

	private get hasExited(): boolean {
		return this.child?.exitCode !== null || this.child.signalCode !== null;
	}

	/** Everything n8n has printed since the first start, restarts included. */
	logs(): string {
		return this.output.join('');
	}

	/** What n8n has printed since it was started last. */
	logsSinceStart(): string {
		return this.output.slice(this.startedAt).join('');
	}

	async start(): Promise<void> {
		const started = Date.now();
		this.startedAt = this.output.length;
		const { readyLine } = ROLES[this.options.role];
		const child = await this.spawn();
		const heartbeat = setInterval(
			() => progress(`starting n8n … ${Math.round((Date.now() - started) / 1000)} s`),
			HEARTBEAT_MS,
		);
		try {
			await until('n8n to start', START_DEADLINE_MS, async () => {
				if (this.hasExited) throw new Error('n8n ended while it was starting');
				if (!this.logsSinceStart().includes(readyLine)) return undefined;
				const { status } = await send(`${this.url}/healthz/readiness`);
				return status === 200 ? true : undefined;
			});
		} catch (error) {
			child.kill('SIGKILL');
			const tail = this.logs().split('\n').slice(-LOG_TAIL_LINES).join('\n');
			throw new Error(`${error instanceof Error ? error.message : String(error)}\n${tail}`);
		} finally {
			clearInterval(heartbeat);
		}
		progress(`n8n started in ${((Date.now() - started) / 1000).toFixed(1)} s`);
	}

	/** Runs a command of n8n on the same folder and database, beside the process or while it is stopped. */
	async command(args: string[]): Promise<{ exitCode: number | null; output: string }> {
		const { n8nModules, userFolder } = this.options;
		const child = spawn(nodeForN8n(), ['--require', guard, n8nBin(n8nModules), ...args], {
			cwd: userFolder,
			env: await this.environment(),
			stdio: 'pipe',
		});
		let output = '';
		for (const stream of [child.stdout, child.stderr])
			stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
		await once(child, 'close');
		return { exitCode: child.exitCode, output };
	}

	private async spawn(): Promise<ChildProcess> {
		const node = nodeForN8n();
		const { role, n8nModules, userFolder } = this.options;
		const { args } = ROLES[role];
		const child = spawn(node, ['--require', guard, n8nBin(n8nModules), ...args], {
			// n8n reads a .env file from its working directory.
			cwd: userFolder,
			env: await this.environment(),
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		for (const stream of [child.stdout, child.stderr])
			stream?.on('data', (chunk: Buffer) => this.record(chunk.toString('utf8')));
		// A test that forgets to stop n8n must not keep the test runner waiting; the guard stops n8n then.
		child.unref();
		this.child = child;
		await once(child, 'spawn');
		return child;
	}

	/** Nothing of this process's environment that could steer n8n or its Node. */
	private async environment(): Promise<NodeJS.ProcessEnv> {
		const { role, userFolder, port, env } = this.options;
		return {
			...pick(process.env, ['HOME', 'LANG', 'TMPDIR', 'TZ']),
			PATH: [dirname(nodeForN8n()), process.env.PATH].join(delimiter),
			...SETTINGS,
			...ROLES[role].env,
			N8N_USER_FOLDER: userFolder,
			N8N_PORT: String(port),
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			...env,
		};
	}

	private record(text: string): void {
		this.output.push(text);
		if (this.options.logFile !== undefined) appendFileSync(this.options.logFile, text);
	}

	/** Ends n8n as a user does, and waits until it has ended. */
	async stop(): Promise<void> {
		await this.end('SIGTERM');
	}

	/** Ends n8n as a power cut does. */
	async kill9(): Promise<void> {
		await this.end('SIGKILL');
	}

	private async end(signal: NodeJS.Signals): Promise<void> {
		const child = this.child;
		if (!child || this.hasExited) return;
		child.ref();
		const exited = once(child, 'exit');
		child.kill(signal);
		const lastResort = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
		await exited;
		clearTimeout(lastResort);
	}

	/** Settles when n8n ends, for whatever reason. */
	async exited(): Promise<void> {
		if (this.child && !this.hasExited) await once(this.child, 'exit');
	}

	/** The most memory that n8n has held at once since it started, or since `resetPeakMemory`; in bytes. Linux only. */
	peakMemory(): number {
		const status = readFileSync(join('/proc', String(this.pid), 'status'), 'utf8');
		const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
		if (kilobytes === undefined) throw new Error('This system does not tell peak memory');
		return Number(kilobytes) * 1024;
	}

	/** Makes the memory held now the peak, so that the next reading is that of the run in between. Linux only. */
	resetPeakMemory(): void {
		writeFileSync(join('/proc', String(this.pid), 'clear_refs'), '5');
	}
}

function pick(from: NodeJS.ProcessEnv, names: string[]): NodeJS.ProcessEnv {
	return Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
}

function progress(line: string): void {
	process.stderr.write(`${line}\n`);
}
