import type { INodeProperties } from 'n8n-workflow';

import { SECOND_MS } from '../../../service/basics/times';
import { OPTION_LABELS } from '../../../service/labels';
import { DEFAULT_LIMITS } from '../../../service/http/retry';

const { maxTries, maxWaitMs, requestsAtOnce } = DEFAULT_LIMITS;
const maxWaitSeconds = maxWaitMs / SECOND_MS;

/** The options with the limits for requests and their retries. */
export const retryOptions: INodeProperties[] = [
	{
		displayName: OPTION_LABELS.maxTries,
		name: 'maxTries',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: maxTries,
		description: 'How many times to send a request while the service is busy or unreachable',
	},
	{
		displayName: OPTION_LABELS.maxWait,
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: maxWaitSeconds,
		hint: 'In seconds',
		description: 'Up to how many seconds to wait between the attempts of one request, in total',
	},
	{
		displayName: OPTION_LABELS.requestsAtOnce,
		name: 'requestsAtOnce',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: requestsAtOnce, numberPrecision: 0 },
		default: requestsAtOnce,
		description:
			'Up to how many requests to send at the same time. Fewer are sent while the service is busy.',
	},
];
