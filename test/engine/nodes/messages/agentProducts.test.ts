import { beforeEach, describe, jest } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import * as retry from '../../../../service/http/retry';
import { changeAnswers, type Change } from '../../../lab/engine/relay';
import { json } from '../../../lab/sandbox/http';
import { ProductsBench } from '../../../lab/engine/products';
import {
	failing,
	holdsMessages,
	products,
	shownBy,
	status,
	used,
} from '../../../lab/engine/messages';

describe('messages of Agent Products', () => {
	holdsMessages([
		[
			'The service refused access to the listing or the product (403)',
			products({ operation: 'getAll' }, status('/premium-listings', 403)),
		],
		[
			'The service found no such activation (404)',
			products({ operation: 'get', activationId: '4f7a2c1e-0000-4000-8000-000000000001' }),
		],
		[
			'… finds no listing with this ID…',
			products({ operation: 'getAll', filters: { customerListingId: 'no-such-listing' } }),
		],
		[
			'The service answered without …',
			products(
				{ operation: 'get', activationId: '4f7a2c1e-0000-4000-8000-000000000001' },
				status(/premium-listings\//, 200, 'json'),
			),
		],
	]);
});

describe('messages of Agent Products on its fields', () => {
	beforeEach(() => {
		jest.spyOn(retry, 'pause').mockResolvedValue();
	});

	/** An order that the service takes and cannot carry out, for the reason with this code. */
	const coming = (code: number) =>
		products({}, ({ sandbox }) =>
			sandbox.products.configure({
				result: 'ERROR',
				errors: [{ reason: 'No', code }],
				settleAfterMs: 0,
			}),
		);

	/** Something else answers in place of the service. */
	const changed = (change: Change) => products({}, ({ sandbox }) => changeAnswers(sandbox, change));

	/** An order that is refused. */
	const answered = (body: unknown, code = 400) =>
		changed(async ({ method }, pass) => (method === 'POST' ? json(code, body) : await pass()));

	/** A list in which an activation does not say which listing it is of. */
	const unclear = changed(() => json(200, [{ id: 'a' }, { listingId: 7 }]));

	/** A change of the highlights of an active listing, in front of which something answers. */
	const highlights = (answer: Parameters<typeof json>) => async () =>
		await used(ProductsBench.start(), async (bench) => {
			changeAnswers(bench.sandbox, async ({ method }, pass) =>
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
		});

	const refusal = (status: number, code: number): Parameters<typeof json> => [
		status,
		{ errors: [{ reason: 'No', code }] },
	];

	const field = (parameters: INodeParameters) => products(parameters);
	const row = (highlight: INodeParameters) =>
		field({ options: { highlights: { highlight: [highlight] } } });
	const filter = (filters: INodeParameters) => field({ operation: 'getAll', filters });

	holdsMessages([
		['… the listing has fewer than three images', coming(1_021_004)],
		['… the listing has no image', coming(2_011_007)],
		['… the listing’s full description has less than …', coming(1_021_005)],
		['… the service does not know the listing…', answered({}, 404)],
		['… the service does not know the listing…', coming(1_021_003)],
		['… finds no listing with this ID…', coming(1_011_061)],
		['… the listing is not one of your agency’s, …', coming(1_011_901)],
		['… contract does not include this product', coming(1_021_006)],
		['… not available for this kind of listing', coming(1_021_002)],
		['… must be in the UK', coming(2_011_008)],
		['… must be residential', coming(2_011_009)],
		['… does not accept the highlights', coming(1_011_905)],
		['… belongs to no agency in the service', coming(1_011_052)],
		['… cannot yet look up the IDs of your own software', coming(1_011_064)],
		[
			'… an order for the listing is pending, but shows none',
			answered({ errors: [{ reason: 'No', code: 1_011_003 }] }),
		],
		[
			'… The service says that the listing has an order already (303), but does not show it',
			answered({}, 303),
		],
		[
			'… Nothing was ordered, because the listing could not be checked first: …',
			products({}, failing(/premium-listings$/, { kind: 'status', status: 500 })),
		],
		['… The service lists activations of other listings as well', unclear],
		['… the custom details are larger than 640 kB', answered({}, 413)],
		['… could not fulfil the order', coming(1_021_999)],
		[
			'… it was deactivated',
			answered({ id: 'ended', listingId: 123, status: { result: 'DEACTIVATED' } }, 202),
		],
		[
			'… It is not known whether it was activated: …',
			products({}, failing(/premium-listings$/, { kind: 'reset', after: 1 })),
		],
		['… the premium listing is not active…', highlights(refusal(409, 1_011_043))],
		['… an earlier change of its highlights …', highlights(refusal(409, 1_011_044))],
		['… the premium listing is not active…', highlights([409, {}])],
		['… does not accept the highlights', highlights(refusal(400, 1_011_041))],
		['It is not known whether the highlights were changed: …', highlights([500, {}])],
		['“…” is …', field({ listingId: '={{ "" }}' })],
		['“…” must be …', field({ listingId: 'twelve' })],
		['“…” is …', field({ listingIdType: 'both' })],
		[
			'“…” must be …',
			products({ listingIdType: '={{ $itemIndex ? "customer" : "listing" }}' }, () => undefined, 2),
		],
		['“…” must be …', row({ id: '={{ "" }}' })],
		['“…” is …', row({ id: 1, description: '={{ ({}) }}' })],
		['“…” is …', field({ options: { customDetails: '={{ 5 }}' } })],
		['“…” is …', field({ waitForResult: '={{ "maybe" }}' })],
		['“…” is …', filter({ activeOnly: '={{ "maybe" }}' })],
		['“…” is …', field({ operation: 'get', activationId: '={{ "" }}' })],
		['“…” is …', field({ operation: 'get', activationId: '12' })],
		['“Filters” contain both listing IDs', filter({ listingId: '1', customerListingId: 'A' })],
		['“…” is …', filter({ customerListingId: ' ' })],
		['“…” is …', filter({ createdFrom: '2026-01-02T00:00:00', createdTo: '2026-01-01T00:00:00' })],
	]);
});
