import type { INodeProperties } from 'n8n-workflow';

import { SECOND_MS } from '../../../service/basics/times';
import { DEFAULT_LIMITS } from '../../../service/session';

const { maxTries, maxWaitMs, requestsAtOnce } = DEFAULT_LIMITS;
const maxWaitSeconds = maxWaitMs / SECOND_MS;

/** Bounds for requests and their repeats. */
export const retryOptions: INodeProperties[] = [
	{
		displayName: 'Max Tries',
		name: 'maxTries',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: maxTries,
		description: 'How often to send a request at most while the service is busy or out of reach',
	},
	{
		displayName: 'Max Wait',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: maxWaitSeconds,
		hint: 'In seconds',
		description:
			'How many seconds to wait at most between the tries of one request, all waits together',
	},
	{
		displayName: 'Requests at Once',
		name: 'requestsAtOnce',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: requestsAtOnce, numberPrecision: 0 },
		default: requestsAtOnce,
		description:
			'How many requests to send at once at most. There are fewer while the service is busy.',
	},
];
