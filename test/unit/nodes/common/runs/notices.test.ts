import { describe, expect, it } from '@jest/globals';

import type { TaskWords } from '../../../../../nodes/common/runs/notices';
import {
	barredNotice,
	givenUpNotice,
	noStarterNotice,
	stuckNotice,
} from '../../../../../nodes/common/runs/notices';
import type { Task } from '../../../../../nodes/common/runs/taskRuns';

interface Letter extends Task {
	name: string;
}

const LETTERS: TaskWords<Letter> = {
	...{ one: 'letter', many: 'letters' },
	title: ({ name }) => `the letter ${name}`,
};

const A: Letter = { name: 'A', time: 0 };

describe('what a person reads of a task', () => {
	it('whose runs have all failed: how many there were, and how to run it once more', () => {
		const startedAt = Date.UTC(2026, 6, 2, 9, 15, 30);

		const { message, advice, code } = givenUpNotice(
			LETTERS,
			{ task: A, runs: 3, startedAt },
			'Europe/London',
		);

		expect(message).toMatch(/failed 3 times for the letter A\b.*not started for it again/);
		expect(advice).toMatch(
			/executions of this letter\b.* of 2 Jul 2026 at 10:15:30 .*not this report.*choose Retry.*Other letters/,
		);
		expect(code).toBe('runFailed');
	});

	it('whose last run another process started: nobody knows when', () => {
		const { advice } = givenUpNotice(LETTERS, { task: A, runs: 2 }, 'Europe/London');

		expect(advice).toContain('open the last of them, not this report');
	});

	it('whose run n8n cannot store: that it is not lost, and where to look', () => {
		const { message, advice, code } = stuckNotice(LETTERS, A);

		expect(message).toMatch(/could not start the workflow for the letter A\b.*keeps trying/);
		expect(advice).toMatch(/log.*The letter is not lost.*Other letters/);
		expect(code).toBe('runNotStarted');
	});

	it('whose run n8n did not begin: where it says why, and what to look up', () => {
		const notice = barredNotice(LETTERS, A);

		expect(notice).toMatch(/did not begin the workflow for the letter A\b.*Executions/);
		expect(notice).toMatch(/The letter is not lost.*publish the workflow again.*runNotStarted/);
	});
});

describe('what a person reads of n8n', () => {
	it('that has started no trigger in this process: who takes the tasks', () => {
		expect(noStarterNotice(LETTERS)).toMatch(/leaves the letters to a later poll/);
	});
});
