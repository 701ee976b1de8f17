import { expect, it } from '@jest/globals';

import { Gpg } from '../lab/gpg';
import { CredentialForm } from '../lab/n8n/credentialForm';
import { agentLeads } from '../lab/n8n/stage';
import { useBrowser, useStage } from '../lab/n8n/stage/useStage';

const PASSPHRASE = 'Türm & "Kette" 7';
const ADDRESS = 'agency@example.com';

const browser = useBrowser();
const stage = useStage();

it("a secret that came as an OpenPGP message is pasted into n8n's own form, tested, kept hidden and used", async () => {
	const gpg = await Gpg.create();
	const subkeys = ['rsa4096'];
	const key = await gpg.makeKey(ADDRESS, PASSPHRASE, 'rsa4096', { usage: 'sign', subkeys });
	const privateKey = await gpg.exportPrivate([key], PASSPHRASE);
	stage.secrets.push(PASSPHRASE, ...privateKey.split('\n').slice(3, 5));
	const client = stage.addClient();
	const message = await gpg.encrypt(`${client.clientSecret}\n`, ADDRESS);
	await gpg.remove();
	const form = await CredentialForm.open(browser, stage.n8n, 'Agent Leads API');
	await form.type('clientId', client.clientId);
	await form.choose('secretFormat', 'OpenPGP Message');
	const mail = `Dear agency,\n\nyour secret:\n\n${message}\n-- \nThe operator\n`;
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
	stage.sandbox.addLead('applicant');
	const run = await stage.run(await stage.webhookWorkflow(agentLeads(saved)));

	expect(run.items().length).toBeGreaterThan(0);
	expect(await stage.leaksInAll()).toEqual([]);
});
