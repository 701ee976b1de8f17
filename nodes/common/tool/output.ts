import pick from 'lodash/pick';
import pickBy from 'lodash/pickBy';
import upperFirst from 'lodash/upperFirst';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { isEmpty, readChoice, readChoices, readFlag } from '../readers';
import { toolOnly } from './fields';
import { isTool } from './isTool';

/** The fields of the items that an operation returns. */
export interface OutputFields {
	/** The fields of a simplified item, in their order. */
	all: string[];
	/**
	 * The fields that the model of an AI agent needs, the ID last. They are few, to keep answers short and personal
	 * data out.
	 */
	forModel: string[];
}

/** The choices of “Output”. */
const OUTPUTS = { simplified: 'Simplified', selected: 'Selected Fields', raw: 'Raw' } as const;

/**
 * The fields that choose how much of each item to return: “Simplify”, or “Output” if a model calls the node.
 *
 * @param simplify the field “Simplify”, if the node has one
 */
export function outputFields(
	{ all, forModel }: OutputFields,
	simplify?: INodeProperties,
): INodeProperties[] {
	return [
		...(simplify ? [{ ...simplify, displayOptions: { hide: { '@tool': [true] } } }] : []),
		toolOnly({
			displayName: 'Output',
			name: 'output',
			type: 'options',
			default: 'simplified',
			description: `How much of each result the model sees: ${forModel.length} fields, those that you select, or all that the service sends`,
			options: Object.entries(OUTPUTS).map(([value, name]) => ({ name, value })),
		}),
		toolOnly(
			{
				displayName: 'Fields to Return',
				name: 'fieldsToReturn',
				type: 'multiOptions',
				default: [...forModel],
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
 * @param shape returns the item, simplified or not
 * @throws FieldError
 */
export function readOutput(
	context: IExecuteFunctions,
	itemIndex: number,
	{ all, forModel }: OutputFields,
	shape: (item: IDataObject, simplify: boolean) => IDataObject = (item) => item,
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
		? readChoices('Fields to Return', parameter('fieldsToReturn', forModel), all)
		: forModel;
	const wanted = [...chosen, ...forModel.slice(-1)];
	return (item) => pickBy(pick(shape(item, true), wanted), (value) => !isEmpty(value));
}
