import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

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
import type { ICredentialDataDecryptedObject, IDataObject, INodeParameters } from 'n8n-workflow';

import {
	problem,
	UNPROTECTED_MESSAGE,
	UNREADABLE_MESSAGE,
	UNUSABLE_KEY,
} from '../../../service/auth/pgp/problems';
import { send } from '../../../service/http/transport';
import type { Page } from '../../lab/documentation';
import { messagesOf, patternOf } from '../../lab/documentation';
import { Gpg } from '../../lab/gpg';
import { shortenBackoff } from '../../lab/engine/bench';
import type { NodeRun } from '../../lab/engine/engine';
import { Front, json } from '../../lab/engine/front';
import { InventoryBench } from '../../lab/engine/inventory';
import { DAY, HOUR, LeadsBench } from '../../lab/engine/leads';
import { PollHost } from '../../lab/engine/poll';
import type { Fault } from '../../lab/engine/products';
import { ProductsBench } from '../../lab/engine/products';

jest.setTimeout(60_000);

/** A message as the documentation has it, and how a person comes to see it. */
type Case = [message: string, see: () => Promise<string | undefined>];

type Prepare<B> = (bench: B) => unknown;

beforeEach(() => {
	shortenBackoff();
});

afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** Uses a bench and stops it. */
async function used<B extends { stop: () => Promise<void> }, T>(
	start: Promise<B>,
	use: (bench: B) => Promise<T>,
): Promise<T> {
	const bench = await start;
	const [outcome] = await Promise.allSettled([use(bench)]);
	await bench.stop();
	if (outcome.status === 'rejected') throw outcome.reason;
	return outcome.value;
}

/** The error of a run, or else the note above its output. */
function shownBy({ error, hints }: NodeRun): string | undefined {
	return error?.message ?? hints[0]?.message;
}

const leads =
	(parameters: INodeParameters = {}, prepare: Prepare<LeadsBench> = () => undefined) =>
	async () =>
		await used(LeadsBench.start(), async (bench) => {
			await prepare(bench);
			return shownBy(await bench.run({ options: { maxTries: 1 }, ...parameters }));
		});

const inventory =
	(parameters: INodeParameters, prepare: Prepare<InventoryBench> = () => undefined, items = 1) =>
	async () =>
		await used(InventoryBench.start(), async (bench) => {
			await prepare(bench);
			const input = Array.from({ length: items }, () => ({ json: {} }));
			return shownBy(await bench.run({ operation: 'getAll', ...parameters }, { input }));
		});

const products =
	(
		parameters: INodeParameters = {},
		prepare: Prepare<ProductsBench> = () => undefined,
		items = 1,
	) =>
	async () =>
		await used(ProductsBench.start(), async (bench) => {
			await prepare(bench);
			const input = Array.from({ length: items }, () => ({ json: {} }));
			return shownBy(await bench.run({ options: { maxTries: 1 }, ...parameters }, { input }));
		});

const trigger =
	(parameters: INodeParameters = {}, state: IDataObject = {}) =>
	async () =>
		await used(LeadsBench.start(), async (bench) => {
			const host = new PollHost(bench, parameters);
			host.state = state;
			return (await host.failure(host.activate())).message;
		});

/** Has the credential of a bench hold something else. */
const credential =
	(changes: ICredentialDataDecryptedObject) =>
	({ stored }: LeadsBench | InventoryBench | ProductsBench) =>
		Object.assign(stored, changes);

/** Has all requests for a path fail. */
const failing =
	(path: string | RegExp, fault: Partial<Fault> & { kind: Fault['kind'] }) =>
	({ sandbox }: LeadsBench | InventoryBench | ProductsBench) =>
		sandbox.faults.add({ path, times: Infinity, ...fault } as Fault);

const status = (path: string | RegExp, code: number, body: 'api' | 'empty' | 'json' = 'api') =>
	failing(path, { kind: 'status', status: code, body });

/** Presses “Test” in a credential; what to do follows the message. */
const tested =
	<B extends LeadsBench | InventoryBench | ProductsBench>(
		kind: { start: () => Promise<B> },
		prepare: Prepare<B>,
	) =>
	async () =>
		await used(kind.start(), async (bench) => {
			await prepare(bench);
			const { message } = await bench.testCredential();
			return message.replace(/\. (?:The service says:|Ask the operator) .*/s, '');
		});

/** What a connection fails of, by the code of Node. */
const connection = (code: string) => async () => {
	const failure = Object.assign(new Error(), { code, isAxiosError: true });
	const [outcome] = await Promise.allSettled([
		send('data', async () => await Promise.reject(failure)),
	]);
	return outcome.status === 'rejected' ? (outcome.reason as Error).message : undefined;
};

const TOKEN = /\/(oauth2\/)?token$/;
const LEADS = '/applicant-leads';

describe('docs/troubleshooting.md', () => {
	const PASSPHRASE = 'Türm & "Kette" 7';
	let gpg: Gpg;
	let keys: Record<'agency' | 'other' | 'open' | 'public', string>;

	beforeAll(async () => {
		// gpg's own count protects an exported key a hundred times as well, and as slowly.
		gpg = await Gpg.create(['s2k-count 650000']);
		const make = async (name: string, passphrase: string) =>
			await gpg.makeKey(`${name}@example.com`, passphrase, 'future-default');
		const agency = await make('agency', PASSPHRASE);
		const other = await make('other', PASSPHRASE);
		const open = await make('open', '');
		keys = {
			agency: await gpg.exportPrivate([agency], PASSPHRASE),
			other: await gpg.exportPrivate([other], PASSPHRASE),
			open: await gpg.exportPrivate([open], ''),
			public: await gpg.exportPublic(agency),
		};
	}, 60_000);

	afterAll(async () => {
		await gpg.remove();
	});

	interface Pasted {
		message?: string | Promise<string>;
		key?: string;
		passphrase?: string;
	}

	/** Has the secret come as a message, with what `paste` says in place of what is right. */
	const encrypted = (paste: (message: string) => Pasted) =>
		leads({}, async ({ sandbox, clientId, stored }) => {
			const { clientSecret } = sandbox.clients.get(clientId);
			const right = await gpg.encrypt(clientSecret, 'agency@example.com');
			const { message = right, key = keys.agency, passphrase = PASSPHRASE } = paste(right);
			Object.assign(stored, {
				secretFormat: 'pgp',
				encryptedSecret: await message,
				privateKey: key,
				passphrase,
			});
		});

	const bytesOf = async (bytes: number[]) => {
		const file = join(gpg.home, 'bytes');
		await writeFile(file, Buffer.from(bytes));
		const args = ['--recipient', 'agency@example.com', '--output', '-', '--encrypt', file];
		return String(await gpg.run(['--armor', ...args]));
	};

	const secretOf = (text: string) => gpg.encrypt(text, 'agency@example.com');
	const withoutLine = (armour: string) => armour.replace(/\n.{64}\n/, '\n');

	/** Each is made by hand, byte for byte, in test/unit/service/auth/pgp/decryption.test.ts. */
	const rare = (explanation: Parameters<typeof problem>[0]) => async () =>
		await Promise.resolve(problem(explanation).message);

	/** An API that answers each request with the same. */
	const always = async (body: unknown) => {
		const server = createServer((_, response) => {
			response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
		}).listen(0, '127.0.0.1');
		server.unref();
		await once(server, 'listening');
		return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	};

	const cases: Case[] = [
		// About the credential
		['“…” is empty in the credential', leads({}, credential({ clientId: ' ' }))],
		['“…” is empty in the credential', inventory({}, credential({ agencyRef: '' }))],
		[
			'“…” in the credential is not a web address: it must start with https:// or http:// and hold no user name, query or fragment',
			products({}, credential({ productsUrl: 'products.example.com' })),
		],
		[
			'“Token URL” in the credential is not a web address: it must start with https:// or http:// and hold no user name or fragment',
			inventory({}, credential({ tokenUrl: 'auth.example.com/token' })),
		],
		[
			'“…” in the credential ends in …, which each request adds to it',
			products({}, credential({ productsUrl: 'https://products.example.com/products' })),
		],
		[
			'“…” in the credential ends in …, which each request adds to it',
			inventory({}, credential({ inventoryUrl: 'https://inventory.example.com/inventory' })),
		],
		[
			'“Client Secret” holds more than one line, and a secret has one',
			leads({}, credential({ clientSecret: 'secret\nexpires 2026' })),
		],
		[
			'“AgencyRef” in the credential holds characters that it cannot have',
			inventory({}, credential({ agencyRef: 'AG\n1' })),
		],
		[
			'The service refused the client ID and client secret',
			leads({}, credential({ clientSecret: 'wrong' })),
		],
		[
			'The service refused the audience (the Leads URL, where Audience is empty)',
			leads({}, credential({ audience: 'https://other.example.com' })),
		],
		['The service refused this client at this address', inventory({}, status(TOKEN, 403))],
		[
			'The service refused the scope, or this client at this address',
			products({ operation: 'getAll' }, credential({ scope: 'another' })),
		],
		['The service refused to hand out a token (…)', leads({}, status(TOKEN, 400, 'empty'))],
		[
			'There is no token service at this address (…)',
			leads({}, ({ stored, sandbox }) =>
				Object.assign(stored, { authUrl: `${sandbox.url}/nowhere` }),
			),
		],
		['The service is too busy to hand out a token (429)', leads({}, status(TOKEN, 429))],
		['The service answered without a token', leads({}, status(TOKEN, 200, 'json'))],

		// About an encrypted secret
		[
			'“Client Secret” holds an OpenPGP block instead of the secret itself',
			leads({}, async ({ stored }) =>
				Object.assign(stored, { clientSecret: await secretOf('secret') }),
			),
		],
		['“Encrypted Secret” holds no OpenPGP message', encrypted(() => ({ message: 'secret' }))],
		['“Private Key” holds no OpenPGP private key', encrypted(() => ({ key: 'key' }))],
		[
			'“Encrypted Secret” holds … instead of the message',
			encrypted(() => ({ message: keys.agency })),
		],
		['“Private Key” holds … instead of the private key', encrypted(() => ({ key: keys.public }))],
		[
			'The … in “…” is cut off: its first or its last line is missing',
			encrypted((message) => ({ message: message.slice(0, 200) })),
		],
		[
			'The … in “…” is cut off: its first or its last line is missing',
			encrypted(() => ({ key: keys.agency.slice(0, 500) })),
		],
		[
			'The … in “…” is damaged: a part of it is missing or changed',
			encrypted((message) => ({ message: withoutLine(message) })),
		],
		[
			'The … in “…” is damaged: a part of it is missing or changed',
			encrypted(() => ({ key: withoutLine(keys.agency) })),
		],
		[
			'The key in “Private Key” does not match the message in “Encrypted Secret”…',
			encrypted(() => ({ key: keys.other })),
		],
		[
			'“Passphrase” does not open the key in “Private Key”',
			encrypted(() => ({ passphrase: 'wrong' })),
		],
		[
			'“Passphrase” is empty, and the key in “Private Key” has one',
			encrypted(() => ({ passphrase: '' })),
		],
		[
			'The key in “Private Key” has no passphrase, and “Passphrase” is not empty',
			encrypted(() => ({ message: gpg.encrypt('secret', 'open@example.com'), key: keys.open })),
		],
		['The key in “Private Key” cannot be used', rare(UNUSABLE_KEY)],
		[
			'The message in “Encrypted Secret” is not encrypted to a key',
			encrypted(() => ({
				message: gpg
					.run(['--armor', '--symmetric'], { input: 'secret', passphrase: PASSPHRASE })
					.then(String),
			})),
		],
		['The message in “Encrypted Secret” cannot be decrypted', rare(UNREADABLE_MESSAGE)],
		[
			'The message in “Encrypted Secret” is not protected against changes, and is not read',
			rare(UNPROTECTED_MESSAGE),
		],
		[
			'What the message in “Encrypted Secret” holds is far too long for a secret',
			encrypted(() => ({ message: secretOf('a'.repeat(2_000_000)) })),
		],
		[
			'What the message in “Encrypted Secret” holds is not text',
			encrypted(() => ({ message: bytesOf([0xc3, 0x28]) })),
		],
		[
			'What the message in “Encrypted Secret” holds has more than one line, and a secret has one',
			encrypted(() => ({ message: secretOf('secret\nexpires 2026') })),
		],
		[
			'The message in “Encrypted Secret” holds an empty secret',
			encrypted(() => ({ message: secretOf('\n') })),
		],

		// Only while you test a credential
		[
			'The service issued a token, but the leads API refused it (401): the audience may be wrong',
			tested(LeadsBench, status('/appraisal-leads', 401)),
		],
		[
			'The service issued a token, but this client may not read leads (403)',
			tested(LeadsBench, status('/appraisal-leads', 403)),
		],
		[
			'The service issued a token, but the inventory API refused it (401): the Token URL and the Inventory URL may belong to different services',
			tested(InventoryBench, status('/inventory', 401)),
		],
		[
			'The service issued a token, but refused the AgencyRef, or this client may not read properties (403)',
			tested(InventoryBench, credential({ agencyRef: 'AG9999' })),
		],
		[
			'The service issued a token, but the products API refused it (401): the scope may be wrong',
			tested(ProductsBench, status('/premium-listings', 401)),
		],
		[
			'The service issued a token, but this client may not read activations (403)',
			tested(ProductsBench, status('/premium-listings', 403)),
		],

		// In a run of any node
		['The service is busy and asks to wait (429)', leads({}, status(LEADS, 429))],
		['The service cannot answer just now (…)', leads({}, status(LEADS, 503))],
		['The service did not answer in time', connection('ETIMEDOUT')],
		['The connection to the service was lost', leads({}, failing(LEADS, { kind: 'reset' }))],
		['The connection to the service failed', connection('E2BIG')],
		['The service’s answer was cut short', leads({}, failing(LEADS, { kind: 'cutJson' }))],
		[
			'The service refused the connection',
			leads({}, credential({ authUrl: 'http://127.0.0.1:9' })),
		],
		['The service cannot be reached', connection('EHOSTUNREACH')],
		['No server has the name in the address', connection('ENOTFOUND')],
		['The name in the address could not be looked up', connection('EAI_AGAIN')],
		[
			'No secure connection could be made (…): the service’s certificate may be expired, incomplete or for another name',
			connection('CERT_HAS_EXPIRED'),
		],
		['The service refused the token, a new one too (401)', leads({}, status(LEADS, 401))],
		[
			'The service refused the request (…)',
			leads({}, ({ sandbox, clientId }) => {
				sandbox.updateClient(clientId, { branches: ['1', '2'] });
			}),
		],
		['The service found nothing at this address (404)', leads({}, status(LEADS, 404))],
		[
			'The service answered with a web page instead of data',
			leads({}, failing(LEADS, { kind: 'html' })),
		],
		['The service redirects elsewhere (…)', leads({}, status(LEADS, 302, 'empty'))],
		['The service’s answer has an unknown shape', leads({}, status(LEADS, 200, 'empty'))],

		// About a field that several nodes have
		['“…” must be a whole number of at least …', leads({ limit: 0 })],
		['“…” must be a whole number of at least …', trigger({ options: { lookBack: 43_201 } })],
		['“Max Wait” must be a number of seconds, 0 or more', leads({ options: { maxWait: -1 } })],
		['“…” is not a date and time', inventory({ filters: { createdFrom: 'soon' } })],
		['“…” is not text', inventory({ filters: { status: '={{ {} }}' } })],
		['“…” is neither true nor false', inventory({ filters: { archived: '={{ 1 }}' } })],
		['“…” is unknown', inventory({ operation: '={{ "delete" }}' })],
		['“…” is unknown', products({ operation: '={{ "cancel" }}' })],
		['“…” holds an empty ID', leads({ filterBy: 'branch', filterId: '1,,2' })],
		['“…” holds an empty ID', inventory({ filters: { branchIds: '1,,2' } })],

		// Of each node
		['The service refused access (403)', leads({}, status(LEADS, 403))],
		['The service answered without a list of …', leads({}, status(LEADS, 200, 'json'))],
		[
			'The service keeps leads for 30 days: everything before … is gone, …',
			leads({ period: 'recent', recentAmount: 31, recentUnit: 'days' }),
		],
		[
			'The service keeps leads for 30 days: everything before … is gone, …',
			leads({ period: 'range', from: '2020-01-01T00:00:00', to: '2020-01-02T00:00:00' }),
		],
		[
			'The service sent leads that are dated outside the period; they were left out.',
			leads({ period: 'recent', recentAmount: 1, recentUnit: 'hours' }, ({ sandbox }) => {
				const created = sandbox.now() - HOUR / 2;
				for (const createdAt of [created, created, created + 2 * HOUR]) {
					sandbox.addLead('applicant', { createdAt: new Date(createdAt).toISOString() });
				}
			}),
		],
		[
			'The service refused the AgencyRef, or this client may not read properties (403)',
			inventory({ options: { agencyRef: 'AG9999' } }),
		],
		[
			'The service found no such property (404)',
			inventory({ operation: 'get', propertyId: 'nobody-has-it' }),
		],
		[
			'The service answered without a list of properties',
			inventory({}, status('/inventory/filter', 200, 'json')),
		],
		[
			'The service answered without the record of a property',
			inventory({ operation: 'get', propertyId: '5001' }, async ({ stored }) => {
				stored.inventoryUrl = await always({ status: 'ok' });
			}),
		],
		[
			'The service’s list broke off: it does not know its own next page (404)',
			inventory({ returnAll: true }, ({ sandbox }) => {
				sandbox.faults.add({ kind: 'status', status: 404, path: '/inventory/filter', after: 1 });
			}),
		],
		[
			'The service left open whether there is this property',
			inventory(
				{ operation: 'get', propertyId: '={{ 5000 + $itemIndex }}' },
				async ({ stored }) => {
					stored.inventoryUrl = await always({});
				},
				2,
			),
		],
		[
			'The service’s list does not end: it repeats a page, or sends one empty page after another',
			inventory({ returnAll: true }, async ({ stored }) => {
				stored.inventoryUrl = await always({ meta: { nextToken: 'same' }, items: [{ id: '1' }] });
			}),
		],
		[
			'The service refused access to the listing or the product (403)',
			products({ operation: 'getAll' }, status('/premium-listings', 403)),
		],
		[
			'The service found no such activation (404)',
			products({ operation: 'get', activationId: '4f7a2c1e-0000-4000-8000-000000000001' }),
		],
		[
			'The service finds no listing for this ID of yours (…)',
			products({ operation: 'getAll', filters: { customerListingId: 'OUR-9' } }, ({ sandbox }) =>
				sandbox.products.configure({ unknownListings: ['OUR-9'] }),
			),
		],
		[
			'The service answered without an activation',
			products(
				{ operation: 'get', activationId: '4f7a2c1e-0000-4000-8000-000000000001' },
				status(/premium-listings\//, 200, 'json'),
			),
		],
		[
			'There is no lead to show',
			async () =>
				await used(LeadsBench.start(), async (bench) => {
					const host = new PollHost(bench);
					return (await host.failure(host.test())).message;
				}),
		],
		[
			'Leads submitted between … and … may be missing: the service keeps leads for 30 days, and it was not asked for longer than that.',
			async () =>
				await used(LeadsBench.start(), async (bench) => {
					const host = new PollHost(bench, { startFrom: 'last24Hours' });
					await host.activate();
					bench.setClock(Date.now() + 40 * DAY);
					bench.sandbox.addLead('applicant');
					const gaps = (await host.tick()).map(({ gap }) => gap as IDataObject | undefined);
					return gaps.find((gap) => gap !== undefined)?.message as string | undefined;
				}),
		],
		['The stored progress has version …', trigger({}, { version: 2 })],
		['The stored progress is damaged at …', trigger({}, { version: 1, polls: 1, scopes: 'none' })],
	];

	holdsMessages('troubleshooting', cases);
});

describe('docs/agent-leads.md', () => {
	const range = (from: string, to: string) => leads({ period: 'range', from, to });

	holdsMessages('agent-leads', [
		['“Filter By” has an unknown value', leads({ filterBy: '={{ "office" }}', filterId: '1' })],
		['“From” lies after “To”', range('2026-06-02T00:00:00', '2026-06-01T00:00:00')],
		['“From” lies in the future', range('2999-01-01T00:00:00', '')],
		['“Period” is unknown', leads({ period: '={{ "ever" }}', from: '2026-06-01' })],
		[
			'“Unit” is unknown',
			leads({ period: 'recent', recentAmount: 1, recentUnit: '={{ "weeks" }}' }),
		],
		['“Resource” is unknown', leads({ resource: '={{ "lead" }}' })],
		[
			'“… Parameter Name” is not a name for a query parameter',
			leads({ options: { fromTimeParameter: 'from time' } }),
		],
		[
			'“Options” names two query parameters the same',
			leads({ options: { fromTimeParameter: 'time', toTimeParameter: 'time' } }),
		],
	]);
});

describe('docs/agent-leads-trigger.md', () => {
	holdsMessages('agent-leads-trigger', [
		['“Trigger On” is empty', trigger({ leadTypes: [] })],
		['“Trigger On” has an unknown value', trigger({ leadTypes: ['buyer'] })],
		['“Start From” has an unknown value', trigger({ startFrom: 'ever' })],
	]);
});

describe('docs/agent-inventory.md', () => {
	holdsMessages('agent-inventory', [
		['“Query” is empty', inventory({ operation: 'search', query: ' ' })],
		[
			'“Search By” is unknown',
			inventory({ operation: 'search', query: 'x', searchBy: '={{ "name" }}' }),
		],
		['“Property” is empty', inventory({ operation: 'get', propertyId: '={{ "" }}' })],
		['“Property” is not the ID of a property', inventory({ operation: 'get', propertyId: '..' })],
		[
			'“AgencyRef” holds characters that it cannot have',
			inventory({ options: { agencyRef: 'AG\n1' } }),
		],
	]);
});

describe('docs/agent-products.md', () => {
	/** An order that the service takes and cannot carry out, for the reason with this code. */
	const coming = (code: number) =>
		products({}, ({ sandbox }) =>
			sandbox.products.configure({
				result: 'ERROR',
				errors: [{ reason: 'No', code }],
				settleAfterMs: 0,
			}),
		);

	/** An order that is refused at once. */
	const refused = (code: number) =>
		products({}, failing(/premium-listings$/, { kind: 'status', status: code, body: 'empty' }));

	/** The same by an answer to the order alone, which comes after the look. */
	const answered = (body: unknown) => async () =>
		await used(
			ProductsBench.start(),
			async (bench) =>
				await used(Front.start(bench.sandbox), async (front) => {
					bench.stored.productsUrl = front.productsUrl;
					front.answer(async ({ method }, pass) =>
						method === 'POST' ? json(400, body) : await pass(),
					);
					return shownBy(await bench.run());
				}),
		);

	/** A list in which an activation does not say which listing it is of. */
	const unclear = async () =>
		await used(
			ProductsBench.start(),
			async (bench) =>
				await used(Front.start(bench.sandbox), async (front) => {
					bench.stored.productsUrl = front.productsUrl;
					front.answer(() => json(200, [{ id: 'a' }, { listingId: 7 }]));
					return shownBy(await bench.run());
				}),
		);

	const notActivated = (problem: string): string => `… was not activated: ${problem}`;

	/** A change of the highlights of an active listing, in front of which something answers. */
	const highlights = (answer: Parameters<typeof json>) => async () =>
		await used(
			ProductsBench.start(),
			async (bench) =>
				await used(Front.start(bench.sandbox), async (front) => {
					bench.stored.productsUrl = front.productsUrl;
					front.answer(async ({ method }, pass) =>
						method === 'PATCH' ? json(...answer) : await pass(),
					);
					const { id } = bench.sandbox.products.activate(
						'premium-listings',
						{ listingId: 1 },
						bench.clientId,
					);
					const options = { maxTries: 1 };
					const parameters = { operation: 'updateHighlights', activationId: id, options };
					return shownBy(await bench.run(parameters));
				}),
		);

	const refusal = (status: number, code: number): Parameters<typeof json> => [
		status,
		{ errors: [{ reason: 'No', code }] },
	];

	const field = (parameters: INodeParameters) => products(parameters);
	const row = (highlight: INodeParameters) => field({ highlights: { highlight: [highlight] } });
	const filter = (filters: INodeParameters) => field({ operation: 'getAll', filters });

	holdsMessages('agent-products', [
		[notActivated('the listing has too few images'), coming(1_021_004)],
		[notActivated('the listing’s full description is too short'), coming(1_021_005)],
		[notActivated('the service does not know the listing, or not this address'), refused(404)],
		[notActivated('the service does not know the listing'), coming(1_021_003)],
		[notActivated('the service finds no listing for this ID of yours'), coming(1_011_061)],
		[notActivated('this client has no access to the listing'), coming(1_011_901)],
		[notActivated('the agency’s contract does not include this product'), coming(1_021_006)],
		[notActivated('the product is not for a listing of this kind'), coming(1_021_002)],
		[notActivated('the listing is not in the UK'), coming(2_011_008)],
		[notActivated('the listing is not residential'), coming(2_011_009)],
		[notActivated('the service does not accept the highlights'), coming(1_011_905)],
		[notActivated('the service could not attach the highlights'), coming(1_021_007)],
		[notActivated('the listing belongs to no agency in the service'), coming(1_011_052)],
		[
			notActivated('the service has no listings of this client to look up an ID of yours in'),
			coming(1_011_064),
		],
		[notActivated('the service could not read the request'), coming(1_011_904)],
		[notActivated('something failed inside the service'), coming(1_021_000)],
		[
			notActivated('the service says that an order waits for the listing already, and shows none'),
			answered({ errors: [{ reason: 'No', code: 1_011_003 }] }),
		],
		[
			'… Nothing was ordered, since the node could not look first: …',
			products({}, failing(/premium-listings$/, { kind: 'status', status: 500 })),
		],
		[
			'… Nothing was ordered, since the node could not look first: The service shows activations of other listings as well',
			unclear,
		],
		[notActivated('the custom details are too large'), refused(413)],
		[notActivated('the service could not fulfil the order'), coming(1_021_999)],
		[
			notActivated('it was deactivated'),
			async () =>
				await used(
					ProductsBench.start(),
					async (bench) =>
						await used(Front.start(bench.sandbox), async (front) => {
							bench.stored.productsUrl = front.productsUrl;
							const ended = { id: 'ended', listingId: 123, status: { result: 'DEACTIVATED' } };
							front.answer(async ({ method }, pass) =>
								method === 'POST' ? json(202, ended) : await pass(),
							);
							return shownBy(await bench.run());
						}),
				),
		],
		[
			'… It is not known whether it was activated: …',
			products({}, failing(/premium-listings$/, { kind: 'reset', after: 1 })),
		],
		[
			'The highlights were not changed: the premium listing is not active',
			highlights(refusal(409, 1_011_043)),
		],
		[
			'The highlights were not changed: an earlier change of its highlights is still under way',
			highlights(refusal(409, 1_011_044)),
		],
		[
			'The highlights were not changed: the premium listing is not active, or an earlier change is still under way',
			highlights([409, {}]),
		],
		[
			'The highlights were not changed: the service does not accept the highlights',
			highlights(refusal(400, 1_011_041)),
		],
		[
			'The highlights were not changed: something failed inside the service',
			highlights(refusal(400, 1_011_045)),
		],
		['It is not known whether the highlights were changed: …', highlights([500, {}])],
		[
			'… was asked for by … items (…): it was ordered once at most, as the first of them says, and each of them has the result.',
			products({}, () => undefined, 2),
		],
		[
			'… was ordered, but its result could not be read: … Use Get with its ID later.',
			products({ options: { maxTries: 1, waitTimeout: 0 } }, status(/premium-listings\//, 500)),
		],
		['“Listing ID” is empty', field({ listingId: '={{ "" }}' })],
		['“Listing ID” is not a whole number', field({ listingId: 'twelve' })],
		['“Listing ID Type” is unknown', field({ listingIdType: 'both' })],
		['“Highlight ID” is empty', row({ id: '={{ "" }}' })],
		['“Highlight ID” is not a whole number', row({ id: '0x10' })],
		['“Highlight Description” is not text', row({ id: 1, description: '={{ ({}) }}' })],
		['“Custom Details” is not a JSON object', field({ customDetails: '={{ 5 }}' })],
		[
			'“Custom Details” is larger than 640 kB',
			field({ customDetails: `={{ ({ text: "a".repeat(700000) }) }}` }),
		],
		['“Wait for Result” is neither true nor false', field({ waitForResult: '={{ "maybe" }}' })],
		['“Active Only” is neither true nor false', filter({ activeOnly: '={{ "maybe" }}' })],
		['“Activation ID” is empty', field({ operation: 'get', activationId: '={{ "" }}' })],
		[
			'“Activation ID” is not the ID of an activation',
			field({ operation: 'get', activationId: '12' }),
		],
		['“Filters” name a listing twice', filter({ listingId: '1', customerListingId: 'A' })],
		['“Customer Listing ID” is empty', filter({ customerListingId: ' ' })],
		[
			'“Created From” lies after “Created To”',
			filter({ createdFrom: '2026-01-02T00:00:00', createdTo: '2026-01-01T00:00:00' }),
		],
	]);
});

/** Holds a page against what is really shown, both ways round. */
function holdsMessages(page: Page, cases: Case[]): void {
	it.each(cases)('%s', async (message, see) => {
		expect(await see()).toMatch(patternOf(message));
	});

	it('has these messages and no others', () => {
		const shown = new Set(cases.map(([message]) => message));
		expect(messagesOf(page).sort()).toEqual([...shown].sort());
	});
}
