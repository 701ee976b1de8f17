import sortBy from 'lodash/sortBy';
import type { INodeExecutionData } from 'n8n-workflow';

import { leadJson } from '../common/leads/simplifyLead';
import type { FoundLead, PollOccasion } from './asking';
import { Asking } from './asking';
import type { Progress } from './target/storedProgress';
import { readProgress, writeProgress } from './target/storedProgress';

/** A longer backlog is delivered by several polls: n8n holds an execution's items in memory. */
const MOST_LEADS = 10_000;

/** A poll that hands over all of its leads in one run. */
export async function pollForOneRun(
	occasion: PollOccasion,
): Promise<INodeExecutionData[][] | null> {
	const { context, memory, settings, isActivation } = occasion;
	memory.leaveRuns();
	const staticData = context.getWorkflowStaticData('node');
	const stored = readProgress(staticData);
	const isLagging = memory.isBehind(stored);
	if (isLagging && !isActivation) return null;
	const known = memory.goOnFrom(stored, isActivation);
	const isNamedAnew = known.targets.size === 0;
	const delivered = ((isNamedAnew && memory.delivered) || known.delivered).copy();
	const found: FoundLead[] = [];
	const basket = {
		add: (lead: FoundLead) => found.push(lead),
		room: () => MOST_LEADS - found.length,
	};
	const asking = new Asking(occasion, { targets: known.targets, delivered }, basket);
	const snapshot = (polls: number): Progress => ({ polls, targets: asking.reached, delivered });

	const session = await asking.begin();
	// A failed activation leaves no trace: the next one starts over.
	if (!isActivation) memory.noteBegun(stored, begun(known, asking.reached));
	if (isLagging) asking.leaveKnownTargets();
	await asking.ask(session);

	const reached = snapshot(known.polls + 1);
	if (!isLagging) writeProgress(staticData, reached);
	if (isActivation || found.length > 0) memory.noteStored(isLagging ? stored : reached);
	if (found.length === 0) {
		memory.noteQuiet(stored, reached);
		return null;
	}
	memory.noteHandOver(reached);
	return [sortBy(found, 'time').map((lead) => toItem(lead, settings.simplify))];
}

/** What is known, and the targets that begin: they have their start, even if this poll fails. */
function begun(known: Progress, reached: Progress['targets']): Progress {
	return { ...known, targets: new Map([...known.targets, ...reached]) };
}

function toItem({ lead, leadType, gap }: FoundLead, simplify: boolean): INodeExecutionData {
	const json = leadJson(lead, leadType, simplify);
	return { json: gap ? { ...json, gap } : json };
}
