import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import pick from 'lodash/pick';

import { root } from '../paths';
import { freePort } from './freePort';
import {
	DEFAULT_N8N,
	defaultTarball,
	guard,
	installPackage,
	newUserFolder,
	n8nBin,
	nodeForN8n,
} from './installation';
import { until } from './waiting';

const START_DEADLINE_MS = 180_000;
const STOP_DEADLINE_MS = 45_000;
const LOG_TAIL_LINES = 60;

/** What each kind of n8n's processes prints when it is ready: a main when its workflows are active. */
const READY_LINES = {
	start: 'Editor is now accessible via',
	worker: 'n8n worker is now ready',
	webhook: 'Webhook listener waiting for requests',
};

/** n8n's command for a process: `start` for a main; a `webhook` process takes calls of webhooks and starts no triggers. */
export type Role = keyof typeof READY_LINES;

/** Parts of n8n that no workflow of the tests uses: without them each start takes a fifth less processor time. */
const UNUSED_MODULES = [
	...['chat-hub', 'dynamic-credentials', 'external-secrets', 'favorites', 'insights', 'ldap'],
	...['log-streaming', 'mcp', 'mcp-registry', 'n8n-packages', 'otel'],
	...['provisioning', 'quick-connect', 'source-control', 'sso-oidc', 'sso-saml', 'token-exchange'],
	...['workflow-builder', 'workflow-reviews'],
];

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
	N8N_DISABLED_MODULES: UNUSED_MODULES.join(),
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

export interface N8nOptions {
	/** The folder that holds `.n8n`; a temporary one when not given. */
	userFolder?: string;
	/** A free one when not given. */
	port?: number;
	/** Settings of n8n, over those of the lab. */
	env?: Record<string, string>;
	/** The node_modules that n8n lies in; those of the end-to-end tests when not given. */
	n8nModules?: string;
	/** The package to install; the one that `npm pack` made when not given, none when null. */
	tarball?: string | null;
	/** Where to keep what n8n prints, beside `logs()`. */
	logFile?: string;
}

/** A process of n8n with the package installed. It ends with this process, even when this one is killed. */
export class N8nProcess {
	readonly userFolder: string;
	private readonly port: number;
	private child: ChildProcess | undefined;
	private output = '';

	constructor(
		private readonly role: Role,
		private readonly options: N8nOptions,
	) {
		this.userFolder = options.userFolder ?? newUserFolder(options.n8nModules);
		this.port = options.port ?? freePort();
		mkdirSync(this.userFolder, { recursive: true });
		const { tarball = defaultTarball() } = options;
		if (tarball !== null) installPackage(this.userFolder, tarball);
	}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
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
		return this.output;
	}

	async launch(): Promise<void> {
		const started = Date.now();
		const from = this.output.length;
		this.child = this.spawn();
		try {
			await until('n8n to start', START_DEADLINE_MS, () => {
				if (this.hasExited) throw new Error('n8n ended while it was starting');
				return this.output.slice(from).includes(READY_LINES[this.role]);
			});
		} catch (error) {
			this.child.kill('SIGKILL');
			const tail = this.output.split('\n').slice(-LOG_TAIL_LINES);
			throw new Error([String(error), ...tail].join('\n'));
		}
		process.stderr.write(`n8n started in ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
	}

	/** Starts n8n again on the same folder and port, after stopping it if it still runs. */
	async restart(): Promise<void> {
		await this.end('SIGTERM');
		await this.launch();
	}

	/** Ends n8n as a power cut does. */
	async kill9(): Promise<void> {
		await this.end('SIGKILL');
	}

	/** Ends n8n as a user does, and removes what belongs to this process alone. */
	async stop(): Promise<void> {
		await this.end('SIGTERM');
		if (this.options.userFolder === undefined)
			rmSync(this.userFolder, { recursive: true, force: true });
	}

	/** Settles when n8n ends, for whatever reason. */
	async exited(): Promise<void> {
		if (this.child && !this.hasExited) await once(this.child, 'exit');
	}

	private spawn(): ChildProcess {
		const { n8nModules = DEFAULT_N8N, env, logFile } = this.options;
		const node = nodeForN8n();
		const child = spawn(node, ['--require', guard, n8nBin(n8nModules), this.role], {
			// n8n reads a .env file from its working directory.
			cwd: this.userFolder,
			// Nothing of this process's environment that could steer n8n or its Node.
			env: {
				...pick(process.env, ['HOME', 'LANG', 'TMPDIR', 'TZ']),
				PATH: [dirname(node), process.env.PATH].join(delimiter),
				...SETTINGS,
				N8N_USER_FOLDER: this.userFolder,
				N8N_PORT: String(this.port),
				N8N_RUNNERS_BROKER_PORT: String(freePort()),
				...env,
			},
			stdio: 'pipe',
		});
		const keep = (chunk: Buffer) => {
			this.output += chunk.toString('utf8');
			if (logFile !== undefined) appendFileSync(logFile, chunk);
		};
		child.stdout.on('data', keep);
		child.stderr.on('data', keep);
		// A test that forgets to stop n8n must not keep the test runner waiting; the guard stops n8n then.
		child.unref();
		return child;
	}

	private async end(signal: NodeJS.Signals): Promise<void> {
		const { child } = this;
		if (!child || this.hasExited) return;
		child.ref();
		child.kill(signal);
		const lastResort = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
		await once(child, 'exit');
		clearTimeout(lastResort);
	}

	/** The most memory that n8n has held at once since it started, or since `resetPeakMemory`; in bytes. Linux only. */
	peakMemory(): number {
		const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
		return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
	}

	/** Makes the memory held now the peak, so that the next reading is that of the run in between. Linux only. */
	resetPeakMemory(): void {
		writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
	}
}

/** A worker or a webhook process of n8n's queue mode. */
export async function startProcess(role: Role, options: N8nOptions): Promise<N8nProcess> {
	const process = new N8nProcess(role, options);
	await process.launch();
	return process;
}
