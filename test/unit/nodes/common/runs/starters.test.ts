import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INode, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type * as Starters from '../../../../../nodes/common/runs/starters';

/** What a process of n8n remembers begins with the process. */
let starters: typeof Starters;

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
	const emit = () => undefined;
	return { getNode: () => node, getWorkflow: () => ({ id: 'workflow' }), emit } as T;
}

const keep = (nodeId: string) => {
	const context = contextOf<ITriggerFunctions>(nodeId);
	const starter = starters.keepStarter(context, {});
	return { starter, drop: () => starters.dropStarter(context, starter) };
};

/** What a call is given that comes now, and for how long it waits (ms). */
async function call(nodeId: string) {
	const since = Date.now();
	const soon = starters.starterSoon(contextOf<IWebhookFunctions>(nodeId));
	const waited = soon.then(() => Date.now() - since);
	await jest.advanceTimersByTimeAsync(10_000);
	return { starter: await soon, ms: await waited };
}

describe('a call that comes while n8n publishes a workflow', () => {
	it('waits for the trigger that n8n is about to start', async () => {
		await jest.advanceTimersByTimeAsync(60 * MINUTE_MS);
		const soon = starters.starterSoon(contextOf<IWebhookFunctions>('push'));

		await jest.advanceTimersByTimeAsync(500);
		const { starter } = keep('push');
		await jest.advanceTimersByTimeAsync(500);

		expect(await soon).toBe(starter);
	});

	it('is to come again if the trigger was stopped a moment ago', async () => {
		await jest.advanceTimersByTimeAsync(60 * MINUTE_MS);
		keep('push').drop();

		const { starter } = await call('push');

		expect(starter).toBeUndefined();
		expect(starters.startsTriggers()).toBe(true);
	});

	it('is to come again in a process that has started other triggers', async () => {
		keep('other');
		await jest.advanceTimersByTimeAsync(60 * MINUTE_MS);

		const { starter } = await call('push');

		expect(starter).toBeUndefined();
		expect(starters.startsTriggers()).toBe(true);
	});

	it('waits again after each publication', async () => {
		await call('push');
		keep('push').drop();
		const soon = starters.starterSoon(contextOf<IWebhookFunctions>('push'));

		await jest.advanceTimersByTimeAsync(500);
		const { starter } = keep('push');
		await jest.advanceTimersByTimeAsync(500);

		expect(await soon).toBe(starter);
	});
});

describe('a process that starts no triggers', () => {
	it('is known a while after its start, or after it gave its last one away', async () => {
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

	it('keeps only the first call for a node waiting', async () => {
		const first = await call('push');
		const second = await call('push');

		expect(first.ms).toBeGreaterThan(0);
		expect(second.ms).toBe(0);
	});
});
