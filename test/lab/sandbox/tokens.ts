import { randomBytes } from 'node:crypto';

import type { Client } from './types';

interface Token {
	value: string;
	clientId: string;
	/** Its number among the tokens of its client, from 1. */
	index: number;
	/** Epoch milliseconds. */
	expiresAt: number;
	revoked: boolean;
}

/** The tokens that were issued. Expired and revoked ones are kept, so that the log can say whose they were. */
export class Tokens {
	readonly byValue = new Map<string, Token>();

	/** @param now epoch milliseconds */
	constructor(private readonly now: () => number) {}

	issue({ clientId, tokenLifetime }: Client): Token {
		const earlier = [...this.byValue.values()].filter((each) => each.clientId === clientId);
		const value = randomBytes(24).toString('base64url');
		const expiresAt = this.now() + tokenLifetime * 1000;
		const token = { value, clientId, index: earlier.length + 1, expiresAt, revoked: false };
		this.byValue.set(value, token);
		return token;
	}

	/**
	 * @param authorization the header
	 * @returns the token that it carries, even if it is no longer valid
	 */
	named(authorization: string | undefined): Token | undefined {
		const match = /^Bearer ([\w-]+)$/.exec(authorization ?? '');
		return match?.[1] === undefined ? undefined : this.byValue.get(match[1]);
	}

	isAlive(token: Token): boolean {
		return !token.revoked && this.now() < token.expiresAt;
	}

	revokeAll(clientId: string): void {
		for (const token of this.byValue.values()) {
			if (token.clientId === clientId) token.revoked = true;
		}
	}
}
