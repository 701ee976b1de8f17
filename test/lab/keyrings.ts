import { Gpg } from './gpg';

/** A secret with what forms, shells and addresses take for something else. */
export const SECRET = 'l+e%41a:d é&s=/?#"secret';

/** Of every key in the agency's keyring. */
export const PASSPHRASE = 'Türm & "Kette" 7';

/** Keys as an agency may have them, each made by the real gpg. */
export const KEYS: Array<[KeyName, string]> = [
	['rsa4096', 'RSA 4096 with an encryption subkey'],
	['rsaSingle', 'RSA 3072, one key for everything'],
	['modern', 'the default of gpg 2.3 and newer (Ed25519 and Curve25519)'],
	['nist', 'NIST P-256'],
];

export type KeyName = 'rsa4096' | 'rsaSingle' | 'modern' | 'nist';

/** What gpg makes each of them with: the algorithm, and more. */
const RECIPES: Record<KeyName, [string, Parameters<Gpg['makeKey']>[3]?]> = {
	rsa4096: ['rsa4096', { usage: 'sign', subkeys: ['rsa4096'] }],
	rsaSingle: ['rsa3072', { usage: 'sign,encr' }],
	modern: ['future-default'],
	nist: ['nistp256', { usage: 'sign', subkeys: ['nistp256'] }],
};

/**
 * How often a passphrase is hashed to protect an exported key. The tests in n8n's engine and in a real
 * n8n have gpg's own count, which is a hundred times as high.
 */
const QUICK = ['s2k-count 650000'];

/** The keyring of an agency with its keys, and that of an operator who has their public parts. */
export class Keyrings {
	private readonly exported = new Map<string, string>();

	private constructor(
		readonly agency: Gpg,
		readonly operator: Gpg,
		private readonly fingerprints: ReadonlyMap<KeyName, string>,
	) {}

	static async create(names: KeyName[]): Promise<Keyrings> {
		const [agency, operator] = await Promise.all([Gpg.create(QUICK), Gpg.create()]);
		const fingerprints = new Map<KeyName, string>();
		for (const name of names) {
			const made = agency.makeKey(`${name} <it@example.com>`, PASSPHRASE, ...RECIPES[name]);
			fingerprints.set(name, await made);
		}
		await operator.import(await agency.exportPublic());
		await operator.makeKey('operator <operator@example.com>', '', 'future-default');
		return new Keyrings(agency, operator, fingerprints);
	}

	async remove(): Promise<void> {
		await Promise.all([this.agency.remove(), this.operator.remove()]);
	}

	fingerprint(name: KeyName): string {
		const found = this.fingerprints.get(name);
		if (found === undefined) throw new Error(`No key ${name}`);
		return found;
	}

	/** gpg takes its time to protect what it exports: it does so once. */
	async privateKey(...names: KeyName[]): Promise<string> {
		const known = this.exported.get(names.join());
		if (known !== undefined) return known;
		const fingerprints = names.map((name) => this.fingerprint(name));
		const key = await this.agency.exportPrivate(fingerprints, PASSPHRASE);
		this.exported.set(names.join(), key);
		return key;
	}

	/** A secret that the operator encrypted to one of the agency's keys. */
	async encryptTo(
		name: KeyName,
		secret: string | Buffer = SECRET,
		options: string[] = [],
	): Promise<string> {
		return await this.operator.encrypt(secret, this.fingerprint(name), options);
	}

	/** Adds a key to the agency's keyring whose public part the operator gets. */
	async add(name: string, passphrase: string): Promise<string> {
		const userId = `${name} <it@example.com>`;
		const fingerprint = await this.agency.makeKey(userId, passphrase, 'future-default');
		await this.operator.import(await this.agency.exportPublic(fingerprint));
		return fingerprint;
	}
}
