import { expect, it } from '@jest/globals';

import { readStoredRuns, writeStoredRuns } from '../../../../../nodes/common/runs/storedRuns';
import { UnreadableProgress } from '../../../../../nodes/common/storedValues';

const STARTED = new Map([['applicant a', 2]]);

it.each([
	[{ started: STARTED }, { started: { 'applicant a': 2 } }],
	[
		{ started: STARTED, notStarted: new Map([['applicant a', 1]]), onWorkers: false },
		{ started: { 'applicant a': 2 }, notStarted: { 'applicant a': 1 }, onWorkers: false },
	],
	[
		{ started: new Map(), onWorkers: true },
		{ started: {}, onWorkers: true },
	],
])('runs are stored and read again: %j', (runs, stored) => {
	expect(writeStoredRuns(runs)).toEqual(stored);
	expect(readStoredRuns(stored)).toEqual(runs);
});

it('nothing is stored of runs that n8n did not begin if there are none', () => {
	expect(writeStoredRuns({ started: STARTED, notStarted: new Map() })).toEqual({
		started: { 'applicant a': 2 },
	});
});

it.each([
	[undefined],
	[{ started: { 'applicant a': '2' } }],
	[{ started: {}, notStarted: { 'applicant a': null } }],
])('what is damaged is not read: %j', (stored) => {
	expect(() => readStoredRuns(stored)).toThrow(UnreadableProgress);
});
