import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INode, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type * as Module from '../../../../../nodes/common/runs/starters';

/** What a process of n8n remembers begins with the process. */
let starters: typeof Module;

beforeEach(async () => {
	jest.useFakeTimers();
	jest.resetModules();
	starters = await import('../../../../../nodes/common/runs/starters');
});

afterEach(() => {
	jest.useRealTimers();
});

const MINUTE_MS = 60_000;

function contextOf<T>(nodeId: string): T {
	const node: Partial<INode> = { id: nodeId };
	const emit = jest.fn();
	return { getNode: () => node, getWorkflow: () => ({ id: 'workflow' }), emit } as T;
}

const keep = (nodeId: string) => {
	const context = contextOf<ITriggerFunctions>(nodeId);
	const starter = starters.keepStarter(context, {});
	return { starter, drop: () => starters.dropStarter(context, starter) };
};

describe('a process of n8n', () => {
	it('has a starter for a node while its workflow is published', () => {
		const context = contextOf<IWebhookFunctions>('push');
		const { starter, drop } = keep('push');
		expect(starters.starterFor(context)).toBe(starter);

		drop();

		expect(starters.starterFor(context)).toBeUndefined();
	});

	it('starts triggers for as long as one of them is started', async () => {
		keep('other');

		await jest.advanceTimersByTimeAsync(60 * MINUTE_MS);

		expect(starters.startsTriggers()).toBe(true);
	});

	it('is known to start none a while after its start, or after it gave its last one away', async () => {
		expect(starters.startsTriggers()).toBe(true);
		await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);
		expect(starters.startsTriggers()).toBe(false);

		keep('push').drop();
		expect(starters.startsTriggers()).toBe(true);
		await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);
		expect(starters.startsTriggers()).toBe(false);
	});

	it('is known all the same if the clock is set back', async () => {
		await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);

		jest.setSystemTime(Date.now() - 60 * MINUTE_MS);

		expect(starters.startsTriggers()).toBe(false);
	});
});
