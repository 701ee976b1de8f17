import type { INodeProperties } from 'n8n-workflow';

/** Bounds for the repeats of a request. */
export const retryOptions: INodeProperties[] = [
	{
		displayName: 'Max Tries',
		name: 'maxTries',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 5,
		description: 'How often to send a request at most while the service is busy or out of reach',
	},
	{
		displayName: 'Max Wait',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 60,
		hint: 'In seconds',
		description:
			'How many seconds to wait at most between the tries of one request, all waits together',
	},
];
