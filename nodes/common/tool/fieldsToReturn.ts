import omitBy from 'lodash/omitBy';
import pick from 'lodash/pick';
import sortBy from 'lodash/sortBy';
import upperFirst from 'lodash/upperFirst';
import type {
	IDataObject,
	IDisplayOptions,
	IExecuteFunctions,
	INodeProperties,
} from 'n8n-workflow';

import { isEmpty, readKnownChoices } from '../readers';
import { toolOnly } from './fields';

/** The choice that stands for every field. */
const EVERY_FIELD = '*';

/**
 * Which fields a model gets to see: as short as it can be, and no more personal data than the task needs.
 *
 * @param names of all that there are
 * @param usual those that an assistant needs
 * @param show when there is this choice
 */
export function fieldsToReturn(
	names: string[],
	usual: string[],
	show?: IDisplayOptions['show'],
): INodeProperties {
	const field: INodeProperties = {
		displayName: 'Fields to Return',
		name: 'fieldsToReturn',
		type: 'multiOptions',
		default: [...usual],
		description: 'What the model sees of each result',
		options: [
			{ name: 'All Fields', value: EVERY_FIELD },
			...sortBy(
				names.map((value) => ({ name: labelOf(value), value })),
				'name',
			),
		],
	};
	return toolOnly(field, show);
}

/** “Property Address”, “Listing ID” */
function labelOf(name: string): string {
	const words = upperFirst(name.replace(/[A-Z]/g, ' $&'));
	return words.replace(/\b(Id|Uk|Uprn|Url)\b/g, (word) => word.toUpperCase());
}

/**
 * @param names of all that there are
 * @returns those that are wanted, in this order; undefined for every field, as outside of a tool
 * @throws FieldError
 */
export function readFieldsToReturn(
	context: IExecuteFunctions,
	itemIndex: number,
	names: string[],
): string[] | undefined {
	const value: unknown = context.getNodeParameter('fieldsToReturn', itemIndex, EVERY_FIELD);
	const wanted = readKnownChoices('Fields to Return', value, [EVERY_FIELD, ...names]);
	return wanted.includes(EVERY_FIELD) ? undefined : names.filter((name) => wanted.includes(name));
}

/**
 * Without what is empty, which would be most of many an answer.
 *
 * @param names every field, and as it is, if undefined
 */
export function onlyFields(json: IDataObject, names: string[] | undefined): IDataObject {
	return names ? omitBy(pick(json, names), isEmpty) : json;
}
