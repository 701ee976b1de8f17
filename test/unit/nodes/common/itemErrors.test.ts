import { setImmediate } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import type { IExecuteFunctions } from 'n8n-workflow';

import { FieldError } from '../../../../nodes/common/fieldError';
import { forEachItem } from '../../../../nodes/common/itemErrors';
import { MOST_REQUESTS_AT_ONCE } from '../../../../service/basics/concurrency';
import { workflowNode } from '../../../lab/workflowNode';

const node = workflowNode();

/** As much of n8n's context as the loop asks for; the whole one is in the engine tests. */
function contextOf(
	signal?: AbortSignal,
	items = 2,
	isContinuing = true,
	type = 'node',
): IExecuteFunctions {
	const part: Partial<IExecuteFunctions> = {
		getInputData: () => Array.from({ length: items }, () => ({ json: {} })),
		getNode: () => ({ ...node, type }),
		continueOnFail: () => isContinuing,
		getExecutionCancelSignal: () => signal,
	};
	return part as IExecuteFunctions;
}

const refused = async () => await Promise.reject(new FieldError('Limit', 'is empty', 'Set it.'));

describe('a node that continues on errors', () => {
	it('passes on what n8n says of an error', async () => {
		const error = Object.assign(new Error('no'), { description: 'Run the node before first.' });

		const items = await forEachItem(contextOf(), async () => await Promise.reject(error));

		expect(items[0]?.json).toEqual({ error: 'no', message: 'Run the node before first.' });
	});

	it('gives failed items their code, and ends what they say with the address of its entry', async () => {
		const [item] = await forEachItem(contextOf(undefined, 1), refused);

		expect(item).toEqual({
			json: {
				error: '“Limit” is empty',
				message: expect.stringMatching(/^Set it\. See https:.*troubleshooting\.md#field$/),
				code: 'field',
			},
			pairedItem: { item: 0 },
		});
	});

	it('marks an item for the error output in a way that ends there', async () => {
		const context = contextOf(undefined, 1);
		const getNode = () => ({ ...node, onError: 'continueErrorOutput' as const });

		const [item] = await forEachItem({ ...context, getNode }, refused);

		expect(item?.error?.message).toBe('“Limit” is empty');
		expect({ ...item }).not.toHaveProperty('error');
	});

	it('does not take a cancelled execution for a failed item', async () => {
		let calls = 0;
		const controller = new AbortController();
		const operation = async () => {
			calls++;
			controller.abort();
			return await Promise.reject(new Error('The execution was canceled'));
		};

		await expect(forEachItem(contextOf(controller.signal), operation, 1)).rejects.toThrow(
			'canceled',
		);
		expect(calls).toBe(1);
	});
});

describe('a node that a model calls', () => {
	it('says in the message what to do: n8n gives the model nothing else', async () => {
		const context = contextOf(undefined, 1, false, 'nodeTool');

		await expect(forEachItem(context, refused)).rejects.toThrow(
			/^“Limit” is empty\. Set it\. See https:.*#field$/,
		);
	});
});

describe('reading for each item', () => {
	const COUNT = MOST_REQUESTS_AT_ONCE + 2;

	it('goes on for a few items at once, and puts them out in the order of the input', async () => {
		let underWay = 0;
		let most = 0;

		const items = await forEachItem(contextOf(undefined, COUNT), async (_, item) => {
			most = Math.max(most, ++underWay);
			for (let turn = item; turn < COUNT; turn++) await setImmediate();
			underWay--;
			return [{ json: { item } }, { json: { item } }];
		});

		expect(items.map(({ json }) => json.item)).toEqual(
			Array.from({ length: COUNT }, (_, item) => [item, item]).flat(),
		);
		expect(most).toBe(MOST_REQUESTS_AT_ONCE);
	});

	it('puts out a failed item in its place if the node continues', async () => {
		const items = await forEachItem(contextOf(undefined, 3), async (_, item) => {
			if (item === 1) throw new Error('no');
			return await Promise.resolve([{ json: { item } }]);
		});

		expect(items.map(({ json }) => json.item ?? json.error)).toEqual([0, 'no', 2]);
	});

	it('ends with the first failure if the node stops: the others are told, and no more begin', async () => {
		const told: AbortSignal[] = [];
		const reading = forEachItem(contextOf(undefined, COUNT, false), async (_, item, failed) => {
			told.push(failed);
			if (item === 1) throw new Error('no');
			return await new Promise(() => {});
		});

		await expect(reading).rejects.toThrow('no');
		expect(told.map(({ aborted }) => aborted)).toEqual(Array(MOST_REQUESTS_AT_ONCE).fill(true));
	});
});
