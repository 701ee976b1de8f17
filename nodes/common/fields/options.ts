import type { INodeProperties } from 'n8n-workflow';

/** The collection of what is rarely needed: what is needed most comes first. */
export function optionsField(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		description: 'Advanced settings, such as retries',
		options,
	};
}
