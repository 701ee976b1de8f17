import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

import contract from '../../../lab/contract/inventory.json';
import type { Sandbox } from '../../../lab/sandbox';

export type Client = Sandbox['leadsClient'];

export interface Reply {
	status: number;
	headers: Headers;
	text: string;
}

export async function request(url: string, init?: RequestInit): Promise<Reply> {
	const response = await fetch(url, { redirect: 'manual', ...init });
	return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The body as the test expects it; what it holds is then asserted. */
export function body<T>(reply: Reply): T {
	return JSON.parse(reply.text) as T;
}

export function basic({ clientId, clientSecret }: Pick<Client, 'clientId' | 'clientSecret'>) {
	return `Basic ${Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64')}`;
}

const FORM = 'application/x-www-form-urlencoded';

/** A token request as the client's form wants it, with what a test changes about it. */
export function tokenRequest(
	sandbox: Sandbox,
	client: Client,
	change: { fields?: Record<string, string | undefined>; headers?: Record<string, string> } = {},
): Promise<Reply> {
	const usual: Record<Client['integration'], Record<string, string | undefined>> = {
		leads: {
			client_id: client.clientId,
			client_secret: client.clientSecret,
			audience: client.audience,
		},
		products: { scope: client.scope },
		inventory: {},
	};
	const form = new URLSearchParams();
	const fields = {
		grant_type: 'client_credentials',
		...usual[client.integration],
		...change.fields,
	};
	for (const [name, value] of Object.entries(fields)) {
		if (value !== undefined) form.set(name, value);
	}
	const headers: Record<string, string> = { 'Content-Type': FORM };
	if (client.integration !== 'leads') headers.Authorization = basic(client);
	return request(tokenAddress(sandbox, client), {
		method: 'POST',
		headers: { ...headers, ...change.headers },
		body: form.toString(),
	});
}

export function tokenAddress(sandbox: Sandbox, { integration }: Client): string {
	return integration === 'inventory' ? sandbox.tokenUrl : `${sandbox.authUrl}/oauth2/token`;
}

export async function bearer(sandbox: Sandbox, client: Client): Promise<Record<string, string>> {
	const reply = await tokenRequest(sandbox, client);
	return { Authorization: `Bearer ${body<{ access_token: string }>(reply).access_token}` };
}

/** `2006-01-02T15:04:05Z` */
export function seconds(epochMs: number): string {
	return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Judges a record of the inventory API by its contract. */
export function inventorySchema(schema: keyof typeof contract.components.schemas) {
	const ajv = new Ajv2020({ strict: false });
	addFormats(ajv);
	return ajv.addSchema(contract, 'inventory').compile({
		$ref: `inventory#/components/schemas/${schema}`,
	});
}
