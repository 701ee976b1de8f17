import sortBy from 'lodash/sortBy';
import type { INodeExecutionData } from 'n8n-workflow';

import type { BegunPoll } from '../common/polling/pollForItems';
import { pollForItems } from '../common/polling/pollForItems';
import type { PollOccasion } from './asking';
import { InventoryAsking } from './asking';
import { changeJson } from './changeItem';
import type { ChangeToRun } from './changeTracker';
import { copyOf, leaveBegun } from './progress/agencyProgress';
import type { Progress } from './progress/storedProgress';

/** A longer backlog is delivered by several polls: n8n holds an execution's items in memory. */
const MOST_CHANGES = 10_000;

/** A poll that hands over all of its changes in one run. */
export async function pollForAllChanges(
	occasion: PollOccasion,
): Promise<INodeExecutionData[][] | null> {
	return await pollForItems(occasion, async (known) => await beginChangesPoll(occasion, known));
}

async function beginChangesPoll(
	occasion: PollOccasion,
	stored: Progress,
): Promise<BegunPoll<Progress>> {
	const { memory, settings } = occasion;
	const isNamedAnew = memory.format.isEmpty(stored);
	const known = (isNamedAnew && memory.handed?.agencies) || stored.agencies;
	const agencies = new Map([...known].map(([key, agency]) => [key, copyOf(agency)]));
	for (const agency of agencies.values()) leaveBegun(agency);
	const found: ChangeToRun[] = [];
	const asking = new InventoryAsking(occasion, agencies, {
		add: (change) => found.push(change),
		hasRoom: () => found.length < MOST_CHANGES,
		isOpen: () => false,
		holds: false,
	});
	await asking.begin();
	const begun: Progress = { ...stored, agencies: new Map(known) };
	const ask = async (isForNew: boolean) => {
		if (isForNew) asking.leaveKnown();
		try {
			await asking.ask();
		} finally {
			// An agency that begins has its start, even if this poll fails.
			for (const [key, agency] of asking.begun) begun.agencies.set(key, agency);
		}
	};
	return {
		begun,
		ask,
		reached: (polls) => ({ polls, agencies: asking.reached }),
		items: () =>
			sortBy(found, 'time').map((change) => ({
				json: changeJson(change, change.agencyRef, settings.simplify),
			})),
	};
}
