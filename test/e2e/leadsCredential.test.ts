import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { freePort, type StoredWorkflow } from '../lab/n8n';
import {
	APPLICANTS_PATH,
	APPRAISALS_PATH,
	errorText,
	NODE,
	statuses,
	TOKEN_PATH,
	type Client,
	type Fault,
} from '../lab/n8n/stage';
import { EITHER_NODE, workflowOf, type Asker } from '../lab/n8n/stage/askers';
import { useStage } from '../lab/n8n/stage/useStage';

const LEADS = 3;

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });

beforeAll(() => stage.addRecentLeads(LEADS));

describe('a changed credential', () => {
	interface Change {
		typedIn: ICredentialDataDecryptedObject;
		/** Whom the new token belongs to, and which of its tokens it is. */
		client: Client;
		tokenIndex: number;
	}

	/** Each makes the service expect something else; the old token stays good there all the while. */
	const CHANGES: Record<string, (client: Client) => Change> = {
		'client secret': (client) => {
			const clientSecret = `${client.clientSecret}, renewed`;
			stage.secrets.push(clientSecret);
			stage.sandbox.updateClient(client.clientId, { clientSecret });
			return { typedIn: { clientSecret }, client, tokenIndex: 2 };
		},
		'client ID': ({ clientSecret }) => {
			const other = stage.addClient({ clientSecret });
			return { typedIn: { clientId: other.clientId }, client: other, tokenIndex: 1 };
		},
		'Leads URL': (client) => {
			const leadsUrl = byOtherName(stage.sandbox.leadsUrl);
			stage.sandbox.updateClient(client.clientId, { audience: leadsUrl });
			return { typedIn: { leadsUrl }, client, tokenIndex: 2 };
		},
		'Auth URL': (client) => {
			const authUrl = byOtherName(stage.sandbox.authUrl);
			return { typedIn: { authUrl }, client, tokenIndex: 2 };
		},
		audience: (client) => {
			const audience = 'https://leads.example.com/audience';
			stage.sandbox.updateClient(client.clientId, { audience });
			return { typedIn: { audience }, client, tokenIndex: 2 };
		},
	};

	/** The same sandbox at another address. */
	function byOtherName(url: string): string {
		return url.replace('127.0.0.1', 'localhost');
	}

	const cases = EITHER_NODE.flatMap((asker) =>
		Object.keys(CHANGES).map((what): [Asker, string] => [asker, what]),
	);

	it.each(cases)('%s: a new %s is never served with the old token', async (asker, what) => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		const workflow = await workflowOf(stage, asker, credential);

		expect(await stage.runTimes(workflow, 2)).toEqual([200, 200]);

		const change = CHANGES[what]?.(client);
		if (!change) throw new Error(what);
		await stage.n8n.updateCredential(credential.id, change.typedIn);
		const before = stage.sandbox.requests.length;
		expect(await stage.runTimes(workflow, 2)).toEqual([200, 200]);

		const { clientId } = change.client;
		const { tokenIndex } = change;

		const leads = { path: APPLICANTS_PATH, status: 200, clientId, tokenIndex };

		expect(stage.sandbox.requests.slice(before)).toMatchObject([
			{ path: TOKEN_PATH, status: 200, clientId, tokenIndex },
			leads,
			leads,
		]);
	});

	it('a revoked pair is named as the reason, and the new pair works', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		const workflow = await workflowOf(stage, 'Agent Leads', credential);
		await stage.run(workflow);
		stage.sandbox.revokeClient(client.clientId);

		const execution = await stage.execute(workflow);

		expect(execution.status).toBe('error');
		expect(errorText(execution)).toMatch(
			/refused the client ID and client secret.*Open the credential/,
		);

		const { clientId, clientSecret } = stage.addClient();
		await stage.n8n.updateCredential(credential.id, { clientId, clientSecret });
		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);
	});
});

describe('the credential test', () => {
	/** What a user sees; no secret and no token is ever in it. */
	async function outcome(
		client: Client,
		typedIn: ICredentialDataDecryptedObject = {},
		saved: ICredentialDataDecryptedObject = {},
	): Promise<string> {
		const { id } = await stage.saveCredential(client, saved);
		return await outcomeOf(id, typedIn);
	}

	async function outcomeOf(id: string, typedIn: ICredentialDataDecryptedObject = {}) {
		const { status, message } = await stage.n8n.testCredential(id, typedIn);
		expect(stage.leaks(message)).toEqual([]);
		return `${status}: ${message}`;
	}

	it('a good credential', async () => {
		const client = stage.addClient();

		expect(await outcome(client)).toMatch(/^OK: /);
		expect(statuses(stage.tokenRequests(client))).toEqual([200]);
	});

	it('a credential that allows no HTTP Request domain still serves its own node, and no other', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client, { allowedHttpRequestDomains: 'none' });

		expect(await outcomeOf(credential.id)).toMatch(/^OK: /);

		const own = await workflowOf(stage, 'Agent Leads', credential);
		expect((await stage.run(own)).items()).toHaveLength(LEADS);

		const before = stage.sandbox.requests.length;
		const other = await stage.execute(await workflowOf(stage, 'HTTP Request', credential));

		expect(other.status).toBe('error');
		expect(errorText(other, 'HTTP Request')).toMatch(/prevent use within an HTTP Request/);
		expect(stage.sandbox.requests.slice(before)).toEqual([]);
	});

	it('a client that must filter', async () => {
		expect(await outcome(stage.addClient({ branches: ['b1', 'b2'] }))).toMatch(/^OK: /);
	});

	it('a pair that is refused, though a good token of it is stored', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		const workflow = await workflowOf(stage, 'Agent Leads', credential);
		await stage.run(workflow);
		stage.secrets.push('wr+ong/secret');

		expect(await outcomeOf(credential.id, { clientSecret: 'wr+ong/secret' })).toMatch(
			/^Error: .*refused the client ID and client secret/,
		);
		expect(await outcomeOf(credential.id, { clientId: 'nobody' })).toMatch(
			/^Error: .*refused the client ID and client secret/,
		);
		expect(await outcomeOf(credential.id)).toMatch(/^OK: /);
	});

	it('an Auth URL where nobody listens', async () => {
		const authUrl = `http://127.0.0.1:${await freePort()}`;

		expect(await outcome(stage.addClient(), { authUrl })).toMatch(
			/^Error: The service refused the connection\. .*Check “Auth URL”/,
		);
	});

	it('a Leads URL where nobody listens', async () => {
		const leadsUrl = `http://127.0.0.1:${await freePort()}`;
		const client = stage.addClient({ audience: leadsUrl });

		expect(await outcome(client, { leadsUrl })).toMatch(
			/^Error: The service refused the connection\. .*Check “Leads URL”/,
		);
	});

	it('an address that is none', async () => {
		const client = stage.addClient();

		expect(await outcome(client, { authUrl: 'auth.example.com' })).toMatch(
			/^Error: “Auth URL” .*not a web address/,
		);
		expect(await outcome(client, { clientSecret: '' })).toMatch(/^Error: “Client Secret” is empty/);
		expect(stage.tokenRequests(client)).toEqual([]);
	});

	it('a wrong audience', async () => {
		expect(await outcome(stage.addClient(), { audience: 'https://elsewhere.example.com' })).toMatch(
			/^Error: The service refused the audience/,
		);
	});

	it('an audience that gets a token, but one that the leads API does not take', async () => {
		const client = stage.addClient();
		stage.sandbox.faults.add({
			kind: 'status',
			status: 401,
			path: APPRAISALS_PATH,
			clientId: client.clientId,
			times: Infinity,
		});

		expect(await outcome(client)).toMatch(/^Error: .*issued a token, but .*audience/);
	});

	it('a busy token service', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		const busy = { kind: 'status', status: 429, path: TOKEN_PATH, clientId } as const;
		stage.sandbox.faults.add({ ...busy, times: Infinity });

		expect(await outcome(client)).toMatch(/^Error: .*too busy.*Tried \d times.*minute/);
	});

	it('a token service that was busy for a moment', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		stage.sandbox.faults.add({ kind: 'status', status: 429, path: TOKEN_PATH, clientId });

		expect(await outcome(client)).toMatch(/^OK: /);
	});

	it('a good token of a client that may not read leads', async () => {
		expect(await outcome(stage.addClient({ permitted: false }))).toMatch(
			/^Error: .*issued a token, but this client ID may not read leads/,
		);
	});

	it('a Leads URL that leads nowhere', async () => {
		const audience = stage.sandbox.leadsUrl;
		const leadsUrl = `${stage.sandbox.url}/nowhere`;

		expect(await outcome(stage.addClient(), { leadsUrl, audience })).toMatch(
			/^Error: .*404.*Check “Leads URL”/,
		);
	});

	it('addresses that lead to a web page', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		stage.sandbox.faults.add({ kind: 'html', path: APPRAISALS_PATH, clientId });

		expect(await outcome(client)).toMatch(/^Error: .*web page.*Check “Leads URL”/);

		stage.sandbox.faults.add({ kind: 'html', path: TOKEN_PATH, clientId });
		expect(await outcome(client)).toMatch(/^Error: .*web page.*Check “Auth URL”/);
	});
});

describe('what n8n shows and keeps', () => {
	/** Each makes every run fail. */
	const FAILURES: Record<string, (client: Client) => void> = {
		'a refused token': failing(APPLICANTS_PATH, { kind: 'status', status: 401 }),
		'a refused client': failing(APPLICANTS_PATH, { kind: 'status', status: 403 }),
		'a busy service': failing(APPLICANTS_PATH, { kind: 'status', status: 429 }),
		'a failing service': failing(APPLICANTS_PATH, { kind: 'status', status: 500 }),
		'a lost connection': failing(APPLICANTS_PATH, { kind: 'reset' }),
		'a web page': failing(APPLICANTS_PATH, { kind: 'html', status: 502 }),
		'a refused pair': ({ clientId }) => stage.sandbox.revokeClient(clientId),
		'a token service that says no': failing(TOKEN_PATH, { kind: 'status', status: 403 }),
	};

	/** The HTTP Request node has no bounds to set, and for an answer cut short it waits for minutes. */
	const FAILURES_OF_OURS: Record<string, (client: Client) => void> = {
		'an answer cut short': failing(APPLICANTS_PATH, { kind: 'truncate' }),
		'a busy token service': failing(TOKEN_PATH, { kind: 'status', status: 429 }),
		'a token service out of reach': failing(TOKEN_PATH, { kind: 'reset' }),
	};

	function failing(path: string, fault: Fault): (client: Client) => void {
		return ({ clientId }) => {
			stage.sandbox.faults.add({ ...fault, path, clientId, times: Infinity });
		};
	}

	async function expectCleanFailure(workflow: StoredWorkflow, node: string): Promise<void> {
		const run = await stage.run(workflow);
		const execution = await run.execution();

		expect(execution.status).toBe('error');
		expect(errorText(execution, node)).not.toBe('');
		expect(stage.leaks(run.text)).toEqual([]);
		expect(stage.leaks(execution.text)).toEqual([]);
	}

	it.each(Object.entries({ ...FAILURES, ...FAILURES_OF_OURS }))(
		'Agent Leads, %s: no secret and no token in the execution',
		async (_, fail) => {
			const client = stage.addClient();
			const workflow = await stage.leadsWorkflow(client, { options: { maxTries: 1 } });
			fail(client);

			await expectCleanFailure(workflow, NODE);
		},
	);

	it.each(Object.entries(FAILURES))(
		'HTTP Request, %s: no secret and no token in the execution',
		async (_, fail) => {
			const client = stage.addClient();
			const workflow = await workflowOf(stage, 'HTTP Request', await stage.saveCredential(client));
			fail(client);

			await expectCleanFailure(workflow, 'HTTP Request');
		},
	);

	it('a credential holds its token, and n8n hands out neither that nor the secret', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		await stage.run(await workflowOf(stage, 'Agent Leads', credential));

		const { data } = await stage.n8n.getCredential(credential.id);

		expect(data).toMatchObject({ clientId: client.clientId });
		expect(data.accessToken).not.toBe('');
		expect(stage.leaks(JSON.stringify(data))).toEqual([]);
	});

	it('nothing that n8n has kept or printed in all these tests holds a secret or a token', async () => {
		expect(stage.issuedTokens().length).toBeGreaterThan(40);

		const { n8n } = stage;

		expect(stage.leaks(JSON.stringify(await n8n.credentials()))).toEqual([]);
		expect((await n8n.credentialsWithData()).length).toBeGreaterThan(40);
		expect(n8n.logs()).toMatch(/debug/);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});
