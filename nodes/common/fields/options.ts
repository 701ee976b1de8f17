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
		description: 'What is rarely needed, such as how often to try again while the service is busy',
		options: sortBy(options, 'displayName'),
	};
}
