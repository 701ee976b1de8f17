import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INode, IPollFunctions, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type * as Module from '../../../../../nodes/common/runs/emitter';

/** What a process of n8n remembers begins with the process. */
let emitters: typeof Module;

beforeEach(async () => {
	jest.resetModules();
	emitters = await import('../../../../../nodes/common/runs/emitter');
});

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

	it('keeps the newer emitter of a node that is published anew', () => {
		const before = keep('push');
		const { emitter } = keep('push');
		const context = contextOf<ITriggerFunctions>('push');

		expect(emitters.dropEmitter(context, before.emitter)).toBe(false);
		expect([before.emitter.isOpen, emitter.isOpen]).toEqual([false, true]);
		expect(emitters.emitterFor(contextOf<IWebhookFunctions>('push'))).toBe(emitter);
		expect(emitters.dropEmitter(context, emitter)).toBe(true);
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
		const emitter = emitters.keepEmitter(unsaved('push'));

		expect(emitters.nodeKey(unsaved('push'))).toBe(':push');
		expect(emitters.emitterFor(unsaved('push'))).toBe(emitter);
	});
});
