import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { mapConcurrently, REQUESTS_AT_ONCE } from '../../../../service/concurrency';
import { ServiceError } from '../../../../service/errors';
import type { Agency } from '../../../../service/inventory';
import { isPropertyId, unknownProperty } from '../../../../service/inventory';
import type { ItemOutcome } from '../../../common/itemErrors';
import { FieldError, textOf } from '../../../common/parameters';
import { inventoryOptions } from '../../inventory.properties';
import { agencyFor, readOptions } from '../../inventoryContext';

export const getProperties = updateDisplayOptions(
	{ show: { resource: ['property'], operation: ['get'] } },
	[
		{
			displayName: 'Property',
			name: 'propertyId',
			type: 'resourceLocator',
			required: true,
			default: { mode: 'list', value: '' },
			description: 'The property to get',
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: 'Search by address',
					typeOptions: { searchListMethod: 'searchProperties', searchable: true },
				},
				{
					displayName: 'By ID',
					name: 'id',
					type: 'string',
					placeholder: 'e.g. 4f7a2c1e-0000-4000-8000-000000000001',
				},
			],
		},
		inventoryOptions,
	],
);

/** What the items of one agency want. */
interface Group {
	agency: Agency;
	/** The items that want a property, by its id. */
	wanted: Map<string, number[]>;
}

/**
 * A property for each input item. What several items want of one agency is asked for together.
 *
 * @returns by input item: the property, or why there is none
 */
export async function get(context: IExecuteFunctions): Promise<ItemOutcome[]> {
	const outcomes: ItemOutcome[] = [];
	const groups = new Map<string, Group>();
	for (const itemIndex of context.getInputData().keys()) {
		const [read] = await Promise.allSettled([joinGroup(context, itemIndex, groups)]);
		if (read.status === 'rejected') outcomes[itemIndex] = { error: read.reason };
	}
	await mapConcurrently([...groups.values()], REQUESTS_AT_ONCE, async (group) => {
		const found = await fetchGroup(group);
		for (const [id, itemIndexes] of group.wanted) {
			const outcome = toOutcome(found.get(id) ?? unknownProperty());
			for (const itemIndex of itemIndexes) outcomes[itemIndex] = outcome;
		}
	});
	return outcomes;
}

async function joinGroup(
	context: IExecuteFunctions,
	itemIndex: number,
	groups: Map<string, Group>,
): Promise<void> {
	const id = readPropertyId(context, itemIndex);
	const options = readOptions(context.getNodeParameter('options', itemIndex, {}));
	const agency = await agencyFor(context, options, itemIndex);
	const key = JSON.stringify([agency.identity, options.limits]);
	const group = groups.get(key) ?? { agency, wanted: new Map<string, number[]>() };
	groups.set(key, group);
	group.wanted.set(id, [...(group.wanted.get(id) ?? []), itemIndex]);
}

async function fetchGroup({
	agency,
	wanted,
}: Group): Promise<Map<string, IDataObject | ServiceError>> {
	const [onlyId, ...others] = wanted.keys();
	if (onlyId === undefined || others.length > 0) return await agency.properties([...wanted.keys()]);
	const [outcome] = await Promise.allSettled([agency.property(onlyId)]);
	if (outcome.status === 'fulfilled') return new Map([[onlyId, outcome.value]]);
	const error: unknown = outcome.reason;
	if (error instanceof ServiceError) return new Map([[onlyId, error]]);
	throw error;
}

function toOutcome(found: IDataObject | ServiceError): ItemOutcome {
	return found instanceof ServiceError ? { error: found } : { json: found };
}

/** The field takes a choice of its list, or a plain id, which an expression may deliver. */
function readPropertyId(context: IExecuteFunctions, itemIndex: number): string {
	const value: unknown = context.getNodeParameter('propertyId', itemIndex, '', {
		extractValue: true,
	});
	const id = textOf(value).trim();
	if (isPropertyId(id)) return id;
	throw new FieldError(
		'Property',
		id === '' ? 'is empty' : 'is not the ID of a property',
		'Choose a property from the list, or enter its ID.',
	);
}
