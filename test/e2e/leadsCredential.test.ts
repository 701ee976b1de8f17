import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type StoredWorkflow } from '../lab/n8n';
import {
	APPLICANTS_PATH,
	errorText,
	NODE,
	statuses,
	TOKEN_PATH,
	type Client,
	type Fault,
} from '../lab/n8n/stage';
import { workflowOf } from '../lab/n8n/stage/askers';
import { useStage } from '../lab/n8n/stage/useStage';

const LEADS = 3;

const stage = useStage({ env: { N8N_LOG_LEVEL: 'debug' } });

beforeAll(() => stage.addRecentLeads(LEADS));

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
		expect(stage.issuedTokens().length).toBeGreaterThan(10);

		const { n8n } = stage;

		expect(stage.leaks(JSON.stringify(await n8n.credentials()))).toEqual([]);
		expect((await n8n.credentialsWithData()).length).toBeGreaterThan(10);
		expect(n8n.logs()).toMatch(/debug/);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});
