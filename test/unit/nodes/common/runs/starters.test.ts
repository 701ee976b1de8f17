import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INode, IPollFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

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

function contextOf<T>(nodeId: string, workflowId = 'workflow'): T {
	const node: Partial<INode> = { id: nodeId };
	const emit = (items: unknown, response: unknown, done: unknown, key: string) =>
		void [items, response, done, key];
	return { getNode: () => node, getWorkflow: () => ({ id: workflowId }), emit } as T;
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

	it('knows the starters of pushes to the same workflow', () => {
		keep('poll');
		const [starter] = ['workflow', 'other'].map((workflow) =>
			starters.keepStarter(contextOf<ITriggerFunctions>('push', workflow), {}, true),
		);

		expect(starters.startersOfPushes(contextOf<IPollFunctions>('poll'))).toEqual([starter]);
	});

	it('keeps the newer starter of a node that is published anew', () => {
		const before = keep('push');
		const { starter } = keep('push');
		const context = contextOf<ITriggerFunctions>('push');

		expect(starters.dropStarter(context, before.starter)).toBe(false);
		expect([before.starter.isOpen, starter.isOpen]).toEqual([false, true]);
		expect(starters.starterFor(contextOf<IWebhookFunctions>('push'))).toBe(starter);
		expect(starters.dropStarter(context, starter)).toBe(true);
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

	it('may start some for two minutes, and not a moment longer', async () => {
		await jest.advanceTimersByTimeAsync(2 * MINUTE_MS - 1);
		expect(starters.startsTriggers()).toBe(true);

		await jest.advanceTimersByTimeAsync(1);

		expect(starters.startsTriggers()).toBe(false);
	});

	it('refuses to publish where n8n keeps no keys, and says which version does', () => {
		const emit = (items: unknown, response: unknown, done: unknown) => void [items, response, done];
		const context = { ...contextOf<ITriggerFunctions>('push'), emit };

		const publish = () => starters.keepStarter(context, {});

		expect(publish).toThrow(/^This trigger needs n8n 2\.39 or newer\. .*#n8ntooold$/);
		expect(starters.starterFor(contextOf<IWebhookFunctions>('push'))).toBeUndefined();
	});

	it('knows the nodes of a workflow that has no ID yet', () => {
		const unsaved = (nodeId: string) => ({
			...contextOf<ITriggerFunctions & IPollFunctions>(nodeId),
			getWorkflow: () => ({ active: false }),
		});
		const starter = starters.keepStarter(unsaved('push'), {}, true);

		expect(starters.nodeKey(unsaved('push'))).toBe(':push');
		expect(starters.startersOfPushes(unsaved('poll'))).toEqual([starter]);
	});

	it('is known all the same if the clock is set back', async () => {
		await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);

		jest.setSystemTime(Date.now() - 60 * MINUTE_MS);

		expect(starters.startsTriggers()).toBe(false);
	});
});
