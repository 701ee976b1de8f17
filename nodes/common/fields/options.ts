import type { INodeProperties } from 'n8n-workflow';

/**
 * The Options collection, the most useful option first.
 *
 * @param example an example of an option, for the description
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
