import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from './freePort';
import { DEFAULT_N8N, defaultTarball, installPackage } from './installation';
import { N8nProcess, type Role } from './process';

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

/** A process of n8n, not started yet, and its folder with the package in it. */
export async function processFor(role: Role, options: N8nOptions) {
	const userFolder = options.userFolder ?? mkdtempSync(join(tmpdir(), 'n8n-e2e-'));
	mkdirSync(userFolder, { recursive: true });
	if (options.tarball !== null) installPackage(userFolder, options.tarball ?? defaultTarball());
	const process = new N8nProcess({
		role,
		n8nModules: options.n8nModules ?? DEFAULT_N8N,
		userFolder,
		port: options.port ?? (await freePort()),
		env: options.env ?? {},
		logFile: options.logFile,
	});
	/** Removes what belongs to this process alone. */
	const remove = () => {
		if (options.userFolder === undefined) rmSync(userFolder, { recursive: true, force: true });
	};
	return { userFolder, process, remove };
}
