import { afterEach, beforeEach, expect, it } from '@jest/globals';
import snakeCase from 'lodash/snakeCase';

import { checkService } from '../../lab/check/main';
import { credentialOf } from '../../lab/credentialOf';
import { changeAnswers } from '../../lab/engine/relay';
import { Sandbox } from '../../lab/sandbox';
import { json } from '../../lab/sandbox/http';
import { HOUR } from '../../lab/times';
import { isRecord, jsonIn } from '../../lab/values';

let sandbox: Sandbox;
let written: string;

beforeEach(async () => {
	written = '';
	sandbox = await Sandbox.start();
	const to = sandbox.now();
	for (const kind of ['applicant', 'appraisal'] as const) {
		sandbox.addLeads(kind, 9, { from: to - 20 * HOUR, to });
	}
	const { clientId } = sandbox.productsClient;
	sandbox.products.activate('premium-listings', { listingId: 1 }, clientId);
});

afterEach(async () => {
	await sandbox.stop();
	for (const { clientId, clientSecret } of sandbox.clients.byId.values()) {
		expect(written).not.toContain(clientSecret);
		expect(written).not.toContain(clientId);
	}
	expect(written).not.toMatch(/@example\.com|07700/);
});

function environment(): NodeJS.ProcessEnv {
	const clients = [sandbox.leadsClient, sandbox.inventoryClient, sandbox.productsClient];
	const variables = clients.flatMap((client) => {
		const api = client.integration.toUpperCase();
		return Object.entries(credentialOf(sandbox, client).data).map(([name, value]) => {
			const variable = snakeCase(name).toUpperCase().replace(`${api}_`, '');
			return [`AGENT_${api}_${variable}`, value];
		});
	});
	return Object.fromEntries(variables) as NodeJS.ProcessEnv;
}

async function check(changes: NodeJS.ProcessEnv = {}) {
	const variables = { ...environment(), ...changes };
	return await checkService(variables, (line) => (written += `${line}\n`));
}

it('a service that answers as the contract has it is as expected, and is only read', async () => {
	const code = await check();
	expect(written).not.toContain('differs');
	expect(code).toBe(0);
	expect(written.match(/as expected/g)?.length).toBeGreaterThan(20);
	const changing = sandbox.requests.filter(({ method }) => method !== 'GET');
	expect(changing.every(({ path }) => path.endsWith('/token'))).toBe(true);
}, 60_000);

it('what differs is named, without a value', async () => {
	changeAnswers(sandbox, async ({ path }, pass) => {
		const answer = await pass();
		if (!path.endsWith('/applicant-leads')) return answer;
		const body = jsonIn(answer.body);
		const leads = isRecord(body) && Array.isArray(body.applicants) ? body.applicants : [];
		const odd = leads.map((lead: object) => ({ ...lead, contact: 'enquirer@example.com' }));
		return answer.status === 200 ? json(200, { applicants: odd }) : answer;
	});

	expect(await check()).toBe(1);
	expect(written).toMatch(
		/differs +leads: listApplicantLeads\(from-time, to-time\): .*contact must be object/,
	);
}, 60_000);

it('a wrong secret, and nothing at all, are said', async () => {
	expect(await check({ AGENT_LEADS_CLIENT_SECRET: 'another' })).toBe(2);
	expect(written).toMatch(/not tried +leads: no token: 401\. It needs AUTH_URL/);
	expect(await checkService({}, (line) => (written += line))).toBe(2);
	expect(written).toContain('AGENT_INVENTORY_  TOKEN_URL');
}, 60_000);
