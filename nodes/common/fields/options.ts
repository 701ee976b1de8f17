import sortBy from 'lodash/sortBy';
import type { INodeProperties } from 'n8n-workflow';

/** The collection of what is rarely needed, in alphabetical order. */
export function optionsField(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		description: 'Advanced settings, such as retries',
		options: sortBy(options, 'displayName'),
	};
}
