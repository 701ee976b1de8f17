import { randomBytes } from 'node:crypto';

import { HOSTS, N8n, type Host } from '../n8n';
import { Stage } from '../n8n/stage';
import { startPostgres } from './services';

/** Where two processes of n8n keep what they share. */
export type Database = 'PostgreSQL' | 'SQLite';

/**
 * Two mains on one database, each with the active workflows of both, as for a while in a rolling update. n8n does not
 * keep them apart: each of them polls.
 */
export class TwoMains {
	/** All that has to be stopped, in the order in which it was started. */
	private readonly started: Array<{ stop(): Promise<void> }> = [];
	private env: Record<string, string> = {};
	private main: Stage | undefined;

	private constructor(private readonly database: Database) {}

	/** Starts the first one. */
	static async start(host: Host, database: Database, env: Record<string, string> = {}) {
		const mains = new TwoMains(database);
		try {
			const shared = database === 'PostgreSQL' ? (await mains.keep(startPostgres())).env : {};
			const key = { N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex') };
			mains.env = { ...HOSTS[host], ...shared, ...key, ...env };
			mains.main = await mains.keep(Stage.start({ env: mains.env }));
			return mains;
		} catch (error) {
			await mains.stop();
			throw error;
		}
	}

	/** The first main, and the sandbox. */
	get stage(): Stage {
		if (!this.main) throw new Error('The main has not started');
		return this.main;
	}

	/** Starts the second one, with the workflows that are active now. */
	async startOther(): Promise<N8n> {
		const { userFolder } = this.stage.n8n;
		const folder = this.database === 'SQLite' ? { userFolder, tarball: null } : {};
		return await this.keep(N8n.start({ env: this.env, ...folder }));
	}

	async stop(): Promise<void> {
		for (const each of this.started.splice(0).reverse()) await each.stop();
	}

	private async keep<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
		const each = await starting;
		this.started.push(each);
		return each;
	}
}
