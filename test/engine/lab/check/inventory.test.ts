import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { empty, json } from '../../../lab/engine/relay';
import type { Row } from './checkedService';
import { CheckedService } from './checkedService';

let service: CheckedService;
beforeEach(async () => {
	service = await CheckedService.start();
});
afterEach(async () => await service.stop());

describe('the check names what differs:', () => {
	it.each<[string, () => void, string]>([
		[
			'a token of another type',
			() => service.bodyAt('/token', (body) => ({ ...body, token_type: 'mac' })),
			'a token by form C: token_type is not Bearer',
		],
		[
			'a list without its name',
			() => service.bodyAt('/inventory/filter', ({ items }) => items),
			'by filter: max-results and next-token: body: value must be object',
		],
		[
			'a page that is too large',
			() =>
				service.bodyAt('/inventory', ({ meta, items }) => ({
					meta,
					items: [...(items as Row[]), ...(items as Row[])],
				})),
			'by address: maxResults and nextToken: 4 rows on a page of 2: the size is ignored',
		],
		[
			'a page that comes twice',
			() => {
				let first: unknown;
				service.bodyAt('/inventory/filter', (body) => (first ??= body));
			},
			'by filter: max-results and next-token: the second page repeats rows',
		],
		[
			'a property that does not exist and is one',
			() => service.at('/999999999', () => json(200, { id: '999999999' })),
			'no property by id: 200 with JSON of another shape, not 404',
		],
		[
			'an AgencyRef that means nothing',
			() =>
				service.at('/inventory', (answer) =>
					answer.status === 403 ? json(200, { items: [] }) : answer,
				),
			'an AgencyRef that does not exist is refused: 200 with JSON of another shape, not 403',
		],
		[
			'words that find nothing',
			() => service.bodyAt('/inventory/search', ({ meta }) => ({ meta, items: [] })),
			'by text: nothing was found for the town of a property',
		],
		[
			'another property than the one asked for',
			() => service.one((body) => ({ ...body, id: 'another' })),
			'one whole property: 200, but not the property asked for',
		],
		[
			'a property with a field of another type',
			() => service.one((body) => ({ ...body, price: 'on request' })),
			'one whole property: body: /price must be number,null',
		],
		[
			'a batch that is too short',
			() => service.bodyAt('/inventory/items', (body) => ({ ...body, items: [] })),
			'several whole properties: 2 asked for, 0 came',
		],
		[
			'a batch that is lost with one wrong ID',
			() => service.bodyAt('/inventory/items', (body) => ({ ...body, items: [] })),
			'one of several ids does not exist: the other one is lost',
		],
		[
			'rows for words that nothing can hold',
			() => service.bodyAt('/inventory', ({ meta }) => ({ meta, items: [{ id: '1' }] })),
			'no property by address: 1 rows for words that nothing can hold',
		],
		[
			'a 404 where the contract has none',
			() => service.at('/inventory/search', () => empty(404)),
			'no property by text: 404 with an empty body, not 200',
		],
		[
			'filters that are ignored',
			() =>
				service.bodyAt('/inventory/filter', (body) => ({
					...body,
					items: (body.items as Row[]).map((row) => ({ ...row, recordType: 'Sale' })),
				})),
			'filters of enums and of times: rows came that do not pass recordType',
		],
		[
			'filters that are ignored, of other names',
			() =>
				service.bodyAt('/inventory/filter', (body) => ({
					...body,
					items: (body.items as Row[]).map((row) => ({ ...row, archived: true, status: 'Let' })),
				})),
			'filters of enums and of times: rows came that do not pass archived; inventory-status',
		],
		[
			'other properties in a batch',
			() =>
				service.bodyAt('/inventory/items', (body) => ({
					...body,
					items: (body.items as Row[]).map((row) => ({ ...row, id: '4711' })),
				})),
			'several whole properties: other properties came than those asked for',
		],
		[
			'days of instruction that find nothing',
			() => {
				let asked = 0;
				service.bodyAt('/inventory/filter', (body) =>
					++asked > 2 ? { ...body, items: [] } : body,
				);
			},
			'a day of instruction as two times: a property of that day did not come',
		],
		[
			'a filter of a wrong type that is taken',
			() =>
				service.at('/inventory/filter', (answer) =>
					answer.status === 400 ? json(200, {}) : answer,
				),
			'a filter of the wrong type is refused: 200 with JSON of another shape, not 400',
		],
		[
			'an inventory without a token',
			() => service.at('/inventory', (answer) => (answer.status === 401 ? json(200, {}) : answer)),
			'inventory: an invalid token is refused: 200 with JSON of another shape, not 401',
		],
		[
			'branches with another name for the ID',
			() => service.bodyAt('/branches', () => ({ items: [{ id: '11' }] })),
			'branches: fields that the contract does not have: id',
		],
		[
			'negotiators with an ID of another type',
			() => service.bodyAt('/negotiators', () => ({ items: [{ id: 41 }] })),
			'negotiators: /id must be string,null',
		],
		[
			'a branch that is in the list and nowhere else',
			() => service.at('/branches/11', () => empty(404)),
			'one branch: 404 with an empty body, not 200',
		],
		[
			'another negotiator than the one asked for',
			() => service.bodyAt('/negotiators/41', (body) => ({ ...body, id: '42' })),
			'one negotiator: 200, but not the one asked for',
		],
		[
			'an integration that is not there',
			() => service.at('/partners/integration', () => empty(500)),
			'the integration: 500 with an empty body, not 200 or 404',
		],
	])('%s', async (_, change, line) => {
		change();
		await service.expectDifference('inventory', line);
	});

	it('what no record has come for, as not tried', async () => {
		service.at('/inventory', ({ status, ...rest }) =>
			status === 200 ? json(200, { meta: {}, items: [] }) : { status, ...rest },
		);

		const { code, text: all } = await service.check(service.environment('inventory'));

		expect(all).toContain(
			'not tried    inventory: by address: maxResults and nextToken: no records',
		);
		expect(code).toBe(0);
	});
});
