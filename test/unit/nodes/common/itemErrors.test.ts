import { describe, expect, it } from '@jest/globals';
import type { IExecuteFunctions, INode } from 'n8n-workflow';

import { forEachItem } from '../../../../nodes/common/itemErrors';

const node: INode = {
	id: '1',
	name: 'Node',
	type: 'node',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** As much of n8n's context as the loop asks for; the whole one is in the engine tests. */
function contextOf(signal?: AbortSignal): IExecuteFunctions {
	const part: Partial<IExecuteFunctions> = {
		getInputData: () => [{ json: {} }, { json: {} }],
		getNode: () => node,
		continueOnFail: () => true,
		getExecutionCancelSignal: () => signal,
	};
	return part as IExecuteFunctions;
}

describe('a node that continues on errors', () => {
	it('keeps going after an error of its own', async () => {
		const operation = async () => await Promise.reject(new Error('no'));

		const items = await forEachItem(contextOf(), operation);

		expect(items.map(({ json }) => json.error)).toEqual(['no', 'no']);
	});

	it('passes on what n8n says of an error', async () => {
		const error = Object.assign(new Error('no'), { description: 'Run the node before first.' });

		const items = await forEachItem(contextOf(), async () => await Promise.reject(error));

		expect(items[0]?.json).toEqual({ error: 'no', message: 'Run the node before first.' });
	});

	it('gives failed items the two keys by which every n8n version knows them', async () => {
		const items = await forEachItem(contextOf(), async () => await Promise.reject(new Error('no')));

		expect(items.map(({ json }) => Object.keys(json))).toEqual([
			['error', 'message'],
			['error', 'message'],
		]);
	});

	it('works on an n8n without cancel signals', async () => {
		const context = { ...contextOf(), getExecutionCancelSignal: undefined };
		const operation = async () => await Promise.reject(new Error('no'));

		const items = await forEachItem(context as unknown as IExecuteFunctions, operation);

		expect(items).toHaveLength(2);
	});

	it('does not take a cancelled execution for a failed item', async () => {
		let calls = 0;
		const controller = new AbortController();
		const operation = async () => {
			calls++;
			controller.abort();
			return await Promise.reject(new Error('The execution was canceled'));
		};

		await expect(forEachItem(contextOf(controller.signal), operation)).rejects.toThrow('canceled');
		expect(calls).toBe(1);
	});
});
