import { readFile } from 'node:fs/promises';

import type { EncryptedSecret } from '../reference/secret';
import { openSecret } from '../reference/secret';
import type { Pair } from '../reference/tokens';
import { Blocked } from './findings';

export type Api = 'leads' | 'inventory' | 'products';

export type Environment = Record<string, string | undefined>;

interface Variable {
	name: string;
	isOptional?: boolean;
	help: string;
}

const PAIR: Variable[] = [
	{ name: 'CLIENT_ID', help: 'the client ID' },
	{ name: 'CLIENT_SECRET', isOptional: true, help: 'the secret, if you have it in plain text' },
	{
		name: 'ENCRYPTED_SECRET_FILE',
		isOptional: true,
		help: 'or: the file with the OpenPGP message that holds it',
	},
	{ name: 'PRIVATE_KEY_FILE', isOptional: true, help: 'the file with your private key, armoured' },
	{ name: 'PASSPHRASE', isOptional: true, help: 'the passphrase of the key' },
];

/** What each area takes; every name begins with the prefix of the area. */
export const VARIABLES: Record<Api, Variable[]> = {
	leads: [
		{ name: 'AUTH_URL', help: 'where tokens come from; /oauth2/token is added' },
		{ name: 'URL', help: 'the address of the leads API' },
		{ name: 'AUDIENCE', isOptional: true, help: 'if it is not the address of the leads API' },
		...PAIR,
		{ name: 'FILTER_BY', isOptional: true, help: 'branch, brand, company or group' },
		{
			name: 'FILTER_IDS',
			isOptional: true,
			help: 'the operator’s IDs of these, with commas; five are tried at most',
		},
	],
	inventory: [
		{ name: 'TOKEN_URL', help: 'the whole address of the token endpoint' },
		{ name: 'URL', help: 'the address of the inventory API' },
		{ name: 'AGENCY_REF', help: 'the AgencyRef of one agency' },
		...PAIR,
	],
	products: [
		{ name: 'AUTH_URL', help: 'where tokens come from; /oauth2/token is added' },
		{ name: 'URL', help: 'the address of the products API' },
		{ name: 'SCOPE', isOptional: true, help: 'if it is not api/api_access' },
		...PAIR,
	],
};

export const APIS: Api[] = ['leads', 'inventory', 'products'];

export const nameOf = (api: Api, variable: string): string =>
	`AGENT_${api.toUpperCase()}_${variable}`;

/** What an area's variables hold, by the names of `VARIABLES`. */
export class Settings {
	constructor(
		readonly api: Api,
		private readonly environment: Environment,
	) {}

	/** Whether anything of this area is set. */
	get isWanted(): boolean {
		return VARIABLES[this.api].some(({ name }) => this.get(name) !== '');
	}

	/** Empty where it is not set. */
	get(name: string): string {
		return this.environment[nameOf(this.api, name)]?.trim() ?? '';
	}

	/** Everything that must never be seen; what a filter names is never written anyway. */
	get values(): string[] {
		const shown = ['FILTER_BY', 'FILTER_IDS'];
		return VARIABLES[this.api].map(({ name }) => (shown.includes(name) ? '' : this.get(name)));
	}

	/** @throws Blocked, naming what is missing or wrong */
	requireWhole(): void {
		const missing = VARIABLES[this.api]
			.filter(({ name, isOptional }) => !isOptional && this.get(name) === '')
			.map(({ name }) => nameOf(this.api, name));
		if (missing.length > 0) throw new Blocked(`not set: ${missing.join(', ')}`);
		for (const name of ['AUTH_URL', 'TOKEN_URL', 'URL']) {
			const value = this.get(name);
			if (value !== '' && !isWebAddress(value))
				throw new Blocked(`${nameOf(this.api, name)} is not a web address`);
		}
	}

	/** @throws Blocked where there is no secret, or it cannot be opened */
	async pair(): Promise<Pair> {
		const clientId = this.get('CLIENT_ID');
		const plain = this.get('CLIENT_SECRET');
		if (plain !== '') return { clientId, clientSecret: plain };
		const encrypted = await this.encrypted();
		const [opened] = await Promise.allSettled([openSecret(encrypted)]);
		if (opened.status === 'fulfilled') return { clientId, clientSecret: opened.value };
		throw new Blocked(
			`the secret cannot be opened: ${this.names('ENCRYPTED_SECRET_FILE', 'PRIVATE_KEY_FILE', 'PASSPHRASE')} do not belong together, or one of them is damaged`,
		);
	}

	private async encrypted(): Promise<EncryptedSecret> {
		if (this.get('ENCRYPTED_SECRET_FILE') === '' || this.get('PRIVATE_KEY_FILE') === '') {
			throw new Blocked(
				`not set: ${this.names('CLIENT_SECRET')}, or ${this.names('ENCRYPTED_SECRET_FILE', 'PRIVATE_KEY_FILE', 'PASSPHRASE')}`,
			);
		}
		return {
			message: await this.content('ENCRYPTED_SECRET_FILE'),
			privateKey: await this.content('PRIVATE_KEY_FILE'),
			passphrase: this.environment[nameOf(this.api, 'PASSPHRASE')] ?? '',
		};
	}

	private async content(name: string): Promise<string> {
		const [read] = await Promise.allSettled([readFile(this.get(name), 'utf8')]);
		if (read.status === 'fulfilled') return read.value;
		throw new Blocked(`the file of ${nameOf(this.api, name)} cannot be read`);
	}

	private names(...variables: string[]): string {
		return variables.map((name) => nameOf(this.api, name)).join(', ');
	}
}

function isWebAddress(text: string): boolean {
	return /^https?:\/\//i.test(text) && URL.canParse(text) && new URL(text).username === '';
}
