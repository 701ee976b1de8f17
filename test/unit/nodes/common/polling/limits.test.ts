import { describe, expect, it } from '@jest/globals';
import type { IPollFunctions } from 'n8n-workflow';

import { limitsOfPoll, beforeDeadline } from '../../../../../nodes/common/polling/host';
import { PollMemory } from '../../../../../nodes/common/polling/memory';
import { ServiceError } from '../../../../../service/failure';
import { DEFAULT_LIMITS } from '../../../../../service/session';
import { useModelTime } from '../../../../lab/polling/modelTime';

const SECOND = 1_000;

describe('the time of a poll', () => {
	useModelTime();

	function limitsOn(
		getPollBudgetMs: (() => number) | undefined,
		isActivation: boolean,
		waitMs: number,
	) {
		const context = { getPollBudgetMs } as unknown as IPollFunctions;
		const occasion = { context, memory: new PollMemory(), isActivation };
		const now = Date.now();
		const { deadline, ...limits } = limitsOfPoll(occasion, {
			...DEFAULT_LIMITS,
			maxWaitMs: waitMs,
		});
		return { seconds: (deadline - now) / SECOND, waitSeconds: limits.maxWaitMs / SECOND };
	}

	it.each<[string, number | undefined, boolean, number]>([
		['a host without a limit', 300, false, 50],
		['a host with one', 36, false, 36],
		['a host that says nothing', undefined, false, 40],
		['an activation', 300, true, 20],
		['an activation on a host that has less', 12, true, 12],
	])('is that of %s', (_name, budget, isActivation, seconds) => {
		const budgetOf = budget === undefined ? undefined : () => budget * SECOND;

		expect(limitsOn(budgetOf, isActivation, 5 * SECOND)).toEqual({ seconds, waitSeconds: 5 });
		expect(limitsOn(budgetOf, isActivation, 600 * SECOND).waitSeconds).toBe(seconds / 2);
	});
});

describe('a request of a poll', () => {
	const limitsUpTo = (deadline: number) => ({ ...DEFAULT_LIMITS, deadline });
	const endless = async (over: AbortSignal) =>
		await new Promise<never>((_resolve, reject) => {
			over.addEventListener('abort', () => reject(new Error('aborted')));
		});

	it('ends as late when the poll’s time is over', async () => {
		const late = await beforeDeadline(limitsUpTo(Date.now() - 1), endless);

		expect(late).toMatchObject({ kind: 'unavailable', details: { requestKind: 'data' } });
	});

	it('is left as it ends by itself', async () => {
		const limits = limitsUpTo(Date.now() + 600 * SECOND);
		const failure = new ServiceError('rejected', 'No');

		expect(await beforeDeadline(limits, async () => await Promise.resolve('answer'))).toBe('answer');
		expect(await beforeDeadline(limits, async () => await Promise.reject(failure))).toBe(failure);
		await expect(
			beforeDeadline(limits, async () => await Promise.reject(new Error('a mistake'))),
		).rejects.toThrow('a mistake');
	});
});
