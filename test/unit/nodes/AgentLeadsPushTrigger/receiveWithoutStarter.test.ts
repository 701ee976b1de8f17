import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IWebhookFunctions } from 'n8n-workflow';

import type * as Receiving from '../../../../nodes/AgentLeadsPushTrigger/receive';
import type { IsPartOf } from '../../../lab/polling/hostedTrigger';

/** What a process of n8n remembers begins with the process. */
let receive: typeof Receiving.receive;

const MINUTE_MS = 60_000;
const KEY = 'an invented key';
const PARAMETERS = new Map<string, unknown>([
	['leadTypes', ['applicant', 'appraisal']],
	['simplify', true],
	['options', {}],
]);

beforeEach(async () => {
	jest.useFakeTimers();
	jest.resetModules();
	({ receive } = await import('../../../../nodes/AgentLeadsPushTrigger/receive'));
});

afterEach(() => {
	jest.useRealTimers();
});

/** A lead that comes while this process has no starter for the node. */
async function push() {
	const statuses: number[] = [];
	const response = {
		set: () => response,
		status: (status: number) => {
			statuses.push(status);
			return response;
		},
		end: () => response,
	};
	const part: IsPartOf<IWebhookFunctions> = {
		getCredentials: async () => await Promise.resolve({ authentication: 'apiKey', apiKey: KEY }),
		getWebhookName: () => 'default',
		getRequestObject: () => ({
			headers: { authorization: KEY, 'content-type': 'application/json' },
		}),
		getResponseObject: () => response,
		getNodeParameter: (name: string) => PARAMETERS.get(name),
		getBodyData: () => ({ applicant: { id: 'a' } }),
		getMode: () => 'webhook',
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ id: 'node', name: 'Push' }),
	};
	const answer = receive(part as unknown as IWebhookFunctions);
	await jest.advanceTimersByTimeAsync(10_000);
	return { runs: (await answer).workflowData, statuses };
}

describe('a pushed lead, in a process that has not started the trigger', () => {
	it('is asked to come again as long as the trigger may still be started', async () => {
		const { runs, statuses } = await push();

		expect({ runs, statuses }).toEqual({ runs: undefined, statuses: [503] });
	});

	it('starts an ordinary run in a process that starts no triggers', async () => {
		await jest.advanceTimersByTimeAsync(10 * MINUTE_MS);

		const { runs, statuses } = await push();

		expect(runs).toEqual([[{ json: expect.objectContaining({ id: 'a' }) }]]);
		expect(statuses).toEqual([]);
	});
});
