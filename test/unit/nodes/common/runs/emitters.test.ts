import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INode, ITriggerFunctions, IWebhookFunctions } from 'n8n-workflow';

import type * as Module from '../../../../../nodes/common/runs/emitter';

/** What a process of n8n remembers begins with the process. */
let emitters: typeof Module;

beforeEach(async () => {
	jest.resetModules();
	emitters = await import('../../../../../nodes/common/runs/emitter');
});

function contextOf<T>(nodeId: string): T {
	const node: Partial<INode> = { id: nodeId };
	const emit = (items: unknown, response: unknown, done: unknown, key: string) =>
		void [items, response, done, key];
	return { getNode: () => node, getWorkflow: () => ({ id: 'workflow' }), emit } as T;
}

describe('a process of n8n', () => {
	it('keeps the newer emitter of a node that is published anew', () => {
		const context = contextOf<ITriggerFunctions>('push');
		const before = emitters.keepEmitter(context);
		const emitter = emitters.keepEmitter(context);

		expect(emitters.dropEmitter(context, before)).toBe(false);
		expect([before.isOpen, emitter.isOpen]).toEqual([false, true]);
		expect(emitters.emitterFor(contextOf<IWebhookFunctions>('push'))).toBe(emitter);
		expect(emitters.dropEmitter(context, emitter)).toBe(true);
	});

	it('refuses to publish where n8n keeps no keys, and says which version does', () => {
		const emit = (items: unknown, response: unknown, done: unknown) => void [items, response, done];
		const context = { ...contextOf<ITriggerFunctions>('push'), emit };

		const publish = () => emitters.keepEmitter(context);

		expect(publish).toThrow(/^This trigger needs n8n 2\.39 or newer\. .*Update n8n, .*#n8ntooold$/);
		expect(emitters.emitterFor(contextOf<IWebhookFunctions>('push'))).toBeUndefined();
	});
});
