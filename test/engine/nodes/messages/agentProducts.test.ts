import { describe } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { Relay, json } from '../../../lab/engine/relay';
import { ProductsBench } from '../../../lab/engine/products';
import {
	failing,
	holdsMessages,
	products,
	shownBy,
	status,
	used,
} from '../../../lab/engine/messages';

describe('docs/troubleshooting.md: Of Agent Products', () => {
	holdsMessages(
		'troubleshooting',
		[
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
		],
		'Of Agent Products',
	);
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
				await used(Relay.start(bench.sandbox), async (relay) => {
					bench.stored.productsUrl = relay.productsUrl;
					relay.answer(async ({ method }, pass) =>
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
				await used(Relay.start(bench.sandbox), async (relay) => {
					bench.stored.productsUrl = relay.productsUrl;
					relay.answer(() => json(200, [{ id: 'a' }, { listingId: 7 }]));
					return shownBy(await bench.run());
				}),
		);

	const notActivated = (problem: string): string => `… was not activated: ${problem}`;

	/** A change of the highlights of an active listing, in front of which something answers. */
	const highlights = (answer: Parameters<typeof json>) => async () =>
		await used(
			ProductsBench.start(),
			async (bench) =>
				await used(Relay.start(bench.sandbox), async (relay) => {
					bench.stored.productsUrl = relay.productsUrl;
					relay.answer(async ({ method }, pass) =>
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
						await used(Relay.start(bench.sandbox), async (relay) => {
							bench.stored.productsUrl = relay.productsUrl;
							const ended = { id: 'ended', listingId: 123, status: { result: 'DEACTIVATED' } };
							relay.answer(async ({ method }, pass) =>
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
		[
			'The highlights were not changed: the service could not read the request',
			highlights(refusal(400, 1_011_001)),
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
			'“Created From” is later than “Created To”',
			filter({ createdFrom: '2026-01-02T00:00:00', createdTo: '2026-01-01T00:00:00' }),
		],
	]);
});
