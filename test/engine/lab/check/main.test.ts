import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Environment } from '../../../lab/check/settings';
import { json } from '../../../lab/engine/relay';
import { Gpg } from '../../../lab/gpg';
import { root } from '../../../lab/paths';
import { seedOf } from '../../../lab/seeds';
import { CheckedService, HURRIED } from './checkedService';

let service: CheckedService;
beforeEach(async () => {
	service = await CheckedService.start();
});
afterEach(async () => await service.stop());

describe('the check of a service that is as the contract has it', () => {
	it('finds everything as expected, and only reads', async () => {
		const { code, differs, text: all } = await service.check(service.environment());

		expect(differs).toEqual([]);
		expect(code).toBe(0);
		expect(all).toMatch(/\n\d+ as expected, 0 differs, 4 not tried; requests sent: \d+\.$/);

		const writes = service.sandbox.requests.filter(({ method }) => method !== 'GET');

		expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'POST /auth/oauth2/token',
			'POST /identity/connect/token',
			'POST /auth/oauth2/token',
		]);
		expect(service.sandbox.counts.credits).toBe(2);
	});

	it('tries the IDs of a client that has to name one', async () => {
		service.sandbox.updateClient(service.sandbox.leadsClient.clientId, { branches: ['11', '12'] });
		service.sandbox.addLead('applicant', {}, { branchId: '11' });

		const { code, text: all } = await service.check({
			...service.environment('leads'),
			AGENT_LEADS_FILTER_BY: 'branch',
			AGENT_LEADS_FILTER_IDS: '11, 12',
		});

		expect(code).toBe(0);
		expect(all).toContain('without an ID it is refused: 400');
		expect(all).toContain('each given ID by itself: 2 answered 200');
		expect(all).toContain('two IDs in one request are refused: 400');
	});

	it('says what is wrong with the IDs of a client that has to name one', async () => {
		service.sandbox.updateClient(service.sandbox.leadsClient.clientId, { branches: ['11', '12'] });
		service.at('/applicant-leads', (answer) => (answer.status === 400 ? json(200, {}) : answer));

		const { differs, text: all } = await service.check({
			...service.environment('leads'),
			AGENT_LEADS_FILTER_BY: 'branch',
			AGENT_LEADS_FILTER_IDS: '11, 12, 13',
		});

		expect(differs).toEqual([
			'differs      leads: applicant leads, an invalid time is refused: 200 with JSON of another shape, not 400',
			'differs      leads: applicant leads, two IDs in one request are refused: 200 with JSON of another shape, not 400',
			'differs      leads: appraisal leads, each given ID by itself: one of them: 400 with errors that have a message, not 200',
		]);

		const { text: without } = await service.check(service.environment('leads'));

		expect(without).toContain('this client ID needs a filter: set AGENT_LEADS_FILTER_BY');
		expect(all).not.toContain('this client ID needs a filter');
	});

	it('opens a secret that came encrypted', async () => {
		const gpg = await Gpg.create();
		const folder = await mkdtemp(join(tmpdir(), 'check-'));
		const passphrase = 'three little words';
		const key = await gpg.makeKey('agency@example.com', passphrase, 'default');
		const files = { message: join(folder, 'secret.asc'), key: join(folder, 'key.asc') };
		const { clientSecret } = service.sandbox.productsClient;
		await writeFile(files.message, await gpg.encrypt(`${clientSecret}\n`, 'agency@example.com'));
		await writeFile(files.key, await gpg.exportPrivate([key], passphrase));
		const variables = {
			...service.environment('products'),
			AGENT_PRODUCTS_CLIENT_SECRET: undefined,
			AGENT_PRODUCTS_ENCRYPTED_SECRET_FILE: files.message,
			AGENT_PRODUCTS_PRIVATE_KEY_FILE: files.key,
			AGENT_PRODUCTS_PASSPHRASE: passphrase,
		};

		expect((await service.check(variables)).code).toBe(0);

		const wrong = await service.check({ ...variables, AGENT_PRODUCTS_PASSPHRASE: 'others words' });

		expect(wrong.code).toBe(2);
		expect(wrong.text).toContain('the secret cannot be opened: AGENT_PRODUCTS_ENCRYPTED_SECRET');

		await gpg.remove();

		await rm(folder, { recursive: true });

		for (const hidden of [passphrase, 'others words', folder])
			expect(service.written).not.toContain(hidden);
	}, 60_000);
});

describe('the check could not run:', () => {
	it.each<[string, () => Environment, string]>([
		[
			'a wrong pair',
			() => ({ ...service.environment('leads'), AGENT_LEADS_CLIENT_SECRET: 'wrong' }),
			'no token: 401 with an error of OAuth 2.0; the service does not know this client ID and secret',
		],
		[
			'an audience of another environment',
			() => ({
				...service.environment('leads'),
				AGENT_LEADS_AUDIENCE: 'https://other.example.com',
			}),
			'no token: 403 with an error of OAuth 2.0; do the audience, scope, client ID and secret belong to',
		],
		[
			'an address that is a web page',
			() => {
				service.at('/token', () => ({ status: 200, headers: {}, body: ' <!doctype html>' }));
				return service.environment('inventory');
			},
			'no token: 200 with a web page; is the address right?',
		],
		[
			'nobody at the address',
			() => ({
				...service.environment('products'),
				AGENT_PRODUCTS_AUTH_URL: 'http://127.0.0.1:9/auth',
			}),
			'no answer: nothing answers at the address',
		],
		[
			'something that is no address',
			() => ({ ...service.environment('products'), AGENT_PRODUCTS_URL: 'products.example.com' }),
			'AGENT_PRODUCTS_URL is not a web address',
		],
		[
			'variables that are missing',
			() => ({
				...service.environment('inventory'),
				AGENT_INVENTORY_AGENCY_REF: '',
				AGENT_INVENTORY_CLIENT_ID: undefined,
			}),
			'not set: AGENT_INVENTORY_AGENCY_REF, AGENT_INVENTORY_CLIENT_ID',
		],
		[
			'no secret',
			() => ({ ...service.environment('leads'), AGENT_LEADS_CLIENT_SECRET: undefined }),
			'not set: AGENT_LEADS_CLIENT_SECRET, or AGENT_LEADS_ENCRYPTED_SECRET_FILE, ',
		],
		[
			'a file that is not there',
			() => ({
				...service.environment('leads'),
				AGENT_LEADS_CLIENT_SECRET: undefined,
				AGENT_LEADS_ENCRYPTED_SECRET_FILE: '/no/such/file',
				AGENT_LEADS_PRIVATE_KEY_FILE: '/no/such/key',
			}),
			'the file of AGENT_LEADS_ENCRYPTED_SECRET_FILE cannot be read',
		],
		[
			'half a filter',
			() => ({ ...service.environment('leads'), AGENT_LEADS_FILTER_IDS: '11' }),
			'AGENT_LEADS_FILTER_BY takes branch, brand, company or group',
		],
	])('%s', async (_, prepare, why) => {
		const { code, text: all } = await service.check(prepare());

		expect(all).toContain(why);
		expect(all).toContain('An area whose variables are set could not be tried.');
		expect(code).toBe(2);
		expect(service.written).not.toContain('/no/such');
	});

	it('nothing is set', async () => {
		const { code, text: all } = await service.check({});

		expect(code).toBe(2);
		expect(all).toContain('Nothing to check: no variable is set.');
		expect(all).toContain('AGENT_LEADS_CLIENT_SECRET');
	});
});

describe('a wild service', () => {
	it.each(['allowed', 'misbehaving'] as const)(
		'that is %s never breaks the check, and is only read',
		async (strength) => {
			const start = seedOf('WILD');

			process.stdout.write(`check of a wild service, ${strength}: seed ${start}\n`);

			for (let seed = start; seed < start + 5; seed++) {
				service.sandbox.wild.start({ seed, strength, rate: 0.5 });
				const { code, text: all } = await service.check(service.environment(), {
					...HURRIED,
					longestWait: 5,
				});
				expect([0, 1, 2]).toContain(code);
				expect(all).not.toContain('the check itself failed');
				expect(all).toMatch(/\n\d+ as expected, \d+ differs, \d+ not tried; requests sent: \d+\./);
			}

			const writes = service.sandbox.requests.filter(({ method }) => method !== 'GET');

			expect(writes.filter(({ path }) => !path.endsWith('/token'))).toEqual([]);
			expect(service.sandbox.counts.credits).toBe(2);
		},
		60_000,
	);
});

describe('npm run check:service', () => {
	async function run(args: string[], variables: Environment) {
		const { PATH } = process.env;
		const child = spawn(process.execPath, ['scripts/check-service.mjs', ...args], {
			cwd: root,
			env: { PATH, ...variables },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const [out, err] = await Promise.all([
			text(child.stdout),
			text(child.stderr),
			once(child, 'close'),
		]);
		service.written += out + err;
		return { code: child.exitCode, out, err };
	}

	it('runs it in plain Node, and shows no secret', async () => {
		const { code, out, err } = await run([], {
			...service.environment('products'),
			AGENT_PRODUCTS_CLIENT_SECRET: 'not this one',
		});

		expect(err).toBe('');
		expect(out).toContain('not tried    leads: all rules: no variable of it is set');
		expect(out).toContain('products: the area can be tried: no token: 401');
		expect(out).not.toContain('not this one');
		expect(code).toBe(2);
	});

	it('says what it takes, and repeats nothing that it does not', async () => {
		const { code, out } = await run(['--help'], service.environment());

		expect(code).toBe(0);
		expect(out).toContain('* AGENT_INVENTORY_TOKEN_URL');

		const wrong = await run(['--secret', 'of somebody'], service.environment());

		expect(wrong.code).toBe(2);
		expect(wrong.err).toContain('takes --help only');
		expect(wrong.err).not.toContain('somebody');
	});
});
