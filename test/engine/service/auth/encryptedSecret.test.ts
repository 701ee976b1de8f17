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
});
