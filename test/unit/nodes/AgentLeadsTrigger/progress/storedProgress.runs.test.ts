import { describe, expect, it } from '@jest/globals';
import type { IDataObject } from 'n8n-workflow';

import { DeliveredLeads } from '../../../../../nodes/AgentLeadsTrigger/progress/deliveredLeads';
import {
	readProgress,
	writeProgress,
} from '../../../../../nodes/AgentLeadsTrigger/progress/storedProgress';
import type { StoredRuns } from '../../../../../nodes/common/runs/storedRuns';
import { UnreadableProgress } from '../../../../../nodes/common/storedValues';

function stored(runs?: StoredRuns, before: IDataObject = {}): IDataObject {
	const progress = { polls: 3, targets: new Map(), delivered: new DeliveredLeads() };
	writeProgress(before, { ...progress, ...(runs && { runs }) });
	return before;
}

describe('the runs in the stored progress', () => {
	it.each([true, false, undefined])(
		'are read as they were written, carried out by queue workers: %s',
		(onWorkers) => {
			const runs = { started: new Map([['applicant 3f1c', 2]]), onWorkers };

			const read = readProgress(JSON.parse(JSON.stringify(stored(runs))) as IDataObject);

			expect(read.runs).toEqual(runs);
		},
	);

	it('are read with those that n8n did not begin', () => {
		const notStarted = new Map([['applicant 3f1c', 1]]);
		const runs = { started: new Map([['applicant 3f1c', 2]]), notStarted };

		expect(readProgress(stored(runs)).runs).toEqual(runs);
	});

	it('are for a support person to read', () => {
		const started = new Map([['applicant 3f1c', 2]]);

		expect(stored({ started, onWorkers: undefined }).runs).toEqual({
			started: { 'applicant 3f1c': 2 },
		});
		expect(stored({ started, onWorkers: false }).runs).toMatchObject({ onWorkers: false });
		expect(stored({ started, onWorkers: true }).runs).toMatchObject({ onWorkers: true });
	});

	it('are taken out where leads have no runs of their own', () => {
		const before = stored({ started: new Map(), onWorkers: true });

		const after = stored(undefined, before);

		expect(after).not.toHaveProperty('runs');
		expect(readProgress(after).runs).toBeUndefined();
	});

	it.each<[string, IDataObject['runs']]>([
		['are no object', 'none'],
		['do not say which runs', {}],
		['say in words which run it is', { started: { 'applicant a': 'first' } }],
		['say in words how many did not begin', { started: {}, notStarted: { 'applicant a': 'one' } }],
	])('are damaged if they %s', (_name, runs) => {
		expect(() => readProgress({ ...stored(), runs })).toThrow(UnreadableProgress);
	});
});
