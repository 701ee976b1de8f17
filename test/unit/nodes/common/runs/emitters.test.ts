import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INode, IPollFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type * as Module from '../../../../../nodes/common/runs/emitter';

/** What a process of n8n remembers begins with the process. */
let emitters: typeof Module;

beforeEach(async () => {
	jest.useFakeTimers();
	jest.resetModules();
	emitters = await import('../../../../../nodes/common/runs/emitter');
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
	const emitter = emitters.keepEmitter(context);
	return { emitter, drop: () => emitters.dropEmitter(context, emitter) };
};

describe('a process of n8n', () => {
	it('has an emitter for a node while its workflow is published', () => {
		const context = contextOf<IWebhookFunctions>('push');
		const { emitter, drop } = keep('push');
		expect(emitters.emitterFor(context)).toBe(emitter);

		drop();

		expect(emitters.emitterFor(context)).toBeUndefined();
	});

	it('knows the emitters of pushes to the same workflow', () => {
		keep('poll');
		const [emitter] = ['workflow', 'other'].map((workflow) =>
			emitters.keepEmitter(contextOf<ITriggerFunctions>('push', workflow), true),
		);

		expect(emitters.emittersOfPushes(contextOf<IPollFunctions>('poll'))).toEqual([emitter]);
	});

	it('keeps the newer emitter of a node that is published anew', () => {
		const before = keep('push');
		const { emitter } = keep('push');
		const context = contextOf<ITriggerFunctions>('push');

		expect(emitters.dropEmitter(context, before.emitter)).toBe(false);
		expect([before.emitter.isOpen, emitter.isOpen]).toEqual([false, true]);
		expect(emitters.emitterFor(contextOf<IWebhookFunctions>('push'))).toBe(emitter);
		expect(emitters.dropEmitter(context, emitter)).toBe(true);
	});

	it('starts triggers for as long as one of them is started', async () => {
		keep('other');

		await jest.advanceTimersByTimeAsync(60 * MINUTE_MS);

		expect(emitters.startsTriggers()).toBe(true);
	});

	it('is known to start none a while after its start, or after it gave its last one away', async () => {
		expect(emitters.startsTriggers()).toBe(true);
		await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);
		expect(emitters.startsTriggers()).toBe(false);

		keep('push').drop();
		expect(emitters.startsTriggers()).toBe(true);
		await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);
		expect(emitters.startsTriggers()).toBe(false);
	});

	it('may start some for two minutes, and not a moment longer', async () => {
		await jest.advanceTimersByTimeAsync(2 * MINUTE_MS - 1);
		expect(emitters.startsTriggers()).toBe(true);

		await jest.advanceTimersByTimeAsync(1);

		expect(emitters.startsTriggers()).toBe(false);
	});

	it('refuses to publish where n8n keeps no keys, and says which version does', () => {
		const emit = (items: unknown, response: unknown, done: unknown) => void [items, response, done];
		const context = { ...contextOf<ITriggerFunctions>('push'), emit };

		const publish = () => emitters.keepEmitter(context);

		expect(publish).toThrow(/^This trigger needs n8n 2\.39 or newer\. .*#n8ntooold$/);
		expect(emitters.emitterFor(contextOf<IWebhookFunctions>('push'))).toBeUndefined();
	});

	it('knows the nodes of a workflow that has no ID yet', () => {
		const unsaved = (nodeId: string) => ({
			...contextOf<ITriggerFunctions & IPollFunctions>(nodeId),
			getWorkflow: () => ({ active: false }),
		});
		const emitter = emitters.keepEmitter(unsaved('push'), true);

		expect(emitters.nodeKey(unsaved('push'))).toBe(':push');
		expect(emitters.emittersOfPushes(unsaved('poll'))).toEqual([emitter]);
	});

	it('is known all the same if the clock is set back', async () => {
		await jest.advanceTimersByTimeAsync(3 * MINUTE_MS);

		jest.setSystemTime(Date.now() - 60 * MINUTE_MS);

		expect(emitters.startsTriggers()).toBe(false);
	});
});
