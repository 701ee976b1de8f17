import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';

/** The real gpg with a keyring of its own, as the agency or the operator has one. */
export class Gpg {
	private constructor(readonly home: string) {}

	/** @param settings lines of gpg-agent.conf */
	static async create(settings: string[] = []): Promise<Gpg> {
		const home = await mkdtemp(join(tmpdir(), 'gpg-'));
		await writeFile(join(home, 'gpg-agent.conf'), settings.map((line) => `${line}\n`).join(''));
		return new Gpg(home);
	}

	/** Ends the agent that gpg started for this keyring, and removes it. */
	async remove(): Promise<void> {
		await run('gpgconf', ['--homedir', this.home, '--kill', 'all'], '');
		await rm(this.home, { recursive: true, force: true });
	}

	/** @returns what gpg printed */
	async run(
		args: string[],
		{ input = '', passphrase = '' }: { input?: string | Uint8Array; passphrase?: string } = {},
	): Promise<Buffer> {
		return await run(
			'gpg',
			[
				...['--homedir', this.home, '--batch', '--quiet', '--no-tty', '--trust-model', 'always'],
				...['--pinentry-mode', 'loopback', '--passphrase', passphrase, ...args],
			],
			input,
		);
	}

	/**
	 * Makes a key.
	 *
	 * @param algorithm as in gpg --quick-generate-key, such as `default`
	 * @param subkeys the same for each encryption subkey; `default` brings its own
	 * @returns its fingerprint
	 */
	async makeKey(
		userId: string,
		passphrase: string,
		algorithm: string,
		{ usage = 'default', subkeys = [] as string[] } = {},
	): Promise<string> {
		const make = ['--quick-generate-key', userId, algorithm, usage, 'never'];
		await this.run(make, { passphrase });
		const fingerprint = await this.fingerprint(userId);
		for (const subkey of subkeys) {
			await this.run(['--quick-add-key', fingerprint, subkey, 'encr'], { passphrase });
		}
		return fingerprint;
	}

	private async fingerprint(userId: string): Promise<string> {
		const listing = (await this.run(['--with-colons', '--list-keys', `=${userId}`])).toString();
		const found = /^fpr:+([0-9A-F]+):/m.exec(listing)?.[1];
		if (found === undefined) throw new Error(`gpg has no key of ${userId}`);
		return found;
	}

	async exportPublic(...keys: string[]): Promise<string> {
		return (await this.run(['--armor', '--export', ...keys])).toString();
	}

	async exportPrivate(keys: string[], passphrase: string): Promise<string> {
		const args = ['--armor', '--export-secret-keys', ...keys];
		return (await this.run(args, { passphrase })).toString();
	}

	async import(keys: string): Promise<void> {
		await this.run(['--import'], { input: keys });
	}

	/** @param options such as `--compress-algo` */
	async encrypt(
		secret: string | Buffer,
		recipient: string,
		options: string[] = [],
	): Promise<string> {
		const args = [...options, '--armor', '--recipient', recipient, '--encrypt'];
		return (await this.run(args, { input: secret })).toString();
	}
}

/** Runs a command to its end; what it says about a failure is in the error. */
async function run(command: string, args: string[], input: string | Uint8Array): Promise<Buffer> {
	const child = spawn(command, args, { stdio: 'pipe' });
	// A command that does not read its input may be gone before it is written.
	child.stdin.on('error', () => undefined);
	child.stdin.end(input);
	const [output, complaints] = await Promise.all([
		buffer(child.stdout),
		text(child.stderr),
		once(child, 'close'),
	]);
	if (child.exitCode !== 0) throw new Error(`${command} ${args.join(' ')}: ${complaints}`);
	return output;
}
