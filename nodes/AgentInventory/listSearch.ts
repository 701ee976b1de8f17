import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { isObject, textOf } from '../../service/basics/values';
import { isPropertyId } from '../../service/inventory/propertyId';
import { asNodeError } from '../common/nodeErrors';
import { readCollection } from '../common/readers';
import { addressLine } from './addressLine';
import { agencyBy, readOptions } from './readers';

/** A person looks at a list that opens while they type. */
const LIST_LIMITS = { maxTries: 3, maxWait: 5 };

const MOST_RESULTS = 50;

/** Properties for the “From List” choice, by what was typed of their address. */
export async function searchProperties(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const rows = await findRows(this, filter?.trim() ?? '').catch((error: unknown) => {
		throw asNodeError(this.getNode(), error) ?? error;
	});
	const choices = rows.map((row) => ({ name: nameOf(row), value: textOf(row.id) }));
	return { results: choices.filter(({ value }) => isPropertyId(value)) };
}

async function findRows(context: ILoadOptionsFunctions, address: string): Promise<IDataObject[]> {
	const options = readCollection('Options', context.getNodeParameter('options', {}));
	const agency = await agencyBy(context, readOptions({ ...LIST_LIMITS, ...options }));
	return await agency.list('address', address === '' ? {} : { address }, MOST_RESULTS);
}

function nameOf(row: IDataObject): string {
	return (isObject(row.address) && addressLine(row.address)) || textOf(row.id);
}
