import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

import {
	afterAll,
	afterEach,
	beforeAll,
	beforeEach,
	describe,
	expect,
	it,
	jest,
} from '@jest/globals';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { Gpg } from '../../../lab/gpg';
import type { Bench } from '../../../lab/engine/bench';
import type { NodeRun } from '../../../lab/engine/engine';
import { InventoryBench } from '../../../lab/engine/inventory';
import { LeadsBench, shortenBackoff, visibleText } from '../../../lab/engine/leads';
import { ProductsBench } from '../../../lab/engine/products';

const PASSPHRASE = 'Türm & "Kette" 7';

/** One integration with its node and the test of its credential. */
interface Setup {
	bench: Bench;
	run: () => Promise<NodeRun>;
}

const SETUPS: Record<string, () => Promise<Setup>> = {
	'Agent Leads API': async () => {
		const bench = await LeadsBench.start();
		bench.sandbox.addLead('applicant');
		return {
			bench,
			run: async () => await bench.run(),
		};
	},
	'Agent Inventory API': async () => {
		const bench = await InventoryBench.start();
		return {
			bench,
			run: async () => await bench.run({ operation: 'getAll', limit: 1 }),
		};
	},
	'Agent Products API': async () => {
		const bench = await ProductsBench.start();
		bench.sandbox.products.activate('premium-listings', { listingId: 1 }, bench.clientId);
		return {
			bench,
			run: async () => await bench.run({ operation: 'getAll' }),
		};
	},
};

let gpg: Gpg;
/** The agency's private key. */
let key: string;

beforeAll(async () => {
	// gpg's own count protects an exported key a hundred times as well, and as slowly.
	gpg = await Gpg.create(['s2k-count 650000']);
	const id = await gpg.makeKey('agency@example.com', PASSPHRASE, 'future-default');
	key = await gpg.exportPrivate([id], PASSPHRASE);
}, 60_000);

afterAll(async () => {
	await gpg.remove();
});

describe.each(Object.keys(SETUPS))('%s with a secret that came as an OpenPGP message', (name) => {
	let setup: Setup;
	let bench: Bench;
	let secret: string;
	let message: string;

	beforeEach(async () => {
		shortenBackoff();
		const start = SETUPS[name];
		if (!start) throw new Error(`No setup ${name}`);
		setup = await start();
		bench = setup.bench;
		secret = bench.sandbox.clients.get(bench.clientId).clientSecret;
		message = await gpg.encrypt(`${secret}\n`, 'agency@example.com');
		Object.assign(bench.stored, {
			secretFormat: 'pgp',
			// What n8n keeps of a field that is no longer shown.
			clientSecret: 'of an earlier pair',
			encryptedSecret: message,
			privateKey: key,
			passphrase: PASSPHRASE,
		});
	});

	afterEach(async () => {
		jest.useRealTimers();
		jest.restoreAllMocks();
		await bench.stop();
	});

	/** Whatever a run or a test shows: neither the secret nor what opens it. */
	function expectNoSecret(text: string) {
		const body = key.split('\n').slice(3, 5);
		for (const value of [secret, encodeURIComponent(secret), PASSPHRASE, ...body]) {
			expect(text).not.toContain(value);
		}
		expect(text).not.toContain(Buffer.from(`${bench.clientId}:${secret}`).toString('base64'));
	}

	it('gets a token, which serves later runs, and passes the test of the credential', async () => {
		const run = await setup.run();

		expect(run.error).toBeUndefined();
		expect(run.items.length).toBeGreaterThan(0);
		expect((await setup.run()).error).toBeUndefined();
		expect(bench.tokens).toBe(1);
		expectNoSecret(visibleText(run));
		expect(JSON.stringify(bench.stored)).not.toContain(JSON.stringify(secret).slice(1, -1));
		expect(await bench.testCredential()).toMatchObject({ status: 'OK' });
	});

	// What follows does not depend on the API.
	if (name !== 'Agent Leads API') return;

	it('is decrypted once, whatever the number of tokens', async () => {
		// What cryptography the host is asked for shows whether something is decrypted.
		const work = (['digest', 'decrypt', 'importKey', 'deriveBits'] as const).map((operation) =>
			jest.spyOn(webcrypto.subtle, operation),
		);
		const count = () => work.reduce((sum, { mock }) => sum + mock.calls.length, 0);

		await setup.run();

		const once = count();

		expect(once).toBeGreaterThan(0);

		bench.setClock(Date.now() + 3_600_001);
		await Promise.all([setup.run(), setup.run()]);
		bench.sandbox.revokeTokens(bench.clientId);
		expect((await setup.run()).error).toBeUndefined();
		expect(await bench.testCredential()).toMatchObject({ status: 'OK' });
		expect(bench.tokens).toBe(4);
		expect(count()).toBe(once);

		bench.stored.encryptedSecret = await gpg.encrypt(secret, 'agency@example.com');
		expect((await setup.run()).error).toBeUndefined();
		expect(bench.tokens).toBe(5);
		expect(count()).toBeGreaterThan(once);
	});

	it('is used as it is now after a change of the pair', async () => {
		await setup.run();
		const renewed = { clientId: 'renewed', clientSecret: 'another+one é' };
		const { integration } = bench.sandbox.clients.get(bench.clientId);
		bench.sandbox.addClient({ integration, ...renewed });
		bench.stored.clientId = renewed.clientId;
		bench.stored.encryptedSecret = await gpg.encrypt(renewed.clientSecret, 'agency@example.com');

		expect((await setup.run()).error).toBeUndefined();
		expect(bench.tokens).toBe(1);
	});

	it('is not shown where the service repeats it', async () => {
		const pair = Buffer.from(`${bench.clientId}:${secret}`).toString('base64');
		const spellings = [secret, encodeURIComponent(secret), pair];
		const talkative = createServer((_, response) => {
			const body = { error: 'invalid_request', error_description: spellings.join(' or ') };
			response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
		}).listen(0, '127.0.0.1');
		await once(talkative, 'listening');
		const address = talkative.address();
		const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
		Object.assign(bench.stored, { authUrl: url, tokenUrl: url });
		const run = await setup.run();
		const test = await bench.testCredential();

		talkative.close();

		for (const text of [run.error?.description, test.message]) {
			expect(text).toContain('The service’s code is invalid_request.');
		}
		expectNoSecret(visibleText(run) + test.message);
	});

	it.each<[string, () => ICredentialDataDecryptedObject, RegExp, RegExp]>([
		[
			'an armoured message in the plain field without its line breaks',
			() => ({ secretFormat: 'plain', clientSecret: message.replace(/\n/g, '') }),
			/“Client Secret” contains an OpenPGP block instead of the secret itself/,
			/Set “Secret Format” to “OpenPGP Message” and paste the message into “Encrypted Secret”/,
		],
		[
			'the private key in the field of the message',
			() => ({ encryptedSecret: key }),
			/“Encrypted Secret” contains a PGP PRIVATE KEY BLOCK instead of the message/,
			/Copy the whole message/,
		],
		[
			'a wrong passphrase',
			() => ({ passphrase: 'Turm & "Kette" 7' }),
			/“Passphrase” does not open the key in “Private Key”/,
			/ask for a new client ID and secret/,
		],
		[
			'a private key without some of its lines',
			() => ({ privateKey: key.replace(/\n.{64}\n/, '\n') }),
			/The private key in “Private Key” is damaged/,
			/Export the key with gpg/,
		],
		[
			'no message',
			() => ({ encryptedSecret: ' ' }),
			/“Encrypted Secret” is empty/,
			/Copy the whole message/,
		],
	])('says so of %s, and asks for no token', async (_, changes, sentence, wayOut) => {
		Object.assign(bench.stored, changes());

		const run = await setup.run();

		expect(run.error?.message).toMatch(sentence);
		expect(run.error?.description).toMatch(wayOut);
		expectNoSecret(visibleText(run));

		const test = await bench.testCredential();

		expect(test).toMatchObject({ status: 'Error' });
		expect(test.message).toMatch(sentence);
		expect(test.message).toMatch(wayOut);
		expectNoSecret(test.message);
		expect(bench.sandbox.requests).toHaveLength(0);
	});

	it('is decrypted with a passphrase that is a number, as an expression may give it', async () => {
		const id = await gpg.makeKey('number@example.com', '20261', 'future-default');
		const encryptedSecret = await gpg.encrypt(secret, 'number@example.com');
		const privateKey = await gpg.exportPrivate([id], '20261');
		Object.assign(bench.stored, { encryptedSecret, privateKey, passphrase: 20261 });

		expect((await setup.run()).error).toBeUndefined();
	});

	it('is read as pasted into a field that strips line breaks', async () => {
		const stripped = (armour: string) => `"${armour.replace(/\n/g, '')}"`;
		Object.assign(bench.stored, {
			encryptedSecret: stripped(message),
			privateKey: stripped(key),
		});

		expect((await setup.run()).error).toBeUndefined();
	});
});

describe('the library', () => {
	it('is not loaded while a stored token serves', async () => {
		const bench = await LeadsBench.start();
		try {
			const secret = bench.sandbox.clients.get(bench.clientId).clientSecret;
			Object.assign(bench.stored, {
				secretFormat: 'pgp',
				encryptedSecret: await gpg.encrypt(secret, 'agency@example.com'),
				privateKey: key,
				passphrase: PASSPHRASE,
			});
			await bench.run();

			// As after a restart of n8n, with a library that can no longer be loaded.
			jest.resetModules();
			jest.doMock('../../../../vendor/openpgp', () => {
				throw new Error('The library was loaded');
			});
			const afresh = await import('../../../../credentials/AgentLeadsApi.credentials');
			const credential = new afresh.AgentLeadsApi();
			const options = { url: bench.sandbox.leadsUrl };
			const { headers } = await credential.authenticate({ ...bench.stored }, options);
			expect(headers).toEqual({ Authorization: expect.stringContaining('Bearer ') });
			const renew = credential.preAuthentication.call(
				{ helpers: { httpRequest: async () => await Promise.resolve({}) } },
				{ ...bench.stored },
			);
			await expect(renew).rejects.toThrow('The library was loaded');
		} finally {
			jest.dontMock('../../../../vendor/openpgp');
			await bench.stop();
		}
	});
});
