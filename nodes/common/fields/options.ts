import type { INodeProperties } from 'n8n-workflow';

/**
 * Makes the field “Options”, a collection in which the most useful option comes first.
 *
 * @param example an example of an option, for the description of the field
 */
export function optionsField(options: INodeProperties[], example = 'retries'): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		description: `Advanced settings, such as ${example}`,
		options,
	};
}
