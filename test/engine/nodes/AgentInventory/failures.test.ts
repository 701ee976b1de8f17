import { describe, expect, it } from '@jest/globals';
import type { INodeParameters } from 'n8n-workflow';

import { InventoryBench } from '../../../lab/engine/inventory';
import { useBench } from '../../../lab/engine/useBench';

const bench = useBench(InventoryBench);

/** What an expression may deliver in the place of a value. */
const WRONG_TYPES: Array<[INodeParameters, string]> = [
	...['={{ {} }}', '={{ [] }}', '={{ ["Let", null] }}', 'Let,,Available'].map(
		(status): [INodeParameters, string] => [
			{ operation: 'getAll', filters: { status } },
			'“Status” has nothing chosen',
		],
	),
	[
		{ operation: 'getAll', filters: { recordType: '={{ ["Rent"] }}' } },
		'“Record Type” is not text',
	],
	[{ operation: 'getAll', filters: { recordType: '={{ NaN }}' } }, '“Record Type” is not text'],
	[{ operation: 'getAll', filters: { category: '={{ true }}' } }, '“Category” is not text'],
	[
		{ operation: 'getAll', filters: { managementType: '={{ {} }}' } },
		'“Management Type” is not text',
	],
	[
		{ operation: 'getAll', filters: { branchIds: '={{ NaN }}' } },
		'“Branch Names or IDs” contains an empty ID',
	],
	[
		{ operation: 'getAll', filters: { branchIds: '={{ {} }}' } },
		'“Branch Names or IDs” contains an empty ID',
	],
	[
		{ operation: 'getAll', filters: { branchIds: '={{ [] }}' } },
		'“Branch Names or IDs” contains an empty ID',
	],
	[
		{ operation: 'getAll', filters: { archived: '={{ 1 }}' } },
		'“Archived” is neither true nor false',
	],
	...['owner-42', '4.5', '0', '={{ {} }}', '={{ NaN }}', '2147483648'].map(
		(ownerId): [INodeParameters, string] => [
			{ operation: 'getAll', filters: { ownerId } },
			'“Owner ID” must be a whole number of at least 1 and at most 2147483647',
		],
	),
	[
		{ operation: 'getAll', filters: { instructedTo: '={{ [] }}' } },
		'“Instructed To” is not a date and time',
	],
	[
		{ operation: 'getAll', filters: { createdFrom: '={{ 1772000000000000 }}' } },
		'“Created From” is not a date and time',
	],
	[{ operation: 'getAll', returnAll: '={{ "all" }}' }, '“Return All” is neither true nor false'],
	[{ operation: 'getAll', limit: '={{ null }}' }, '“Limit” must be a whole number of at least 1'],
	[{ operation: 'search', query: '={{ {} }}' }, '“Query” is not text'],
	[{ operation: 'search', query: '={{ null }}' }, '“Query” is empty'],
	[{ operation: 'search', query: 'x', searchBy: '={{ null }}' }, '“Search By” is unknown'],
	[{ resource: 'office', operation: 'getAll' }, '“Resource” is unknown'],
	...['Ä1', '{{ $json.agencyRef }}'].map((agencyRef): [INodeParameters, string] => [
		{ operation: 'getAll', options: { agencyRef } },
		'“AgencyRef” contains characters that are not allowed',
	]),
];

describe('failures', () => {
	it.each([
		[{ operation: 'search', query: ' ' }, '“Query” is empty'],
		[{ operation: 'search', query: 'x', limit: 0 }, '“Limit” must be a whole number of at least 1'],
		[
			{ operation: 'getAll', filters: { createdFrom: 'soon' } },
			'“Created From” is not a date and time',
		],
		[
			{ operation: 'getAll', filters: { branchIds: '1,,2' } },
			'“Branch Names or IDs” contains an empty ID',
		],
		...WRONG_TYPES,
	])('%j is refused before any request', async (parameters, message) => {
		const run = await bench.run(parameters);

		expect(run.error?.message).toBe(message);
		expect(bench.sandbox.requests).toEqual([]);
	});
});
