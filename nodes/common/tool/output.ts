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

/**
 * Chooses the fields that the model of an AI agent gets by default: the first nine fields of a simplified item, and the
 * ID as the last. So the answer stays short and contains no unneeded personal data.
 */
export function modelFields(all: string[]): string[] {
	return [...all.slice(0, 9), 'id'];
}

/** The choices of the field “Output”. */
const OUTPUTS = { simplified: 'Simplified', selected: 'Selected Fields', raw: 'Raw' } as const;

/**
 * Makes the fields that set how much of each item is returned: “Simplify”, or “Output” if the node is a tool of an AI
 * agent.
 *
 * @param all the fields of a simplified item, in their order
 * @param simplify the field “Simplify”, which a tool does not have
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

/** Makes the label of a field from its name: “Property Address”, “Listing ID”. */
function labelOf(name: string): string {
	const words = upperFirst(name.replace(/[A-Z]/g, ' $&'));
	return words.replace(/\b(Id|Uk|Uprn|Url)\b/g, (word) => word.toUpperCase());
}

/** Turns a record of the service into the fields of an item. */
export type Output = (item: IDataObject) => IDataObject;

/**
 * Reads the fields that `outputFields` makes. A model gets no empty fields, because they would be most of the answer.
 * If an expression leaves “Simplify” empty, the field counts as off.
 *
 * @param all the names of the fields of a simplified item
 * @param shape turns a record into the fields of an item, simplified or not
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
 * Adds an item with the number of results if a model calls the node and there are no results or there are notes. A
 * model sees nothing but items. Without this item, it could mistake an empty result for a failed call, and would not
 * see the notes that a person sees above the output, for example that the result is not complete.
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
