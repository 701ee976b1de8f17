import { describe, expect, it } from '@jest/globals';
import type { IPollFunctions } from 'n8n-workflow';

import {
	claimActivation,
	commit,
	emitError,
	isDurable,
	isManual,
} from '../../../../../nodes/common/polling/host';

/** @param budgetMs what the host says that a poll may take; it says nothing if unset */
function contextOf(budgetMs?: number, more: object = {}): IPollFunctions {
	const budget = budgetMs === undefined ? {} : { getPollBudgetMs: () => budgetMs };
	return { ...budget, ...more } as unknown as IPollFunctions;
}

describe('an activation', () => {
	it.each([
		['a host that says nothing of limits', undefined, true],
		['a host without a limit', 300_000, true],
		['a host with a limit, which makes a context for each poll', 45_000, false],
	])('is the first poll of a context, on %s: %s', (_name, budgetMs, expected) => {
		const context = contextOf(budgetMs);

		expect([claimActivation(context), claimActivation(context)]).toEqual([expected, false]);
	});

	it('is one for each context', () => {
		expect([contextOf(), contextOf()].map(claimActivation)).toEqual([true, true]);
	});
});

it.each([
	['a host that says nothing of limits', undefined, false],
	['a host without a limit', 300_000, false],
	['a host with a limit', 45_000, true],
])('progress is kept for each poll, or not, by %s', (_name, budgetMs, expected) => {
	expect(isDurable(contextOf(budgetMs))).toBe(expected);
});

it.each([
	['manual', true],
	['trigger', false],
])('a person tests the node in the mode %s: %s', (mode, expected) => {
	expect(isManual(contextOf(undefined, { getMode: () => mode }))).toBe(expected);
});

describe('a report', () => {
	it('goes to n8n', async () => {
		const reported: Error[] = [];
		const context = contextOf(undefined, { __emitError: (error: Error) => reported.push(error) });
		const error = new Error('No');

		await emitError(context, error);

		expect(reported).toEqual([error]);
	});

	it.each<[string, object]>([
		[
			'throws',
			{
				__emitError: () => {
					throw new Error('cannot');
				},
			},
		],
		['refuses later', { __emitError: async () => await Promise.reject(new Error('cannot')) }],
		['has no such thing', {}],
	])('fails nothing on a host that %s', async (_name, host) => {
		await expect(emitError(contextOf(undefined, host), new Error('No'))).resolves.toBeUndefined();
	});
});

it('what a poll has written is stored if the host can', async () => {
	let commits = 0;
	const __commitCursor = async () => await Promise.resolve(void commits++);

	await commit(contextOf(45_000, { __commitCursor }));
	await commit(contextOf());

	expect(commits).toBe(1);
});
