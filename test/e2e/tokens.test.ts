import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { freePort, type StoredWorkflow } from '../lab/n8n';
import {
	agentLeads,
	APPLICANTS_PATH,
	APPRAISALS_PATH,
	errorText,
	HOUR,
	httpRequest,
	NODE,
	Stage,
	START_DEADLINE_MS,
	statuses,
	STOP_DEADLINE_MS,
	TOKEN_PATH,
	tokenIndexes,
	type Client,
	type Fault,
	type LoggedRequest,
	type SavedCredential,
} from '../lab/n8n/stage';

jest.setTimeout(60_000);

const LEADS = 3;

let stage: Stage;

beforeAll(async () => {
	stage = await Stage.start({ env: { N8N_LOG_LEVEL: 'debug' } });
	const now = stage.sandbox.now();
	stage.sandbox.addLeads('applicant', LEADS, { from: now - HOUR, to: now });
}, START_DEADLINE_MS);

afterAll(async () => {
	await stage?.stop();
}, STOP_DEADLINE_MS);

/** Who asks for leads with the credential: what holds for our node holds for n8n's own, too. */
const ASKERS = {
	'Agent Leads': (credential: SavedCredential) => agentLeads(credential),
	'HTTP Request': (credential: SavedCredential) =>
		httpRequest(credential, `${stage.sandbox.leadsUrl}/applicant-leads`),
};
type Asker = keyof typeof ASKERS;
const EITHER_NODE: Asker[] = ['Agent Leads', 'HTTP Request'];

async function workflowOf(asker: Asker, credential: SavedCredential): Promise<StoredWorkflow> {
	return await stage.webhookWorkflow([ASKERS[asker](credential)]);
}

async function runTimes(workflow: StoredWorkflow, count: number): Promise<number[]> {
	const answers: number[] = [];
	for (let run = 0; run < count; run++) answers.push((await stage.run(workflow)).status);
	return answers;
}

/** Keeps token requests under way until all executions that were started together are waiting for one. */
function slowDownTokens({ clientId }: Client): void {
	stage.sandbox.faults.add({
		kind: 'latency',
		ms: 1_500,
		path: TOKEN_PATH,
		clientId,
		times: Infinity,
	});
}

/** `count` times the same. */
function all<T>(count: number, value: T): T[] {
	return new Array<T>(count).fill(value);
}

describe('one token for all', () => {
	test('30 executions started together from cold share one token, and later ones use it', async () => {
		const client = stage.addClient();
		slowDownTokens(client);
		const workflow = await stage.leadsWorkflow(client);

		const runs = await stage.runTogether(workflow, 30);

		expect(runs.map((run) => run.items().length)).toEqual(all(30, LEADS));
		expect(stage.tokensIssued(client)).toBe(1);

		expect(await runTimes(workflow, 5)).toEqual(all(5, 200));
		expect(stage.tokenRequests(client)).toHaveLength(1);
		expect(tokenIndexes(stage.leadsRequests(client))).toEqual(all(35, 1));
	});

	test('so do executions of the HTTP Request node', async () => {
		const client = stage.addClient();
		slowDownTokens(client);
		const workflow = await workflowOf('HTTP Request', await stage.saveCredential(client));

		const runs = await stage.runTogether(workflow, 30);

		expect(runs.map((run) => run.status)).toEqual(all(30, 200));
		expect(stage.tokenRequests(client)).toHaveLength(1);
		expect(statuses(stage.leadsRequests(client))).toEqual(all(30, 200));
	});

	test('our node and the HTTP Request node use the same stored token', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		const ours = await workflowOf('Agent Leads', credential);
		const theirs = await workflowOf('HTTP Request', credential);

		expect(await runTimes(ours, 2)).toEqual([200, 200]);
		expect(await runTimes(theirs, 2)).toEqual([200, 200]);
		expect(await runTimes(ours, 1)).toEqual([200]);

		expect(stage.tokenRequests(client)).toHaveLength(1);
		expect(tokenIndexes(stage.leadsRequests(client))).toEqual(all(5, 1));
	});

	test('a credential saved without a change keeps its token', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		const workflow = await workflowOf('Agent Leads', credential);
		await stage.run(workflow);

		await stage.n8n.updateCredential(credential.id, {});

		expect(await runTimes(workflow, 2)).toEqual([200, 200]);
		expect(stage.tokenRequests(client)).toHaveLength(1);
	});
});

describe('a lifetime', () => {
	const LIFETIME_S = 4;
	/** Well within the last second, and far enough from its end for a run on a busy machine. */
	const SHORTLY_MS = 900;

	test.each(EITHER_NODE)(
		'%s: a token is used to its last second, then one new one is asked for before it is refused',
		async (asker) => {
			const client = stage.addClient({ tokenLifetime: LIFETIME_S });
			const workflow = await workflowOf(asker, await stage.saveCredential(client));

			expect(await runTimes(workflow, 2)).toEqual([200, 200]);
			const expiry = stage.tokenExpiry(client);
			await stage.waitForTime(expiry - SHORTLY_MS);
			expect(await runTimes(workflow, 1)).toEqual([200]);
			expect(tokenIndexes(stage.leadsRequests(client))).toEqual([1, 1, 1]);

			await stage.waitForTime(expiry + 100);
			const together = await stage.runTogether(workflow, 5);
			expect(together.map((run) => run.status)).toEqual(all(5, 200));

			expect(stage.tokenRequests(client)).toHaveLength(2);
			expect(tokenIndexes(stage.leadsRequests(client))).toEqual([1, 1, 1, ...all(5, 2)]);
			expect(statuses(stage.leadsRequests(client))).toEqual(all(8, 200));
		},
	);

	test.each<[string, unknown]>([
		['missing', undefined],
		['null', null],
		['a word', 'soon'],
		['zero', 0],
		['negative', -60],
	])('expires_in %s: the token is used until it is refused', async (_, expiresIn) => {
		const client = stage.addClient({ expiresIn });
		const workflow = await stage.leadsWorkflow(client);

		expect(await runTimes(workflow, 4)).toEqual(all(4, 200));
		expect(stage.tokenRequests(client)).toHaveLength(1);

		stage.sandbox.revokeTokens(client.clientId);
		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);

		expect(stage.tokenRequests(client)).toHaveLength(2);
		expect(statuses(stage.leadsRequests(client))).toEqual([200, 200, 200, 200, 401, 200]);
	});
});

describe('a refused token', () => {
	test.each([401, 403] as const)(
		'answered %i: one new token, one repeat, and the run succeeds',
		async (status) => {
			const client = stage.addClient({ rejectTokenWith: status });
			const workflow = await stage.leadsWorkflow(client);
			await stage.run(workflow);

			stage.sandbox.revokeTokens(client.clientId);
			expect((await stage.run(workflow)).items()).toHaveLength(LEADS);
			expect(await runTimes(workflow, 2)).toEqual([200, 200]);

			expect(stage.tokenRequests(client)).toHaveLength(2);
			expect(statuses(stage.leadsRequests(client))).toEqual([200, status, 200, 200, 200]);
			expect(tokenIndexes(stage.leadsRequests(client))).toEqual([1, 1, 2, 2, 2]);
		},
	);

	test.each([401, 403] as const)(
		'answered %i to ten executions at once: still one new token',
		async (status) => {
			const client = stage.addClient({ rejectTokenWith: status });
			const workflow = await stage.leadsWorkflow(client);
			await stage.run(workflow);

			stage.sandbox.revokeTokens(client.clientId);
			slowDownTokens(client);
			const runs = await stage.runTogether(workflow, 10);

			expect(runs.map((run) => run.status)).toEqual(all(10, 200));
			expect(stage.tokenRequests(client)).toHaveLength(2);
		},
	);

	test.each([401, 403] as const)(
		'answered %i, and its successor as well: each is replaced',
		async (status) => {
			const client = stage.addClient({ rejectTokenWith: status, expiresIn: undefined });
			const workflow = await stage.leadsWorkflow(client);
			expect(await runTimes(workflow, 2)).toEqual([200, 200]);

			for (let revocation = 1; revocation <= 3; revocation++) {
				stage.sandbox.revokeTokens(client.clientId);
				expect(await runTimes(workflow, 2)).toEqual([200, 200]);
				expect(stage.tokenRequests(client)).toHaveLength(1 + revocation);
			}
		},
	);

	test('HTTP Request: a revoked token is replaced as well', async () => {
		const client = stage.addClient();
		const workflow = await workflowOf('HTTP Request', await stage.saveCredential(client));
		await stage.run(workflow);

		stage.sandbox.revokeTokens(client.clientId);
		expect(await runTimes(workflow, 2)).toEqual([200, 200]);

		expect(stage.tokenRequests(client)).toHaveLength(2);
		expect(statuses(stage.leadsRequests(client))).toEqual([200, 401, 200, 200]);
	});

	test('a client without permission costs one extra token in all, not one per run', async () => {
		const client = stage.addClient({ permitted: false });
		const workflow = await stage.leadsWorkflow(client);

		for (let run = 0; run < 5; run++) {
			const execution = await stage.execute(workflow);
			expect(execution.status).toBe('error');
			expect(errorText(execution)).toMatch(
				/refused access \(403\).*Ask the operator.*every 5 minutes at most/,
			);
		}

		expect(stage.tokenRequests(client)).toHaveLength(2);
		expect(statuses(stage.leadsRequests(client))).toEqual(all(6, 403));
	});

	test('and in the next lifetime one extra token at most again', async () => {
		const client = stage.addClient({ permitted: false, tokenLifetime: 3 });
		const workflow = await stage.leadsWorkflow(client);
		await runTimes(workflow, 2);
		expect(stage.tokenRequests(client)).toHaveLength(2);

		await stage.waitForTime(stage.tokenExpiry(client) + 100);
		await runTimes(workflow, 3);

		expect(stage.tokenRequests(client).length).toBeLessThanOrEqual(4);
	});

	test('a client that may read applicants only: both kinds in turn cost one extra token in all', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		stage.sandbox.faults.add({
			kind: 'status',
			status: 403,
			path: APPRAISALS_PATH,
			clientId,
			times: Infinity,
		});
		const credential = await stage.saveCredential(client);
		const applicants = await stage.webhookWorkflow([agentLeads(credential)]);
		const appraisals = await stage.webhookWorkflow([
			agentLeads(credential, { resource: 'appraisalLead' }),
		]);

		for (let round = 0; round < 4; round++) {
			expect(await runTimes(applicants, 1)).toEqual([200]);
			expect(await runTimes(appraisals, 1)).toEqual([500]);
		}

		expect(stage.tokenRequests(client)).toHaveLength(2);
	});

	test('a client that gets its permission back needs no new token', async () => {
		const client = stage.addClient({ permitted: false });
		const workflow = await stage.leadsWorkflow(client);
		await stage.run(workflow);

		stage.sandbox.updateClient(client.clientId, { permitted: true });

		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);
		expect(stage.tokenRequests(client)).toHaveLength(2);
	});
});

describe('a power cut', () => {
	interface Case {
		client: Client;
		credential: SavedCredential;
		workflow: StoredWorkflow;
	}

	async function caseOf(client: Client): Promise<Case> {
		const credential = await stage.saveCredential(client);
		return { client, credential, workflow: await workflowOf('Agent Leads', credential) };
	}

	let usual: Case;
	let endless: Case;
	let forbidden: Case;
	let shared: StoredWorkflow;

	beforeAll(async () => {
		usual = await caseOf(stage.addClient());
		endless = await caseOf(stage.addClient({ expiresIn: undefined }));
		forbidden = await caseOf(stage.addClient({ permitted: false }));
		shared = await workflowOf('HTTP Request', usual.credential);
		for (const { workflow } of [usual, endless, forbidden]) await stage.run(workflow);

		await stage.n8n.kill9();
		await stage.n8n.restart();
	}, START_DEADLINE_MS);

	test('the stored token is used again', async () => {
		expect(await runTimes(usual.workflow, 2)).toEqual([200, 200]);
		expect(await runTimes(shared, 2)).toEqual([200, 200]);

		expect(stage.tokenRequests(usual.client)).toHaveLength(1);
		expect(tokenIndexes(stage.leadsRequests(usual.client))).toEqual(all(5, 1));
	});

	test('so is one without a lifetime', async () => {
		expect(await runTimes(endless.workflow, 2)).toEqual([200, 200]);

		expect(stage.tokenRequests(endless.client)).toHaveLength(1);
	});

	test('a client without permission costs no further token', async () => {
		expect(await runTimes(forbidden.workflow, 3)).toEqual([500, 500, 500]);

		expect(stage.tokenRequests(forbidden.client)).toHaveLength(2);
	});
});

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

	test.each(cases)('%s: a new %s is never served with the old token', async (asker, what) => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		const workflow = await workflowOf(asker, credential);
		expect(await runTimes(workflow, 2)).toEqual([200, 200]);

		const change = CHANGES[what]?.(client);
		if (!change) throw new Error(what);
		await stage.n8n.updateCredential(credential.id, change.typedIn);
		const before = stage.sandbox.requests.length;
		expect(await runTimes(workflow, 2)).toEqual([200, 200]);

		const { clientId } = change.client;
		const { tokenIndex } = change;
		const leads = { path: APPLICANTS_PATH, status: 200, clientId, tokenIndex };
		expect(stage.sandbox.requests.slice(before)).toMatchObject([
			{ path: TOKEN_PATH, status: 200, clientId, tokenIndex },
			leads,
			leads,
		]);
	});

	test('a revoked pair is named as the reason, and the new pair works', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		const workflow = await workflowOf('Agent Leads', credential);
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

	test('a good credential', async () => {
		const client = stage.addClient();

		expect(await outcome(client)).toMatch(/^OK: /);
		expect(statuses(stage.tokenRequests(client))).toEqual([200]);
	});

	test('a client that must filter', async () => {
		expect(await outcome(stage.addClient({ branches: ['b1', 'b2'] }))).toMatch(/^OK: /);
	});

	test('a pair that is refused, though a good token of it is stored', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		const workflow = await workflowOf('Agent Leads', credential);
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

	test('an Auth URL where nobody listens', async () => {
		const authUrl = `http://127.0.0.1:${await freePort()}`;

		expect(await outcome(stage.addClient(), { authUrl })).toMatch(
			/^Error: The service refused the connection\. .*check the address/i,
		);
	});

	test('a Leads URL where nobody listens', async () => {
		const leadsUrl = `http://127.0.0.1:${await freePort()}`;
		const client = stage.addClient({ audience: leadsUrl });

		expect(await outcome(client, { leadsUrl })).toMatch(
			/^Error: The service refused the connection/,
		);
	});

	test('an address that is none', async () => {
		const client = stage.addClient();

		expect(await outcome(client, { authUrl: 'auth.example.com' })).toMatch(
			/^Error: “Auth URL” .*not a web address/,
		);
		expect(await outcome(client, { clientSecret: '' })).toMatch(/^Error: “Client Secret” is empty/);
		expect(stage.tokenRequests(client)).toEqual([]);
	});

	test('a wrong audience', async () => {
		expect(await outcome(stage.addClient(), { audience: 'https://elsewhere.example.com' })).toMatch(
			/^Error: The service refused the audience/,
		);
	});

	test('an audience that gets a token, but one that the leads API does not take', async () => {
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

	test('a busy token service', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		const busy = { kind: 'status', status: 429, path: TOKEN_PATH, clientId } as const;
		stage.sandbox.faults.add({ ...busy, times: Infinity });

		expect(await outcome(client)).toMatch(/^Error: .*too busy.*tried \d times.*minute/);
	});

	test('a token service that was busy for a moment', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		stage.sandbox.faults.add({ kind: 'status', status: 429, path: TOKEN_PATH, clientId });

		expect(await outcome(client)).toMatch(/^OK: /);
	});

	test('a good token of a client that may not read leads', async () => {
		expect(await outcome(stage.addClient({ permitted: false }))).toMatch(
			/^Error: .*issued a token, but this client may not read leads/,
		);
	});

	test('a Leads URL that leads nowhere', async () => {
		const audience = stage.sandbox.leadsUrl;
		const leadsUrl = `${stage.sandbox.url}/nowhere`;

		expect(await outcome(stage.addClient(), { leadsUrl, audience })).toMatch(
			/^Error: .*404.*Check the address/,
		);
	});

	test('addresses that lead to a web page', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		stage.sandbox.faults.add({ kind: 'html', path: APPRAISALS_PATH, clientId });
		expect(await outcome(client)).toMatch(/^Error: .*web page.*Check the address/);

		stage.sandbox.faults.add({ kind: 'html', path: TOKEN_PATH, clientId });
		expect(await outcome(client)).toMatch(/^Error: .*web page.*Check the address/);
	});
});

describe('a token request', () => {
	test('is repeated while the token service is busy, failing or out of reach', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		const target = { path: TOKEN_PATH, clientId };
		stage.sandbox.faults.add({ ...target, kind: 'status', status: 429, retryAfter: 1 });
		stage.sandbox.faults.add({ ...target, kind: 'status', status: 503 });
		stage.sandbox.faults.add({ ...target, kind: 'reset' });
		const workflow = await stage.leadsWorkflow(client);

		expect((await stage.run(workflow)).items()).toHaveLength(LEADS);

		const [first, second] = stage.tokenRequests(client) as [LoggedRequest, LoggedRequest];
		expect(statuses(stage.tokenRequests(client))).toEqual([429, 503, 0, 200]);
		expect(second.at - first.at).toBeGreaterThanOrEqual(1_000);
		expect(statuses(stage.leadsRequests(client))).toEqual([200]);
	});

	test('has the bounds of the node, and then the error names the token service', async () => {
		const client = stage.addClient();
		const { clientId } = client;
		const fault = { kind: 'status', status: 429, path: TOKEN_PATH, clientId } as const;
		stage.sandbox.faults.add({ ...fault, times: Infinity });
		const workflow = await stage.leadsWorkflow(client, { options: { maxTries: 2 } });

		const execution = await stage.execute(workflow);

		expect(errorText(execution)).toMatch(/too busy to hand out a token \(429\).*tried 2 times/);
		expect(stage.tokenRequests(client)).toHaveLength(2);
		expect(stage.leadsRequests(client)).toEqual([]);
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

	test.each(Object.entries({ ...FAILURES, ...FAILURES_OF_OURS }))(
		'Agent Leads, %s: no secret and no token in the execution',
		async (_, fail) => {
			const client = stage.addClient();
			const workflow = await stage.leadsWorkflow(client, { options: { maxTries: 1 } });
			fail(client);

			await expectCleanFailure(workflow, NODE);
		},
	);

	test.each(Object.entries(FAILURES))(
		'HTTP Request, %s: no secret and no token in the execution',
		async (_, fail) => {
			const client = stage.addClient();
			const workflow = await workflowOf('HTTP Request', await stage.saveCredential(client));
			fail(client);

			await expectCleanFailure(workflow, 'HTTP Request');
		},
	);

	test('a credential holds its token, and n8n hands out neither that nor the secret', async () => {
		const client = stage.addClient();
		const credential = await stage.saveCredential(client);
		await stage.run(await workflowOf('Agent Leads', credential));

		const { data } = await stage.n8n.getCredential(credential.id);

		expect(data).toMatchObject({ clientId: client.clientId });
		expect(data.accessToken).not.toBe('');
		expect(stage.leaks(JSON.stringify(data))).toEqual([]);
	});

	test('nothing that n8n has kept or printed in all these tests holds a secret or a token', async () => {
		expect(stage.issuedTokens().length).toBeGreaterThan(50);
		const { n8n } = stage;

		expect(stage.leaks(JSON.stringify(await n8n.credentials()))).toEqual([]);
		expect((await n8n.credentialsWithData()).length).toBeGreaterThan(50);
		expect(n8n.logs()).toMatch(/debug/);
		expect(await stage.leaksInAll()).toEqual([]);
	});
});
