import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Gpg } from '../lab/gpg';
import { CredentialForm } from '../lab/n8n/credentialForm';
import type { Client } from '../lab/n8n/stage';
import { agentLeads, START_DEADLINE_MS, STOP_DEADLINE_MS } from '../lab/n8n/stage';
import { useBrowser, useStage } from '../lab/n8n/stage/useStage';

const PASSPHRASE = 'Türm & "Kette" 7';
const TEST_DEADLINE_MS = 60_000;

const browser = useBrowser();
const stage = useStage();
let gpg: Gpg;
let privateKey: string;

beforeAll(async () => {
	gpg = await Gpg.create();
	const id = await gpg.makeKey('agency@example.com', PASSPHRASE, 'rsa4096', {
		usage: 'sign',
		subkeys: ['rsa4096'],
	});
	privateKey = await gpg.exportPrivate([id], PASSPHRASE);
	stage.secrets.push(PASSPHRASE, ...privateKey.split('\n').slice(3, 5));
}, START_DEADLINE_MS);

afterAll(async () => {
	await gpg?.remove();
}, STOP_DEADLINE_MS);

/** The fields of a credential whose secret came as an OpenPGP message. */
async function encrypted({ clientId, clientSecret }: Client) {
	const encryptedSecret = await gpg.encrypt(`${clientSecret}\n`, 'agency@example.com');
	return { clientId, secretFormat: 'pgp', encryptedSecret, privateKey, passphrase: PASSPHRASE };
}

describe('a secret that came as an OpenPGP message, in a real n8n', () => {
	it(
		"is pasted into n8n's own form, tested, kept hidden and used",
		async () => {
			const client = stage.addClient();
			const { encryptedSecret } = await encrypted(client);
			const form = await CredentialForm.open(browser, stage.n8n, 'Agent Leads API');
			await form.type('clientId', client.clientId);
			await form.choose('secretFormat', 'OpenPGP Message');
			const mail = `Dear agency,\n\nyour secret:\n\n${encryptedSecret}\n-- \nThe operator\n`;
			await form.paste('encryptedSecret', mail);
			await form.paste('privateKey', privateKey);
			await form.type('passphrase', 'a wrong one');
			await form.type('authUrl', stage.sandbox.authUrl);
			await form.type('leadsUrl', stage.sandbox.leadsUrl);

			expect(await form.save()).toContain('“Passphrase” does not open the key in “Private Key”');
			expect(stage.tokenRequests(client)).toHaveLength(0);

			await form.type('passphrase', PASSPHRASE);
			expect(await form.save()).toContain('Connection tested successfully');
			expect(stage.tokensIssued(client)).toBe(1);

			const [saved] = await stage.n8n.credentials();
			if (!saved) throw new Error('n8n has saved no credential');
			expect(stage.leaks(JSON.stringify(await stage.n8n.credentialsWithData()))).toEqual([]);

			const workflow = await stage.webhookWorkflow([agentLeads(saved)]);
			stage.sandbox.addLead('applicant');

			const run = await stage.run(workflow);

			expect(run.items().length).toBeGreaterThan(0);
			expect(stage.leaks((await run.execution()).text)).toEqual([]);

			await form.page.close();
		},
		TEST_DEADLINE_MS,
	);

	it("leaves nothing secret in n8n's log", () => {
		expect(stage.leaks(stage.n8n.logs())).toEqual([]);
	});
});
