import pick from 'lodash/pick';
import pickBy from 'lodash/pickBy';
import upperFirst from 'lodash/upperFirst';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { hintsOf } from '../hints';
import { isEmpty, readChoice, readChoices, readFlag } from '../readers';
import { toolOnly } from './fields';
import { isTool } from './isTool';

/** The fields that the model of an AI agent needs, the ID last: an answer as short as it can be, and no more personal data. */
export function modelFields(all: string[]): string[] {
	return [...all.slice(0, 9), 'id'];
}

/** The choices of “Output”. */
const OUTPUTS = { simplified: 'Simplified', selected: 'Selected Fields', raw: 'Raw' } as const;

/**
 * The fields that choose how much of each item to return: “Simplify”, or “Output” if a model calls the node.
 *
 * @param all the fields of a simplified item, in their order
 * @param simplify the field of a node that no model calls
 */
export function outputFields(all: string[], simplify: INodeProperties): INodeProperties[] {
	return [
		{ ...simplify, displayOptions: { hide: { '@tool': [true] } } },
		toolOnly({
			displayName: 'Output',
			name: 'output',
			type: 'options',
			default: 'simplified',
			description:
				'How much of each result the model sees: 10 fields, those that you select, or all that the service sends',
			options: Object.entries(OUTPUTS).map(([value, name]) => ({ name, value })),
		}),
		toolOnly(
			{
				displayName: 'Fields to Return',
				name: 'fieldsToReturn',
				type: 'multiOptions',
				default: [...modelFields(all)],
				description: 'Which fields of each result the model sees, besides its ID',
				options: all.map((value) => ({ name: labelOf(value), value })),
			},
			{ output: ['selected'] },
		),
	];
}

/** The label of a field: “Property Address”, “Listing ID”. */
function labelOf(name: string): string {
	const words = upperFirst(name.replace(/[A-Z]/g, ' $&'));
	return words.replace(/\b(Id|Uk|Uprn|Url)\b/g, (word) => word.toUpperCase());
}

/** Shapes an item as the node returns it. */
export type Output = (item: IDataObject) => IDataObject;

/**
 * Reads the fields of `outputFields`. A model gets no empty fields, because most answers would consist of them. If an
 * expression leaves “Simplify” empty, it counts as off.
 *
 * @param all the fields of a simplified item
 * @param shape the item, simplified or not
 * @throws FieldError
 */
export function readOutput(
	context: IExecuteFunctions,
	itemIndex: number,
	all: string[],
	shape: (item: IDataObject, simplify: boolean) => IDataObject,
): Output {
	const parameter = (name: string, otherwise: unknown): unknown =>
		context.getNodeParameter(name, itemIndex, otherwise);
	if (!isTool(context.getNode())) {
		const simplify = parameter('simplify', true);
		const isSimple = !isEmpty(simplify) && readFlag('Simplify', simplify);
		return (item) => shape(item, isSimple);
	}
	const output = readChoice('Output', parameter('output', 'simplified'), OUTPUTS);
	if (output === OUTPUTS.raw) return (item) => shape(item, false);
	const isSelected = output === OUTPUTS.selected;
	const chosen = isSelected
		? readChoices('Fields to Return', parameter('fieldsToReturn', modelFields(all)), all)
		: modelFields(all);
	const wanted = [...chosen, 'id'];
	return (item) => pickBy(pick(shape(item, true), wanted), (value) => !isEmpty(value));
}

/**
 * A model sees the items alone. So that it does not take no items for a failed call, nor a part for the whole, one
 * more item says how many there are and what a person would read above them.
 */
export function forModel(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): INodeExecutionData[] {
	const notes = hintsOf(context);
	if (!isTool(context.getNode()) || (items.length > 0 && notes.length === 0)) return items;
	const found = { found: items.length, ...(notes.length > 0 && { note: notes.join(' ') }) };
	return [...items, { json: found, pairedItem: { item: 0 } }];
}
