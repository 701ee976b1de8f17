import pickBy from 'lodash/pickBy';
import upperFirst from 'lodash/upperFirst';
import type {
	IDataObject,
	IDisplayOptions,
	IExecuteFunctions,
	INodeProperties,
} from 'n8n-workflow';

import { isEmpty, readKnownChoices, readSimplify } from '../readers';
import { toolOnly } from './fields';

/** The choice that stands for every field. */
const EVERY_FIELD = '*';

/**
 * Which fields a model gets to see: an answer as short as it can be, and no more personal data than the task needs.
 *
 * @param names of those that can be chosen one by one
 * @param usual those that an assistant needs
 * @param show when there is this choice
 */
export function fieldsToReturn(
	names: string[],
	usual = names,
	show?: IDisplayOptions['show'],
): INodeProperties {
	const field: INodeProperties = {
		displayName: 'Fields to Return',
		name: 'fieldsToReturn',
		type: 'multiOptions',
		default: [...usual],
		description: 'Which fields of each result the model sees',
		options: [
			{ name: 'All Fields', value: EVERY_FIELD },
			...names.map((value) => ({ name: labelOf(value), value })),
		],
	};
	return toolOnly(field, show);
}

/** “Property Address”, “Listing ID” */
function labelOf(name: string): string {
	const words = upperFirst(name.replace(/[A-Z]/g, ' $&'));
	return words.replace(/\b(Id|Uk|Uprn|Url)\b/g, (word) => word.toUpperCase());
}

/** What is left of an item for whoever reads it. */
type Select = (json: IDataObject) => IDataObject;

const everything: Select = (json) => json;

/**
 * The choice of fields, without those that are empty: they would be most of many an answer. Outside of a tool
 * everything is left as it is.
 *
 * @param names as in `fieldsToReturn`
 * @throws FieldError
 */
export function readSelect(context: IExecuteFunctions, itemIndex: number, names: string[]): Select {
	const value: unknown = context.getNodeParameter('fieldsToReturn', itemIndex, EVERY_FIELD);
	const wanted = readKnownChoices('Fields to Return', value, [EVERY_FIELD, ...names]);
	if (wanted.includes(EVERY_FIELD)) return everything;
	return (json) => pickBy(json, (value, name) => wanted.includes(name) && !isEmpty(value));
}

/** How an item comes out. */
export interface Output {
	simplify: boolean;
	/** For a simplified item. */
	select: Select;
}

/**
 * @param names of the fields of a simplified item
 * @throws FieldError
 */
export function readOutput(context: IExecuteFunctions, itemIndex: number, names: string[]): Output {
	const simplify = readSimplify(context, itemIndex);
	return { simplify, select: simplify ? readSelect(context, itemIndex, names) : everything };
}
