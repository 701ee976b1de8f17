import { describe, expect, it } from '@jest/globals';

import type { TaskWords } from '../../../../../nodes/common/runs/notices';
import {
	asLogLine,
	givenUpNotice,
	noEmitterNotice,
	notStartedNotice,
} from '../../../../../nodes/common/runs/notices';
import type { Task } from '../../../../../nodes/common/runs/queue';

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
			A,
			{ runs: 3, startedAt },
			'Europe/London',
		);

		expect(message).toMatch(/failed 3 times for the letter A\b.*not started for it again/);
		expect(advice).toMatch(
			/executions of this letter\b.* of 2 Jul 2026 at 10:15:30 .*not this report.*choose Retry.*Other letters/,
		);
		expect(code).toBe('runFailed');
	});

	it('whose last run another process started: nobody knows when', () => {
		const { advice } = givenUpNotice(LETTERS, A, { runs: 2 }, 'Europe/London');

		expect(advice).toContain('open the last of them, not this report');
	});

	it('whose run n8n does not start: that it is not lost, and where to look', () => {
		const notice = notStartedNotice(LETTERS, A);

		expect(notice.message).toMatch(/could not start the workflow for the letter A\b.*keeps trying/);
		expect(notice.advice).toMatch(
			/Executions.*log.*The letter is not lost.*publish the workflow again.*Other letters/,
		);
		expect(notice.code).toBe('runNotStarted');
		expect(asLogLine(notice)).toBe(`${notice.message}. ${notice.advice} (code: runNotStarted)`);
	});
});

describe('what a person reads of n8n', () => {
	it('that has started no trigger in this process: who takes the tasks', () => {
		expect(noEmitterNotice(LETTERS)).toMatch(/leaves the letters to a later poll/);
	});
});
