import type { IExecuteFunctions } from 'n8n-workflow';
import { deepCopy, updateDisplayOptions } from 'n8n-workflow';

import { mapConcurrently, REQUESTS_AT_ONCE } from '../../../../service/basics/concurrency';
import { orFailure, ServiceError } from '../../../../service/failure';
import type { Agency } from '../../../../service/inventory/agency';
import type { FetchedProperties } from '../../../../service/inventory/fetchProperties';
import { fetchProperties } from '../../../../service/inventory/fetchProperties';
import { isPropertyId } from '../../../../service/inventory/propertyId';
import { unknownProperty } from '../../../../service/inventory/unknownProperty';
import type { ItemOutcome } from '../../../common/itemErrors';
import { FieldError } from '../../../common/fieldError';
import { readText } from '../../../common/readers';
import { inventoryOptions, simplifyRecordField } from '../../fields';
import { agencyFor, readSimplify } from '../../readers';
import { propertyJson } from '../../simplifyProperty';

export const getPropertyFields = updateDisplayOptions(
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
					placeholder: 'Search by address or name',
					typeOptions: { searchListMethod: 'searchProperties', searchable: true },
				},
				{
					displayName: 'By ID',
					name: 'id',
					type: 'string',
					placeholder: 'e.g. 5001',
				},
			],
		},
		simplifyRecordField,
		inventoryOptions,
	],
);

/** What an item wants to have of a property. */
interface Wish {
	itemIndex: number;
	simplify: boolean;
}

/** What the items of one agency want. */
interface Group {
	agency: Agency;
	/** The items that want a property, by its id. */
	wanted: Map<string, Wish[]>;
}

/**
 * A property for each input item. What several items want of one agency is asked for together.
 *
 * @returns by input item: the property, or why there is none
 */
export async function getProperty(context: IExecuteFunctions): Promise<ItemOutcome[]> {
	const outcomes: ItemOutcome[] = [];
	const groups = new Map<string, Group>();
	for (const itemIndex of context.getInputData().keys()) {
		await joinGroup(context, itemIndex, groups).catch((error: unknown) => {
			outcomes[itemIndex] = { error };
		});
	}
	await mapConcurrently([...groups.values()], REQUESTS_AT_ONCE, async (group) => {
		const [found] = await Promise.allSettled([fetchGroup(group)]);
		for (const [id, wishes] of group.wanted) {
			for (const wish of wishes) outcomes[wish.itemIndex] = outcomeOf(found, id, wish);
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
	const wish = { itemIndex, simplify: readSimplify(context, itemIndex) };
	const { agency, limits } = await agencyFor(context, itemIndex);
	const key = JSON.stringify([agency.identity, limits]);
	const group = groups.get(key) ?? { agency, wanted: new Map<string, Wish[]>() };
	groups.set(key, group);
	group.wanted.set(id, [...(group.wanted.get(id) ?? []), wish]);
}

async function fetchGroup({ agency, wanted }: Group): Promise<FetchedProperties> {
	const [onlyId, ...others] = wanted.keys();
	if (onlyId === undefined || others.length > 0) {
		return await fetchProperties(agency, [...wanted.keys()]);
	}
	return new Map([[onlyId, await orFailure(agency.property(onlyId))]]);
}

/** What became of one item's property. Each item has a copy of its own, which later nodes may change. */
function outcomeOf(
	group: PromiseSettledResult<FetchedProperties>,
	id: string,
	{ simplify }: Wish,
): ItemOutcome {
	if (group.status === 'rejected') return { error: group.reason };
	const found = group.value.get(id) ?? unknownProperty();
	if (found instanceof ServiceError) return { error: found };
	return { json: propertyJson(simplify ? found : deepCopy(found), simplify) };
}

/** The field takes a choice of its list, or a plain id, which an expression may deliver. */
function readPropertyId(context: IExecuteFunctions, itemIndex: number): string {
	const value: unknown = context.getNodeParameter('propertyId', itemIndex, '', {
		extractValue: true,
	});
	const id = readText('Property', value);
	if (isPropertyId(id)) return id;
	throw new FieldError(
		'Property',
		id === '' ? 'is empty' : 'is not the ID of a property',
		'Choose a property from the list, or enter its ID.',
	);
}
