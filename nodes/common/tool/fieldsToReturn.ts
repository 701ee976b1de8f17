import identity from 'lodash/identity';
import pickBy from 'lodash/pickBy';
import upperFirst from 'lodash/upperFirst';
import type {
	IDataObject,
	IDisplayOptions,
	IExecuteFunctions,
	INodeProperties,
} from 'n8n-workflow';

import { isEmpty, readFlag, readChoices } from '../readers';
import { toolOnly } from './fields';
import { isTool } from './isTool';

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

/** How an item comes out. */
export type Output = (item: IDataObject) => IDataObject;

/**
 * Reads “Simplify” and “Fields to Return”. A simplified item has the chosen fields, without those that are empty: they
 * would be most of many an answer. The ID always comes with them, so that the model can ask for more. Outside of a tool it has all of them. An empty Simplify, as an expression may leave it, is off; but no
 * model is given everything because it left it empty.
 *
 * @param names as in `fieldsToReturn`
 * @param shape the item, simplified or not
 * @throws FieldError
 */
export function readOutput(
	context: IExecuteFunctions,
	itemIndex: number,
	names: string[],
	shape: (item: IDataObject, simplify: boolean) => IDataObject = identity,
): Output {
	const simplify: unknown = context.getNodeParameter('simplify', itemIndex, true);
	const isOff = isEmpty(simplify) && !isTool(context.getNode());
	if (isOff || !readFlag('Simplify', simplify)) return (item) => shape(item, false);
	const fields: unknown = context.getNodeParameter('fieldsToReturn', itemIndex, EVERY_FIELD);
	const wanted = readChoices('Fields to Return', fields, [EVERY_FIELD, ...names]);
	if (wanted.includes(EVERY_FIELD)) return (item) => shape(item, true);
	return (item) =>
		pickBy(
			shape(item, true),
			(value, name) => (name === 'id' || wanted.includes(name)) && !isEmpty(value),
		);
}
